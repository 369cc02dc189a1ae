import {
  formatUtc,
  lastWallToUtc,
  settledWall,
  timezoneAbbreviation,
  unclearTimes,
  utcOffset,
  utcToMs,
  utcToWall,
  wallToUtc,
} from '../../base/text/zones.ts'

export interface PossibleTime {
  utc: string
  wall: string
  /** The UTC offset, such as `+02:00`. Written after the local time, it makes clear which moment is meant. */
  offset: string
  /** The abbreviation of the time zone at that moment, such as `CEST`. */
  abbreviation: string
}

export interface UnclearTime {
  code: 'skipped' | 'repeated'
  /**
   * The two possible moments, the earlier one first. If no offset is given, a skipped time means the later
   * one, a repeated time the earlier one.
   */
  moments: [PossibleTime, PossibleTime]
}

/**
 * Tells whether a local time is skipped or repeated by a change of the clocks; undefined if it is neither.
 * @param wall as 'YYYY-MM-DD HH:MM:SS'
 * @throws RangeError for an unknown zone
 */
export function findUnclear(wall: string, zone: string): UnclearTime | undefined {
  const settled = settledWall(wall, zone)
  if (settled !== wall) {
    const earlier = formatUtc(2 * utcToMs(wall) - utcToMs(settled))
    return {
      code: 'skipped',
      moments: [momentOf(wallToUtc(earlier, zone), zone), momentOf(wallToUtc(wall, zone), zone)],
    }
  }
  const [first, last] = [wallToUtc(wall, zone), lastWallToUtc(wall, zone)]
  return first === last
    ? undefined
    : { code: 'repeated', moments: [momentOf(first, zone), momentOf(last, zone)] }
}

function momentOf(utc: string, zone: string): PossibleTime {
  const wall = utcToWall(utc, zone)
  return { utc, wall, offset: utcOffset(utc, zone), abbreviation: timezoneAbbreviation(zone, utc) }
}

/**
 * Describes an unclear time in a sentence such as `There is no 02:30 on this day, …`, which `say` translates.
 */
export function describeUnclear(
  wall: string,
  { code, moments }: UnclearTime,
  say: (text: string, values: Readonly<Record<string, string>>) => string,
): string {
  const [first, second] = moments.map(
    ({ wall: shown, abbreviation }) => `${shown.slice(11, 16)} ${abbreviation}`,
  )
  return say(unclearTimes[code], { time: wall.slice(11, 16), first: first ?? '', second: second ?? '' })
}
