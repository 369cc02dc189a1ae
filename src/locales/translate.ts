import type { Language } from '../config.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { Locale } from './texts.ts'

/** The texts of every language but English. */
export const locales: Readonly<Record<Exclude<Language, 'en'>, Locale>> = { de, fr, es }

/** `translate` with the language of a site. */
export function speaker({ language }: { language: Language }) {
  return (text: string, values?: Readonly<Record<string, string>>): string => translate(language, text, values)
}

/** An English text in the language of the site, with `{name}` replaced by the value of that name. */
export function translate(language: Language, text: string, values?: Readonly<Record<string, string>>): string {
  const translations: Readonly<Record<string, string>> = language === 'en' ? {} : locales[language]
  const translation = translations[text] ?? text
  if (values === undefined) return translation
  return translation.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
