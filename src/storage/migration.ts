import type { Db } from './database.ts'

/** A step of the database's history: numbered, never edited, knowing nothing of today's declarations. */
export interface Migration {
  name: string
  up: (db: Db) => Promise<void>
}

/**
 * The name of the step that makes every table. It stands for those before it as well, and is called as the last of them was, so that calendars that
 * went through them all are known.
 */
export const FIRST_STEP = '0034-messages-as-of-now'

/** The steps that count of those whose names a database or a backup holds: not the ones that the first step stands for. */
export const countedSteps = (names: readonly string[]): string[] => names.filter((name) => name >= FIRST_STEP)
