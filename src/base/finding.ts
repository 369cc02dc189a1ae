import type { Language } from './config.ts'

// Results of checks, for `kalends doctor` and the desk page Today.

export interface Finding {
  /** What was checked, in a word or two. */
  about: string
  state: 'ok' | 'warning' | 'error'
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

/** A failure of a feature's background work, such as a scheduled import. */
export interface Trouble {
  finding: Finding
  shown: (language: Language) => ShownTrouble
}

export interface ShownTrouble {
  name: string
  isStopped: boolean
  reason: string
}
