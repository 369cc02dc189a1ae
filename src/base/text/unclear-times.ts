import {
  formatUtc,
  lastWallToUtc,
  settledWall,
  timezoneAbbreviation,
  utcOffset,
  utcToMs,
  utcToWall,
  wallToUtc,
} from './zones.ts'

// Wall times that a change of the clock skips or repeats.

/** A moment that a wall time may mean. */
export interface PossibleTime {
  /** 'YYYY-MM-DD HH:MM:SS' in UTC. */
  utc: string
  /** The same moment as clocks of the zone show it. */
  wall: string
  /** `+02:00`: behind the wall time it says which moment is meant. */
  offset: string
  /** `CEST` */
  abbreviation: string
}

/** A wall time that a change of the clock skips or repeats. */
export interface UnclearTime {
  code: 'skipped' | 'repeated'
  /**
   * The moments that it may mean, the earlier one first. Without an offset the interface takes the later one of a skipped time, the earlier one of a
   * repeated time.
   */
  moments: [PossibleTime, PossibleTime]
}

/** Texts for people, with `{name}` where a value goes: the key that other languages translate. */
export const unclearTimes = {
  skipped: 'There is no {time} on this day, since clocks go forward: it is {first} or {second}.',
  repeated: '{time} comes twice on this day, since clocks go back: as {first} and again as {second}.',
} as const

/**
 * Says what a wall time 'YYYY-MM-DD HH:MM:SS' may mean where a change of the clock skips or repeats it; undefined for any other. Throws a RangeError on an
 * unknown zone.
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
  return first === last ? undefined : { code: 'repeated', moments: [momentOf(first, zone), momentOf(last, zone)] }
}

function momentOf(utc: string, zone: string): PossibleTime {
  const wall = utcToWall(utc, zone)
  return { utc, wall, offset: utcOffset(utc, zone), abbreviation: timezoneAbbreviation(zone, utc) }
}

/** An unclear time in the words of `say`, which translates: `There is no 02:30 on this day, …`. */
export function describeUnclear(
  wall: string,
  { code, moments }: UnclearTime,
  say: (text: string, values: Readonly<Record<string, string>>) => string,
): string {
  const [first, second] = moments.map(({ wall: shown, abbreviation }) => `${shown.slice(11, 16)} ${abbreviation}`)
  return say(unclearTimes[code], { time: wall.slice(11, 16), first: first ?? '', second: second ?? '' })
}
