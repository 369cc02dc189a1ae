import { invalidParam } from '../problems.ts'
import { moveRecurrence } from '../recurrence/change-recurrence.ts'
import { settled } from '../recurrence/occurrences.ts'
import type { Start } from '../recurrence/recurrence.ts'
import type { EventRow } from '../storage/schema.ts'
import { formatUtc, utcToMs } from '../text/moments.ts'
import { durationOf, isNone, readAt, type Schedule, TIMES, type When } from './series-schedule.ts'

/** An occurrence with its new original start. */
export interface Dated {
  row: EventRow
  start: string
}

/** The occurrences of a series whose dates change, sorted by what happens to them. */
export interface Rescheduled {
  /** Those that stay, some of them restored from the trash. */
  kept: Dated[]
  /** Original starts that have no occurrence yet. */
  made: string[]
  /** Those whose dates are gone. */
  gone: Dated[]
  /** Those that stay in the trash. */
  away: Dated[]
}

/** A wall time moved by the same amount as the start of a series. */
export function movedWall(wall: string, from: Start, to: Start): string {
  const moved = formatUtc(utcToMs(wall) + utcToMs(to.local) - utcToMs(from.local))
  return to.allDay ? `${moved.slice(0, 10)} 00:00:00` : settled(moved, to)
}

/** Compares the occurrences of a series with its new original starts. `place` says where an original start has moved to. */
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

/** A new schedule, and where it moves the original starts of the old one. */
export interface NewDates {
  schedule: Schedule
  place: (wall: string) => string
}

/**
 * The schedule of a series when one occurrence is given other times or another recurrence; undefined if neither changes. Dates that were left out
 * stay so unless the request names others.
 * @throws Problem naming the faults of the recurrence
 */
export function newDates(before: Schedule, row: EventRow, when: When, recurrence: unknown): NewDates | undefined {
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

/** Whether a recurrence, as it was sent, names the dates to leave out, even an empty list. */
function namesLeft(recurrence: unknown): boolean {
  if (typeof recurrence === 'string') return /^EXDATE[;:]/im.test(recurrence)
  if (Array.isArray(recurrence)) return recurrence.some(namesLeft)
  return typeof recurrence === 'object' && recurrence !== null && 'left' in recurrence
}
