import { LANGUAGES, type Language } from '../../base/config.ts'
import { de } from './de.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { Locale } from './messages.ts'
import type { CountedIn, Forms, TextIn, Texts } from './texts.ts'
import { shortTexts } from './words.ts'

export const locales: Readonly<Record<Exclude<Language, 'en'>, Locale>> = { de, fr, es }

type Values = Readonly<Record<string, string>>

export function translatorFor({ language }: { language: Language }) {
  return (text: string, values?: Values): string => translate(language, text, values)
}

export function sayIn<const Own extends Texts>(texts: Own) {
  return ({ language }: { language: Language }, text: TextIn<Own>, values?: Values): string =>
    translate(language, text, values, texts)
}

/** Makes a function that translates a text in the plural form for `count`; `values.count` may replace it. */
export function sayCountIn<const Own extends Texts>(texts: Own) {
  const formsOf = formsIn(texts)
  return (site: { language: Language }, text: CountedIn<Own>, count: number, values: Values = {}): string =>
    filled(formFor(site.language, formsOf(site, text), count), { count: String(count), ...values })
}

/** Makes a function that gives a text's plural forms. Scripts in browsers choose by `Intl.PluralRules`. */
export function formsIn<const Own extends Texts>(texts: Own) {
  return ({ language }: { language: Language }, text: CountedIn<Own>): Forms => {
    const row: Texts[string] | undefined = texts[text]
    return row && 'en' in row ? row[language] : { one: text, other: text }
  }
}

const pluralRules = new Map(LANGUAGES.map((language) => [language, new Intl.PluralRules(language)]))

function formFor(language: Language, forms: Forms, count: number): string {
  const category = pluralRules.get(language)?.select(count) ?? ''
  const form = new Map<string, string>(Object.entries(forms)).get(category)
  // In French, the form for one also applies to zero. A form without the number is meant for 1 only, so zero
  // gets `other`.
  return form === undefined || (count !== 1 && !form.includes('{count}')) ? forms.other : form
}

/** Translates a text and fills in each `{name}`. A text missing in `texts` is one of the kernel. */
export function translate(language: Language, text: string, values?: Values, texts: Texts = {}): string {
  const rows: Texts = texts[text] ? texts : shortTexts
  const own = language === 'en' ? undefined : rows[text]?.[language]
  const translations: Readonly<Record<string, string>> = language === 'en' ? {} : locales[language]
  return filled(typeof own === 'string' ? own : (translations[text] ?? text), values)
}

function filled(text: string, values: Values | undefined): string {
  if (values === undefined) return text
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
