import type { Language } from './config.ts'

// Declares what checks find: for the doctor, and for the page Today.

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

/** Something that a feature does by itself and fails at, such as an import on a schedule. */
export interface Trouble {
  /** For the doctor. */
  finding: Finding
  /** For the page Today, in a language of the site. */
  shown: (language: Language) => ShownTrouble
}

export interface ShownTrouble {
  name: string
  isStopped: boolean
  /** Empty for none. */
  reason: string
}
