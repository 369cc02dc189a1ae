/** The texts of e-mail, in English. */
const mailWords = [
  'A test of e-mail',
  '{name} can send e-mail. There is nothing to do.',
  '{count} messages were given up.',
  '{count} messages wait for the relay.',
  'The relay could not be reached.',
  'The relay answered {status}.',
] as const

export type MailText = (typeof mailWords)[number]
export type MailCatalogue = Readonly<Record<MailText, string>>
