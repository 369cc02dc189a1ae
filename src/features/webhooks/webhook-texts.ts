import { type TextIn, type Texts, textFrom } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'

export const webhookTexts = {
  'The address that messages are sent to, by https': {
    de: 'Die Adresse, an die Nachrichten gehen, per https',
    fr: 'L’adresse à laquelle les messages sont envoyés, en https',
    es: 'La dirección a la que se envían los mensajes, por https',
  },
  'Of which changes it is told: event.*, venue.created and the like, or *': {
    de: 'Welche Änderungen ihm gemeldet werden: event.*, venue.created und dergleichen, oder *',
    fr: 'Les changements qui lui sont signalés\u00a0: event.*, venue.created et ainsi de suite, ou *',
    es: 'De qué cambios se le avisa: event.*, venue.created y similares, o *',
  },
  'Whether it is told everything, as administrators see it': {
    de: 'Ob ihm alles gemeldet wird, wie die Verwaltung es sieht',
    fr: 'Si tout lui est signalé, tel que l’administration le voit',
    es: 'Si se le avisa de todo, tal como lo ve la administración',
  },
  'Whether it is told of changes': {
    de: 'Ob ihm Änderungen gemeldet werden',
    fr: 'Si les changements lui sont signalés',
    es: 'Si se le avisa de los cambios',
  },
  'The id of the webhook': {
    de: 'Die ID des Webhooks',
    fr: 'L’identifiant du webhook',
    es: 'El ID del webhook',
  },
  'The id of the message': {
    de: 'Die ID der Nachricht',
    fr: 'L’identifiant du message',
    es: 'El ID del mensaje',
  },
  'How many messages are listed, up to 1000': {
    de: 'Wie viele Nachrichten aufgeführt werden, höchstens 1000',
    fr: 'Combien de messages sont énumérés, 1000 au plus',
    es: 'Cuántos mensajes se enumeran, hasta 1000',
  },
  'List all webhooks': {
    de: 'Alle Webhooks auflisten',
    fr: 'Lister tous les webhooks',
    es: 'Enumerar todos los webhooks',
  },
  'All webhooks': { de: 'Alle Webhooks', fr: 'Tous les webhooks', es: 'Todos los webhooks' },
  'Add a webhook': { de: 'Einen Webhook anlegen', fr: 'Ajouter un webhook', es: 'Añadir un webhook' },
  'The added webhook, with its secret': {
    de: 'Der angelegte Webhook mit seinem Geheimnis',
    fr: 'Le webhook ajouté, avec son secret',
    es: 'El webhook añadido, con su secreto',
  },
  'Read a webhook': { de: 'Einen Webhook lesen', fr: 'Lire un webhook', es: 'Leer un webhook' },
  'Change a webhook': { de: 'Einen Webhook ändern', fr: 'Modifier un webhook', es: 'Cambiar un webhook' },
  'The changed webhook': { de: 'Der geänderte Webhook', fr: 'Le webhook modifié', es: 'El webhook cambiado' },
  'Remove a webhook and the log of its messages': {
    de: 'Einen Webhook und das Protokoll seiner Nachrichten entfernen',
    fr: 'Supprimer un webhook et le journal de ses messages',
    es: 'Eliminar un webhook y el registro de sus mensajes',
  },
  'The removed webhook': {
    de: 'Der entfernte Webhook',
    fr: 'Le webhook supprimé',
    es: 'El webhook eliminado',
  },
  'Send a webhook a test message at once': {
    de: 'Einem Webhook sofort eine Testnachricht senden',
    fr: 'Envoyer aussitôt un message d’essai à un webhook',
    es: 'Enviar enseguida un mensaje de prueba a un webhook',
  },
  'What came of the message': {
    de: 'Was aus der Nachricht wurde',
    fr: 'Ce qu’il est advenu du message',
    es: 'Qué fue del mensaje',
  },
  'Give a webhook a new secret': {
    de: 'Einem Webhook ein neues Geheimnis geben',
    fr: 'Donner un nouveau secret à un webhook',
    es: 'Dar un nuevo secreto a un webhook',
  },
  'The webhook with its new secret': {
    de: 'Der Webhook mit seinem neuen Geheimnis',
    fr: 'Le webhook avec son nouveau secret',
    es: 'El webhook con su nuevo secreto',
  },
  'List the newest messages of a webhook': {
    de: 'Die neuesten Nachrichten eines Webhooks auflisten',
    fr: 'Lister les messages les plus récents d’un webhook',
    es: 'Enumerar los mensajes más recientes de un webhook',
  },
  'Messages, the newest first': {
    de: 'Nachrichten, die neuesten zuerst',
    fr: 'Des messages, les plus récents d’abord',
    es: 'Mensajes, los más recientes primero',
  },
  'Send a message again': {
    de: 'Eine Nachricht noch einmal senden',
    fr: 'Renvoyer un message',
    es: 'Volver a enviar un mensaje',
  },
  'Send all failed messages again': {
    de: 'Alle fehlgeschlagenen Nachrichten noch einmal senden',
    fr: 'Renvoyer tous les messages en échec',
    es: 'Volver a enviar todos los mensajes fallidos',
  },
  'How many messages wait to be sent': {
    de: 'Wie viele Nachrichten auf das Senden warten',
    fr: 'Combien de messages attendent d’être envoyés',
    es: 'Cuántos mensajes esperan ser enviados',
  },
  'The message, which waits to be sent': {
    de: 'Die Nachricht, die darauf wartet, gesendet zu werden',
    fr: 'Le message, qui attend d’être envoyé',
    es: 'El mensaje, que espera a ser enviado',
  },
  'Webhooks: addresses that are told of changes': {
    de: 'Webhooks: Adressen, denen Änderungen gemeldet werden',
    fr: 'Webhooks\u00a0: les adresses auxquelles les changements sont signalés',
    es: 'Webhooks: direcciones a las que se avisa de los cambios',
  },
  'Messages are sent by https to public addresses, without a password in them; other hosts are named in the \
setting webhook-hosts.': {
    de:
      'Nachrichten gehen per https an öffentliche Adressen, in denen kein ' +
      'Passwort steht; andere Rechner nennt die Einstellung webhook-hosts.',
    fr:
      'Les messages sont envoyés par https à des adresses publiques, sans mot ' +
      'de passe dedans ; d’autres hôtes figurent dans le réglage webhook-hosts.',
    es:
      'Los mensajes se envían por https a direcciones públicas, sin contraseña ' +
      'en ellas; otros equipos se indican en el ajuste webhook-hosts.',
  },
  '"{type}" is no type of change; there are {known}.': {
    de: '„{type}“ ist keine Art von Änderung; es gibt {known}.',
    fr: '« {type} » n’est pas un type de modification ; il y a {known}.',
    es: '«{type}» no es un tipo de cambio; hay {known}.',
  },
  'By an administrator.': {
    de: 'Von einem Administrator.',
    fr: 'Par un administrateur.',
    es: 'Por un administrador.',
  },
  'By command.': { de: 'Durch einen Befehl.', fr: 'Par une commande.', es: 'Por un comando.' },
  'Nothing has arrived for five days.': {
    de: 'Seit fünf Tagen ist nichts angekommen.',
    fr: 'Rien n’est arrivé depuis cinq jours.',
    es: 'Desde hace cinco días no ha llegado nada.',
  },
  'The receiver answered that it is gone (410).': {
    de: 'Der Empfänger hat geantwortet, dass es ihn nicht mehr gibt (410).',
    fr: 'Le destinataire a répondu qu’il n’existe plus (410).',
    es: 'El receptor ha respondido que ya no existe (410).',
  },
  'The receiver answered {status}.': {
    de: 'Der Empfänger hat mit {status} geantwortet.',
    fr: 'Le destinataire a répondu {status}.',
    es: 'El receptor ha respondido {status}.',
  },
  'The receiver could not be reached.': {
    de: 'Der Empfänger war nicht erreichbar.',
    fr: 'Le destinataire n’a pas pu être joint.',
    es: 'No se ha podido alcanzar al receptor.',
  },
  'The receiver could not be reached ({code}).': {
    de: 'Der Empfänger war nicht erreichbar ({code}).',
    fr: 'Le destinataire n’a pas pu être joint ({code}).',
    es: 'No se ha podido alcanzar al receptor ({code}).',
  },
  'The receiver did not answer in time.': {
    de: 'Der Empfänger hat nicht rechtzeitig geantwortet.',
    fr: 'Le destinataire n’a pas répondu à temps.',
    es: 'El receptor no ha respondido a tiempo.',
  },
  'The address may not be sent to.': {
    de: 'An diese Adresse darf nichts gesendet werden.',
    fr: 'Rien ne peut être envoyé à cette adresse.',
    es: 'No se puede enviar a esta dirección.',
  },
} as const satisfies Texts

export type WebhookText = TextIn<typeof webhookTexts>

export const webhookText = textFrom(webhookTexts)
export const sayWebhook = sayIn(webhookTexts)

export const webhookReasons = {
  administrator: 'By an administrator.',
  command: 'By command.',
  silent: 'Nothing has arrived for five days.',
  gone: 'The receiver answered that it is gone (410).',
  answered: 'The receiver answered {status}.',
  unreachable: 'The receiver could not be reached.',
  failed: 'The receiver could not be reached ({code}).',
  late: 'The receiver did not answer in time.',
  forbidden: 'The address may not be sent to.',
} as const satisfies Readonly<Record<string, WebhookText>>

/** As stored: a code and the value of its text, such as `answered 500`. */
export type WebhookReason = keyof typeof webhookReasons | `${keyof typeof webhookReasons} ${string}`
