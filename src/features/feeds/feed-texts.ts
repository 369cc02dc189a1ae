import { sayIn } from '../../calendar/locales/translate.ts'

export const feedTexts = {
  'New date: {date}': { de: 'Neuer Termin: {date}', fr: 'Nouvelle date : {date}', es: 'Nueva fecha: {date}' },
} as const

export const sayOfFeeds = sayIn(feedTexts)
