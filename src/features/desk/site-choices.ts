import { madeOnce } from '../../base/cache.ts'
import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import { wallNow } from '../../base/text/moments.ts'
import { dayAtMs, isTimezone } from '../../base/text/zones.ts'
import { writtenTime } from '../pages/page-dates.ts'
import { LANGUAGE_NAMES } from '../pages/page-languages.ts'
import type { ControlOption } from './desk-inputs.ts'
import { sayAtDesk } from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'

export const CHOICE_LABELS = {
  language: 'Language',
  currency: 'Currency',
  clock: 'Clock',
  timezone: 'Your events are at the time of',
} as const satisfies Record<string, DeskText>

/** The place in a time zone's name, such as `Dublin` or `Buenos Aires`. */
export function placeOfZone(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** `wallNow` also looks for clock changes, which would take more than a second for all zones. */
const clockIn = madeOnce(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' }),
)

/** Lists each zone with its present time. A chosen zone without a place, such as `UTC+2`, comes first. */
export function zoneOptions(site: Site, now: number, chosen: string): ControlOption[] {
  const option = (zone: string, wall: string): ControlOption => ({
    value: zone,
    text: sayAtDesk(site, '{place} — now {time}', {
      place: placeOfZone(zone),
      time: writtenTime(site, wall),
    }),
  })
  const day = dayAtMs(now)
  const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
  const sorted = zones
    .map((zone) => option(zone, `${day} ${clockIn(zone).format(now)}:00`))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
  return zones.includes(chosen) || !isTimezone(chosen)
    ? sorted
    : [option(chosen, wallNow(chosen, now)), ...sorted]
}

export function languageOptions(): ControlOption[] {
  return LANGUAGES.map((value) => ({ value, text: LANGUAGE_NAMES[value] }))
}

const FREQUENT = ['EUR', 'USD', 'GBP', 'CHF']

/** Lists frequent currencies first, then the others by name, without those replaced long ago. */
export function currencyOptions({ language }: Pick<Site, 'language'>, chosen: string): ControlOption[] {
  const names = new Intl.DisplayNames([language], { type: 'currency' })
  const english = new Intl.DisplayNames(['en'], { type: 'currency' })
  const option = (value: string): ControlOption => {
    const symbol = symbolOf(language, value)
    const name = names.of(value) ?? value
    return { value, text: `${symbol} ${name}` }
  }
  const isPresent = (code: string) => !/\d{4}/.test(english.of(code) ?? '')
  const others = Intl.supportedValuesOf('currency').filter(
    (code) => !FREQUENT.includes(code) && isPresent(code) && code !== chosen,
  )
  const byName = (code: string) => names.of(code) ?? code
  const sorted = others.sort((a, b) => byName(a).localeCompare(byName(b), language))
  const isOther = /^[A-Z]{3}$/.test(chosen) && !FREQUENT.includes(chosen)
  const first = isOther ? [...FREQUENT, chosen] : FREQUENT
  return [...first, ...sorted].map(option)
}

function symbolOf(language: Language, currency: string): string {
  const parts = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0)
  return parts.find(({ type }) => type === 'currency')?.value ?? currency
}

const EURO = new Set('AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' '))
const OF_REGION: Readonly<Record<string, string>> = {
  ...{ US: 'USD', CA: 'CAD', MX: 'MXN', AR: 'ARS', CO: 'COP', CL: 'CLP', GB: 'GBP', CH: 'CHF', LI: 'CHF' },
  ...{ SE: 'SEK', NO: 'NOK', DK: 'DKK', PL: 'PLN', CZ: 'CZK', HU: 'HUF', RO: 'RON', AU: 'AUD', NZ: 'NZD' },
}

/** Returns the currency of the region that `Accept-Language` names first, as in `de-AT`. */
export function currencyOfVisitor(header: string): string | undefined {
  const [, region = ''] = /^[a-z]{2,3}-([a-z]{2})\b/i.exec(header.trim()) ?? []
  const code = region.toUpperCase()
  return EURO.has(code) ? 'EUR' : OF_REGION[code]
}
