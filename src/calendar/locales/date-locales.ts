import type { Site } from '../../base/config.ts'

/** Time zones in which English is taken to be American. */
const AMERICAN = /^(?:America|US|Canada)\/|^Pacific\/(?:Honolulu|Guam|Pago_Pago)$/

/** The locale for dates. For English, the site's time zone decides between American and British. */
export function localeOf({ language, timezone }: Pick<Site, 'language' | 'timezone'>): string {
  if (language !== 'en') return language
  return AMERICAN.test(timezone) ? 'en-US' : 'en-GB'
}

/** The locale for times, with the site's setting for a 12-hour or 24-hour clock. */
export const clockLocaleOf = (site: Pick<Site, 'language' | 'timezone' | 'clock'>): string =>
  localeOf(site) + { auto: '', 12: '-u-hc-h12', 24: '-u-hc-h23' }[site.clock]
