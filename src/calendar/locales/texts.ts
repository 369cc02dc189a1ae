import type { Language } from '../../base/config.ts'
import type { Text } from './messages.ts'

/** The plural forms of each language that texts give (CLDR). */
interface PluralForms {
  en: 'one' | 'other'
  de: 'one' | 'other'
  fr: 'one' | 'other'
  es: 'one' | 'other'
}

/** The plural forms of a text in a language. For CLDR forms that are missing here, `other` is used. */
export type Forms<In extends Language = Language> = Readonly<Record<PluralForms[In], string>>

type Plain = Readonly<Record<Exclude<Language, 'en'>, string>>
type Counted = { readonly [In in Language]: Forms<In> }

/**
 * Translations by English text. A text that depends on a number has plural forms in every language, English
 * included.
 */
export type Texts = Readonly<Record<string, Plain | Counted>>

/** The texts that a feature may use: its own and those of the kernel. */
export type TextIn<Own extends Texts> = Text | (Exclude<keyof Own, CountedIn<Own>> & string)

export type CountedIn<Own extends Texts> = {
  [Name in keyof Own]: Own[Name] extends Counted ? Name : never
}[keyof Own] &
  string

/**
 * Returns a function that returns a text unchanged; its type makes the compiler check that the text exists.
 */
export const textFrom =
  <const Own extends Texts>(_texts: Own) =>
  <Said extends TextIn<Own>>(text: Said): Said =>
    text
