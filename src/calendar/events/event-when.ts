import { minutesBefore, TIMES_OF_DAY, type TimeOfDay, type WhenWord } from '../../base/fields/event-fields.ts'
import {
  addDays,
  addMonths,
  dayOf,
  endOfDay,
  formatUtc,
  type Moment,
  parseMoment,
  startOfDay,
  utcToMs,
  wallNow,
} from '../../base/text/moments.ts'
import { lastWallToUtc, settledWall, utcToWall, wallToUtc } from '../../base/text/zones.ts'
import type { EventWindow } from '../../store/memory/event-index-list.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type Caller, mayEdit, type Owned } from '../people/caller.ts'

// Works out the times of events, the windows of lists, the meaning of words such as "tonight", and when
// meeting links are shown.

// The filters `when` and `time` of lists: the dates and hours that their words mean.

/** The bounds that a word sets for the starts and ends of events, as wall times. */
export type AskedTimes = Partial<Pick<EventWindow, 'startsAfter' | 'startsBefore' | 'endsAfter'>>

/** The hours at which an evening begins, and the night after it ends (rule 13.11). */
export const EVENING = 17
const NIGHT_ENDS = 4
const NOON = 12

/**
 * Returns the bounds that a word means at `now`, in ms since the epoch, by the clock of the site (rule
 * 13.10). Events within them are on at that time; for `tonight` they begin then. The bounds stay the same for
 * a day, those of `now` for a minute, and those of `tonight` until the night ends.
 */
export function timesOf(word: WhenWord, { timezone, language }: Locality, now: number): AskedTimes {
  const wall = wallNow(timezone, now)
  const today = dayOf(wall)
  if (word === 'now') {
    const minute = wall.slice(0, 16)
    return { startsBefore: `${minute}:01`, endsAfter: `${minute}:00` }
  }
  if (word === 'tonight') {
    const evening = eveningOf(wall)
    return {
      startsAfter: `${evening} ${EVENING - 1}:59:59`,
      startsBefore: `${addDays(evening, 1)} 0${NIGHT_ENDS}:00:00`,
    }
  }
  const { first, last } = daysMeant(word, today, language)
  return { startsBefore: `${addDays(last, 1)} 00:00:00`, endsAfter: `${addDays(first, -1)} 23:59:59` }
}

/** The zone and the language of the site: they decide when days begin, and which days are the weekend. */
interface Locality {
  timezone: string
  language: string
}

const eveningOf = (wall: string) => (hourOf(wall) < NIGHT_ENDS ? addDays(dayOf(wall), -1) : dayOf(wall))

/** Returns the first day that a word means at `now`. */
export function firstDayOf(word: WhenWord, { timezone, language }: Locality, now: number): string {
  const wall = wallNow(timezone, now)
  if (word === 'now') return dayOf(wall)
  return word === 'tonight' ? eveningOf(wall) : daysMeant(word, dayOf(wall), language).first
}

/** Returns the first and the last day that a word means. */
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

/**
 * Returns the rest of the weekend that `today` is in, else the next weekend. Its days are those that are free
 * where the language is spoken.
 */
function weekendFrom(today: string, language: string): { first: string; last: string } {
  // TypeScript's declarations still lack `getWeekInfo`.
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

/** Returns a window narrowed to these times. */
export function narrowedTo(
  window: EventWindow,
  { startsAfter, startsBefore, endsAfter }: AskedTimes,
): EventWindow {
  const { from } = window
  // `startsAfter` of a window makes queries ignore its `from`, so a later `from` is turned into
  // `startsAfter`.
  const after =
    startsAfter !== undefined && from !== undefined && from > startsAfter ? justBefore(from) : startsAfter
  return {
    ...window,
    startsAfter: laterOf(window.startsAfter, after),
    startsBefore: earliest(window.startsBefore, startsBefore),
    endsAfter: laterOf(window.endsAfter, endsAfter),
  }
}

const justBefore = (wall: string) => formatUtc(utcToMs(wall) - 1000)

const laterOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other > one) ? other : one
const earliest = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other < one) ? other : one

/** The time of day that each hour belongs to (rule 13.11). */
const TIME_AT: readonly TimeOfDay[] = Array.from({ length: 24 }, (_, hour) =>
  hour < NIGHT_ENDS || hour >= EVENING ? 'evening' : hour < NOON ? 'morning' : 'afternoon',
)

/** Returns the hours, 0 to 23, of these times of day. */
export function hoursOf(times: readonly string[]): number[] {
  const wanted = new Set(TIMES_OF_DAY.filter((time) => times.includes(time)))
  return TIME_AT.flatMap((time, hour) => (wanted.has(time) ? [hour] : []))
}

