import type { Db } from '../storage/database.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow, WithdrawnEventRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'

// Events that the public could see and cannot any more, as they were seen last: subscribers of calendars are told of them for some time. Their
// rows stand for themselves, whatever becomes of the event.

const selectVenues = statement<{ event: number }>()((db, value) =>
  db.selectFrom('event_venues').select('venue as id').where('event', '=', value('event')).orderBy('position'),
)

const selectOrganizers = statement<{ event: number }>()((db, value) =>
  db.selectFrom('event_organizers').select('organizer as id').where('event', '=', value('event')).orderBy('position'),
)

const selectTerms = statement<{ event: number }>()((db, value) =>
  db.selectFrom('event_terms').select('term as id').where('event', '=', value('event')),
)

const insertOne = statement<{ row: WithdrawnEventRow }>()((db, value) =>
  db.insertInto('withdrawn_events').values(value('row') as never),
)

const deleteOne = statement<{ event: number }>()((db, value) =>
  db.deleteFrom('withdrawn_events').where('event', '=', value('event')),
)

/**
 * Keeps what the public saw of an event that it cannot see from now on. The links are read by statements that have begun, ahead of all that
 * follow, when the function returns. An event that is hidden from lists was in no calendar.
 */
export async function keepWithdrawn(tx: Tx, before: EventRow, withdrawn_utc: string): Promise<void> {
  if (before.hide_from_listings === 1) return
  const { id: event, uid, title, start_date, end_date, utc_start_date, utc_end_date } = before
  const { timezone, all_day, featured, event_status } = before
  const [venues, organizers, terms] = await Promise.all([
    selectVenues(tx, { event }),
    selectOrganizers(tx, { event }),
    selectTerms(tx, { event }),
  ])
  const times = { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day }
  const links = { venues: idsOf(venues), organizers: idsOf(organizers), terms: idsOf(terms) }
  await insertOne(tx, { row: { event, uid, title, ...times, featured, event_status, ...links, withdrawn_utc } })
}

function idsOf(rows: readonly { id: number }[]): string {
  return JSON.stringify(rows.map(({ id }) => id))
}

/** Forgets that an event was withdrawn: the public can see it again. */
export async function dropWithdrawn(tx: Tx, event: number): Promise<void> {
  await deleteOne(tx, { event })
}

/** The place of a withdrawn event in the order of lists. */
export type WithdrawnPlace = Pick<WithdrawnEventRow, 'start_date' | 'event'>

const MOST = 50

const selectSome = statement<WithdrawnPlace & { since: string }>()((db, value) =>
  db
    .selectFrom('withdrawn_events')
    .selectAll()
    .where('withdrawn_utc', '>=', value('since'))
    .where((row) =>
      row.or([
        row('start_date', '>', value('start_date')),
        row.and([row('start_date', '=', value('start_date')), row('event', '>', value('event'))]),
      ]),
    )
    .orderBy('start_date')
    .orderBy('event')
    .limit(MOST),
)

/** Events that were withdrawn since a time, `YYYY-MM-DD HH:MM:SS` in UTC: some at a time, each lot the next in the order of lists. */
export async function* readWithdrawn(db: Db, since: string): AsyncGenerator<WithdrawnEventRow[]> {
  let place: WithdrawnPlace | undefined = { start_date: '', event: 0 }
  while (place) {
    const { start_date, event }: WithdrawnPlace = place
    const rows: WithdrawnEventRow[] = await selectSome(db, { since, start_date, event })
    if (rows.length > 0) yield rows
    place = rows.length < MOST ? undefined : rows.at(-1)
  }
}
