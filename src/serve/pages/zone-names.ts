import { type Cache, cachedText, emptyCache, processBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { utcToMs } from '../../base/text/moments.ts'
import { timezoneAbbreviation } from '../../base/text/zones.ts'
import { localeOf } from './page-dates.ts'

// The names of time zones in a language.

/** Names by language, zone and season: pages repeat the same ones. */
const names: Cache<string, string> = emptyCache(processBudget)

/** Where a language has no name for a zone, `Intl` gives its offset. */
const OFFSET = /^(?:GMT|UTC)[+\-−]/

/** French puts a word and a colon before the name of a region: `heure : Irlande`. */
const KIND = /^\p{L}+\s*:\s*/u

/** The letters of a zone at a time, as the language has them: `MEZ`, else those of the tz database. */
export function zoneLetters(site: Site, zone: string, utc: string): string {
  const letters = timezoneAbbreviation(zone, utc)
  const locale = localeOf(site)
  if (site.language === 'en') return letters
  return cachedText(names, `short ${locale} ${zone} ${letters}`, () => named(locale, zone, 'short', utc) ?? letters)
}

/** The name of a zone at a time, such as `Mitteleuropäische Sommerzeit`; without a time that of both seasons. */
export function zoneName(site: Site, zone: string, utc?: string): string {
  const locale = localeOf(site)
  const season = utc === undefined ? '' : timezoneAbbreviation(zone, utc)
  return cachedText(names, `long ${locale} ${zone} ${season}`, () => {
    const generic = utc === undefined ? named(locale, zone, 'longGeneric', utc) : undefined
    return generic?.replace(KIND, '') ?? named(locale, zone, 'long', utc) ?? zone.replaceAll('_', ' ')
  })
}

/** Undefined where the language has none, or the zone is no name. */
function named(
  locale: string,
  zone: string,
  form: 'short' | 'long' | 'longGeneric',
  utc: string | undefined,
): string | undefined {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: form })
    const parts = format.formatToParts(utc === undefined ? Date.now() : utcToMs(utc))
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value
    return name === undefined || OFFSET.test(name) ? undefined : name
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
