import { madeOnce } from '../../../base/cache.ts'
import type { Site } from '../../../base/config.ts'
import { addDays, dayOf, parseMoment, wallNow } from '../../../base/text/moments.ts'
import { isTimezone, lastWallToUtc, utcToMs, wallToUtc } from '../../../base/text/zones.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { localeOf } from '../../../calendar/locales/date-locales.ts'
import { writtenDay } from '../../pages/page-dates.ts'
import { shortened } from '../../pages/teasers.ts'
import type { FormFaults } from '../desk-inputs.ts'
import { isSwitchOn, isTyped, lastTyped, sayAtDesk, type TypedForm } from '../desk-page.ts'
import { distanceInWords, endAfter, lengthInWords, movedEnd } from '../event-lengths.ts'
import { readSpokenDate, type SpokenDate, type SpokenHere } from '../spoken/spoken-dates.ts'
import { readSpokenTime } from '../spoken/spoken-times.ts'
import { describeUnclear, findUnclear, type UnclearTime } from '../unclear-times.ts'

export const TIME_CONTROLS = [
  'start_date',
  'start_time',
  'end_date',
  'end_time',
  'all_day',
  'several_days',
  'timezone',
  'start_again',
  'end_again',
] as const

/** Local times with their zone; a time that cannot be read is missing. */
export interface ReadTimes {
  start?: string
  end?: string
  /** The start in UTC if its local time is ambiguous, because the clocks show it twice. */
  startUtc?: string
  endUtc?: string
  isAllDay: boolean
  zone: string
  faults: FormFaults
}

export function readTimes(context: Pick<Context, 'site' | 'now' | 'say'>, typed: TypedForm): ReadTimes {
  const { site } = context
  const asked = lastTyped(typed, 'timezone').trim()
  const zone = isTimezone(asked) ? asked : site.timezone
  const here = { language: localeOf(site), now: wallNow(zone, context.now) }
  const isAllDay = isSwitchOn(typed, 'all_day')
  const start = startIn(site, typed, here, isAllDay)
  const read: ReadTimes = { isAllDay, zone, faults: start.faults }
  if (start.wall === undefined) return read
  const end = endIn(site, typed, here, { wall: start.wall, isAllDay, said: start })
  const faults = {
    ...end.faults,
    ...(isAllDay ? {} : skippedFaults(context, zone, { start: start.wall, end: end.wall })),
  }
  const times = { ...read, start: start.wall, ...(end.wall !== undefined && { end: end.wall }), faults }
  return isAllDay ? times : { ...times, ...chosenMoments(typed, zone, start.wall, end.wall) }
}

/**
 * Chooses the moment of a local time that the clocks show twice: the first, or the second if that is ticked.
 * An end also gets the second if its first moment lies before such a start.
 */
function chosenMoments(
  typed: TypedForm,
  zone: string,
  start: string,
  end: string | undefined,
): Pick<ReadTimes, 'startUtc' | 'endUtc'> {
  const [starts, ends] = [
    repeatedMoments(start, zone),
    end === undefined ? undefined : repeatedMoments(end, zone),
  ]
  const startUtc = starts?.[isSwitchOn(typed, 'start_again') ? 1 : 0].utc
  const isEndAgain = isSwitchOn(typed, 'end_again') || isForced(ends, startUtc)
  const endUtc = ends?.[isEndAgain ? 1 : 0].utc
  return { ...(startUtc !== undefined && { startUtc }), ...(endUtc !== undefined && { endUtc }) }
}

const isForced = (ends: UnclearTime['moments'] | undefined, startUtc: string | undefined) =>
  ends !== undefined && startUtc !== undefined && ends[0].utc < startUtc

function repeatedMoments(wall: string, zone: string): UnclearTime['moments'] | undefined {
  const unclear = findUnclear(wall, zone)
  return unclear?.code === 'repeated' ? unclear.moments : undefined
}

/** What a date control says: text for a start may also give the last day and the end time. */
interface TypedMoment {
  wall?: string
  last?: string | undefined
  endTime?: string | undefined
  faults: Record<string, string>
}

function startIn(site: Site, typed: TypedForm, here: SpokenHere, isAllDay: boolean): TypedMoment {
  const day = readDay(lastTyped(typed, 'start_date'), here)
  const clock = readClock(lastTyped(typed, 'start_time'), here)
  const faults: Record<string, string> = {}
  if (day === 'none') faults.start_date = sayAtDesk(site, 'Is needed.')
  if (day === 'unread') faults.start_date = unreadDay(site, lastTyped(typed, 'start_date'), here)
  const said = typeof day === 'object' ? day : undefined
  const time = isAllDay ? '00:00' : typeof clock === 'object' ? clock.start : said?.time?.start
  if (!isAllDay && clock === 'unread') faults.start_time = unreadTime(site, lastTyped(typed, 'start_time'))
  else if (!isAllDay && time === '00:00' && DAY_END.test(lastTyped(typed, 'start_time')))
    faults.start_time = sayAtDesk(site, 'Midnight at the end of a day is 0:00 on the next day.')
  else if (time === undefined && day !== 'unread') faults.start_time = sayAtDesk(site, 'Is needed.')
  const endTime = typeof clock === 'object' ? clock.end : said?.time?.end
  if (!said || time === undefined || faults.start_time !== undefined) return { faults }
  return { wall: wallOf(said.date, time), last: said.last, endTime, faults }
}

