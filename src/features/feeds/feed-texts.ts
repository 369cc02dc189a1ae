import { sayIn } from '../../calendar/locales/translate.ts'

export const feedTexts = {
  'New date: {date}': { de: 'Neuer Termin: {date}', fr: 'Nouvelle date : {date}', es: 'Nueva fecha: {date}' },
  midnight: { de: 'Mitternacht', fr: 'minuit', es: 'medianoche' },
} as const

export const sayOfFeeds = sayIn(feedTexts)
