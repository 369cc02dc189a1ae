import { invalidParam, type Problem } from '../../base/problems.ts'
import { moveRecurrence } from '../../base/recurrence/change-recurrence.ts'
import {
  isFault,
  occurrenceStarts,
  type Recurrence,
  type Start,
  settled,
} from '../../base/recurrence/recurrence.ts'
import { readRecurrence, withoutShown } from '../../base/recurrence/recurrence-text.ts'
import {
  addDays,
  addMonths,
  dayOf,
  endOfDay,
  formatUtc,
  startOfDay,
  utcToMs,
  wallNow,
} from '../../base/text/moments.ts'
import { utcToWall, wallToUtc } from '../../base/text/zones.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import { type Edge, settleWhen } from '../events/event-when.ts'
import { recurrenceOf, startOf } from '../events/recurrence-present.ts'

export interface Schedule {
  start: Start
  /** In seconds: elapsed time, or for whole days the difference of local times. */
  duration: number
  recurrence: Recurrence
}

export type When = Pick<
  EventRow,
  'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
>

export const TIMES = [
  'start_date',
  'end_date',
  'timezone',
  'all_day',
] as const satisfies readonly (keyof When)[]

/** The most dates written as events: this many before today, and as many from today on. */
export const MOST_WRITTEN_DATES = 750

/** The value of `written_until` when all dates of the series are written. */
export const FOR_EVER = '9999-12-31 23:59:59'

const DAY_SECONDS = 86_400

export function isNone(sent: unknown): boolean {
  const recurrence = withoutShown(sent)
  return recurrence === '' || (Array.isArray(recurrence) && recurrence.length === 0)
}

/** Reads a recurrence; undefined if there is none. @throws Problem naming its faults */
export function readSchedule(recurrence: unknown, when: When): Schedule | undefined {
  if (isNone(recurrence)) return undefined
  const start = startOf(when)
  return { start, duration: durationOf(when), recurrence: readAt(recurrence, start) }
}

function readAt(recurrence: unknown, start: Start): Recurrence {
  const read = readRecurrence(recurrence, start)
  if (isFault(read)) throw refused(read)
  if (!read) throw invalidParam('recurrence')
  return read
}

export function refused({
  part,
  message,
  values,
}: {
  part: string
  message: string
  values?: Readonly<Record<string, string>>
}): Problem {
  return invalidParam('recurrence', { why: 'recurrence', part, message, ...(values ? { values } : {}) })
}

export function scheduleOf(series: SeriesRow): Schedule {
  return { start: startOf(series), duration: series.duration, recurrence: recurrenceOf(series) }
}

export function durationOf({
  start_date,
  end_date,
  utc_start_date,
  utc_end_date,
  all_day,
}: Omit<When, 'timezone'>): number {
  const ms =
    all_day === 1 ? utcToMs(end_date) - utcToMs(start_date) : utcToMs(utc_end_date) - utcToMs(utc_start_date)
  return Math.round(ms / 1000)
}

/**
 * The times of the occurrence at the local time `wall`. Events of whole days last the same number of days,
 * others the same elapsed time. If clocks repeat the local time, `like`, the occurrence so far, decides which
 * is meant.
 */
export function whenAt(
  { start: { zone, allDay }, duration }: Pick<Schedule, 'start' | 'duration'>,
  wall: string,
  like?: When,
): When {
  const isHeld = like && !allDay && utcToWall(like.utc_start_date, zone) === wall
  const utc = isHeld ? like.utc_start_date : wallToUtc(wall, zone)
  const end = endOf(wall, utc, zone, allDay, duration)
  const times = settleWhen({ start: isHeld ? { wall, utc } : wall, end, timezone: zone, allDay })
  return { ...times, timezone: zone, all_day: Number(allDay) }
}

function endOf(wall: string, start: string, zone: string, allDay: boolean, duration: number): Edge {
  if (allDay) return endOfDay(addDays(dayOf(wall), Math.floor(duration / DAY_SECONDS)))
  const utc = formatUtc(utcToMs(start) + duration * 1000)
  return { wall: utcToWall(utc, zone), utc }
}

/** Starts in local time, complete up to the local time `until`. */
export interface Written {
  starts: string[]
  until: string
}

export function horizonAt(zone: string, now: number, months: number): string {
  return endOfDay(addMonths(dayOf(wallNow(zone, now)), months))
}

/**
 * The starts written as events, up to `months` ahead. At most `MOST_WRITTEN_DATES` are today or later.
 * @param now in ms
 * @param known number of dates written already, which may all be past
 * @throws Problem when more dates than both `known` and `MOST_WRITTEN_DATES` are past
 */
