import type { Site } from '../../base/config.ts'

// Says in which language, and with which clock, the dates and times of a site are written.

/** Regions whose English has the month before the day, and clocks of twelve hours. */
const AMERICAN = /^(?:America|US|Canada)\/|^Pacific\/(?:Honolulu|Guam|Pago_Pago)$/

/**
 * Returns the language in which dates are written: for English, the variety of the region in which the zone
 * of the site lies.
 */
export function localeOf({ language, timezone }: Pick<Site, 'language' | 'timezone'>): string {
  if (language !== 'en') return language
  return AMERICAN.test(timezone) ? 'en-US' : 'en-GB'
}

/** Returns the language in which times are written, with the clock of the site. */
export const clockLocaleOf = (site: Pick<Site, 'language' | 'timezone' | 'clock'>): string =>
  localeOf(site) + { auto: '', 12: '-u-hc-h12', 24: '-u-hc-h23' }[site.clock]
