import type { Language } from './config.ts'

// What checks report, to the doctor and to the page Today.

export interface Finding {
  /** A word or two. */
  about: string
  state: 'ok' | 'warning' | 'error'
  /** One sentence. */
  says: string
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

/** A failure of work that a feature does by itself, such as an import on a schedule. */
export interface Trouble {
  finding: Finding
  /** What the page Today shows, in a language of the site. */
  shown: (language: Language) => ShownTrouble
}

export interface ShownTrouble {
  name: string
  isStopped: boolean
  reason: string
}
