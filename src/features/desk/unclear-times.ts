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
  /** Offset such as `+02:00`; after the local time, it tells which moment is meant. */
  offset: string
  /** Abbreviation of the zone at that moment, such as `CEST`. */
  abbreviation: string
}

export interface UnclearTime {
  code: 'skipped' | 'repeated'
  /** Earlier first. Without an offset, a skipped time means the later one, a repeated time the earlier. */
  moments: [PossibleTime, PossibleTime]
}

/**
 * Tells whether the clocks skip or repeat a local time; undefined if they do neither.
 * @param wall as `YYYY-MM-DD HH:MM:SS`
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

/** Explains an unclear time, such as `There is no 02:30 on this day, …`, in words that `say` translates. */
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
