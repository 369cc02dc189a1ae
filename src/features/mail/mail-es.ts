import type { MailCatalogue } from './mail-words.ts'

export const mailEs: MailCatalogue = {
  'A test of e-mail': 'Prueba del correo',
  '{name} can send e-mail. There is nothing to do.':
    '{name} puede enviar correos. No hay nada más que hacer.',
  '{count} messages were given up.': 'Se desistió de enviar {count} mensajes.',
  '{count} messages wait for the relay.': '{count} mensajes esperan al servidor de correo.',
  'The relay could not be reached.': 'No se pudo contactar con el servidor de correo.',
  'The relay answered {status}.': 'El servidor de correo respondió {status}.',
}
