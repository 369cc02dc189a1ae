import { wallNow } from '../text/moments.ts'

/** Parameters whose values in words change with the clock. */
const CLOCK =
  /[?&](?:start_date|end_date|starts_before|starts_after|ends_before|ends_after|only_with_upcoming)=(?!\d{4}-\d\d-\d\d)/

/** A name that is not written as it is read, so that any of the above may be behind it. */
const DISGUISED = /[?&][^=&?]*[%+]/

/** False for answers that change with the clock within a day: dates in words, and upcoming events. */
export function isSteady(url: string): boolean {
  return !CLOCK.test(url) && !url.includes('[') && !url.includes('%5') && !DISGUISED.test(url)
}

/** The days that a default window depends on: today's in the zone of the site, and today's in UTC (rule 12.1). */
export function makeToday(zone: string): (now: number) => string {
  let until = 0
  let day = ''
  return (now) => {
    if (now < until && now >= until - 60_000) return day
    day = `${wallNow(zone, now).slice(0, 10)}${new Date(now).toISOString().slice(8, 10)}`
    // Zones change the day at whole minutes of UTC.
    until = (Math.floor(now / 60_000) + 1) * 60_000
    return day
  }
}
