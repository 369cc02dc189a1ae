// Texts that databases and Unicode can take.

/**
 * A text as both databases store it, or any other value. PostgreSQL takes no NUL, and no encoding has halves of surrogate pairs: the replacement
 * character takes their place.
 */
export function storableText<Value>(value: Value): Value {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
  return value.toWellFormed().replaceAll('\0', '\ufffd') as Value & string
}

/**
 * The longest run of combining marks that texts may have: the stream-safe limit of the Unicode standard (UAX 15, 13). Ordering a run takes
 * quadratic time, and no language has runs of more than a handful.
 */
export const LONGEST_MARK_RUN = 30

// All combining marks lie beyond Latin-1.
const PLAIN = /^[\0-\u02ff]*$/
const LONG_RUN = new RegExp(`\\p{M}{${LONGEST_MARK_RUN + 1}}`, 'u')
const LONG_RUNS = new RegExp(`(\\p{M}{${LONGEST_MARK_RUN}})\\p{M}+`, 'gu')

/** Whether a run of marks in a text is longer than the limit. */
export function hasLongMarkRun(text: string): boolean {
  return text.length > LONGEST_MARK_RUN && !PLAIN.test(text) && LONG_RUN.test(text)
}

/** The text in a normal form of Unicode, in linear time: a run of marks that is too long is cut. */
export function normalize(text: string, form: 'NFC' | 'NFKD'): string {
  if (PLAIN.test(text)) return text.normalize(form)
  // Decomposing makes runs longer.
  return withoutLongRuns(withoutLongRuns(text).normalize(form))
}

function withoutLongRuns(text: string): string {
  return LONG_RUN.test(text) ? text.replace(LONG_RUNS, '$1') : text
}

/** The 32 bits of FNV-1a over the UTF-16 units of a text. Different texts may have the same. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
