import type { ExpressionBuilder } from 'kysely'
import type { EventRow, Tables } from './schema.ts'

/**
 * The one definition of a public event, single or occurrence. One hidden from lists is open at its address,
 * and shown nowhere else.
 */
export function isListed({
  status,
  hide_from_listings,
}: Pick<EventRow, 'status' | 'hide_from_listings'>): boolean {
  return status === 'publish' && hide_from_listings === 0
}

/** A CASE keeps SQLite from using an index here: it would scan all listed events for the few of a series. */
export function isInLists(record: ExpressionBuilder<Tables, 'events'>) {
  const isShown = record.and([record('status', '=', 'publish'), record('hide_from_listings', '=', 0)])
  return record(record.case().when(isShown).then(1).else(0).end(), '=', 1)
}
