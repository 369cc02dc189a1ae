import type { Language } from '../../base/config.ts'
import { addDays, dayOf } from '../../base/text/moments.ts'
import { sayOfFeeds } from './feed-texts.ts'

// Wording for events from midnight to midnight, which must not seem to have no length.

/** True for one or more days from local midnight to midnight. */
export const isOfWholeDays = (start: string, end: string) =>
  start.endsWith(' 00:00:00') && end.endsWith(' 00:00:00') && end > start

export const isWholeDay = (start: string, end: string) =>
  isOfWholeDays(start, end) && dayOf(end) === addDays(dayOf(start), 1)

/**
 * Midnight as the end of a day: `24:00` for `0:00`, or a word on a 12-hour clock.
 * @param midnight as the clock writes it
 */
export function midnightAtEnd(language: Language, midnight: string): string {
  return /^00?(?!\d)/.test(midnight) ? midnight.replace(/^00?/, '24') : sayOfFeeds({ language }, 'midnight')
}
