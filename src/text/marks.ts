/**
 * The longest run of combining marks that texts may have, which is what the Unicode standard calls stream-safe (UAX 15, 13): putting a run
 * in order takes the square of its length, and no language has runs of more than a handful.
 */
export const LONGEST_MARK_RUN = 30

// Whatever marks go with comes from beyond Latin-1.
const PLAIN = /^[\0-\u02ff]*$/
const LONG_RUN = new RegExp(`\\p{M}{${LONGEST_MARK_RUN + 1}}`, 'u')
const LONG_RUNS = new RegExp(`(\\p{M}{${LONGEST_MARK_RUN}})\\p{M}+`, 'gu')

/** Whether a text has more marks on one letter than texts may have. */
export function hasLongMarkRun(text: string): boolean {
  return !PLAIN.test(text) && LONG_RUN.test(text)
}

/** The text in a normal form of Unicode, in time that grows with its length alone: of a run of marks that is too long the first are kept. */
export function normalize(text: string, form: 'NFC' | 'NFKD'): string {
  if (PLAIN.test(text)) return text.normalize(form)
  // Decomposing makes runs longer.
  return withoutLongRuns(withoutLongRuns(text).normalize(form))
}

function withoutLongRuns(text: string): string {
  return LONG_RUN.test(text) ? text.replace(LONG_RUNS, '$1') : text
}
