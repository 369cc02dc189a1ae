import { madeOnce } from '../../base/cache.ts'
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
import type { AskedTimes, EventWindow } from '../../store/memory/event-index-list.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type Caller, mayEdit, type Owned } from '../people/caller.ts'

/** The hours at which evening begins and night ends (rule 13.11). */
export const EVENING = 17
const NIGHT_ENDS = 4
const NOON = 12

/**
 * The window that a word such as `tonight` means (rule 13.10). Its bounds hold until midnight; those of `now`
 * until its minute ends, those of `tonight` until the night ends.
 * @param now in ms
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

export interface Locality {
  timezone: string
  language: string
}

export const eveningOf = (wall: string) =>
  hourOf(wall) < NIGHT_ENDS ? addDays(dayOf(wall), -1) : dayOf(wall)

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

/** The rest of the current weekend, else the next, by the region of `language`. */
function weekendFrom(today: string, language: string): { first: string; last: string } {
  const free = freeDaysOf(language)
  const isFree = (day: string) => free.has(new Date(`${day}T00:00:00Z`).getUTCDay() || 7)
  let first = today
  while (!isFree(first)) first = addDays(first, 1)
  let last = first
  while (isFree(addDays(last, 1))) last = addDays(last, 1)
  return { first, last }
}

const freeDaysOf = madeOnce((language: string): ReadonlySet<number> => {
  // TypeScript's declarations lack `getWeekInfo`.
  const locale: Intl.Locale & { getWeekInfo?: () => { weekend: number[] } } = new Intl.Locale(language)
  return new Set(locale.getWeekInfo?.().weekend ?? [6, 7])
})

const hourOf = (wall: string) => Number(wall.slice(11, 13))

export function narrowedTo(
  window: EventWindow,
  { startsAfter, startsBefore, endsAfter }: AskedTimes,
): EventWindow {
  const { from } = window
  // `startsAfter` makes queries ignore `from`, so a later `from` becomes a `startsAfter`.
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

/** The time of day by hour (rule 13.11). */
const TIME_AT: readonly TimeOfDay[] = Array.from({ length: 24 }, (_, hour) =>
  hour < NIGHT_ENDS || hour >= EVENING ? 'evening' : hour < NOON ? 'morning' : 'afternoon',
)

export function hoursOf(times: readonly string[]): number[] {
  const wanted = new Set(TIMES_OF_DAY.filter((time) => times.includes(time)))
  return TIME_AT.flatMap((time, hour) => (wanted.has(time) ? [hour] : []))
}

/** True if the event begins in one of `hours`; false for whole days. */
export function beginsAt(
  hours: readonly number[],
  { start_date: start, end_date: end }: Record<'start_date' | 'end_date', string>,
) {
  return !(start.endsWith('00:00:00') && end.endsWith('23:59:59')) && hours.includes(hourOf(start))
}

const MONTHS_AHEAD = 24

/** The last default window: one list asks for it several times, many lists arrive within a second. */
let latest = { zone: '', second: Number.NaN, window: { start: '', end: '' } }

/**
 * The stored times of an event, local and UTC (rules 18.1 to 18.5). Whole days begin at 00:00:00, even where
 * clocks change at midnight.
 * @throws RangeError for an unknown zone
 */
export function settleWhen(input: { start: Edge; end: Edge; timezone: string; allDay: boolean }) {
  const { start, end } = input.allDay ? wholeDays(input) : settledSpan(input)
  return { start_date: start.wall, end_date: end.wall, utc_start_date: start.utc, utc_end_date: end.utc }
}

/** Start or end as requested. A UTC time that contradicts the local time is ignored. */
export type Edge = string | Moment

/** The bounds of a list without date parameters (rule 12.1). @param now in ms */
export function defaultWindow(zone: string, now: number): Readonly<{ start: string; end: string }> {
  const second = Math.floor(now / 1000)
  if (latest.zone !== zone || latest.second !== second) latest = { zone, second, window: windowAt(zone, now) }
  return latest.window
}

/**
 * The bound that a date parameter means, in local time (rules 12.3 and 12.4); undefined if it is no moment.
 * Unless `strict`, whole days count: `start_date=now` is the start of today, and `ends_after=now` finds
 * events that end tomorrow or later.
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

export function defaultWindowOf(edge: 'start' | 'end') {
  return (context: Context) => defaultWindow(context.site.timezone, context.now)[edge]
}

type SentEdge = string | number

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

/** The bounds of a list (rules 12.4 to 12.6). `when` and bounds before or after replace the default ones. */
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

export const WITHOUT_BOUNDS: EventWindow = {
  from: undefined,
  to: undefined,
  startsBefore: undefined,
  startsAfter: undefined,
  endsBefore: undefined,
  endsAfter: undefined,
}

// Decides who sees the link to an online meeting, and from when, in all representations.

const NEVER = '9999-12-31 23:59:59'

type Linked = Pick<EventRow, 'online_url' | 'online_shown' | 'utc_start_date'>

/**
 * The UTC time from which everybody sees the meeting link; `''` if it has passed or there is no link.
 * @param now in ms
 */
export function linkShownFrom({ online_url, online_shown, utc_start_date }: Linked, now: number): string {
  if (online_url === '') return ''
  const from = utcToMs(utc_start_date) - (minutesBefore(online_shown) ?? Number.NaN) * 60_000
  return from <= now ? '' : Number.isNaN(from) ? NEVER : formatUtc(from)
}

/**
 * Removes the meeting link unless everybody may see it or the caller may edit the event. When the link is
 * due, a scheduled task changes the event, so that no cached answer goes on hiding it.
 */
export function asSeenBy<Row extends Owned & Pick<EventRow, 'online_url' | 'online_from'>>(
  caller: Caller,
  row: Row,
): Row {
  return row.online_from === '' || mayEdit(caller, row) ? row : { ...row, online_url: '' }
}

/** Removes a series' meeting link, unless it is always shown or the caller may edit the series. */
export function asSeriesSeenBy<Row extends Owned & Omit<Linked, 'utc_start_date'>>(
  caller: Caller,
  row: Row,
  now: number,
): Row & Pick<EventRow, 'online_from'> {
  return asSeenBy(caller, { ...row, online_from: linkShownFrom({ ...row, utc_start_date: NEVER }, now) })
}
