import { createHash } from 'node:crypto'
import { isFault, type Recurrence, type Start, WEEKDAYS } from '../../../base/recurrence/recurrence.ts'
import { type RecurrenceObject, recurrenceLines } from '../../../base/recurrence/recurrence-text.ts'
import { dayOf, wallNow } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { localeOf } from '../../../calendar/locales/date-locales.ts'
import { whenAt } from '../../../calendar/series/series-schedule.ts'
import type { FormFaults } from '../desk-inputs.ts'
import { allTyped, isTyped, lastTyped, sayAtDesk, type TypedForm } from '../desk-page.ts'
import { readSpokenDate } from '../spoken/spoken-dates.ts'
import { typedDay, unreadDay } from './event-times.ts'
import { fieldsOfRule, nextDates, type RuleFields, valueOfRule } from './rule-builder.ts'

export const REPEAT_CONTROLS = [
  'repeats',
  'repeat_every',
  'repeat_days',
  'repeat_place',
  'repeat_until',
  'repeat_count',
  'left_out',
  'more_dates',
] as const

/** Returns a hash of each control, by which a save tells which ones were changed. */
export function repeatsDigests(typed: TypedForm): string {
  const textOf = (name: string) =>
    allTyped(typed, name).toSorted().join('\n') || (name === 'repeat_every' ? '1' : '')
  const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return REPEAT_CONTROLS.map((name) => digestOf(textOf(name))).join(' ')
}

/** `recurrence`: empty if the event does not repeat; undefined if unchanged or without a start. */
export interface ReadRepeats {
  recurrence: RecurrenceObject | string | undefined
  faults: FormFaults
}

const NUMBER = /^\s*\d{1,9}\s*$/

export function readRepeats(
  { site, now }: Pick<Context, 'site' | 'now'>,
  typed: TypedForm,
  start: Start | undefined,
): ReadRepeats {
  const kind = lastTyped(typed, 'repeats')
  if (!isTyped(typed, 'repeats') || kind === 'as_is') return { recurrence: undefined, faults: {} }
  if (kind === '') return { recurrence: '', faults: {} }
  const repeats = KINDS.find((known) => known === kind)
  if (!start || !repeats) return { recurrence: undefined, faults: {} }
  const faults: Record<string, string> = {}
  const dayIn = (name: string, text: string) => {
    const day = readSpokenDate(text, { language: localeOf(site), now: start.local })
    if (!day) faults[name] = unreadDay(site, text, { now: wallNow(start.zone, now) })
    return day?.date
  }
  const numberIn = (name: string) => {
    const text = lastTyped(typed, name).trim()
    if (text === '' || (NUMBER.test(text) && Number(text) > 0)) return text === '' ? undefined : Number(text)
    faults[name] = sayAtDesk(site, 'This is a whole number, as 2.')
    return undefined
  }
  const isRule = repeats !== 'dates'
  const last = lastTyped(typed, 'repeat_until').trim()
  const until = isRule && last !== '' ? dayIn('repeat_until', last) : undefined
  const count = isRule && last === '' ? numberIn('repeat_count') : undefined
  if (until !== undefined && until < dayOf(start.local))
    faults.repeat_until = sayAtDesk(site, 'The end lies before the start.')
  const isLate = (day: string) => day >= dayOf(start.local)
  const atTime = (day: string) => (start.allDay ? day : `${day} ${start.local.slice(11)}`)
  const added = lastTyped(typed, 'more_dates')
    .slice(0, LONGEST_DATES)
    .split(/[,;\n]/)
    .filter((text) => text.trim() !== '')
    .flatMap((text) => dayIn('more_dates', text) ?? [])
  const left = allTyped(typed, 'left_out').filter((day) => /^\d{4}-\d\d-\d\d$/.test(day))
  if (!isRule && added.length === 0 && !faults.more_dates) faults.more_dates = sayAtDesk(site, 'Is needed.')
  const recurrence = valueOfRule({
    repeats,
    interval: (isRule ? numberIn('repeat_every') : undefined) ?? 1,
    weekdays: allTyped(typed, 'repeat_days').filter((day) =>
      WEEKDAYS.some((known) => known.toLowerCase() === day),
    ),
    ...placeInMonth(typed, start),
    ends: until !== undefined ? 'until' : count !== undefined ? 'count' : 'never',
    ...(until !== undefined && { until }),
    ...(count !== undefined && { count }),
    added: added.filter(isLate).map(atTime),
    left: left.filter(isLate).map(atTime),
  })
  return { recurrence, faults }
}

/** In characters. A longer text is cut here, and then refused by the save. */
const LONGEST_DATES = 1000