/** Matches `24:00` and `24 Uhr`: read as 00:00, such a start would be a day too early. */
const DAY_END = /^\D*24/

/** Returns the end, by default two hours after the start; an end time before the start is the next day's. */
function endIn(
  site: Site,
  typed: TypedForm,
  here: SpokenHere,
  { wall, isAllDay, said }: { wall: string; isAllDay: boolean; said: TypedMoment },
): TypedMoment {
  const isOneDay = isTyped(typed, 'several_days') && !isSwitchOn(typed, 'several_days')
  const dayText = isOneDay ? '' : lastTyped(typed, 'end_date')
  const day = readDay(dayText, { ...here, now: wall })
  const clock = readClock(isAllDay ? '' : lastTyped(typed, 'end_time'), here)
  const faults: Record<string, string> = {}
  if (day === 'unread') faults.end_date = unreadDay(site, dayText, here)
  if (clock === 'unread') faults.end_time = unreadTime(site, lastTyped(typed, 'end_time'))
  if (Object.keys(faults).length > 0) return { faults }
  const named = typeof day === 'object' ? day.date : said.last
  const first = dayOf(wall)
  const time = isAllDay
    ? '23:59:59'
    : typeof clock === 'object'
      ? clock.start
      : ((typeof day === 'object' ? day.time?.start : undefined) ?? said.endTime)
  if (named !== undefined && named < first)
    return { faults: { end_date: sayAtDesk(site, 'The end lies before the start.') } }
  if (time === undefined)
    return named === undefined || named === first
      ? { wall: endAfter(wall) ?? wall, faults }
      : { faults: { end_time: sayAtDesk(site, 'Is needed.') } }
  const end = wallOf(named ?? first, time)
  if (end >= wall) return { wall: end, faults }
  if (named === undefined || isOneDay) return { wall: wallOf(addDays(first, 1), time), faults }
  return { faults: { end_time: sayAtDesk(site, 'The end lies before the start.') } }
}

const wallOf = (day: string, time: string) => `${day} ${time.length === 5 ? `${time}:00` : time}`

/** Reports local times that the clocks skip, since a save would silently move them. */
function skippedFaults(
  context: Pick<Context, 'say'>,
  zone: string,
  { start, end }: { start: string; end: string | undefined },
): FormFaults {
  const faultOf = (wall: string | undefined) => {
    const unclear = wall === undefined ? undefined : findUnclear(wall, zone)
    return wall !== undefined && unclear?.code === 'skipped'
      ? describeUnclear(wall, unclear, context.say)
      : undefined
  }
  const [first, last] = [faultOf(start), faultOf(end)]
  return { ...(first && { start_time: first }), ...(last && { end_time: last }) }
}

type Reading<Read> = Read | 'none' | 'unread'

function readDay(text: string, here: SpokenHere): Reading<SpokenDate> {
  if (text.trim() === '') return 'none'
  const spoken = readSpokenDate(text, here)
  if (spoken) return spoken
  // A date with a time in the form of REST and of browsers, such as `2026-12-04T19:30`.
  const [, date, time] = /^\s*(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)\s*$/.exec(text) ?? []
  if (date === undefined || time === undefined || parseMoment(`${date} ${time}`, 'UTC', 0) === undefined)
    return 'unread'
  const day = readSpokenDate(date, here)
  return day ? { ...day, time: { start: time } } : 'unread'
}

function readClock(text: string, { language }: SpokenHere): Reading<{ start: string; end?: string }> {
  return text.trim() === '' ? 'none' : (readSpokenTime(text, language) ?? 'unread')
}

/** Says that a date cannot be read; gives the day three days after `now` as an example. */
export function unreadDay(site: Site, text: string, { now }: Pick<SpokenHere, 'now'>): string {
  const example = typedDay(site, addDays(dayOf(now), 3))
  const value = shortened(text, LONGEST_QUOTED)
  return sayAtDesk(site, 'There is no day “{value}”. Write it as {example}, for example.', { value, example })
}

function unreadTime(site: Site, text: string): string {
  const value = shortened(text, LONGEST_QUOTED)
  return sayAtDesk(site, 'There is no time “{value}”. Write it as 19:30, for example.', { value })
}

const LONGEST_QUOTED = 60

const typedForm = madeOnce(
  (locale: string) =>
    new Intl.DateTimeFormat(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
    }),
)

