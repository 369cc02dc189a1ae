import type { Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'

/** Texts of e-mail. */
export const mailTexts = {
  'A test of e-mail': { de: 'Test der E-Mail', fr: 'Essai de l’e-mail', es: 'Prueba del correo' },
  '{name} can send e-mail. There is nothing to do.': {
    de: '{name} kann E-Mails versenden. Es ist nichts weiter zu tun.',
    fr: '{name} peut envoyer des e-mails. Vous n’avez rien à faire.',
    es: '{name} puede enviar correos. No hay nada más que hacer.',
  },
  'E-mails given up: {number}.': {
    de: 'Aufgegebene E-Mails: {number}.',
    fr: 'E-mails abandonnés\u00a0: {number}.',
    es: 'Correos que no se pudieron enviar: {number}.',
  },
  'E-mails that wait for the relay: {number}.': {
    de: 'E-Mails, die auf den Mailserver warten: {number}.',
    fr: 'E-mails qui attendent le serveur\u00a0: {number}.',
    es: 'Correos que esperan al servidor: {number}.',
  },
  'The relay could not be reached.': {
    de: 'Der Mailserver war nicht erreichbar.',
    fr: 'Le serveur d’e-mail n’a pas pu être joint.',
    es: 'No se pudo contactar con el servidor de correo.',
  },
  'The relay answered {status}.': {
    de: 'Der Mailserver antwortete {status}.',
    fr: 'Le serveur d’e-mail a répondu {status}.',
    es: 'El servidor de correo respondió {status}.',
  },
  '{by} has invited you to keep {name}.': {
    de: '{by} lädt Sie ein, „{name}“ mit zu pflegen.',
    fr: '{by} vous invite à tenir {name}.',
    es: '{by} le invita a llevar {name}.',
  },
  'Here you choose a new password for {name}.': {
    de: 'Hier wählen Sie ein neues Passwort für „{name}“.',
    fr: 'Choisissez ici un nouveau mot de passe pour {name}.',
    es: 'Aquí elige una contraseña nueva para {name}.',
  },
  'You are invited to {name}': {
    de: 'Einladung zu {name}',
    fr: 'Vous êtes invité à {name}',
    es: 'Invitación a {name}',
  },
  'A new password for {name}': {
    de: 'Neues Passwort für {name}',
    fr: 'Nouveau mot de passe pour {name}',
    es: 'Contraseña nueva para {name}',
  },
  'You sign in as {login}.': {
    de: 'Sie melden sich als {login} an.',
    fr: 'Votre identifiant est {login}.',
    es: 'Inicia sesión como {login}.',
  },
  'The link is good once, and for a short time. If you did not expect it, do nothing.': {
    de: 'Der Link gilt einmal und nur für kurze Zeit. Haben Sie ihn nicht erwartet, ist nichts zu tun.',
    fr: 'Le lien sert une fois, et peu de temps. Si vous ne l’attendiez pas, ne faites rien.',
    es: 'El enlace sirve una vez y por poco tiempo. Si no lo esperaba, no haga nada.',
  },
  'Published: {title}': {
    de: 'Veröffentlicht: {title}',
    fr: 'Publié\u00a0: {title}',
    es: 'Publicado: {title}',
  },
  'Sent back: {title}': {
    de: 'Zurückgegeben: {title}',
    fr: 'Renvoyé\u00a0: {title}',
    es: 'Devuelto: {title}',
  },
  'Changed: {title}': { de: 'Geändert: {title}', fr: 'Modifié\u00a0: {title}', es: 'Cambiado: {title}' },
  'Your event “{title}” is published.': {
    de: 'Ihre Veranstaltung „{title}“ ist veröffentlicht.',
    fr: 'Votre évènement «\u00a0{title}\u00a0» est publié.',
    es: 'Su evento «{title}» está publicado.',
  },
  '{by} has sent “{title}” back to you.': {
    de: '{by} hat Ihnen „{title}“ zurückgegeben.',
    fr: '{by} vous a renvoyé «\u00a0{title}\u00a0».',
    es: '{by} le ha devuelto «{title}».',
  },
  '{by} has changed your event “{title}”.': {
    de: '{by} hat Ihre Veranstaltung „{title}“ geändert.',
    fr: '{by} a modifié votre évènement «\u00a0{title}\u00a0».',
    es: '{by} ha cambiado su evento «{title}».',
  },
  'Removed: {title}': { de: 'Entfernt: {title}', fr: 'Retiré\u00a0: {title}', es: 'Retirado: {title}' },
  '{by} has moved your event “{title}” to the trash.': {
    de: '{by} hat Ihre Veranstaltung „{title}“ in den Papierkorb gelegt.',
    fr: '{by} a mis votre évènement «\u00a0{title}\u00a0» à la corbeille.',
    es: '{by} ha enviado su evento «{title}» a la papelera.',
  },
  'See it': { de: 'Ansehen', fr: 'Voir', es: 'Ver' },
  'Open it at the desk': {
    de: 'Im Schreibtisch öffnen',
    fr: 'Ouvrir au bureau',
    es: 'Abrir en el escritorio',
  },
  'See what changed': {
    de: 'Änderungen ansehen',
    fr: 'Voir ce qui a changé',
    es: 'Ver los cambios',
  },
  Somebody: { de: 'Jemand', fr: 'Quelqu’un', es: 'Alguien' },
  'Your events were changed: {number}': {
    de: 'Geänderte Veranstaltungen von Ihnen: {number}',
    fr: 'Vos évènements modifiés\u00a0: {number}',
    es: 'Eventos suyos cambiados: {number}',
  },
  'And {number} more.': { de: 'Und {number} weitere.', fr: 'Et {number} de plus.', es: 'Y {number} más.' },
  'Choose a password': {
    de: 'Ein Passwort wählen',
    fr: 'Choisir un mot de passe',
    es: 'Elegir una contraseña',
  },
} as const satisfies Texts

export const sayMail = sayIn(mailTexts)
