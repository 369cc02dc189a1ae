import { randomBytes } from 'node:crypto'
import type { Db } from './database.ts'

/**
 * What tells this history of the calendar from every other: cursors of different editions never name the same state, and whoever gives a
 * cursor to clients gives the edition with it. It changes when the database goes back to an earlier state, which it cannot notice itself.
 */
export async function readEdition(db: Db): Promise<string> {
  const { edition } = await db.selectFrom('editions').select('edition').executeTakeFirstOrThrow()
  return edition
}

/** Begins another edition, which processes learn of at their next start. */
export async function renewEdition(tx: Db): Promise<void> {
  await tx.deleteFrom('editions').execute()
  await tx
    .insertInto('editions')
    .values({ edition: randomBytes(6).toString('base64url') })
    .execute()
}
