import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { decodedText } from './html.ts'

// Makes texts fit for databases, folds them for searches and orders (lower case, without accents), and makes
// slugs.

/**
 * Returns a text that both databases can store; any other value is returned unchanged. PostgreSQL takes no
 * NUL, and UTF-8 has no halves of surrogate pairs: the replacement character U+FFFD stands in their place.
 */
export function storableText<Value>(value: Value): Value {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
  return value.toWellFormed().replaceAll('\0', '\ufffd') as Value & string
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The characters behind a cut that are looked at: clusters that people write are shorter. */
const BEHIND = 100

/**
 * Returns the beginning of a text, at most `longest` characters. What readers see as one character stays
 * whole (UAX 29).
 */
export function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text
  if (/^[ -~]{2}$/.test(text.slice(longest - 1, longest + 1))) return text.slice(0, longest)
  const cluster = clusters.segment(text.slice(0, longest + BEHIND)).containing(longest)
  return text.slice(0, cluster?.index || longest).replace(/[\ud800-\udbff]$/, '')
}

/**
 * The most combining marks that may stand in a row: the stream-safe limit of the Unicode standard (UAX 15,
 * 13). The time to order a run of marks grows with the square of its length, and no language has runs of more
 * than a handful.
 */
export const LONGEST_MARK_RUN = 30

// All combining marks lie beyond these characters.
const PLAIN = /^[\0-\u02ff]*$/
const LONG_RUN = new RegExp(`\\p{M}{${LONGEST_MARK_RUN + 1}}`, 'u')
const LONG_RUNS = new RegExp(`(\\p{M}{${LONGEST_MARK_RUN}})\\p{M}+`, 'gu')

/** Decides whether a text has a run of combining marks longer than `LONGEST_MARK_RUN`. */
export function hasLongMarkRun(text: string): boolean {
  return text.length > LONGEST_MARK_RUN && !PLAIN.test(text) && LONG_RUN.test(text)
}

/** Behind a text it makes one that sorts behind all that begin with that text. */
export const LAST_SIGN = '\u{10ffff}'

/**
 * Returns a text in a normal form of Unicode, in time that grows with its length alone: runs of marks that
 * are too long are cut.
 */
export function normalize(text: string, form: 'NFC' | 'NFKD'): string {
  if (PLAIN.test(text)) return text.normalize(form)
  // Decomposing makes runs longer, so they are cut again afterwards.
  return withoutLongRuns(withoutLongRuns(text).normalize(form))
}

function withoutLongRuns(text: string): string {
  return LONG_RUN.test(text) ? text.replace(LONG_RUNS, '$1') : text
}

/** Returns the 32 bits of FNV-1a over the UTF-16 units of a text. Different texts may have the same hash. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** The plain form of letters that Unicode does not decompose into a plain letter and an accent. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ĸ: 'k',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
  ƀ: 'b',
  ɖ: 'd',
  ƒ: 'f',
  ɨ: 'i',
  ɫ: 'l',
  ƶ: 'z',
}
const SPECIAL = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')
const LATIN_ACCENTS = /(\p{Script=Latin})\p{M}+/gu
// Of Arabic and Hebrew, these are vowel marks and the hamza on another letter, which many leave out.
const ACCENTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu

// The stroke that lengthens Arabic words, with the marks above it.
const LENGTHENING = /\u0640\p{M}*/gu

// Characters that nobody sees: soft hyphens, direction marks, zero-width blanks, and the choice between text
// and emoji style.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\ufe0e\ufe0f]/g
const APOSTROPHES = /[\u2018\u2019\u201a\u201b\u02bc\u2032]/g
const QUOTES = /[\u201c-\u201f\u2033]/g
const DASHES = /[\u2010-\u2015\u2212]/g

const ASCII = /^[\t\n\r -~]*$/

/**
 * A part of a text that begins with a character beyond ASCII and ends before the next visible one of ASCII.
 * The ASCII character before it belongs to it if a mark follows that may combine with it; the last four
 * characters of that class are no marks, but decompose into one. Most texts of European languages have a few
 * short parts of this kind, and always the same ones.
 */
const BEYOND_ASCII = /(?:[!-~][\p{M}\p{Cf}\u0e33\u0eb3\uff9e\uff9f]|[^\t\n\r -~])[^!-~]*/gu

/**
 * Folds a text to the form that searches and orders compare: lower case; Latin, Greek, Cyrillic, Arabic and
 * Hebrew letters without accents and marks; plain quotes and dashes; single blanks. Other scripts keep their
 * marks. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  const folded = ASCII.test(text) ? text : text.replace(BEYOND_ASCII, foldPart)
  return folded.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** The folded forms of parts of a few characters. */
const folds = emptyCache<string, string>(processBudget)
const LONGEST_KEPT = 3

function foldPart(part: string): string {
  if (part.length > LONGEST_KEPT) return foldUnicode(part)
  return cachedText(folds, part, () => foldUnicode(part))
}

