import type { ExpressionBuilder } from 'kysely'
import type { EventRow, Tables } from './schema.ts'

/**
 * Whether lists, pages, feeds and messages tell everybody of an event: the one meaning of a public event, an occurrence of a series or not. One that
 * is hidden from lists is open to whoever has its address, and told of nowhere.
 */
export function isListed({ status, hide_from_listings }: Pick<EventRow, 'status' | 'hide_from_listings'>): boolean {
  return status === 'publish' && hide_from_listings === 0
}

/** The same as a condition, in a form that no index has: SQLite would look through all such events for the few hundred of one series. */
export function isInLists(record: ExpressionBuilder<Tables, 'events'>) {
  const isShown = record.and([record('status', '=', 'publish'), record('hide_from_listings', '=', 0)])
  return record(record.case().when(isShown).then(1).else(0).end(), '=', 1)
}
