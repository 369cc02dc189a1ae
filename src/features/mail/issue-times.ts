import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import { dayNumber, formatUtc, isTimezone, wallToUtc } from '../../base/text/zones.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { SubscriberColumns, SubscriptionColumns } from './mail-tables.ts'

// Messages are due at local times: an issue comes at seven before and after a clock change.

const ISSUE_AT = '07:00:00'
const REMINDED_AT = '16:00:00'

export type Rhythm = Pick<SubscriptionColumns, 'rhythm' | 'weekday'>

export const ISSUE_DAYS: readonly string[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
]

/** Reads the form's value: `daily`, or a weekday. Anything else means weekly on Monday. */
export function readRhythm(text: string): Rhythm & { rhythm: 'daily' | 'weekly' } {
  if (text === 'daily') return { rhythm: 'daily', weekday: 1 }
  return { rhythm: 'weekly', weekday: ISSUE_DAYS.indexOf(text) + 1 || 1 }
}

export const writtenRhythm = ({ rhythm, weekday }: Rhythm): string =>
  rhythm === 'weekly' ? (ISSUE_DAYS[weekday - 1] ?? 'monday') : rhythm

/** The subscriber's zone; the site's if the subscriber has none, or one no longer known. */
export const readerZone = ({ timezone }: Pick<SubscriberColumns, 'timezone'>, siteZone: string): string =>
  timezone !== '' && isTimezone(timezone) ? timezone : siteZone

/** 1 for Monday to 7 for Sunday. `dayNumber` 0 was a Thursday. */
const weekdayOf = (day: string) => ((((dayNumber(day) + 3) % 7) + 7) % 7) + 1

/** In UTC. */
export function nextIssue({ rhythm, weekday }: Rhythm, zone: string, now: number): string {
  const nowUtc = formatUtc(now)
  let day = dayOf(wallNow(zone, now))
  for (let tries = 0; tries < 9; tries += 1) {
    const at = wallToUtc(`${day} ${ISSUE_AT}`, zone)
    if (at > nowUtc && (rhythm === 'daily' || weekdayOf(day) === weekday)) return at
    day = addDays(day, 1)
  }
  return wallToUtc(`${day} ${ISSUE_AT}`, zone)
}

/** UTC time of the reminder, on the day before the event in its time zone; empty if that is past. */
export function reminderAt(
  { start_date, timezone }: Pick<EventRow, 'start_date' | 'timezone'>,
  now: number,
): string {
  const at = wallToUtc(`${addDays(dayOf(start_date), -1)} ${REMINDED_AT}`, timezone)
  return at > formatUtc(now) ? at : ''
}
