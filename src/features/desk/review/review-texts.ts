import type { Texts } from '../../../calendar/locales/texts.ts'

export const reviewTexts = {
  'Use these keys': { de: 'Diese Tasten verwenden', fr: 'Utiliser ces touches', es: 'Usar estas teclas' },
  'j and k go to the next and the previous one. There, a publishes it, r sends it back and e opens it.': {
    de:
      'j und k gehen zum nächsten und zum vorigen Eintrag. Dort ' +
      'veröffentlicht a ihn, r schickt ihn zurück, und e öffnet ihn.',
    fr: 'j et k vont au suivant et au précédent. Là, a publie, r renvoie et e ouvre.',
    es: 'j y k van al siguiente y al anterior. Allí, a lo publica, r lo devuelve y e lo abre.',
  },
  Keys: { de: 'Tasten', fr: 'Touches', es: 'Teclas' },
  'It is in the calendar already.': {
    de: 'Das steht schon im Kalender.',
    fr: 'C’est déjà dans le calendrier.',
    es: 'Ya está en el calendario.',
  },
  'The date or the time is not right.': {
    de: 'Datum oder Uhrzeit stimmt nicht.',
    fr: 'La date ou l’heure n’est pas juste.',
    es: 'La fecha o la hora no es correcta.',
  },
  'The venue is missing or not right.': {
    de: 'Der Ort fehlt oder stimmt nicht.',
    fr: 'Le lieu manque ou n’est pas juste.',
    es: 'El lugar falta o no es correcto.',
  },
  'The text says too little.': {
    de: 'Der Text sagt zu wenig.',
    fr: 'Le texte en dit trop peu.',
    es: 'El texto dice demasiado poco.',
  },
  'It is not for this calendar.': {
    de: 'Das gehört nicht in diesen Kalender.',
    fr: 'Ce n’est pas pour ce calendrier.',
    es: 'No es para este calendario.',
  },
  'Something else': { de: 'Etwas anderes', fr: 'Autre chose', es: 'Otra cosa' },
  '{count} things wait.': {
    en: { one: 'One thing waits.', other: '{count} things wait.' },
    de: { one: 'Eines wartet.', other: '{count} Dinge warten.' },
    fr: { one: 'Une chose attend.', other: '{count} choses attendent.' },
    es: { one: 'Espera una cosa.', other: 'Esperan {count} cosas.' },
  },
  'What you have sent for review': {
    de: 'Was Sie zur Prüfung gesandt haben',
    fr: 'Ce que vous avez soumis',
    es: 'Lo que ha enviado a revisión',
  },
  'Sent back to you': { de: 'An Sie zurückgegeben', fr: 'Renvoyé à vous', es: 'Devuelto a usted' },
  'by {name}, {time}': { de: 'von {name}, {time}', fr: 'par {name}, {time}', es: 'de {name}, {time}' },
  'Is published with it: {names}': {
    de: 'Wird mit veröffentlicht: {names}',
    fr: 'Sera publié avec : {names}',
    es: 'Se publica con ello: {names}',
  },
  Open: { de: 'Öffnen', fr: 'Ouvrir', es: 'Abrir' },
  'What shall be done about it?': {
    de: 'Was soll daran getan werden?',
    fr: 'Que faut-il y changer ?',
    es: '¿Qué hay que hacer con ello?',
  },
  'Somebody else was faster: {name}': {
    de: 'Jemand anderes war schneller: {name}',
    fr: 'Quelqu’un a été plus rapide : {name}',
    es: 'Alguien fue más rápido: {name}',
  },
  'Published, with: {names}': {
    de: 'Veröffentlicht, mit: {names}',
    fr: 'Publié, avec : {names}',
    es: 'Publicado, con: {names}',
  },
  'Will be published on {time}': {
    de: 'Wird am {time} veröffentlicht',
    fr: 'Sera publié le {time}',
    es: 'Se publicará el {time}',
  },
  'Published now: {names}': {
    de: 'Jetzt veröffentlicht: {names}',
    fr: 'Publié maintenant\u00a0: {names}',
    es: 'Publicado ahora: {names}',
  },
  'Sent back to its author': {
    de: 'An den Urheber zurückgegeben',
    fr: 'Renvoyé à son auteur',
    es: 'Devuelto a su autor',
  },
  'The record has changed since this was proposed': {
    de: 'Der Eintrag hat sich geändert, seit dies vorgeschlagen wurde',
    fr: 'L’enregistrement a changé depuis cette proposition',
    es: 'El registro ha cambiado desde esta propuesta',
  },
  Why: { de: 'Warum', fr: 'Pourquoi', es: 'Por qué' },
  'Nothing waits.': { de: 'Nichts wartet.', fr: 'Rien n’attend.', es: 'No hay nada pendiente.' },
  'Proposed change': { de: 'Vorgeschlagene Änderung', fr: 'Modification proposée', es: 'Cambio propuesto' },
  Waiting: { de: 'Wartet', fr: 'En attente', es: 'En espera' },
  Proposed: { de: 'Vorgeschlagen', fr: 'Proposé', es: 'Propuesto' },
  Withdraw: { de: 'Zurückziehen', fr: 'Retirer', es: 'Retirar' },
  'Send back': { de: 'Zurückgeben', fr: 'Renvoyer', es: 'Devolver' },
  Withdrawn: { de: 'Zurückgezogen', fr: 'Retiré', es: 'Retirado' },
  'Same venue and time: {title}': {
    de: 'Gleicher Ort, gleiche Zeit: {title}',
    fr: 'Même lieu, même heure : {title}',
    es: 'Mismo lugar y hora: {title}',
  },
  'Perhaps the same: {title}': {
    de: 'Vielleicht derselbe: {title}',
    fr: 'Peut-être le même : {title}',
    es: 'Quizá el mismo: {title}',
  },
  'Missing: {what}': { de: 'Es fehlt: {what}', fr: 'Il manque : {what}', es: 'Falta: {what}' },
  'a venue': { de: 'ein Ort', fr: 'un lieu', es: 'un lugar' },
  'a text': { de: 'ein Text', fr: 'un texte', es: 'un texto' },
  'a picture': { de: 'ein Bild', fr: 'une image', es: 'una imagen' },
  'a category': { de: 'eine Kategorie', fr: 'une catégorie', es: 'una categoría' },
  'a price': { de: 'ein Preis', fr: 'un prix', es: 'un precio' },
} as const satisfies Texts
