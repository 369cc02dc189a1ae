import type { Texts } from '../../calendar/locales/texts.ts'
import { sayCountIn } from '../../calendar/locales/translate.ts'

/** Texts of pages. */
export const pageTexts = {
  '{count} dates': {
    en: { one: '1 date', other: '{count} dates' },
    de: { one: '1 Termin', other: '{count} Termine' },
    fr: { one: '1 rendez-vous', other: '{count} rendez-vous' },
    es: { one: '1 fecha', other: '{count} fechas' },
  },
  '{count} more dates': {
    en: { one: '1 more date', other: '{count} more dates' },
    de: { one: 'noch 1 Termin', other: 'noch {count} Termine' },
    fr: { one: '1 autre date', other: '{count} autres dates' },
    es: { one: '1 fecha más', other: '{count} fechas más' },
  },
} as const satisfies Texts

export const sayCount = sayCountIn(pageTexts)
