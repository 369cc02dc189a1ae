import type { MailCatalogue } from './mail-words.ts'

export const mailDe: MailCatalogue = {
  'A test of e-mail': 'Test der E-Mail',
  '{name} can send e-mail. There is nothing to do.':
    '{name} kann E-Mails versenden. Es ist nichts weiter zu tun.',
  '{count} messages were given up.': '{count} Nachrichten wurden aufgegeben.',
  '{count} messages wait for the relay.': '{count} Nachrichten warten auf den Mailserver.',
  'The relay could not be reached.': 'Der Mailserver war nicht erreichbar.',
  'The relay answered {status}.': 'Der Mailserver antwortete {status}.',
}
