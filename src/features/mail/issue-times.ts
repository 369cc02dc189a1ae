import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import { dayNumber, formatUtc, wallToUtc } from '../../base/text/zones.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { SubscriptionColumns } from './mail-tables.ts'

// When messages that were asked for are due, as wall times: changes of clocks move none of them.

const ISSUE_AT = '07:00:00'
const REMINDED_AT = '16:00:00'

/** Weekly messages go on Mondays. `dayNumber` 0 was a Thursday. */
const isMonday = (day: string) => (((dayNumber(day) + 3) % 7) + 7) % 7 === 0

/** UTC: at seven in the morning of the zone, after `now`. */
export function nextIssue(rhythm: SubscriptionColumns['rhythm'], zone: string, now: number): string {
  const nowUtc = formatUtc(now)
  let day = dayOf(wallNow(zone, now))
  for (let tries = 0; tries < 9; tries += 1) {
    const at = wallToUtc(`${day} ${ISSUE_AT}`, zone)
    if (at > nowUtc && (rhythm === 'daily' || isMonday(day))) return at
    day = addDays(day, 1)
  }
  return wallToUtc(`${day} ${ISSUE_AT}`, zone)
}

/** UTC: at four in the afternoon of the day before, in the zone of the event; empty if that is past. */
export function reminderAt(
  { start_date, timezone }: Pick<EventRow, 'start_date' | 'timezone'>,
  now: number,
): string {
  const at = wallToUtc(`${addDays(dayOf(start_date), -1)} ${REMINDED_AT}`, timezone)
  return at > formatUtc(now) ? at : ''
}
