import { isWallTime } from '../text/moments.ts'
import { clockChanges, formatUtc, isTimezone, utcToMs, utcToWall, wallToUtc } from '../text/zones.ts'
import { dayNumber, wallOf } from './days.ts'
import { settled } from './occurrences.ts'
import type { Start } from './recurrence.ts'
import { invalid } from './rule-parts.ts'

/** A day or time as iCalendar writes it: `20270630`, `20270630T190000`, `20270630T170000Z`. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/i
/** The same as people write it in objects. */
const SPACED = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z)?)?$/i

/** A day, or a wall time and whether it is one of UTC. */
interface Reading {
  wall: string
  isDay: boolean
  isUtc: boolean
}

/** A date of a list (RDATE, EXDATE) as the series has it; a day alone means the time of the start. Throws `Unreadable`. */
export function dateOf(text: string, start: Start, zone: string, part: string): string {
  const { wall, isDay, isUtc } = readingOf(text, part)
  if (start.allDay) return `${wall.slice(0, 10)} 00:00:00`
  if (isDay) return settled(wall.slice(0, 11) + start.local.slice(11), start)
  if (isUtc) return utcToWall(wall, start.zone)
  return zone === start.zone ? settled(wall, start) : utcToWall(wallToUtc(wall, zone), start.zone)
}

/**
 * The end of the last day that may have a date, as a wall time. A time is taken for the day it falls on, or for the day before where
 * it is before the date of that day would be, so that an end means the same to readers who take clocks differently. Throws `Unreadable`.
 */
export function untilOf(text: string, start: Start, part: string): string {
  const { wall, isDay, isUtc } = readingOf(text, part)
  const day = dayNumber(isUtc && !start.allDay ? utcToWall(wall, start.zone) : wall)
  if (start.allDay || isDay) return endOf(day, start)
  const end = isUtc ? wall : wallToUtc(wall, start.zone)
  return endOf(wallToUtc(wallOf(day, start.local), start.zone) <= end ? day : day - 1, start)
}

/** The last wall time of a day that a date of a series may have. */
function endOf(day: number, { allDay }: Start): string {
  return wallOf(day, `YYYY-MM-DD ${allDay ? '00:00:00' : '23:59:59'}`)
}

/** A rule ends with the day of a date: the end that it then has. */
export function endWith(wall: string, start: Start): string {
  return endOf(dayNumber(wall), start)
}

function readingOf(text: string, part: string): Reading {
  const found = COMPACT.exec(text) ?? SPACED.exec(text)
  if (!found) throw invalid(part)
  const [, year, month, day, hour, minute = '00', second = '00', utc] = found
  const wall = `${year}-${month}-${day} ${hour ?? '00'}:${minute}:${second}`
  // What rolls over, such as 31 June or 24:00, is no time.
  if (!isWallTime(wall) || formatUtc(utcToMs(wall)) !== wall) throw invalid(part)
  return { wall, isDay: hour === undefined, isUtc: utc !== undefined }
}

/** A wall time of a series as iCalendar writes it: a day, or a time with or without `Z`. */
export function compact(wall: string, { allDay }: Pick<Start, 'allDay'>): string {
  const text = wall.replace(' ', 'T').replace(/[-:]/g, '')
  return allDay ? text.slice(0, 8) : text
}

/** Whether readers know the zone of a series by its name; times of others are written in UTC. */
export function isNamedZone(zone: string): boolean {
  return isTimezone(zone) && zone.toUpperCase() !== 'UTC' && clockChanges(zone, 0, 0) !== undefined
}
