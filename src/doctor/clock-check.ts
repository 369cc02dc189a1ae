import type { Examined } from '../storage/examine.ts'
import { formatUtc, utcToMs } from '../text/zones.ts'
import { type Finding, failing, ok, warning } from './finding.ts'

/** Seconds by which the clocks of this machine and of the database server may differ. */
const CLOCKS_DIFFER_S = 5
/** The same for the clock of a site, which tells whole seconds and may be far away. */
const SITE_DIFFERS_S = 60
/** This program was written after that. */
const WRITTEN_MS = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

/** The clock of whoever answers at the address of the site. */
export interface SiteClock {
  site: string
  /** Milliseconds by which it is ahead of that of this machine. */
  aheadMs: number
}

/**
 * Compares the clock of this machine with those that are known.
 * @param now milliseconds since the epoch
 */
export function checkClock(now: number, examined: Examined | undefined, site: SiteClock | undefined): Finding {
  const shown = `${formatUtc(now)} UTC`
  const todo = 'Set the clock of this machine and keep it right (NTP): schedules, expiries and ETags go by it.'
  if (now < WRITTEN_MS) return failing('clock', `It is ${shown}, which is before this program was written.`, todo)
  const { clock, lastChange = '' } = examined ?? {}
  const apart = (aheadMs: number, whose: string) =>
    warning(
      'clock',
      `It is ${shown}, and ${Math.round(Math.abs(aheadMs) / 1000)} seconds away from that ${whose}.`,
      todo,
    )
  if (clock !== undefined && Math.abs(clock - now) > CLOCKS_DIFFER_S * 1000)
    return apart(clock - now, 'by the database server')
  if (site && Math.abs(site.aheadMs) > SITE_DIFFERS_S * 1000) return apart(site.aheadMs, `of ${site.site}`)
  if (lastChange !== '' && utcToMs(lastChange) > now + DAY_MS)
    return warning('clock', `It is ${shown}, and a record was changed at ${lastChange}, which is still to come.`, todo)
  const others = [...(clock === undefined ? [] : ['the database server']), ...(site ? [site.site] : [])]
  return ok('clock', `It is ${shown}${others.length === 0 ? '' : `, and so it is for ${others.join(' and ')}`}.`)
}
