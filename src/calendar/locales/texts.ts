import type { Language } from '../../base/config.ts'
import type { Text } from './messages.ts'

interface PluralForms {
  en: 'one' | 'other'
  de: 'one' | 'other'
  fr: 'one' | 'other'
  es: 'one' | 'other'
}

/** For CLDR forms that a text lacks, `other` is used. */
export type Forms<In extends Language = Language> = Readonly<Record<PluralForms[In], string>>

type Plain = Readonly<Record<Exclude<Language, 'en'>, string>>
type Counted = { readonly [In in Language]: Forms<In> }

/** Translations by English text. A text about a number has plural forms in every language, also English. */
export type Texts = Readonly<Record<string, Plain | Counted>>

/** A text of the kernel, or a feature's text that has no plural forms. */
export type TextIn<Own extends Texts> = Text | (Exclude<keyof Own, CountedIn<Own>> & string)

export type CountedIn<Own extends Texts> = {
  [Name in keyof Own]: Own[Name] extends Counted ? Name : never
}[keyof Own] &
  string

/** Makes a function by whose type the compiler checks that a text exists. */
export const textFrom =
  <const Own extends Texts>(_texts: Own) =>
  <Said extends TextIn<Own>>(text: Said): Said =>
    text
