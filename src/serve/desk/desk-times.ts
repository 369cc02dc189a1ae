import type { Site } from '../../base/config.ts'
import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import { writtenDate, writtenShortTime } from '../pages/page-dates.ts'

/** A time in UTC as people of the site say it. `now` in milliseconds since the epoch */
export function whenAtDesk(site: Site, utc: string, now: number): string {
  const wall = utcToWall(utc, site.timezone)
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return `${writtenDate(site, wall.slice(0, 10), today)}, ${writtenShortTime(site, wall)}`
}
