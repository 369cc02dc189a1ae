import { sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

/** Links a postponed event to its new date, in place of an earlier link. */
export async function linkPostponed(tx: Db, event: number, later: number): Promise<void> {
  const row = tx.insertInto('postponed_events').values({ event, later })
  await row.onConflict((conflict) => conflict.column('event').doUpdateSet({ later })).execute()
}

const selectSides = statement<{ event: number }>()<{ id: number; isLater: number }>(
  (_db, value) => sql`
    select later as id, 1 as "isLater" from postponed_events where event = ${value('event')}
    union all select event, 0 from postponed_events where later = ${value('event')}`,
)

/** `former` is the event that was postponed to this one; `later` is this one's own new date. */
export interface Postponed {
  former: EventRow | undefined
  later: EventRow | undefined
}

/** Reads both links; one counts while its former event is postponed and the other event is not trashed. */
export async function findPostponed({ db }: Pick<Context, 'db'>, row: EventRow): Promise<Postponed> {
  const found: Postponed = { former: undefined, later: undefined }
  for (const { id, isLater } of await selectSides(db, { event: row.id })) {
    const other = await findEvent(db, id)
    if (!other || other.status === 'trash') continue
    if (Number(isLater) === 1 && row.event_status === 'postponed') found.later = other
    if (Number(isLater) === 0 && other.event_status === 'postponed') found.former = other
  }
  return found
}