const KINDS = ['daily', 'weekly', 'monthly', 'yearly', 'dates'] as const

function offeredPlaces({
  local,
}: Pick<Start, 'local'>): Record<string, Pick<RuleFields, 'month_day' | 'weekday'>> {
  const [day, weekday] = [Number(local.slice(8, 10)), weekdayAt(local)]
  return {
    day: { month_day: day },
    last_day: { month_day: -1 },
    weekday: { weekday: `${Math.ceil(day / 7)}${weekday}` },
    last: { weekday: `-1${weekday}` },
  }
}

function placeInMonth(typed: TypedForm, start: Start): Pick<RuleFields, 'month_day' | 'weekday'> {
  const places = offeredPlaces(start)
  return places[lastTyped(typed, 'repeat_place')] ?? places.day ?? {}
}

/** Returns the weekday of a date as rules write it, such as `tu`. */
function weekdayAt(wall: string): string {
  const number = (new Date(`${dayOf(wall)}T00:00:00Z`).getUTCDay() + 6) % 7
  return (WEEKDAYS[number] ?? 'MO').toLowerCase()
}

/** Returns values of controls. A rule that they cannot express becomes `as_is`, which a save keeps. */
export function typedRepeats(
  { site }: Pick<Context, 'site'>,
  recurrence: Recurrence,
  start: Start,
): TypedForm {
  const fields = fieldsOfRule(recurrenceLines(recurrence, start).join('\n'), start)
  const { repeats, interval, weekdays, until, count, added, left, month_day, weekday } = fields
  const place =
    month_day === undefined && weekday === undefined
      ? 'day'
      : Object.entries(offeredPlaces(start)).find(
          ([, one]) => one.month_day === month_day && one.weekday === weekday,
        )?.[0]
  const time = start.local.slice(11)
  const isAtTime = start.allDay || [...added, ...left].every((wall) => wall.slice(11) === time)
  if (repeats === 'text' || place === undefined || !isAtTime) return { repeats: ['as_is'] }
  return {
    repeats: [repeats],
    repeat_every: [String(interval)],
    repeat_days: repeats === 'weekly' && weekdays.length === 0 ? [weekdayAt(start.local)] : weekdays,
    repeat_place: [place],
    repeat_until: [until === undefined ? '' : typedDay(site, until)],
    repeat_count: [count === undefined ? '' : String(count)],
    left_out: left.map(dayOf),
    more_dates: [added.map((date) => typedDay(site, dayOf(date))).join(', ')],
  }
}

export interface ShownDate {
  day: string
  isLeftOut: boolean
}

export interface ShownDates {
  dates: ShownDate[]
  isMore: boolean
  /** True if a date ends after the next one begins. */
  doOverlap: boolean
  /** The first date whose local end time differs from the event's, because the clocks change during it. */
  shifted?: { start: string; end: string }
}

const MOST_SHOWN = 16

/** Maximum number of dates examined: a year of weekly ones. */
const LOOKED_AT = 53

/**
 * Returns the next dates, or the first dates if all are over; undefined if there are none.
 * @param duration in seconds; undefined if unknown
 */
export function shownNextDates(
  { now }: Pick<Context, 'now'>,
  recurrence: RecurrenceObject | string,
  start: Start,
  duration: number | undefined,
): ShownDates | undefined {
  const { left = [], ...whole } = typeof recurrence === 'string' ? {} : recurrence
  const days = new Set(left.map(dayOf))
  const ask = (from: string) => nextDates(whole, start, from, LOOKED_AT)
  const coming = ask(wallNow(start.zone, now))
  const found = isFault(coming) || coming.length > 0 ? coming : ask(start.local)
  if (isFault(found) || found.length === 0) return undefined
  const dates = found
    .slice(0, MOST_SHOWN)
    .map((wall) => ({ day: dayOf(wall), isLeftOut: days.has(dayOf(wall)) }))
  const when = (wall: string) => whenAt({ start, duration: duration ?? 0 }, wall)
  const usualEnd = when(start.local).end_date.slice(11)
  const times = found.filter((wall) => !days.has(dayOf(wall))).map(when)
  const shifted = times.find(({ end_date }) => end_date.slice(11) !== usualEnd)
  return {
    dates,
    isMore: found.length > MOST_SHOWN,
    doOverlap: times.some(({ utc_start_date }, at) => utc_start_date < (times[at - 1]?.utc_end_date ?? '')),
    ...(shifted &&
      duration !== undefined && { shifted: { start: shifted.start_date, end: shifted.end_date } }),
  }
}