/** Returns a date in words that can be read again, such as `Thu 26 Nov 2026`, or else as `YYYY-MM-DD`. */
export function typedDay(site: Site, day: string): string {
  const locale = localeOf(site)
  const ms = utcToMs(`${day} 00:00:00`)
  if (Number.isNaN(ms)) return day
  const text = typedForm(locale).format(ms).replaceAll(',', '')
  return readSpokenDate(text, { language: locale, now: `${day} 00:00:00` })?.date === day ? text : day
}

export function typedTimes(
  site: Site,
  {
    start_date,
    end_date,
    all_day,
    timezone,
    utc,
  }: {
    start_date: string
    end_date: string
    all_day: boolean
    timezone: string
    utc?: { utc_start_date: string; utc_end_date: string }
  },
): TypedForm {
  const [first, last] = [dayOf(start_date), dayOf(end_date)]
  const isNight = !all_day && last === addDays(first, 1) && end_date.slice(11) < start_date.slice(11)
  const isSeveral = last !== first && !isNight
  const time = (wall: string) => (all_day ? '' : wall.slice(11).replace(/:00$/, ''))
  const again = (wall: string, moment: string) =>
    moment !== wallToUtc(wall, timezone) && moment === lastWallToUtc(wall, timezone) ? '1' : '0'
  return {
    start_date: [typedDay(site, first)],
    start_time: [time(start_date)],
    end_date: [isSeveral ? typedDay(site, last) : ''],
    end_time: [time(end_date)],
    several_days: [isSeveral ? '1' : '0'],
    all_day: [all_day ? '1' : '0'],
    timezone: [timezone],
    ...(utc && {
      start_again: [again(start_date, utc.utc_start_date)],
      end_again: [again(end_date, utc.utc_end_date)],
    }),
  }
}

/** Moves the typed end to keep the event's length; returns `typed` unchanged if a time cannot be read. */
export function withMovedEnd(
  context: Pick<Context, 'site' | 'now' | 'say'>,
  typed: TypedForm,
  before: { start: string; end: string },
): TypedForm {
  const read = readTimes(context, { ...typed, end_date: [], end_time: [], several_days: [] })
  const moved = read.start === undefined ? undefined : movedEnd(before.start, before.end, read.start)
  if (read.start === undefined || moved === undefined) return typed
  const times = { start_date: read.start, end_date: moved, all_day: read.isAllDay, timezone: read.zone }
  return { ...typed, ...typedTimes(context.site, times) }
}

export interface TimesInWords {
  text: string
  warnings: string[]
  again: ReadonlyMap<'start_again' | 'end_again', string>
}

export function timesInWords(
  context: Pick<Context, 'site' | 'now' | 'say'>,
  { start, end, startUtc, endUtc, isAllDay, zone }: ReadTimes,
): TimesInWords {
  const { site } = context
  if (start === undefined || end === undefined) return NOTHING_SAID
  const today = dayOf(wallNow(zone, context.now))
  const [first, last] = [dayOf(start), dayOf(end)]
  const days =
    last > first && (isAllDay || last > addDays(first, 1) || end.slice(11) >= start.slice(11))
      ? sayAtDesk(site, '{first} until {last}', {
          first: writtenDay(site, first, today),
          last: writtenDay(site, last, today),
        })
      : writtenDay(site, first, today)
  const length = isAllDay
    ? ''
    : lengthInWords(startUtc ?? wallToUtc(start, zone), endUtc ?? wallToUtc(end, zone), localeOf(site))
  const isNight = !isAllDay && last === addDays(first, 1) && end.slice(11) < start.slice(11)
  const parts = [
    days,
    distanceInWords(first, today, localeOf(site)),
    isAllDay ? sayAtDesk(site, 'all day') : length,
    isNight && sayAtDesk(site, 'ends the next morning'),
    zone.replaceAll('_', ' '),
  ]
  const repeated = (wall: string, utc: string | undefined) => {
    const unclear = utc === undefined ? undefined : findUnclear(wall, zone)
    if (!unclear) return false
    const meant = utc === unclear.moments[0].utc ? 'The first one is meant.' : 'The second one is meant.'
    return `${describeUnclear(wall, unclear, context.say)} ${sayAtDesk(site, meant)}`
  }
  const warnings = [
    end < wallNow(zone, context.now) && sayAtDesk(site, 'That is in the past.'),
    repeated(start, startUtc),
    repeated(end, endUtc),
  ]
  return {
    text: parts.filter((part) => part !== false && part !== '').join(' · '),
    warnings: warnings.filter((warning) => typeof warning === 'string'),
    again: new Map([
      ...(startUtc === undefined
        ? []
        : [['start_again', sayAtDesk(site, 'It starts at the second one')] as const]),
      ...(endUtc === undefined || isForced(repeatedMoments(end, zone), startUtc)
        ? []
        : [['end_again', sayAtDesk(site, 'It ends at the second one')] as const]),
    ]),
  }
}

export const NOTHING_SAID: TimesInWords = { text: '', warnings: [], again: new Map() }
