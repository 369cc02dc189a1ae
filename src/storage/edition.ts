import { randomBytes } from 'node:crypto'
import type { Db } from './database.ts'

/**
 * The name of this history of the calendar: cursors of different editions never name the same state, and code that gives a
 * cursor to clients gives the edition with it. It changes when the database goes back to an earlier state, which it cannot notice itself.
 */
export async function readEdition(db: Db): Promise<string> {
  const { edition } = await db.selectFrom('editions').select('edition').executeTakeFirstOrThrow()
  return edition
}

/** Begins another edition; processes learn of it at their next start. */
export async function renewEdition(tx: Db): Promise<void> {
  await tx.deleteFrom('editions').execute()
  await tx
    .insertInto('editions')
    .values({ edition: randomBytes(6).toString('base64url') })
    .execute()
}
