import type { Language } from '../../base/config.ts'

/** Path words that translations of The Events Calendar translate; others, such as `feed`, are the same. */
export type PathWord =
  | 'events'
  | 'event'
  | 'venue'
  | 'organizer'
  | 'venues'
  | 'organizers'
  | 'category'
  | 'tag'
  | 'list'
  | 'upcoming'
  | 'past'
  | 'month'
  | 'week'
  | 'day'
  | 'today'
  | 'photo'
  | 'map'
  | 'summary'
  | 'page'
  | 'all'

/** Words as people write them; paths have their slugs. Several, as versions of a translation may differ. */
export type PathWords = Readonly<Record<PathWord, readonly [string, ...string[]]>>

const de: PathWords = {
  events: ['Veranstaltungen'],
  event: ['Veranstaltung'],
  venue: ['Veranstaltungsort'],
  organizer: ['Veranstalter'],
  venues: ['Veranstaltungsorte'],
  organizers: ['Organisatoren'],
  category: ['Kategorie'],
  tag: ['Schlagwort'],
  list: ['Liste'],
  upcoming: ['anstehende'],
  past: ['vergangen', 'vergangene'],
  month: ['Monat'],
  week: ['Woche'],
  day: ['Tag'],
  today: ['heute'],
  photo: ['Foto'],
  map: ['Karte'],
  summary: ['Zusammenfassung'],
  page: ['Seite'],
  all: ['alle'],
}

const fr: PathWords = {
  events: ['évènements'],
  event: ['évènement'],
  venue: ['lieu'],
  organizer: ['organisateur'],
  venues: ['lieux'],
  organizers: ['organisateurs'],
  category: ['catégorie'],
  tag: ['étiquette'],
  list: ['liste'],
  upcoming: ['à venir'],
  past: ['terminé', 'passés'],
  month: ['mois'],
  week: ['semaine'],
  day: ['jour'],
  today: ['aujourd’hui'],
  photo: ['photo'],
  map: ['carte'],
  summary: ['résumé'],
  page: ['page'],
  all: ['tous', 'tout'],
}

const es: PathWords = {
  events: ['eventos'],
  event: ['evento'],
  venue: ['lugar', 'recinto'],
  organizer: ['organizador'],
  venues: ['lugares', 'recintos'],
  organizers: ['organizadores'],
  category: ['categoría'],
  tag: ['etiqueta'],
  list: ['lista'],
  upcoming: ['próximos'],
  past: ['pasados', 'pasado'],
  month: ['mes'],
  week: ['semana'],
  day: ['día'],
  today: ['hoy'],
  photo: ['foto'],
  map: ['mapa'],
  summary: ['resumen'],
  page: ['página'],
  all: ['todos', 'todo'],
}

export const pathWords: Readonly<Record<Exclude<Language, 'en'>, PathWords>> = { de, fr, es }
