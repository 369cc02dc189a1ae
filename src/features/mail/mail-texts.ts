import type { TextIn, Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'

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
    fr: 'Votre événement «\u00a0{title}\u00a0» est publié.',
    es: 'Su evento «{title}» está publicado.',
  },
  '{by} has sent “{title}” back to you.': {
    de: '{by} hat Ihnen „{title}“ zurückgegeben.',
    fr: '{by} vous a renvoyé «\u00a0{title}\u00a0».',
    es: '{by} le ha devuelto «{title}».',
  },
  '{by} has changed your event “{title}”.': {
    de: '{by} hat Ihre Veranstaltung „{title}“ geändert.',
    fr: '{by} a modifié votre événement «\u00a0{title}\u00a0».',
    es: '{by} ha cambiado su evento «{title}».',
  },
  'Removed: {title}': { de: 'Entfernt: {title}', fr: 'Retiré\u00a0: {title}', es: 'Retirado: {title}' },
  '{by} has moved your event “{title}” to the trash.': {
    de: '{by} hat Ihre Veranstaltung „{title}“ in den Papierkorb gelegt.',
    fr: '{by} a mis votre événement «\u00a0{title}\u00a0» à la corbeille.',
    es: '{by} ha enviado su evento «{title}» a la papelera.',
  },
  'See it': { de: 'Ansehen', fr: 'Voir', es: 'Ver' },
  'Open it at the desk': {
    de: 'Im Schreibtisch öffnen',
    fr: 'Ouvrir au bureau',
    es: 'Abrir en el escritorio',
  },
  'See what changed': { de: 'Änderungen ansehen', fr: 'Voir ce qui a changé', es: 'Ver los cambios' },
  Somebody: { de: 'Jemand', fr: 'Quelqu’un', es: 'Alguien' },
  'Your events were changed: {number}': {
    de: 'Geänderte Veranstaltungen von Ihnen: {number}',
    fr: 'Vos événements modifiés\u00a0: {number}',
    es: 'Eventos suyos cambiados: {number}',
  },
  'And {number} more.': { de: 'Und {number} weitere.', fr: 'Et {number} de plus.', es: 'Y {number} más.' },
  'Choose a password': {
    de: 'Ein Passwort wählen',
    fr: 'Choisir un mot de passe',
    es: 'Elegir una contraseña',
  },
  'You get this since you have asked for it: {what}.': {
    de: 'Sie bekommen dies, weil Sie darum gebeten haben: {what}.',
    fr: 'Vous recevez ceci parce que vous l’avez demandé\u00a0: {what}.',
    es: 'Recibe esto porque lo pidió: {what}.',
  },
  'End it': { de: 'Beenden', fr: 'Arrêter', es: 'Terminar' },
  'All I have asked for': {
    de: 'Alles, was ich bestellt habe',
    fr: 'Tout ce que j’ai demandé',
    es: 'Todo lo que he pedido',
  },
  'In the coming days': {
    de: 'In den nächsten Tagen',
    fr: 'Dans les prochains jours',
    es: 'En los próximos días',
  },
  'New, for later': { de: 'Neu, für später', fr: 'Nouveau, pour plus tard', es: 'Nuevo, para más adelante' },
  'Added or changed besides, for later: {number}.': {
    de: 'Außerdem neu oder geändert, für später: {number}.',
    fr: 'Aussi ajoutés ou modifiés, pour plus tard\u00a0: {number}.',
    es: 'Además, añadidos o cambiados, para más adelante: {number}.',
  },
  'All events': { de: 'Alle Veranstaltungen', fr: 'Tous les événements', es: 'Todos los eventos' },
  '{name}: {day}': { de: '{name} am {day}', fr: '{name}, {day}', es: '{name}, {day}' },
  '{name}: the week from {day}': {
    de: '{name}: die Woche ab {day}',
    fr: '{name}\u00a0: la semaine du {day}',
    es: '{name}: la semana desde el {day}',
  },
  'Also: {dates}': { de: 'Auch: {dates}', fr: 'Aussi\u00a0: {dates}', es: 'También: {dates}' },
  'Tomorrow: {title}': { de: 'Morgen: {title}', fr: 'Demain\u00a0: {title}', es: 'Mañana: {title}' },
  'Moved: {title}': { de: 'Verlegt: {title}', fr: 'Déplacé\u00a0: {title}', es: 'Cambio de fecha: {title}' },
  'Canceled: {title}': { de: 'Abgesagt: {title}', fr: 'Annulé\u00a0: {title}', es: 'Cancelado: {title}' },
  'Postponed: {title}': { de: 'Verschoben: {title}', fr: 'Reporté\u00a0: {title}', es: 'Aplazado: {title}' },
  When: { de: 'Wann', fr: 'Quand', es: 'Cuándo' },
  'It was': { de: 'Bisher', fr: 'C’était', es: 'Era' },
  'It is now': { de: 'Jetzt', fr: 'C’est maintenant', es: 'Ahora es' },
  'See the event': { de: 'Zur Veranstaltung', fr: 'Voir l’événement', es: 'Ver el evento' },
  'all events': { de: 'alle Veranstaltungen', fr: 'tous les événements', es: 'todos los eventos' },
  'By e-mail': { de: 'Per E-Mail', fr: 'Par e-mail', es: 'Por correo' },
  'Remind me by e-mail': {
    de: 'Per E-Mail erinnern',
    fr: 'Me le rappeler par e-mail',
    es: 'Recordármelo por correo',
  },
  'This event is over.': {
    de: 'Diese Veranstaltung ist vorbei.',
    fr: 'Cet événement est terminé.',
    es: 'Este evento ya ha terminado.',
  },
  'You get a message the day before, and when the event moves or is canceled.': {
    de: 'Sie bekommen am Tag davor eine Nachricht, und wenn die Veranstaltung verlegt oder abgesagt wird.',
    fr: 'Vous recevez un message la veille, et si l’événement est déplacé ou annulé.',
    es: 'Recibe un mensaje el día anterior, y si el evento cambia de fecha o se cancela.',
  },
  'What is on: {what}.': {
    de: 'Was ansteht: {what}.',
    fr: 'Ce qui a lieu\u00a0: {what}.',
    es: 'Lo que hay: {what}.',
  },
  'Be reminded by e-mail': {
    de: 'Per E-Mail erinnern lassen',
    fr: 'Rappel par e-mail',
    es: 'Recordatorio por correo',
  },
  'Events by e-mail': {
    de: 'Veranstaltungen per E-Mail',
    fr: 'Événements par e-mail',
    es: 'Eventos por correo',
  },
  'How often': { de: 'Wie oft', fr: 'À quelle fréquence', es: 'Con qué frecuencia' },
  'Weekly, on {day}': {
    de: 'Wöchentlich, am {day}',
    fr: 'Chaque semaine, le {day}',
    es: 'Cada semana, el {day}',
  },
  'Daily, when something is on': {
    de: 'Täglich, wenn etwas ansteht',
    fr: 'Chaque jour, s’il y a quelque chose',
    es: 'Cada día, si hay algo',
  },
  'At seven in the morning, in the time zone': {
    de: 'Um sieben Uhr morgens, in der Zeitzone',
    fr: 'À sept heures du matin, dans le fuseau horaire',
    es: 'A las siete de la mañana, en la zona horaria',
  },
  'As the calendar: {zone}': {
    de: 'Wie der Kalender: {zone}',
    fr: 'Comme le calendrier\u00a0: {zone}',
    es: 'Como el calendario: {zone}',
  },
  Save: { de: 'Speichern', fr: 'Enregistrer', es: 'Guardar' },
  'E-mail address': { de: 'E-Mail-Adresse', fr: 'Adresse e-mail', es: 'Dirección de correo' },
  'Leave this empty': { de: 'Bitte leer lassen', fr: 'Laissez ceci vide', es: 'Deje esto vacío' },
  'Send me the link to confirm': {
    de: 'Link zum Bestätigen schicken',
    fr: 'M’envoyer le lien de confirmation',
    es: 'Enviarme el enlace para confirmar',
  },
  'Your address and what you asked for are kept until you end it, for nothing else.': {
    de: 'Ihre Adresse und Ihre Wünsche bleiben gespeichert, bis Sie es beenden, und dienen nichts anderem.',
    fr: 'Votre adresse et votre demande sont gardées tant que vous le voulez, et ne servent à rien d’autre.',
    es: 'Su dirección y lo que pidió se guardan hasta que lo termine, y no sirven para nada más.',
  },
  'Those who run this calendar can see them, and nobody else.': {
    de: 'Wer diesen Kalender betreibt, kann sie sehen, sonst niemand.',
    fr: 'Seuls ceux qui tiennent ce calendrier peuvent les voir.',
    es: 'Solo pueden verlas quienes llevan este calendario.',
  },
  'What is not confirmed within {hours} hours is dropped.': {
    de: 'Was nach {hours} Stunden nicht bestätigt ist, wird gelöscht.',
    fr: 'Ce qui n’est pas confirmé en {hours} heures est effacé.',
    es: 'Lo que no se confirme en {hours} horas se borra.',
  },
  'This is not an e-mail address that can be written to.': {
    de: 'An diese E-Mail-Adresse kann nichts gesendet werden.',
    fr: 'On ne peut pas écrire à cette adresse e-mail.',
    es: 'No se puede escribir a esta dirección de correo.',
  },
  'Please confirm: {name}': {
    de: 'Bitte bestätigen: {name}',
    fr: 'Veuillez confirmer\u00a0: {name}',
    es: 'Confirme, por favor: {name}',
  },
  'Somebody, probably you, asked {name} to write to this address.': {
    de: 'Jemand, vermutlich Sie, hat {name} gebeten, an diese Adresse zu schreiben.',
    fr: 'Quelqu’un, sans doute vous, a demandé à {name} d’écrire à cette adresse.',
    es: 'Alguien, probablemente usted, pidió a {name} que escriba a esta dirección.',
  },
  'It is about: {what}.': {
    de: 'Es geht um: {what}.',
    fr: 'Il s’agit de\u00a0: {what}.',
    es: 'Se trata de: {what}.',
  },
  Confirm: { de: 'Bestätigen', fr: 'Confirmer', es: 'Confirmar' },
  'If it was not you, do nothing: without a click nothing more is sent.': {
    de: 'Waren Sie es nicht, ist nichts zu tun: Ohne Klick kommt nichts weiter.',
    fr: 'Si ce n’était pas vous, ne faites rien\u00a0: sans clic, rien d’autre n’est envoyé.',
    es: 'Si no fue usted, no haga nada: sin un clic no se envía nada más.',
  },
  'Your address is dropped within {hours} hours.': {
    de: 'Ihre Adresse wird nach {hours} Stunden gelöscht.',
    fr: 'Votre adresse est effacée en {hours} heures.',
    es: 'Su dirección se borra en {hours} horas.',
  },
  'What you get from {name}': {
    de: 'Was Sie von {name} bekommen',
    fr: 'Ce que vous recevez de {name}',
    es: 'Lo que recibe de {name}',
  },
  'You have asked for {number} things already; end one to add another.': {
    de: 'Sie haben schon {number} Bestellungen; beenden Sie eine, um eine neue hinzuzufügen.',
    fr: 'Vous avez déjà {number} demandes\u00a0; arrêtez-en une pour en ajouter une autre.',
    es: 'Ya ha pedido {number} cosas; termine una para añadir otra.',
  },
  'You get this already: {what}.': {
    de: 'Das bekommen Sie schon: {what}.',
    fr: 'Vous le recevez déjà\u00a0: {what}.',
    es: 'Ya recibe esto: {what}.',
  },
  'Look into your mailbox': {
    de: 'Sehen Sie in Ihr Postfach',
    fr: 'Regardez dans votre boîte',
    es: 'Mire en su buzón',
  },
  'We have sent you a message with a link. Open it to confirm; until then nothing else is sent.': {
    de:
      'Wir haben Ihnen eine Nachricht mit einem Link geschickt. Öffnen Sie ihn zum Bestätigen; ' +
      'bis dahin kommt nichts weiter.',
    fr:
      'Nous vous avons envoyé un message avec un lien. Ouvrez-le pour confirmer\u00a0; ' +
      'd’ici là, rien d’autre n’est envoyé.',
    es:
      'Le hemos enviado un mensaje con un enlace. Ábralo para confirmar; ' +
      'hasta entonces no se envía nada más.',
  },
  'Nothing there? Look among spam, or ask again in a few minutes.': {
    de: 'Nichts da? Sehen Sie im Spam nach, oder fragen Sie in ein paar Minuten noch einmal.',
    fr: 'Rien\u00a0? Regardez dans les indésirables, ou redemandez dans quelques minutes.',
    es: '¿No hay nada? Mire en el correo no deseado, o pídalo de nuevo en unos minutos.',
  },
  'This link is no longer good': {
    de: 'Dieser Link gilt nicht mehr',
    fr: 'Ce lien n’est plus valable',
    es: 'Este enlace ya no vale',
  },
  'It was used, has expired, or is not whole.': {
    de: 'Er wurde benutzt, ist abgelaufen oder nicht vollständig.',
    fr: 'Il a servi, a expiré, ou n’est pas entier.',
    es: 'Se usó, caducó o no está completo.',
  },
  'an event that is no longer there': {
    de: 'eine Veranstaltung, die es nicht mehr gibt',
    fr: 'un événement qui n’existe plus',
    es: 'un evento que ya no existe',
  },
  Confirmed: { de: 'Bestätigt', fr: 'Confirmé', es: 'Confirmado' },
  'It has ended': { de: 'Es ist beendet', fr: 'C’est arrêté', es: 'Ha terminado' },
  'You get no more of it.': {
    de: 'Sie bekommen nichts mehr davon.',
    fr: 'Vous n’en recevrez plus.',
    es: 'Ya no recibirá más.',
  },
  'Saved.': { de: 'Gespeichert.', fr: 'Enregistré.', es: 'Guardado.' },
  'All of it ends, and your address and everything kept with it is deleted.': {
    de: 'Alles endet, und Ihre Adresse und alles, was dazu gespeichert ist, wird gelöscht.',
    fr: 'Tout s’arrête, et votre adresse et tout ce qui y est lié est effacé.',
    es: 'Todo termina, y se borra su dirección y todo lo guardado con ella.',
  },
  'Forget me': { de: 'Vergessen Sie mich', fr: 'Oubliez-moi', es: 'Olvídenme' },
  'not confirmed': { de: 'nicht bestätigt', fr: 'non confirmé', es: 'sin confirmar' },
  'a day before': { de: 'am Tag davor', fr: 'la veille', es: 'el día anterior' },
  Forgotten: { de: 'Vergessen', fr: 'Oublié', es: 'Olvidado' },
  'Nothing is kept of your address any more.': {
    de: 'Von Ihrer Adresse ist nichts mehr gespeichert.',
    fr: 'Plus rien n’est gardé de votre adresse.',
    es: 'Ya no se guarda nada de su dirección.',
  },
  'E-mail is off.': {
    de: 'E-Mail ist aus.',
    fr: 'L’e-mail est désactivé.',
    es: 'El correo está desactivado.',
  },
  'Given up': { de: 'Aufgegeben', fr: 'Abandonné', es: 'Sin enviar' },
  'What is kept of an address': {
    de: 'Was zu einer Adresse gespeichert ist',
    fr: 'Ce qui est gardé d’une adresse',
    es: 'Lo que se guarda de una dirección',
  },
  'Of people who subscribed or suggested an event. Published events stay; users are under People.': {
    de:
      'Von Menschen, die etwas bestellt oder eine Veranstaltung vorgeschlagen haben. ' +
      'Veröffentlichte Veranstaltungen bleiben; Konten stehen unter „Personen“.',
    fr:
      'Des personnes qui ont demandé des messages ou proposé un événement. ' +
      'Les événements publiés restent\u00a0; les comptes sont sous «\u00a0Personnes\u00a0».',
    es:
      'De quienes pidieron mensajes o propusieron un evento. ' +
      'Los eventos publicados se quedan; las cuentas están en «Personas».',
  },
  'Show it': { de: 'Anzeigen', fr: 'Afficher', es: 'Mostrar' },
  'Delete all of it': { de: 'Alles löschen', fr: 'Tout effacer', es: 'Borrarlo todo' },
  'Nothing is kept of it.': {
    de: 'Dazu ist nichts gespeichert.',
    fr: 'Rien n’est gardé à ce sujet.',
    es: 'No se guarda nada de ella.',
  },
} as const satisfies Texts

export type MailText = TextIn<typeof mailTexts>

export const sayMail = sayIn(mailTexts)