/** Folds a text at once, without looking for its parts beyond ASCII. Its blanks stay as they are. */
export function foldUnicode(text: string): string {
  const decomposed = normalize(text.replace(UNSEEN, ''), 'NFKD').replace(LENGTHENING, '')
  const plain = decomposed.replace(ACCENTS, '$1').toLowerCase().replace(ACCENTS, '$1')
  const folded = plainLetters(plain)
    .replaceAll('ς', 'σ')
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(DASHES, '-')
  return normalize(folded, 'NFC')
}

/**
 * Returns a text in lower case, with Latin letters in ASCII where they have such a form. All other letters
 * keep their marks.
 */
export function latinToAscii(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = normalize(text, 'NFKD')
    .replace(LATIN_ACCENTS, '$1')
    .toLowerCase()
    .replace(LATIN_ACCENTS, '$1')
  return normalize(plainLetters(plain), 'NFC')
}

function plainLetters(text: string): string {
  return text.replace(SPECIAL, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

// Slugs: makes them from titles, numbers them, and marks those of records in the trash.

const LONGEST = 200

/**
 * The ending that the slug of a record gets in the trash, so that another record can have the slug (rule
 * 24.1).
 */
export const TRASHED_SUFFIX = '__trashed'

const IN_ASCII = /^[ -~]*$/
/** The form of most slugs. */
const SLUG_SIGNS = /^[a-z0-9_-]*$/
const ENCODED = /(?:%[89a-f][0-9a-f])+/gi
const SEPARATORS = /[\s\p{Z}\p{Pd}./|\\\u2044]+/gu
// Characters that are removed: quotes and brackets, so that "it's" becomes one word, other signs of ASCII,
// and symbols.
const VANISHING =
  /[^\p{L}\p{M}\p{N}\p{So}\p{P}\p{Emoji_Modifier}]|[\p{Pi}\p{Pf}\p{Ps}\p{Pe}]|(?![-_])[!-/:-@[-`{-~]|[\ufe00-\ufe0f\ufffd©®°¦]/gu
const FOREIGN_SIGNS = /(?![-_])\p{P}+/gu

/**
 * Makes the slug of a title, or of a slug that a client sent (rule 17.1): lower-case ASCII letters and digits
 * with `-` and `_`, other scripts percent-encoded, at most 200 bytes. Empty if no character is left. The slug
 * of a slug is the slug itself.
 */
export function slugify(text: string): string {
  const plain = latinToAscii(decodeForeign(decodedText(text.toWellFormed())))
  const words = plain.replace(SEPARATORS, '-').replace(VANISHING, '').replace(FOREIGN_SIGNS, '-')
  // A letter and an accent may stand side by side only now that a sign between them is gone, so accents are
  // removed again.
  const joined = latinToAscii(words).replace(/-+/g, '-')
  return trimDashes(cutSlug(trimDashes(joined), LONGEST))
}

/**
 * Returns a slug with a number behind it, such as `jazz-2`, cut to 200 bytes. The slug of a record in the
 * trash is not cut.
 */
export function numberedSlug(base: string, n: number): string {
  if (base.endsWith(TRASHED_SUFFIX)) return `${base}-${n}`
  const ending = `-${n}`
  return trimDashes(cutSlug(decodeForeign(base), LONGEST - ending.length)) + ending
}

/** Cuts a slug to the 200 bytes that it may have. */
export function shortSlug(slug: string): string {
  return trimDashes(cutSlug(decodeForeign(slug), LONGEST))
}

/**
 * Returns the stored form of a slug that stands in an address, where it may be in any letter case and
 * percent-encoded or not.
 */
export function canonicalSlug(text: string): string {
  if (SLUG_SIGNS.test(text)) return text
  return encodeForeign(normalize(decodeForeign(text.toWellFormed()).toLowerCase(), 'NFC'))
}

/** Returns the slug that a record has while it is in the trash. */
export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED_SUFFIX) ? slug : slug + TRASHED_SUFFIX
}

/** Returns the slug that a record had before it went to the trash; any other slug unchanged. */
export function untrashedSlug(slug: string): string {
  return slug.replace(/__trashed(?:-\d+)?$/, '')
}

function trimDashes(slug: string): string {
  let [start, end] = [0, slug.length]
  while (slug[start] === '-') start++
  while (end > start && slug[end - 1] === '-') end--
  return slug.slice(start, end)
}

/** Encodes a slug, and cuts it behind the last whole character that fits into a number of bytes. */
function cutSlug(plain: string, bytes: number): string {
  if (IN_ASCII.test(plain)) return plain.slice(0, bytes)
  let slug = ''
  for (const character of plain) {
    const next = slug + encodeForeign(character)
    if (next.length > bytes) break
    slug = next
  }
  return slug
}

function encodeForeign(text: string): string {
  if (IN_ASCII.test(text)) return text
  return text.replace(/[^\p{ASCII}]+/gu, (letters) => encodeURIComponent(letters).toLowerCase())
}

function decodeForeign(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(ENCODED, (bytes) => {
    try {
      return decodeURIComponent(bytes)
    } catch {
      return bytes
    }
  })
}
