import { formatUtc, utcToMs } from '../text/zones.ts'

const DAY_MS = 86_400_000

/** A day as its number since 1970-01-01, with what rules ask of it. */
export interface Day {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly monthday: number
}

/** The number of the day of a wall time. */
export function dayNumber(wall: string): number {
  return Math.floor(utcToMs(wall) / DAY_MS)
}

/** The wall time of a day by its number, at the time of day of another wall time. */
export function wallOf(day: number, time: string): string {
  return formatUtc(day * DAY_MS).slice(0, 11) + time.slice(11)
}

/** The number of a day of the Gregorian calendar; months beyond the year roll over. */
export function numberOf(year: number, month: number, monthday: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, monthday) / DAY_MS
}

/** Year, month and day of the month of a day by its number. Integers alone, since rules ask this of every day they pass. */
export function dayOfNumber(day: number): Day {
  // Years are counted from 1 March, so that the day that leap years add is the last one; 146,097 days are 400 years.
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * ofYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, monthday: ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1 }
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export function lengthOfMonth({ year, month }: Pick<Day, 'year' | 'month'>): number {
  return month === 2 && isLeapYear(year) ? 29 : (LENGTHS[month - 1] ?? 31)
}
