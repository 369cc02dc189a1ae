import type { Texts } from '../../calendar/locales/texts.ts'

export const suggestionRoomTexts = {
  'Address not confirmed': {
    de: 'Adresse nicht bestätigt',
    fr: 'Adresse non confirmée',
    es: 'Dirección no confirmada',
  },
  'All but the chosen of this page are spam': {
    de: 'Alle außer den gewählten dieser Seite sind Spam',
    fr: 'Tout sur cette page sauf la sélection est indésirable',
    es: 'Todo lo de esta página menos lo elegido es spam',
  },
  'All of this page': { de: 'Alle dieser Seite', fr: 'Tout sur cette page', es: 'Todo lo de esta página' },
  'Selected are no spam': {
    de: 'Gewählte sind kein Spam',
    fr: 'La sélection n’est pas indésirable',
    es: 'Lo elegido no es spam',
  },
  'Selected are spam': {
    de: 'Gewählte sind Spam',
    fr: 'La sélection est indésirable',
    es: 'Lo elegido es spam',
  },
  Decided: { de: 'Entschieden', fr: 'Décidées', es: 'Decididas' },
  'Decided by {name}': { de: 'Entschieden von {name}', fr: 'Décision de {name}', es: 'Decidido por {name}' },
  Decline: { de: 'Ablehnen', fr: 'Refuser', es: 'Rechazar' },
  Doubtful: { de: 'Zweifelhaft', fr: 'Douteuses', es: 'Dudosas' },
  'End the links of the sender': {
    de: 'Links der Absenderin oder des Absenders beenden',
    fr: 'Révoquer les liens de l’auteur',
    es: 'Anular los enlaces de quien la envió',
  },
  Next: { de: 'Weiter', fr: 'Suite', es: 'Siguiente' },
  'Is made when you publish it: {names}': {
    de: 'Wird beim Veröffentlichen angelegt: {names}',
    fr: 'Sera créé à la publication\u00a0: {names}',
    es: 'Se crea al publicarla: {names}',
  },
  'More than five links': { de: 'Mehr als fünf Links', fr: 'Plus de cinq liens', es: 'Más de cinco enlaces' },
  'Not confirmed': { de: 'Nicht bestätigt', fr: 'Non confirmée', es: 'No confirmada' },
  Declined: { de: 'Abgelehnt', fr: 'Refusée', es: 'Rechazada' },
  Otherwise: { de: 'Andernfalls', fr: 'Sinon', es: 'Si no' },
  Piles: { de: 'Stapel', fr: 'Piles', es: 'Montones' },
  'Publish the change': {
    de: 'Änderung veröffentlichen',
    fr: 'Publier la modification',
    es: 'Publicar el cambio',
  },
  'Publish selected': {
    de: 'Gewählte veröffentlichen',
    fr: 'Publier la sélection',
    es: 'Publicar lo elegido',
  },
  Sender: { de: 'Von', fr: 'De', es: 'De' },
  'Sent back': { de: 'Zurückgesendet', fr: 'Renvoyée', es: 'Devuelta' },
  'Sent on {time}': { de: 'Gesendet am {time}', fr: 'Envoyée le {time}', es: 'Enviada el {time}' },
  'Sent without scripts while many came': {
    de: 'Ohne Skripte gesendet, als viele kamen',
    fr: 'Envoyée sans scripts pendant une affluence',
    es: 'Enviada sin scripts cuando llegaban muchas',
  },
  'Its sender has changed it meanwhile: look at it again.': {
    de: 'Der Vorschlag wurde inzwischen geändert: Sehen Sie ihn noch einmal an.',
    fr: 'Son auteur l’a modifiée entre-temps\u00a0: regardez-la à nouveau.',
    es: 'Quien la envió la ha cambiado entretanto: mírela otra vez.',
  },
  'Is too long.': { de: 'Ist zu lang.', fr: 'Trop long.', es: 'Es demasiado largo.' },
  'Somebody has decided about it meanwhile.': {
    de: 'Inzwischen hat jemand darüber entschieden.',
    fr: 'Quelqu’un en a décidé entre-temps.',
    es: 'Alguien lo ha decidido entretanto.',
  },
  Spam: { de: 'Spamverdacht', fr: 'Indésirables', es: 'Correo basura' },
  'Suggestions from visitors': {
    de: 'Vorschläge von Besuchern',
    fr: 'Propositions des visiteurs',
    es: 'Propuestas de visitantes',
  },
  'The links of the sender have ended.': {
    de: 'Die Links sind beendet.',
    fr: 'Les liens sont révoqués.',
    es: 'Los enlaces están anulados.',
  },
  'The same text came from another address': {
    de: 'Derselbe Text kam von einer anderen Adresse',
    fr: 'Le même texte est venu d’une autre adresse',
    es: 'El mismo texto llegó de otra dirección',
  },
  'The sender reads it.': {
    de: 'Das bekommt zu lesen, wer den Vorschlag gesendet hat.',
    fr: 'L’auteur de la proposition le lit.',
    es: 'Lo lee quien envió la propuesta.',
  },
  'This address is not trusted any more.': {
    de: 'Dieser Adresse wird nicht mehr vertraut.',
    fr: 'Cette adresse n’est plus de confiance.',
    es: 'Ya no se confía en esta dirección.',
  },
  'This address is trusted.': {
    de: 'Dieser Adresse wird vertraut.',
    fr: 'Cette adresse est de confiance.',
    es: 'Se confía en esta dirección.',
  },
  'To link it to one that is there, type that name into the form.': {
    de: 'Um ihn mit einem vorhandenen zu verbinden, dessen Namen in das Formular tippen.',
    fr: 'Pour le relier à un existant, tapez ce nom dans le formulaire.',
    es: 'Para enlazarlo con uno que existe, escriba ese nombre en el formulario.',
  },
  'Trust this address': {
    de: 'Dieser Adresse vertrauen',
    fr: 'Faire confiance à cette adresse',
    es: 'Confiar en esta dirección',
  },
  'Stop trusting this address': {
    de: 'Dieser Adresse nicht mehr vertrauen',
    fr: 'Ne plus faire confiance à cette adresse',
    es: 'No confiar más en esta dirección',
  },
  'To decide': { de: 'Zu entscheiden', fr: 'À décider', es: 'Por decidir' },
  'What a trusted address sends and confirms is published at once, in your name.': {
    de: 'Was eine vertraute Adresse sendet und bestätigt, erscheint sofort, in Ihrem Namen.',
    fr: 'Ce qu’une adresse de confiance envoie et confirme est publié aussitôt, en votre nom.',
    es: 'Lo que una dirección de confianza envía y confirma se publica enseguida, en su nombre.',
  },
  'Withdrawn by its sender': {
    de: 'Zurückgezogen',
    fr: 'Retirée par son auteur',
    es: 'Retirada por quien la envió',
  },
  'Trusted addresses': {
    de: 'Vertraute Adressen',
    fr: 'Adresses de confiance',
    es: 'Direcciones de confianza',
  },
  'E-mail address of a sender': {
    de: 'E-Mail-Adresse von jemandem, der Vorschläge sendet',
    fr: 'Adresse e-mail d’un auteur de propositions',
    es: 'Correo de quien envía propuestas',
  },
  '{count} addresses are trusted already: take one away first.': {
    de: 'Es wird schon {count} Adressen vertraut: Nehmen Sie zuerst eine weg.',
    fr: '{count} adresses sont déjà de confiance\u00a0: retirez-en d’abord une.',
    es: 'Ya hay {count} direcciones de confianza: quite antes una.',
  },
  'You get a message when suggestions come, at most one an hour.': {
    de: 'Sie bekommen eine Nachricht, wenn Vorschläge kommen, höchstens eine in der Stunde.',
    fr: 'Vous recevez un message quand des propositions arrivent, au plus un par heure.',
    es: 'Recibe un mensaje cuando llegan propuestas, uno por hora como máximo.',
  },
  'You get no message when suggestions come.': {
    de: 'Sie bekommen keine Nachricht, wenn Vorschläge kommen.',
    fr: 'Vous ne recevez aucun message quand des propositions arrivent.',
    es: 'No recibe ningún mensaje cuando llegan propuestas.',
  },
  'Send me messages': { de: 'Nachrichten senden', fr: 'M’envoyer des messages', es: 'Enviarme mensajes' },
  'Stop messages': { de: 'Keine mehr senden', fr: 'Ne plus m’en envoyer', es: 'No enviarme más' },
  'You get this as an editor, at most once an hour. It can be turned off below the list.': {
    de:
      'Sie bekommen dies als Mitglied der Redaktion, höchstens ' +
      'einmal in der Stunde. Unter der Liste lässt es sich abschalten.',
    fr:
      'Vous recevez ceci comme membre de la rédaction, au plus ' +
      'une fois par heure. Cela se désactive sous la liste.',
    es:
      'Recibe esto como parte de la redacción, una vez por ' +
      'hora como máximo. Se desactiva debajo de la lista.',
  },
  '{count} new suggestions': {
    en: { one: 'One new suggestion', other: '{count} new suggestions' },
    de: { one: 'Ein neuer Vorschlag', other: '{count} neue Vorschläge' },
    fr: { one: 'Une nouvelle proposition', other: '{count} nouvelles propositions' },
    es: { one: 'Una propuesta nueva', other: '{count} propuestas nuevas' },
  },
  'All {count} are spam': {
    en: { one: 'This one is spam', other: 'All {count} are spam' },
    de: { one: 'Dieser ist Spam', other: 'Alle {count} sind Spam' },
    fr: { one: 'Celle-ci est indésirable', other: 'Les {count} sont indésirables' },
    es: { one: 'Esta es spam', other: 'Las {count} son spam' },
  },
  'All {count} suggestions': {
    en: { one: 'One suggestion', other: 'All {count} suggestions' },
    de: { one: 'Ein Vorschlag', other: 'Alle {count} Vorschläge' },
    fr: { one: 'Une proposition', other: 'Les {count} propositions' },
    es: { one: 'Una propuesta', other: 'Las {count} propuestas' },
  },
  '{count} marked as spam': {
    en: { one: 'One marked as spam', other: '{count} marked as spam' },
    de: { one: 'Einer als Spam markiert', other: '{count} als Spam markiert' },
    fr: { one: 'Une marquée indésirable', other: '{count} marquées indésirables' },
    es: { one: 'Una marcada como spam', other: '{count} marcadas como spam' },
  },
  '{count} published': {
    en: { one: 'One published', other: '{count} published' },
    de: { one: 'Eine veröffentlicht', other: '{count} veröffentlicht' },
    fr: { one: 'Une publiée', other: '{count} publiées' },
    es: { one: 'Una publicada', other: '{count} publicadas' },
  },
  '{count} wait again': {
    en: { one: 'One waits again', other: '{count} wait again' },
    de: { one: 'Einer wartet wieder', other: '{count} warten wieder' },
    fr: { one: 'Une attend de nouveau', other: '{count} attendent de nouveau' },
    es: { one: 'Una espera otra vez', other: '{count} esperan otra vez' },
  },
} as const satisfies Texts
