import { minutesBefore } from '../../base/fields/event-fields.ts'
import { formatUtc, utcToMs } from '../../base/text/moments.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { type Caller, mayEdit, type Owned } from '../people/caller.ts'

// When everybody sees the link of a meeting. Every representation of an event asks here whether it may show the link.

/** Later than any time that comes. */
const NEVER = '9999-12-31 23:59:59'

type Linked = Pick<EventRow, 'online_url' | 'online_shown' | 'utc_start_date'>

/**
 * Returns the time from which everybody sees the link of a meeting, `YYYY-MM-DD HH:MM:SS` in UTC. Empty where that time has come, and for an event
 * without a link.
 */
export function linkShownFrom({ online_url, online_shown, utc_start_date }: Linked, now: number): string {
  if (online_url === '') return ''
  const from = utcToMs(utc_start_date) - (minutesBefore(online_shown) ?? Number.NaN) * 60_000
  return from <= now ? '' : Number.isNaN(from) ? NEVER : formatUtc(from)
}

/**
 * An event as the caller sees it: without the link of its meeting while that is not for everybody, unless they may edit the event. What is shown in
 * any representation has gone through here. The schedule changes the event when its time has come, so nothing that is kept outlives it.
 */
export function asSeenBy<Row extends Owned & Pick<EventRow, 'online_url' | 'online_from'>>(
  caller: Caller,
  row: Row,
): Row {
  return row.online_from === '' || mayEdit(caller, row) ? row : { ...row, online_url: '' }
}

/** Returns the row that all dates of a series share as the caller sees it: only its editors see a link that is not always shown. */
export function asSeriesSeenBy<Row extends Owned & Omit<Linked, 'utc_start_date'>>(
  caller: Caller,
  row: Row,
  now: number,
): Row {
  return asSeenBy(caller, { ...row, online_from: linkShownFrom({ ...row, utc_start_date: NEVER }, now) })
}
