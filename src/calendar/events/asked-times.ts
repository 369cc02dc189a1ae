import { TIMES_OF_DAY, type TimeOfDay, type WhenWord } from '../../base/fields/event-fields.ts'
import { addDays, dayOf, formatUtc, utcToMs, wallNow } from '../../base/text/moments.ts'
import type { EventWindow } from '../../store/memory/event-index-list.ts'

// The filters `when` and `time`: the dates and hours that their words mean.

/** Edges of a window as wall times. */
export type AskedTimes = Partial<Pick<EventWindow, 'startsAfter' | 'startsBefore' | 'endsAfter'>>

/** The hours that begin an evening, and end the night after it (rule 13.11). */
const EVENING = 17
const NIGHT_ENDS = 4
const NOON = 12

/**
 * The times that a word means at `now`, by the clock of the site (rule 13.10): events that are on then; of `tonight` those that begin then. They stay
 * the same for a day, those of `now` for a minute, and those of `tonight` until the night ends.
 */
export function timesOf(word: WhenWord, { timezone, language }: Locality, now: number): AskedTimes {
  const wall = wallNow(timezone, now)
  const today = dayOf(wall)
  if (word === 'now') {
    const minute = wall.slice(0, 16)
    return { startsBefore: `${minute}:01`, endsAfter: `${minute}:00` }
  }
  if (word === 'tonight') {
    const evening = hourOf(wall) < NIGHT_ENDS ? addDays(today, -1) : today
    return {
      startsAfter: `${evening} ${EVENING - 1}:59:59`,
      startsBefore: `${addDays(evening, 1)} 0${NIGHT_ENDS}:00:00`,
    }
  }
  const { first, last } = daysMeant(word, today, language)
  return { startsBefore: `${addDays(last, 1)} 00:00:00`, endsAfter: `${addDays(first, -1)} 23:59:59` }
}

/** The zone and the language that say when days and weeks begin. */
interface Locality {
  timezone: string
  language: string
}

/** The days of a word, both included. */
export function daysMeant(
  word: Exclude<WhenWord, 'now' | 'tonight'>,
  today: string,
  language: string,
): { first: string; last: string } {
  if (word === 'weekend') return weekendFrom(today, language)
  const first = word === 'tomorrow' ? addDays(today, 1) : today
  return { first, last: addDays(first, LATER[word]) }
}

const LATER = { today: 0, tomorrow: 0, week: 6, month: 29 }

/** The rest of the weekend that a day is in, else the next weekend: the days that are free where the language is spoken. */
function weekendFrom(today: string, language: string): { first: string; last: string } {
  // TypeScript's declarations still lack it.
  const locale: Intl.Locale & { getWeekInfo?: () => { weekend: number[] } } = new Intl.Locale(language)
  const free = new Set(locale.getWeekInfo?.().weekend ?? [6, 7])
  const isFree = (day: string) => free.has(new Date(`${day}T00:00:00Z`).getUTCDay() || 7)
  let first = today
  while (!isFree(first)) first = addDays(first, 1)
  let last = first
  while (isFree(addDays(last, 1))) last = addDays(last, 1)
  return { first, last }
}

const hourOf = (wall: string) => Number(wall.slice(11, 13))

/** A window narrowed to these times. */
export function narrowedTo(window: EventWindow, { startsAfter, startsBefore, endsAfter }: AskedTimes): EventWindow {
  const { from } = window
  // An edge that is left out in favour of another counts all the same.
  const after = startsAfter !== undefined && from !== undefined && from > startsAfter ? justBefore(from) : startsAfter
  return {
    ...window,
    startsAfter: laterOf(window.startsAfter, after),
    startsBefore: earliest(window.startsBefore, startsBefore),
    endsAfter: laterOf(window.endsAfter, endsAfter),
  }
}

/** The second before a wall time. */
const justBefore = (wall: string) => formatUtc(utcToMs(wall) - 1000)

const laterOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other > one) ? other : one
const earliest = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other < one) ? other : one

/** The times of day at each hour (rule 13.11). */
const TIME_AT: readonly TimeOfDay[] = Array.from({ length: 24 }, (_, hour) =>
  hour < NIGHT_ENDS || hour >= EVENING ? 'evening' : hour < NOON ? 'morning' : 'afternoon',
)

/** The hours of these times of day. */
export function hoursOf(times: readonly string[]): number[] {
  const wanted = new Set(TIMES_OF_DAY.filter((time) => times.includes(time)))
  return TIME_AT.flatMap((time, hour) => (wanted.has(time) ? [hour] : []))
}

/** Whether an event begins in these hours; one that takes whole days begins at no hour. */
export function beginsAt(
  hours: readonly number[],
  { start_date: start, end_date: end }: Record<'start_date' | 'end_date', string>,
) {
  return !(start.endsWith('00:00:00') && end.endsWith('23:59:59')) && hours.includes(hourOf(start))
}