export function startsOf({ recurrence, start }: Schedule, now: number, months: number, known = 0): Written {
  // A series that begins after the horizon still gets its first occurrence.
  const [first] = occurrenceStarts(recurrence, start, FOR_EVER, 1)
  const horizon = [horizonAt(start.zone, now, months), first ?? start.local].sort().at(-1) ?? start.local
  const today = startOfDay(dayOf(wallNow(start.zone, now)))
  const { rule } = recurrence
  const isEndless = rule !== undefined && rule.count === undefined && rule.until === undefined
  const mostPast = Math.max(MOST_WRITTEN_DATES, known)
  const limit = mostPast + MOST_WRITTEN_DATES + 1
  const found = occurrenceStarts(recurrence, start, isEndless ? horizon : FOR_EVER, limit)
  const past = found.findIndex((wall) => wall >= today)
  if ((past === -1 && found.length > mostPast) || past > mostPast) throw refused(TOO_MANY)
  const most = found.slice(0, (past === -1 ? found.length : past) + MOST_WRITTEN_DATES)
  const starts = most.filter((wall) => wall <= horizon)
  if (most.length < found.length && starts.length === most.length)
    return { starts, until: starts.at(-1) ?? horizon }
  return { starts, until: !isEndless && starts.length === found.length ? FOR_EVER : horizon }
}

const TOO_MANY = {
  part: 'RRULE',
  message: 'The rule has more than {limit} dates before today.',
  values: { limit: String(MOST_WRITTEN_DATES) },
}

export interface Dated {
  row: EventRow
  start: string
}

export interface Rescheduled {
  kept: Dated[]
  made: string[]
  gone: Dated[]
  away: Dated[]
}

export function movedWall(wall: string, from: Start, to: Start): string {
  const moved = formatUtc(utcToMs(wall) + utcToMs(to.local) - utcToMs(from.local))
  return to.allDay ? `${moved.slice(0, 10)} 00:00:00` : settled(moved, to)
}

/**
 * Compares occurrences with new starts; `place` returns the new start of an original one. `kept` have a
 * start, `made` are starts without an occurrence; `gone` and `away` have no start any more, and `away` are
 * trashed already.
 */
export function compareDates(
  rows: readonly EventRow[],
  place: (wall: string) => string,
  starts: readonly string[],
): Rescheduled {
  const dated = rows.map((row) => ({ row, start: place(row.recurrence_id) }))
  const byStart = new Map<string, Dated>()
  for (const one of dated) {
    const known = byStart.get(one.start)
    if (!known || known.row.status === 'trash') byStart.set(one.start, one)
  }
  const kept = starts.flatMap((start) => byStart.get(start) ?? [])
  const stay = new Set(kept.map(({ row }) => row.id))
  const others = dated.filter(({ row }) => !stay.has(row.id))
  return {
    kept,
    made: starts.filter((start) => !byStart.has(start)),
    gone: others.filter(({ row }) => row.status !== 'trash'),
    away: others.filter(({ row }) => row.status === 'trash'),
  }
}

interface NewDates {
  schedule: Schedule
  place: (wall: string) => string
}

/**
 * The new schedule of a series, one occurrence of which gets other times or another recurrence; undefined if
 * neither changes. If the recurrence names no dates to leave out, those of the old one stay left out.
 * @throws Problem naming the faults of the recurrence
 */
export function newDates(
  before: Schedule,
  row: EventRow,
  when: When,
  recurrence: unknown,
): NewDates | undefined {
  const isTimed = TIMES.some((name) => row[name] !== when[name])
  if (!isTimed && (recurrence === undefined || isNone(recurrence))) return undefined
  const isMoved = row.start_date !== when.start_date || row.all_day !== when.all_day
  const place = { local: when.start_date, zone: when.timezone, allDay: when.all_day === 1 }
  const from = { ...before.start, local: row.recurrence_id }
  const start = isMoved
    ? { ...place, local: movedWall(before.start.local, from, place) }
    : { ...place, local: before.start.local }
  const duration = isTimed ? durationOf(when) : before.duration
  const move = (wall: string) => movedWall(wall, before.start, start)
  if (recurrence === undefined || isNone(recurrence)) {
    if (!isMoved) return { schedule: { start, duration, recurrence: before.recurrence }, place: move }
    const moved = moveRecurrence(before.recurrence, before.start, row.recurrence_id, place)
    if (!moved) throw invalidParam('start_date', { why: 'recurrence', part: 'start_date', message: NO_RULE })
    return { schedule: { start: moved.start, duration, recurrence: moved.recurrence }, place: moved.place }
  }
  const read = readAt(recurrence, start)
  const left = namesLeft(recurrence) ? read.left : before.recurrence.left.map(move)
  return { schedule: { start, duration, recurrence: { ...read, left } }, place: move }
}

const NO_RULE = 'No rule without an end has the dates of the series there. Send a recurrence as well.'

/** True if a recurrence says which dates are left out, even by an empty list. */
function namesLeft(recurrence: unknown): boolean {
  if (typeof recurrence === 'string') return /^EXDATE[;:]/im.test(recurrence)
  if (Array.isArray(recurrence)) return recurrence.some(namesLeft)
  return typeof recurrence === 'object' && recurrence !== null && 'left' in recurrence
}
