// What a check finds.

export interface Finding {
  /** In a word or two. */
  about: string
  state: 'ok' | 'warning' | 'error'
  /** One sentence. */
  says: string
  /** Undefined if there is nothing to do. */
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
