import { cachedText, emptyCache, processBudget } from '../cache.ts'

/**
 * Replaces by U+FFFD what databases refuse: NUL (PostgreSQL), and lone surrogates, which UTF-8 cannot encode.
 * Values other than strings stay.
 */
export function storableText<Value>(value: Value): Value {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
  return value.toWellFormed().replaceAll('\0', '\ufffd') as Value & string
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** In UTF-16 units: more than any grapheme cluster of real text has. */
const LONGEST_CLUSTER = 100

/** Cuts to at most `longest` UTF-16 units, not within a grapheme cluster (UAX 29) unless it is longer. */
export function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text
  if (/^[ -~]{2}$/.test(text.slice(longest - 1, longest + 1))) return text.slice(0, longest)
  const cluster = clusters.segment(text.slice(0, longest + LONGEST_CLUSTER)).containing(longest)
  return text.slice(0, cluster?.index || longest).replace(/[\ud800-\udbff]$/, '')
}

/**
 * Maximum combining marks in a row, as in the Stream-Safe Text Format (UAX 15, 13). Normalization sorts each
 * run in quadratic time, and languages need only a handful.
 */
export const LONGEST_MARK_RUN = 30

// Text without combining marks, which have higher code points.
const PLAIN = /^[\0-\u02ff]*$/
const LONG_RUN = new RegExp(`\\p{M}{${LONGEST_MARK_RUN + 1}}`, 'u')
const LONG_RUNS = new RegExp(`(\\p{M}{${LONGEST_MARK_RUN}})\\p{M}+`, 'gu')

export function hasLongMarkRun(text: string): boolean {
  return text.length > LONGEST_MARK_RUN && !PLAIN.test(text) && LONG_RUN.test(text)
}

/** Appended to a prefix, it gives an upper bound of texts with that prefix. */
export const LAST_CHARACTER = '\u{10ffff}'

/** Normalizes, and cuts runs of combining marks over `LONGEST_MARK_RUN`, so that the time stays linear. */
export function normalize(text: string, form: 'NFC' | 'NFKD'): string {
  if (PLAIN.test(text)) return text.normalize(form)
  // Decomposition adds marks, so long runs are cut again.
  return withoutLongRuns(withoutLongRuns(text).normalize(form))
}

function withoutLongRuns(text: string): string {
  return LONG_RUN.test(text) ? text.replace(LONG_RUNS, '$1') : text
}

/** A 32-bit FNV-1a hash of the UTF-16 units. */
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
// The marks of Arabic and Hebrew are vowel signs and the hamza on a carrier letter, which many writers omit.
const ACCENTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu

// The tatweel (U+0640) only lengthens Arabic words. It may carry marks, which go with it.
const LENGTHENING = /\u0640\p{M}*/gu

const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\ufe0e\ufe0f]/g
const APOSTROPHES = /[\u2018\u2019\u201a\u201b\u02bc\u2032]/g
const QUOTES = /[\u201c-\u201f\u2033]/g
const DASHES = /[\u2010-\u2015\u2212]/g

const ASCII = /^[\t\n\r -~]*$/

/**
 * Matches from a character beyond ASCII up to the next visible ASCII character, so that `foldPart` gets only
 * what needs Unicode folding. A match begins with the ASCII character before if a mark may combine with it;
 * the last four characters of that class decompose into marks. European texts have few different such parts,
 * so `folds` caches them.
 */
const BEYOND_ASCII = /(?:[!-~][\p{M}\p{Cf}\u0e33\u0eb3\uff9e\uff9f]|[^\t\n\r -~])[^!-~]*/gu

/**
 * Returns the text as search compares it: lower case, plain quotes and dashes, single spaces. Latin, Greek,
 * Cyrillic, Arabic and Hebrew letters lose their marks; other scripts keep theirs. Idempotent.
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

/** Returns lower case without marks on Latin letters, and with `PLAIN_LETTERS` replaced. */
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