/**
 * Decides whether an event begins in one of these hours. An event that takes whole days begins at no hour.
 */
export function beginsAt(
  hours: readonly number[],
  { start_date: start, end_date: end }: Record<'start_date' | 'end_date', string>,
) {
  return !(start.endsWith('00:00:00') && end.endsWith('23:59:59')) && hours.includes(hourOf(start))
}

// The times of an event, and the window of a list.

const MONTHS_AHEAD = 24

/**
 * The default window that was computed last. Each request for a list asks for it several times, and many
 * requests come within a second.
 */
let latest = { zone: '', second: Number.NaN, window: { start: '', end: '' } }

/**
 * Returns the four times that an event stores, from the times that were asked for and its zone (rules 18.1 to
 * 18.5). A wall time that a clock change skips moves forward. An all-day event runs from 00:00:00 of its
 * first day to 23:59:59 of its last, whatever the clocks do at midnight. An end before the start becomes the
 * start (all day: the end of that day). UTC times follow from the wall times. Where the clocks show a wall
 * time twice, its UTC time is the moment that was sent, else the first of the two; for an end it is the first
 * of the two that is not before the start.
 * @throws RangeError for an unknown zone
 */
export function settleWhen(input: { start: Edge; end: Edge; timezone: string; allDay: boolean }) {
  const { start, end } = input.allDay ? wholeDays(input) : settledSpan(input)
  return { start_date: start.wall, end_date: end.wall, utc_start_date: start.utc, utc_end_date: end.utc }
}

/**
 * A start or end: a wall time, alone or with its UTC time. The UTC time is ignored where it is another wall
 * time in the zone of the event.
 */
export type Edge = string | Moment

/**
 * Returns the window of a list without dates (rule 12.1): from the start of yesterday to the end of the day
 * 24 months after today, both in the zone of the site. `now` is in ms since the epoch. The window changes at
 * midnight of that zone.
 */
export function defaultWindow(zone: string, now: number): Readonly<{ start: string; end: string }> {
  const second = Math.floor(now / 1000)
  if (latest.zone !== zone || latest.second !== second) latest = { zone, second, window: windowAt(zone, now) }
  return latest.window
}

/**
 * Returns a date parameter of a list as the wall time with which events are compared; undefined for a value
 * that is no moment (rules 12.3 and 12.4). The value is read in `zone`, that of the site; a value with an
 * offset is converted to it. Unless `strict`, the time of day is dropped: `start` gives 00:00:00 of the day,
 * `end` and the four bounds `starts_*` and `ends_*` ('before-after') give 23:59:59. So `start_date=now` means
 * the start of today, and `ends_after=now` means events that end tomorrow or later. A strict time that a
 * clock change skips moves forward, as the times of events do.
 */
export function parseWindowEdge(
  value: string | number,
  edge: 'start' | 'end' | 'before-after',
  strict: boolean,
  zone: string,
  now: number,
): string | undefined {
  const wall = parseMoment(value, zone, now)
  if (wall === undefined) return undefined
  if (strict) return settledWall(wall, zone)
  return edge === 'start' ? startOfDay(wall) : endOfDay(wall)
}

function windowAt(zone: string, now: number): { start: string; end: string } {
  const today = dayOf(wallNow(zone, now))
  return { start: startOfDay(addDays(today, -1)), end: endOfDay(addMonths(today, MONTHS_AHEAD)) }
}

interface SettledSpan {
  start: Settled
  end: Settled
}

interface Settled {
  wall: string
  utc: string
}

function settledSpan({
  start: first,
  end: last,
  timezone,
}: {
  start: Edge
  end: Edge
  timezone: string
}): SettledSpan {
  const start = settledEdge(first, timezone)
  const end = settledEdge(last, timezone)
  if (end.utc >= start.utc) return { start, end }
  const later =
    typeof last === 'string' || last.utc === undefined ? lastWallToUtc(end.wall, timezone) : end.utc
  return { start, end: later >= start.utc ? { wall: end.wall, utc: later } : start }
}

function settledEdge(edge: Edge, zone: string): Settled {
  const { wall: sent, utc } = typeof edge === 'string' ? { wall: edge, utc: undefined } : edge
  if (utc !== undefined && utcToWall(utc, zone) === sent) return { wall: sent, utc }
  const wall = settledWall(sent, zone)
  return { wall, utc: wallToUtc(wall, zone) }
}

