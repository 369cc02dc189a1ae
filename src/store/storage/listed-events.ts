import type { ExpressionBuilder } from 'kysely'
import type { EventRow, Tables } from './schema.ts'

/** True if public lists show the event. An event hidden from lists is shown only at its own URL. */
export function isListed({
  status,
  hide_from_listings,
}: Pick<EventRow, 'status' | 'hide_from_listings'>): boolean {
  return status === 'publish' && hide_from_listings === 0
}

/**
 * `isListed` in SQL. The CASE keeps SQLite from using an index for this condition, which would scan all
 * listed events to find the few of one series.
 */
export function isInLists(record: ExpressionBuilder<Tables, 'events'>) {
  const isShown = record.and([record('status', '=', 'publish'), record('hide_from_listings', '=', 0)])
  return record(record.case().when(isShown).then(1).else(0).end(), '=', 1)
}
