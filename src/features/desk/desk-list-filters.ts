import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseSearch } from '../../base/text/search.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { shownTo } from '../../calendar/records/record-store.ts'
import { findIdsByEntries } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { countIds, listIds } from '../../store/storage/id-set.ts'
import { alsoMatching } from '../../store/storage/search/search-index.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'

export interface DeskFilters {
  search?: string
  /** Ids or slugs; a category includes its descendants. */
  categories?: readonly string[]
  tags?: readonly string[]
  venue?: readonly number[]
  organizer?: readonly number[]
  author?: number
  /** An import source's id. */
  source?: number
  /** Series whose dates are listed one by one, not as one row. */
  series?: readonly number[]
  /** First and last day on which listed events may start. */
  from?: string
  to?: string
}

/** If a filter leaves more events than this, it is not evaluated first, but tested on each event. */
export const MOST_CANDIDATES = 2000

const FIRST = '0000-00-00 00:00:00'

const LAST = '9999-12-31 23:59:59'

export const asValue = (condition: RawBuilder<unknown>) => sql<SqlBool>`(${condition}) is true`

export const filterBounds = ({ from, to }: DeskFilters) => ({
  from: from === undefined ? FIRST : `${from} 00:00:00`,
  to: to === undefined ? LAST : `${to} 23:59:59`,
})

/** A filter as SQL: `isMet` tests an event, `ids` finds up to `most` events. */
export interface ListNarrowing {
  isMet: RawBuilder<SqlBool>
  ids?: (most: number) => Promise<readonly number[]>
}

export async function narrowingsOf(context: Context, filters: DeskFilters): Promise<ListNarrowing[]> {
  const { db } = context
  const { search, categories, tags, venue, organizer, author, source, series } = filters
  const made = await Promise.all([
    search === undefined ? undefined : bySearch(context, search),
    categories === undefined ? undefined : byTerms(db, await findIdsByEntries(db, 'category', categories)),
    tags === undefined ? undefined : byTerms(db, await findIdsByEntries(db, 'tag', tags)),
    venue === undefined ? undefined : byLinked(context, 'venue', venue),
    organizer === undefined ? undefined : byLinked(context, 'organizer', organizer),
    author === undefined ? undefined : byAuthor(db, author),
    source === undefined ? undefined : bySource(db, source),
    series === undefined ? undefined : bySeries(db, series),
  ])
  return made.filter((one) => one !== undefined)
}

const idsBy = (db: Db, query: RawBuilder<{ id: number }>) => async (most: number) =>
  (await sql<{ id: number }>`${query} limit ${sql.lit(most)}`.execute(db)).rows.map(({ id }) => id)

function byTerms(db: Db, terms: readonly number[]): ListNarrowing {
  const list = wholeList(db, terms)
  return {
    isMet: sql`exists (select 1 from event_terms where event = events.id and term in ${list})`,
    ids: idsBy(db, sql`select event as id from event_terms where term in ${list}`),
  }
}

function byLinked(
  { db, caller }: Context,
  kind: 'venue' | 'organizer',
  ids: readonly number[],
): ListNarrowing {
  const [links, records] = [sql.table(`event_${kind}s`), sql.table(`${kind}s`)]
  const seen = sql`select ${records}.id from ${records} where ${records}.id in ${wholeList(db, ids)}
    and ${shownTo(caller, `${kind}s`)}`
  return {
    isMet: sql`exists (select 1 from ${links} where event = events.id and ${sql.ref(kind)} in (${seen}))`,
    ids: idsBy(db, sql`select event as id from ${links} where ${sql.ref(kind)} in (${seen})`),
  }
}

function byAuthor(db: Db, author: number): ListNarrowing {
  return {
    isMet: asValue(sql`events.author = ${author}`),
    ids: idsBy(db, sql`select id from events where author = ${author}`),
  }
}

function bySource(db: Db, source: number): ListNarrowing {
  const items = sql`select 1 from import_items where source = ${source}`
  const found = sql`select record from import_items where source = ${source}`
  return {
    isMet: sql`(exists (${items} and kind = 'event' and record = events.id) or exists (${items}
      and kind = 'series' and record = events.series))`,
    ids: idsBy(
      db,
      sql`select record as id from import_items where source = ${source} and kind = 'event'
        union all select id from events where series in (${found} and kind = 'series')`,
    ),
  }
}

function bySeries(db: Db, series: readonly number[]): ListNarrowing {
  const list = wholeList(db, series)
  return {
    isMet: asValue(sql`events.series in ${list}`),
    ids: idsBy(db, sql`select id from events where series is not null and series in ${list}`),
  }
}

async function bySearch({ db, findMatching }: Context, text: string): Promise<ListNarrowing> {
  const search = parseSearch(text)
  const found = await findMatching(search)
  if (countIds(found) <= MOST_CANDIDATES) {
    const ids = listIds(found)
    return { isMet: sql`events.id in ${wholeList(db, ids)}`, ids: async () => ids }
  }
  const searched = await alsoMatching(db, search, async () => found)
  return { isMet: sql`(${searched(sql<SqlBool>`1 = 1`)})` }
}

export const both = (filters: readonly ListNarrowing[]) =>
  filters.length === 0
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`${sql.join(
        filters.map(({ isMet }) => isMet),
        sql` and `,
      )}`
