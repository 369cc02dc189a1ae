import type { TextIn, Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'
import { deskTexts } from './desk-texts.ts'

export const duplicateTexts = {
  'Records that are likely the same, by name, address and nearness.': {
    de: 'Einträge, die nach Name, Adresse und Nähe vermutlich dieselben sind.',
    fr: 'Des fiches qui sont sans doute les mêmes, par le nom, l’adresse et la proximité.',
    es: 'Registros que probablemente son el mismo, por nombre, dirección y cercanía.',
  },
  'Nothing looks like a duplicate.': {
    de: 'Nichts sieht doppelt aus.',
    fr: 'Rien ne ressemble à un doublon.',
    es: 'Nada parece un duplicado.',
  },
  'They are kept apart.': {
    de: 'Sie bleiben getrennt.',
    fr: 'Elles restent séparées.',
    es: 'Se mantienen separados.',
  },
  'They are two records again.': {
    de: 'Es sind wieder zwei Einträge.',
    fr: 'Ce sont de nouveau deux fiches.',
    es: 'Vuelven a ser dos registros.',
  },
  'They are one record now.': {
    de: 'Es ist jetzt ein Eintrag.',
    fr: 'C’est maintenant une seule fiche.',
    es: 'Ahora son un solo registro.',
  },
  'Not the same': { de: 'Nicht dasselbe', fr: 'Pas la même', es: 'No es el mismo' },
  'Number of events: {count}': {
    de: 'Zahl der Termine: {count}',
    fr: 'Nombre d’événements : {count}',
    es: 'Número de eventos: {count}',
  },
  'Merged in the last 30 days': {
    de: 'In den letzten 30 Tagen zusammengeführt',
    fr: 'Fusionnées ces 30 derniers jours',
    es: 'Fusionados en los últimos 30 días',
  },
  'Choose two to merge.': {
    de: 'Wählen Sie zwei zum Zusammenführen.',
    fr: 'Choisissez-en deux à fusionner.',
    es: 'Elija dos para fusionar.',
  },
  'All events and old addresses go over to the one that stays; the other goes to the trash.': {
    de: 'Alle Termine und alten Adressen gehen an den über, der bleibt; der andere kommt in den Papierkorb.',
    fr: 'Tous les événements et anciennes adresses passent à celle qui reste ; l’autre va à la corbeille.',
    es: 'Todos los eventos y direcciones antiguas pasan al que se queda; el otro va a la papelera.',
  },
  'This can be undone for 30 days.': {
    de: 'Das lässt sich 30 Tage lang rückgängig machen.',
    fr: 'Cela peut être annulé pendant 30 jours.',
    es: 'Se puede deshacer durante 30 días.',
  },
  'The one that stayed was merged into another one since. Undo that merge first.': {
    de:
      'Der Eintrag, der blieb, wurde seither mit einem anderen ' +
      'zusammengeführt. Machen Sie zuerst das rückgängig.',
    fr: 'La fiche conservée a été fusionnée depuis avec une autre. Annulez d’abord cette fusion.',
    es: 'La ficha que quedó se ha fusionado después con otra. Deshaga primero esa fusión.',
  },
  'That was undone before, or is older than 30 days.': {
    de: 'Das wurde schon rückgängig gemacht oder ist älter als 30 Tage.',
    fr: 'Cela a déjà été annulé, ou date de plus de 30 jours.',
    es: 'Eso ya se deshizo, o tiene más de 30 días.',
  },
} as const satisfies Texts

const sayings = { ...deskTexts, ...duplicateTexts } as const

export type DuplicateText = TextIn<typeof sayings>

export const sayOfDuplicates = sayIn(sayings)
