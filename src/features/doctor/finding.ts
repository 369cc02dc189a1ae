// Declares what a check of the doctor finds.

/** The finding of one check of the doctor. */
export interface Finding {
  /** The subject of the check, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'error'
  /** A sentence on what was found. */
  says: string
  /** The remedy in words; undefined if there is nothing to do. */
  todo?: string
}

export const ok = (about: string, says: string): Finding => ({ about, state: 'ok', says })
export const warning = (about: string, says: string, todo: string): Finding => ({
  about,
  state: 'warning',
  says,
  todo,
})
export const failing = (about: string, says: string, todo: string): Finding => ({
  about,
  state: 'error',
  says,
  todo,
})
