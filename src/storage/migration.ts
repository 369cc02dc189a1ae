import type { Db } from './database.ts'

/** A step of the database's history: numbered, never edited, knowing nothing of today's declarations. */
export interface Migration {
  name: string
  up: (db: Db) => Promise<void>
}
