import type { MailCatalogue } from './mail-words.ts'

export const mailFr: MailCatalogue = {
  'A test of e-mail': 'Essai de l’e-mail',
  '{name} can send e-mail. There is nothing to do.':
    '{name} peut envoyer des e-mails. Vous n’avez rien à faire.',
  '{count} messages were given up.': '{count} messages ont été abandonnés.',
  '{count} messages wait for the relay.': '{count} messages attendent le serveur d’e-mail.',
  'The relay could not be reached.': 'Le serveur d’e-mail n’a pas pu être joint.',
  'The relay answered {status}.': 'Le serveur d’e-mail a répondu {status}.',
}
