import { randomBytes } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './schema.ts'

/**
 * Returns the edition, a random name for the history of this database. A return to an earlier state, as by a
 * restore, gives the database a new edition, since it cannot notice this itself. Cursors of different
 * editions cannot be compared, so clients get the edition with each cursor.
 */
export async function readEdition(db: Db): Promise<string> {
  const { edition } = await db.selectFrom('editions').select('edition').executeTakeFirstOrThrow()
  return edition
}

export const newEdition = (): string => randomBytes(6).toString('base64url')

/** Writes a new edition, which other processes learn of at their next start. */
export async function renewEdition(tx: Db): Promise<void> {
  await tx.updateTable('editions').set({ edition: newEdition() }).execute()
}

/** Returns the calendar's name, the same in new editions and backups, and whether it is held. */
export function readIdentity(db: Db): Promise<Omit<Tables['editions'], 'edition'>> {
  return db.selectFrom('editions').select(['calendar', 'held']).executeTakeFirstOrThrow()
}

/** Holds what the calendar does unasked, or lets it go on. True if anything changed. */
export async function setHeld(tx: Db, isHeld: boolean): Promise<boolean> {
  const held = Number(isHeld)
  const { numUpdatedRows } = await tx
    .updateTable('editions')
    .set({ held })
    .where('held', '<>', held)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

export const HELD_NOTICE =
  'Webhooks, e-mail and imports on a schedule are held, since this calendar is a copy of another.'
export const HELD_REMEDY = 'kalends resume lets them go on.'

export async function describeHeld(db: Db): Promise<string[]> {
  return (await readIdentity(db)).held === 1 ? [`${HELD_NOTICE} ${HELD_REMEDY}`] : []
}

/** SQL condition: the calendar may send messages and run scheduled imports. */
export const notHeld = () => sql<SqlBool>`not exists (select 1 from editions where held = 1)`
