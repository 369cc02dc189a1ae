import type { Language } from '../../base/config.ts'
import type { Text } from './messages.ts'

/** The forms that each language has for numbers (CLDR). */
interface PluralForms {
  en: 'one' | 'other'
  de: 'one' | 'other'
  fr: 'one' | 'other'
  es: 'one' | 'other'
}

/** A rarer form that is not given is written as `other`. */
export type Forms<In extends Language = Language> = Readonly<Record<PluralForms[In], string>>

type Plain = Readonly<Record<Exclude<Language, 'en'>, string>>
type Counted = { readonly [In in Language]: Forms<In> }

/** The key is the English text. A text that depends on a number has its forms in every language. */
export type Texts = Readonly<Record<string, Plain | Counted>>

/** A feature says its own texts and those of the kernel. */
export type TextIn<Own extends Texts> = Text | (Exclude<keyof Own, CountedIn<Own>> & string)

export type CountedIn<Own extends Texts> = {
  [Name in keyof Own]: Own[Name] extends Counted ? Name : never
}[keyof Own] &
  string

/** The compiler checks that it is one of the texts. */
export const textFrom =
  <const Own extends Texts>(_texts: Own) =>
  <Said extends TextIn<Own>>(text: Said): Said =>
    text
