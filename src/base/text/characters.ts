import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { decodedText } from './html.ts'

/** Writes U+FFFD for what databases refuse: PostgreSQL takes no NUL, UTF-8 no halves of surrogate pairs. */
export function storableText<Value>(value: Value): Value {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
  return value.toWellFormed().replaceAll('\0', '\ufffd') as Value & string
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Grapheme clusters that people write are shorter. */
const LONGEST_CLUSTER = 100

/** Cuts to at most `longest` UTF-16 units, never within a grapheme cluster (UAX 29). */
export function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text
  if (/^[ -~]{2}$/.test(text.slice(longest - 1, longest + 1))) return text.slice(0, longest)
  const cluster = clusters.segment(text.slice(0, longest + LONGEST_CLUSTER)).containing(longest)
  return text.slice(0, cluster?.index || longest).replace(/[\ud800-\udbff]$/, '')
}

/**
 * The stream-safe limit of Unicode (UAX 15, 13): ordering a run takes time that grows with the square of its
 * length, and languages need only a handful of marks.
 */
export const LONGEST_MARK_RUN = 30

// All combining marks have higher code points.
const PLAIN = /^[\0-\u02ff]*$/
const LONG_RUN = new RegExp(`\\p{M}{${LONGEST_MARK_RUN + 1}}`, 'u')
const LONG_RUNS = new RegExp(`(\\p{M}{${LONGEST_MARK_RUN}})\\p{M}+`, 'gu')

export function hasLongMarkRun(text: string): boolean {
  return text.length > LONGEST_MARK_RUN && !PLAIN.test(text) && LONG_RUN.test(text)
}

/** A prefix with it sorts behind all texts that begin with the prefix. */
export const LAST_CHARACTER = '\u{10ffff}'

/** Cuts runs of marks that are too long, so that time grows with the length alone. */
export function normalize(text: string, form: 'NFC' | 'NFKD'): string {
  if (PLAIN.test(text)) return text.normalize(form)
  // Decomposing makes runs longer.
  return withoutLongRuns(withoutLongRuns(text).normalize(form))
}

function withoutLongRuns(text: string): string {
  return LONG_RUN.test(text) ? text.replace(LONG_RUNS, '$1') : text
}

/** 32 bits of FNV-1a over UTF-16 units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

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
// In Arabic and Hebrew these are vowel marks and the hamza on another letter, which many leave out.
const ACCENTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu

// The tatweel lengthens Arabic words; marks may stand above it.
const LENGTHENING = /\u0640\p{M}*/gu

const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\ufe0e\ufe0f]/g
const APOSTROPHES = /[\u2018\u2019\u201a\u201b\u02bc\u2032]/g
const QUOTES = /[\u201c-\u201f\u2033]/g
const DASHES = /[\u2010-\u2015\u2212]/g

const ASCII = /^[\t\n\r -~]*$/

/**
 * Matches from a character beyond ASCII to the next visible one of ASCII, with the ASCII character before if
 * a mark may combine with it; the last four of that class decompose into marks. European texts have few such
 * parts, always the same.
 */
const BEYOND_ASCII = /(?:[!-~][\p{M}\p{Cf}\u0e33\u0eb3\uff9e\uff9f]|[^\t\n\r -~])[^!-~]*/gu

/**
 * Writes lower case, plain quotes and dashes, single spaces; Latin, Greek, Cyrillic, Arabic and Hebrew lose
 * their marks, other scripts keep them. Idempotent.
 */
export function fold(text: string): string {
  const folded = ASCII.test(text) ? text : text.replace(BEYOND_ASCII, foldPart)
  return folded.toLowerCase().replace(/\s+/g, ' ').trim()
}

const folds = emptyCache<string, string>(processBudget)
const LONGEST_CACHED = 3

function foldPart(part: string): string {
  if (part.length > LONGEST_CACHED) return foldUnicode(part)
  return cachedText(folds, part, () => foldUnicode(part))
}

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

/** Letters of other scripts keep their marks. */
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

const LONGEST = 200

/** Frees the slug for another record (rule 24.1). */
export const TRASHED_SUFFIX = '__trashed'

const IN_ASCII = /^[ -~]*$/
const SLUG_CHARACTERS = /^[a-z0-9_-]*$/
const ENCODED = /(?:%[89a-f][0-9a-f])+/gi
const SEPARATORS = /[\s\p{Z}\p{Pd}./|\\\u2044]+/gu
// Slugs drop quotes and brackets ("it's" is one word), other ASCII punctuation, and symbols.
const VANISHING = new RegExp(
  [
    /[^\p{L}\p{M}\p{N}\p{So}\p{P}\p{Emoji_Modifier}]/u,
    /[\ufe00-\ufe0f\ufffd©®°¦\p{Pi}\p{Pf}\p{Ps}\p{Pe}]/u,
    /(?![-_])[!-/:-@[-`{-~]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)
const FOREIGN_PUNCTUATION = /(?![-_])\p{P}+/gu

/**
 * Rule 17.1: lower-case ASCII letters, digits, `-` and `_`, other scripts percent-encoded, at most 200 bytes.
 * Empty if nothing is left. Idempotent.
 */
export function slugify(text: string): string {
  const plain = latinToAscii(decodeForeign(decodedText(text.toWellFormed())))
  const words = plain.replace(SEPARATORS, '-').replace(VANISHING, '').replace(FOREIGN_PUNCTUATION, '-')
  const joined = latinToAscii(words).replace(/-+/g, '-')
  return trimDashes(cutSlug(trimDashes(joined), LONGEST))
}

/** Returns a slug such as `jazz-2`, cut to 200 bytes. A slug in the trash is not cut. */
export function numberedSlug(base: string, n: number): string {
  if (base.endsWith(TRASHED_SUFFIX)) return `${base}-${n}`
  const ending = `-${n}`
  return trimDashes(cutSlug(decodeForeign(base), LONGEST - ending.length)) + ending
}

/** Cuts to 200 bytes. */
export function shortSlug(slug: string): string {
  return trimDashes(cutSlug(decodeForeign(slug), LONGEST))
}

/** Reads a slug from a URL, in any letter case, percent-encoded or not. */
export function canonicalSlug(text: string): string {
  if (SLUG_CHARACTERS.test(text)) return text
  return encodeForeign(normalize(decodeForeign(text.toWellFormed()).toLowerCase(), 'NFC'))
}

export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED_SUFFIX) ? slug : slug + TRASHED_SUFFIX
}

export function untrashedSlug(slug: string): string {
  return slug.replace(/__trashed(?:-\d+)?$/, '')
}

function trimDashes(slug: string): string {
  let [start, end] = [0, slug.length]
  while (slug[start] === '-') start++
  while (end > start && slug[end - 1] === '-') end--
  return slug.slice(start, end)
}

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
