import { decodedText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { seesAll } from '../../calendar/people/caller.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

export interface DeskEvent extends Pick<EventRow, (typeof SHOWN)[number]> {
  /** Name of the first venue that the caller may see; `venues` counts all such venues. */
  venue: string
  venues: number
  categories: number[]
  /** The author's name. `source`: the address of the import source. */
  by: string
  source: string
}

const SHOWN = [
  'id',
  'author',
  'status',
  'slug',
  'title',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'timezone',
  'all_day',
  'hide_from_listings',
  'featured',
  'sticky',
  'event_status',
  'event_status_reason',
  'series',
] as const satisfies (keyof EventRow)[]

const selectRows = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(SHOWN).where('id', 'in', value('ids')),
)

const selectVenues = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.venue')
    .select(['event', 'venues.venue', 'venues.author', 'venues.status'])
    .where('event', 'in', value('ids'))
    .orderBy('position'),
)

// The cross join fixes the order: without statistics, SQLite would start with the categories.
const selectCategories = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('event_terms')
    .crossJoin('terms')
    .whereRef('terms.id', '=', 'event_terms.term')
    .select(['event', 'terms.id'])
    .where('event', 'in', value('ids'))
    .where('taxonomy', '=', 'category')
    .orderBy('folded'),
)

const selectNames = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('users').select(['id', 'name']).where('id', 'in', value('ids')),
)

const selectSources = statement<{ kind: string; ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('import_items')
    .innerJoin('import_sources', 'import_sources.id', 'import_items.source')
    .select(['record', 'address'])
    .where('kind', '=', value('kind'))
    .where('record', 'in', value('ids')),
)

const isSeen = ({ caller }: Context, venue: { author: number; status: string }) =>
  venue.status !== 'trash' && (venue.status === 'publish' || venue.author === caller.id || seesAll(caller))

/** Returns the events in the order of `ids`, without checking whether the caller may see them. */
export async function loadDeskEvents(context: Context, ids: readonly number[]): Promise<DeskEvent[]> {
  if (ids.length === 0) return []
  const { db } = context
  const rows = await selectRows(db, { ids })
  const series = [...new Set(rows.flatMap((row) => row.series ?? []))]
  const [venues, categories, names, sources, seriesSources] = await Promise.all([
    selectVenues(db, { ids }),
    selectCategories(db, { ids }),
    rows.length === 0 ? [] : selectNames(db, { ids: [...new Set(rows.map(({ author }) => author))] }),
    selectSources(db, { kind: 'event', ids }),
    series.length === 0 ? [] : selectSources(db, { kind: 'series', ids: series }),
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const places = Map.groupBy(
    venues.filter((venue) => isSeen(context, venue)),
    ({ event }) => event,
  )
  const terms = Map.groupBy(categories, ({ event }) => event)
  const authors = new Map(names.map(({ id, name }) => [id, name]))
  const [ofEvents, ofSeries] = [sources, seriesSources].map(
    (all) => new Map(all.map((one) => [one.record, one.address])),
  )
  return ids.flatMap((id) => {
    const row = byId.get(id)
    const own = places.get(id) ?? []
    const source = ofEvents?.get(id) ?? ofSeries?.get(row?.series ?? 0) ?? ''
    const venue = decodedText(own[0]?.venue ?? '')
    const by = authors.get(row?.author ?? 0) ?? ''
    return row
      ? [
          {
            ...row,
            venue,
            venues: own.length,
            categories: (terms.get(id) ?? []).map((term) => term.id),
            by,
            source,
          },
        ]
      : []
  })
}

export async function listSources(db: Db, most: number): Promise<{ id: number; address: string }[]> {
  return db.selectFrom('import_sources').select(['id', 'address']).orderBy('address').limit(most).execute()
}