function wholeDays({
  start: first,
  end: last,
  timezone,
}: {
  start: Edge
  end: Edge
  timezone: string
}): SettledSpan {
  const settled = (wall: string) => ({ wall, utc: wallToUtc(wall, timezone) })
  const [start, end] = [startOfDay(wallOf(first)), endOfDay(wallOf(last))]
  return { start: settled(start), end: settled(end < start ? endOfDay(start) : end) }
}

const wallOf = (edge: Edge) => (typeof edge === 'string' ? edge : edge.wall)

/**
 * Returns the function that computes the default of `start_date` or `end_date` at the time of a request (rule
 * 12.1).
 */
export function defaultWindowOf(edge: 'start' | 'end') {
  return (context: Context) => defaultWindow(context.site.timezone, context.now)[edge]
}

type SentEdge = string | number

/** The parameters that decide the window of a list. */
export interface WindowQuery {
  start_date?: SentEdge
  end_date?: SentEdge
  starts_before?: SentEdge
  starts_after?: SentEdge
  ends_before?: SentEdge
  ends_after?: SentEdge
  strict_dates?: boolean
  include?: readonly number[]
  when?: string
}

/**
 * Returns the window that a query asks for (rules 12.4 and 12.5), in whole days unless strict. The default
 * window falls away when `when` or any of the bounds `starts_*` and `ends_*` is given. `starts_after` and
 * `ends_before` win over `start_date` and `end_date`. With `include` the window has no bounds (rule 12.6).
 */
export function eventWindow(query: WindowQuery, context: Context): EventWindow {
  if (query.include !== undefined) return WITHOUT_BOUNDS
  const edge = (value: string | number | undefined, which: 'start' | 'end' | 'before-after') =>
    value === undefined
      ? undefined
      : parseWindowEdge(value, which, query.strict_dates ?? false, context.site.timezone, context.now)
  const startsBefore = edge(query.starts_before, 'before-after')
  const startsAfter = edge(query.starts_after, 'before-after')
  const endsBefore = edge(query.ends_before, 'before-after')
  const endsAfter = edge(query.ends_after, 'before-after')
  const isRelative = (startsBefore ?? startsAfter ?? endsBefore ?? endsAfter ?? query.when) !== undefined
  const fallback = isRelative ? undefined : defaultWindow(context.site.timezone, context.now)
  const from = edge(query.start_date, 'start') ?? fallback?.start
  const to = edge(query.end_date, 'end') ?? fallback?.end
  return { from, to, startsBefore, startsAfter, endsBefore, endsAfter }
}

/** The window of all times. */
export const WITHOUT_BOUNDS: EventWindow = {
  from: undefined,
  to: undefined,
  startsBefore: undefined,
  startsAfter: undefined,
  endsBefore: undefined,
  endsAfter: undefined,
}

// When everybody sees a meeting link. Every representation of an event asks here whether it may show the
// link.

/** A time later than that of any event. */
const NEVER = '9999-12-31 23:59:59'

type Linked = Pick<EventRow, 'online_url' | 'online_shown' | 'utc_start_date'>

/**
 * Returns the time from which everybody sees the meeting link of an event, `YYYY-MM-DD HH:MM:SS` in UTC.
 * Returns `''` where that time has come, and for an event without a link. `now` is in ms since the epoch.
 */
export function linkShownFrom({ online_url, online_shown, utc_start_date }: Linked, now: number): string {
  if (online_url === '') return ''
  const from = utcToMs(utc_start_date) - (minutesBefore(online_shown) ?? Number.NaN) * 60_000
  return from <= now ? '' : Number.isNaN(from) ? NEVER : formatUtc(from)
}

/**
 * Returns a row without its meeting link, unless everybody may see the link or the caller may edit the event.
 * Every representation shows this row. The schedule changes the event once its link may be shown, so no
 * cached answer hides the link after that.
 */
export function asSeenBy<Row extends Owned & Pick<EventRow, 'online_url' | 'online_from'>>(
  caller: Caller,
  row: Row,
): Row {
  return row.online_from === '' || mayEdit(caller, row) ? row : { ...row, online_url: '' }
}

/**
 * Returns the row that all dates of a series share as the caller sees it. Its editors alone see a meeting
 * link that is not always shown.
 */
export function asSeriesSeenBy<Row extends Owned & Omit<Linked, 'utc_start_date'>>(
  caller: Caller,
  row: Row,
  now: number,
): Row & Pick<EventRow, 'online_from'> {
  return asSeenBy(caller, { ...row, online_from: linkShownFrom({ ...row, utc_start_date: NEVER }, now) })
}
