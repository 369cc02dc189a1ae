import type { Site } from '../../base/config.ts'

/** Zones in which the month comes before the day, and clocks have twelve hours. */
const AMERICAN = /^(?:America|US|Canada)\/|^Pacific\/(?:Honolulu|Guam|Pago_Pago)$/

/** English is that of the region of the site's zone. */
export function localeOf({ language, timezone }: Pick<Site, 'language' | 'timezone'>): string {
  if (language !== 'en') return language
  return AMERICAN.test(timezone) ? 'en-US' : 'en-GB'
}

/** The locale includes the clock of the site: 12 or 24 hours. */
export const clockLocaleOf = (site: Pick<Site, 'language' | 'timezone' | 'clock'>): string =>
  localeOf(site) + { auto: '', 12: '-u-hc-h12', 24: '-u-hc-h23' }[site.clock]
