import type { Texts } from '../../calendar/locales/texts.ts'

export const syncTexts = {
  'Read what has changed': {
    de: 'Lesen, was sich geändert hat',
    fr: 'Lire ce qui a changé',
    es: 'Leer lo que ha cambiado',
  },
  'A page of what has changed, with a token for the next one': {
    de: 'Eine Seite der Änderungen, mit einem Zeichen für die nächste',
    fr: 'Une page de ce qui a changé, avec un jeton pour la suivante',
    es: 'Una página de lo que ha cambiado, con un testigo para la siguiente',
  },
  'What has changed since a reader came last': {
    de: 'Was sich geändert hat, seit ein Leser zuletzt kam',
    fr: 'Ce qui a changé depuis la dernière lecture',
    es: 'Lo que ha cambiado desde la última lectura',
  },
  'The sync_token or next_token of the answer before; without it, everything comes first': {
    de: 'Das sync_token oder next_token der Antwort davor; ohne es kommt zuerst alles',
    fr: 'Le sync_token ou next_token de la réponse précédente\u00a0; sans lui, tout vient d’abord',
    es: 'El sync_token o next_token de la respuesta anterior; sin él, primero viene todo',
  },
  'Which kinds of records: venue, organizer, category, tag and event': {
    de: 'Welche Arten von Einträgen: venue, organizer, category, tag und event',
    fr: 'Quelles sortes de fiches\u00a0: venue, organizer, category, tag et event',
    es: 'Qué clases de registros: venue, organizer, category, tag y event',
  },
  'How many changes a page holds, up to 1000': {
    de: 'Wie viele Änderungen eine Seite hat, höchstens 1000',
    fr: 'Combien de changements tient une page, 1000 au plus',
    es: 'Cuántos cambios tiene una página, hasta 1000',
  },
} as const satisfies Texts
