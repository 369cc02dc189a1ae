import { latinToAscii, normalize } from './characters.ts'
import { decodedText } from './html.ts'

// Slugs: made from titles, numbered, and marked while a record is in the trash.

const LONGEST = 200

/** The ending of the slug of a trashed record, so that its own is free again (rule 24.1). */
export const TRASHED_SUFFIX = '__trashed'

const IN_ASCII = /^[ -~]*$/
/** Slugs as most are. */
const SLUG_SIGNS = /^[a-z0-9_-]*$/
const ENCODED = /(?:%[89a-f][0-9a-f])+/gi
const SEPARATORS = /[\s\p{Z}\p{Pd}./|\\\u2044]+/gu
// Quotes and brackets are removed, so "it's" becomes one word; so are other signs of ASCII and all signs that are not letters.
const VANISHING =
  /[^\p{L}\p{M}\p{N}\p{So}\p{P}\p{Emoji_Modifier}]|[\p{Pi}\p{Pf}\p{Ps}\p{Pe}]|(?![-_])[!-/:-@[-`{-~]|[\ufe00-\ufe0f\ufffd©®°¦]/gu
const FOREIGN_SIGNS = /(?![-_])\p{P}+/gu

/**
 * The slug of a title, or of a slug that a client sent (rule 17.1): lower-case ASCII letters and digits with `-` and `_`, other scripts
 * percent-encoded, at most 200 bytes. Empty when no character is left. Slugs of slugs are the same.
 */
export function slugify(text: string): string {
  const plain = latinToAscii(decodeForeign(decodedText(text.toWellFormed())))
  const words = plain.replace(SEPARATORS, '-').replace(VANISHING, '').replace(FOREIGN_SIGNS, '-')
  // Letters and accents that a sign stood between have met by now.
  const joined = latinToAscii(words).replace(/-+/g, '-')
  return trimDashes(cutSlug(trimDashes(joined), LONGEST))
}

/** `base-2` and so on, cut so that it keeps within 200 bytes; a trashed slug keeps its ending. */
export function numberedSlug(base: string, n: number): string {
  if (base.endsWith(TRASHED_SUFFIX)) return `${base}-${n}`
  const ending = `-${n}`
  return trimDashes(cutSlug(decodeForeign(base), LONGEST - ending.length)) + ending
}

/** A slug cut to the longest that is allowed. */
export function shortSlug(slug: string): string {
  return trimDashes(cutSlug(decodeForeign(slug), LONGEST))
}

/** A slug as it stands in an address, in any letter case and percent-encoded or not, in the form in which slugs are stored. */
export function canonicalSlug(text: string): string {
  if (SLUG_SIGNS.test(text)) return text
  return encodeForeign(normalize(decodeForeign(text.toWellFormed()).toLowerCase(), 'NFC'))
}

/** The slug while its record lies in the trash. */
export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED_SUFFIX) ? slug : slug + TRASHED_SUFFIX
}

/** The slug a record had before it went to the trash; any other slug unchanged. */
export function untrashedSlug(slug: string): string {
  return slug.replace(/__trashed(?:-\d+)?$/, '')
}

function trimDashes(slug: string): string {
  let [start, end] = [0, slug.length]
  while (slug[start] === '-') start++
  while (end > start && slug[end - 1] === '-') end--
  return slug.slice(start, end)
}

/** The longest start of whole characters that fits into a number of bytes, encoded. */
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
