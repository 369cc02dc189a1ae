import { type Cache, cachedText, emptyCache, madeOnce, processBudget } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { utcToMs } from '../../base/text/zones.ts'
import { clockLocaleOf, localeOf } from '../../calendar/locales/date-locales.ts'

/** Options of `Intl.DateTimeFormat`, without a time zone: times are local already. */
const FORMS = {
  time: { hour: 'numeric', minute: '2-digit' },
  weekday: { weekday: 'long' },
  weekdayShort: { weekday: 'short' },
  monthShort: { month: 'short' },
  month: { month: 'long' },
  monthYear: { month: 'long', year: 'numeric' },
  dayMonth: { day: 'numeric', month: 'long' },
  dayMonthShort: { day: 'numeric', month: 'short' },
  dayMonthYear: { day: 'numeric', month: 'long', year: 'numeric' },
  weekdayDate: { weekday: 'short', day: 'numeric', month: 'short' },
  full: { weekday: 'long', day: 'numeric', month: 'long' },
  fullYear: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

export type DateForm = keyof typeof FORMS

interface Writing {
  format: Intl.DateTimeFormat
  texts: Cache<string, string>
}

export function written(site: Site, form: DateForm, wall: string): string {
  const { format, texts } = writingOf(form)(form === 'time' ? clockLocaleOf(site) : localeOf(site))
  const part = form === 'time' ? wall.slice(11, 16) : wall.slice(0, 10)
  return cachedText(texts, part, () =>
    format.format(utcToMs(form === 'time' ? `2000-01-01 ${part}:00` : `${part} 00:00:00`)),
  )
}

export const writingOf = madeOnce((form: DateForm) =>
  madeOnce((locale: string): Writing => {
    const format = new Intl.DateTimeFormat(locale, {
      ...FORMS[form],
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
    })
    return { format, texts: emptyCache(processBudget) }
  }),
)
