/** Members whose text is a line of HTML: titles, and the names of venues, organizers and terms. */
const NAMES = /^(title|venue|organizer|name)$/
/** Members in which these names mean something else: linked data, custom fields, and refused parameters. */
const OTHERS = /^(json_ld|custom_fields|params|details)$/
const ENTITIES = (
  'amp lt gt quot apos nbsp ndash mdash lsquo rsquo ldquo ' +
  'rdquo bdquo laquo raquo hellip euro szlig oslash aelig'
).split(' ')
const SIGNS = '&<>"\'\u00a0–—‘’“”„«»…€ßøæ'
/**
 * The names of accents in entities: `&eacute;` is `e` with the second one. The marks follow in the same
 * order.
 */
const ACCENTS = 'grave acute circ tilde uml ring caron cedil'.split(' ')
const MARKS = '\u0300\u0301\u0302\u0303\u0308\u030a\u030c\u0327'

/**
 * Returns the text of a line of HTML, without tags and with each entity decoded once: `&amp;lt;` becomes
 * `&lt;`. It knows named entities of markup, punctuation and accented letters, and leaves others unchanged.
 */
export const textOf = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(x?)([\da-f]{1,7})|([a-z])([a-z]{1,6}));/gi, (entity, x, digits, letter, name) => {
      if (digits) {
        const code = Number.parseInt(digits, x ? 16 : 10)
        return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : entity
      }
      const mark = MARKS[ACCENTS.indexOf(name)]
      return mark ? (letter + mark).normalize() : (SIGNS[ENTITIES.indexOf(letter + name)] ?? entity)
    })

/**
 * An answer with the names of its records as text. The HTML is kept beside each, such as `titleHtml` beside
 * `title`.
 */
export type Decoded<T> = T extends readonly (infer Entry)[]
  ? Decoded<Entry>[]
  : T extends object
    ? { [K in keyof T]: K extends 'json_ld' | 'custom_fields' ? T[K] : Decoded<T[K]> } & {
        [K in keyof T as K extends Named ? (T[K] extends string ? `${K}Html` : never) : never]: T[K]
      }
    : T
type Named = 'title' | 'venue' | 'organizer' | 'name'

/** Decodes the names in an object in place. */
export function decode<T extends object>(answer: T): Decoded<T>
export function decode(answer: Record<string, unknown>): unknown {
  for (const [key, value] of Object.entries(answer)) {
    if (typeof value === 'string' && NAMES.test(key)) {
      answer[key] = textOf(value)
      answer[`${key}Html`] = value
    } else if (typeof value === 'object' && value && !OTHERS.test(key)) decode(value)
  }
  return answer
}
