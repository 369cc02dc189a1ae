import { randomBytes } from 'node:crypto'
import type { Db } from './database.ts'

/**
 * The name of this history of the calendar. Cursors of different editions never mean the same state, so a client gets a cursor together with the
 * edition. It changes when the database goes back to an earlier state, which the database cannot notice itself.
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
