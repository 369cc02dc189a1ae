import { sql } from 'kysely'
import { type EventMembers, eventMembers } from '../../base/fields/event-members.ts'
import { namesWith, type WithValue } from '../../base/fields/member.ts'
import type { Db } from '../../store/storage/database.ts'
import { sequenceAt } from '../../store/storage/history.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, WithdrawnEvent, WithdrawnEventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

// Stores withdrawn events as the public saw them last. Feeds send their cancellation for some time, even if
// the event is gone.

const selectVenues = statement<{ event: number }>()((db, value) =>
  db.selectFrom('event_venues').select('venue as id').where('event', '=', value('event')).orderBy('position'),
)

const selectOrganizers = statement<{ event: number }>()((db, value) =>
  db
    .selectFrom('event_organizers')
    .select('organizer as id')
    .where('event', '=', value('event'))
    .orderBy('position'),
)

const selectTerms = statement<{ event: number }>()((db, value) =>
  db.selectFrom('event_terms').select('term as id').where('event', '=', value('event')),
)

const insertOne = statement<{ row: WithdrawnEventRow }>()((db, value) =>
  db.insertInto('withdrawn_events').values(value('row')),
)

const deleteOne = statement<{ event: number }>()((db, value) =>
  db.deleteFrom('withdrawn_events').where('event', '=', value('event')),
)

/** The columns kept of a withdrawn event: no texts, so that nobody can go on reading it. */
export type KeptColumns = Omit<
  EventRow,
  Exclude<WithValue<EventMembers, 'from', 'column'>, WithValue<EventMembers, 'withdrawn', true>> | 'search'
>

const KEPT = new Set<string>(namesWith(eventMembers, 'withdrawn', true))
const TEXTS = new Set([
  ...namesWith(eventMembers, 'from', 'column').filter((name) => !KEPT.has(name)),
  'search',
])

/**
 * Stores an event that leaves public lists; `before` is what the public saw last. Reads the links before
 * later statements of the write change them.
 */
export async function keepWithdrawn(tx: Tx, before: EventRow, withdrawn_utc: string): Promise<void> {
  const { id: event, uid, title, start_date, end_date, utc_start_date, utc_end_date } = before
  const { timezone, all_day, featured, event_status } = before
  const [venues, organizers, terms] = await Promise.all([
    selectVenues(tx, { event }),
    selectOrganizers(tx, { event }),
    selectTerms(tx, { event }),
  ])
  const times = { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day }
  const links = { venues: idsOf(venues), organizers: idsOf(organizers), terms: idsOf(terms) }
  const kept = JSON.stringify(before, (name, value) => (TEXTS.has(name) ? undefined : value))
  await insertOne(tx, {
    row: { event, uid, title, ...times, featured, event_status, kept, ...links, withdrawn_utc },
  })
}

function idsOf(rows: readonly { id: number }[]): string {
  return JSON.stringify(rows.map(({ id }) => id))
}

export async function dropWithdrawn(tx: Tx, event: number): Promise<void> {
  await deleteOne(tx, { event })
}

const MOST_ROWS = 50
const MOST_PLACES = 1000

const selectPlaces = statement<{ after: number; since: string }>()((db, value) =>
  db
    .selectFrom('withdrawn_events')
    .select(['event', 'start_date'])
    .where('event', '>', value('after'))
    .where('withdrawn_utc', '>=', value('since'))
    .orderBy('event')
    .limit(sql.lit(MOST_PLACES)),
)

const selectRows = statement<{ events: readonly number[] }>()((db, value) =>
  db
    .selectFrom('withdrawn_events')
    .leftJoin('changes', (join) => join.onRef('record', '=', 'event').on('kind', '=', 'event'))
    .selectAll('withdrawn_events')
    .select([
      'changes.sequence',
      sql<number | null>`(select max(shared.sequence) from series
        join changes shared on shared.kind = 'series' and shared.record = series.id
        where series.uid = withdrawn_events.uid)`.as('of_series'),
    ])
    .where('event', 'in', value('events'))
    .orderBy('start_date')
    .orderBy('event'),
)

/**
 * Yields events withdrawn since `since` (UTC), in list order. Sorted here, since a database index would cost
 * every withdrawal another write.
 */
export async function* readWithdrawn(db: Db, since: string): AsyncGenerator<WithdrawnEvent[]> {
  const places = (await readPlaces(db, since)).sort(byStart)
  for (let at = 0; at < places.length; at += MOST_ROWS) {
    const rows = await selectRows(db, { events: places.slice(at, at + MOST_ROWS).map(({ event }) => event) })
    yield rows.map(({ of_series, ...row }) => ({
      ...row,
      sequence: Math.max(row.sequence ?? 0, of_series ?? 0, sequenceAt(row.withdrawn_utc)),
    }))
  }
}

type Place = Pick<WithdrawnEventRow, 'event' | 'start_date'>

async function readPlaces(db: Db, since: string): Promise<Place[]> {
  const places: Place[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const some: Place[] = await selectPlaces(db, { since, after })
    for (const place of some) places.push(place)
    after = some.length < MOST_PLACES ? undefined : some.at(-1)?.event
  }
  return places
}

function byStart(a: Place, b: Place): number {
  return a.start_date === b.start_date ? a.event - b.event : a.start_date < b.start_date ? -1 : 1
}
