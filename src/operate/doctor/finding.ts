/** The finding of one check of the doctor. */
export interface Finding {
  /** The subject of the check, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'error'
  /** The state that was found, in words. */
  says: string
  /** The remedy; undefined where there is nothing to do. */
  todo?: string
}

export const ok = (about: string, says: string): Finding => ({ about, state: 'ok', says })
export const warning = (about: string, says: string, todo: string): Finding => ({ about, state: 'warning', says, todo })
export const failing = (about: string, says: string, todo: string): Finding => ({ about, state: 'error', says, todo })
