import type { Language } from '../../base/config.ts'
import { mailDe } from './mail-de.ts'
import { mailEs } from './mail-es.ts'
import { mailFr } from './mail-fr.ts'
import type { MailCatalogue, MailText } from './mail-words.ts'

// Says the texts of e-mail in the language of a reader.

const catalogues: Readonly<Record<Exclude<Language, 'en'>, MailCatalogue>> = {
  de: mailDe,
  fr: mailFr,
  es: mailEs,
}

/** With `{name}` replaced. */
export function mailText(
  language: Language,
  text: MailText,
  values: Readonly<Record<string, string>> = {},
): string {
  const translation = language === 'en' ? text : catalogues[language][text]
  return translation.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
