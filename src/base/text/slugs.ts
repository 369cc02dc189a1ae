import { latinToAscii, normalize } from './characters.ts'
import { decodedText } from './html.ts'

const LONGEST = 200

/** Appended to the slug of a record in the trash, so that another record may take the slug (rule 24.1). */
export const TRASHED_SUFFIX = '__trashed'

const IN_ASCII = /^[ -~]*$/
const SLUG_CHARACTERS = /^[a-z0-9_-]*$/
const ENCODED = /(?:%[89a-f][0-9a-f])+/gi
const SEPARATORS = /[\s\p{Z}\p{Pd}./|\\\u2044]+/gu
// Characters that slugs leave out: quotes and brackets (so "it's" is one word), symbols, most ASCII
// punctuation.
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
 * Makes a slug (rule 17.1): lower-case ASCII letters, digits, `-` and `_`, with other scripts
 * percent-encoded, at most 200 bytes. Empty if no character of the text can be in a slug. Idempotent.
 */
export function slugify(text: string): string {
  const plain = latinToAscii(decodeForeign(decodedText(text.toWellFormed())))
  const words = plain.replace(SEPARATORS, '-').replace(VANISHING, '').replace(FOREIGN_PUNCTUATION, '-')
  const joined = latinToAscii(words).replace(/-+/g, '-')
  return trimDashes(cutSlug(trimDashes(joined), LONGEST))
}

/** Appends a number, as in `jazz-2`, and cuts to 200 bytes, except the slug of a record in the trash. */
export function numberedSlug(base: string, n: number): string {
  if (base.endsWith(TRASHED_SUFFIX)) return `${base}-${n}`
  const ending = `-${n}`
  return trimDashes(cutSlug(decodeForeign(base), LONGEST - ending.length)) + ending
}

export function shortSlug(slug: string): string {
  return trimDashes(cutSlug(decodeForeign(slug), LONGEST))
}

/** Returns the stored form of a slug from a URL, in any letter case, percent-encoded or not. */
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
