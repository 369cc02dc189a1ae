import { randomBytes } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './schema.ts'

// Reads and writes the row that says which calendar a database holds: its edition, its name, and whether its
// webhooks and scheduled imports are held.

/**
 * Returns the edition: the name of this history of the calendar. Cursors of different editions never mean the
 * same state, so a client gets a cursor together with the edition. The edition changes when the database goes
 * back to an earlier state, which the database cannot notice itself.
 */
export async function readEdition(db: Db): Promise<string> {
  const { edition } = await db.selectFrom('editions').select('edition').executeTakeFirstOrThrow()
  return edition
}

/** Makes the name of a new edition, which no edition had before. */
export const newEdition = (): string => randomBytes(6).toString('base64url')

/** Gives the database a new edition; processes learn of it at their next start. */
export async function renewEdition(tx: Db): Promise<void> {
  await tx.updateTable('editions').set({ edition: newEdition() }).execute()
}

/** Reads the name of the calendar, which it keeps through editions and backups, and whether it is held. */
export function readIdentity(db: Db): Promise<Omit<Tables['editions'], 'edition'>> {
  return db.selectFrom('editions').select(['calendar', 'held']).executeTakeFirstOrThrow()
}

/** Sets the name of a database's calendar, and whether it is held. */
export async function setIdentity(tx: Db, named: Omit<Tables['editions'], 'edition'>): Promise<void> {
  await tx.updateTable('editions').set(named).execute()
}

/** Holds webhooks and scheduled imports, or lets them go on. Returns whether that is new. */
export async function setHeld(tx: Db, isHeld: boolean): Promise<boolean> {
  const held = Number(isHeld)
  const { numUpdatedRows } = await tx
    .updateTable('editions')
    .set({ held })
    .where('held', '<>', held)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** The sentences that tell operators that the calendar is held, and what to do about it. */
export const HELD_NOTICE =
  'Webhooks and imports on a schedule are held, since this calendar is a copy of another.'
export const HELD_REMEDY = 'kalends resume lets them go on.'

/** Returns one line for lists of webhooks and imports where the calendar is held, else no line. */
export async function describeHeld(db: Db): Promise<string[]> {
  return (await readIdentity(db)).held === 1 ? [`${HELD_NOTICE} ${HELD_REMEDY}`] : []
}

/**
 * Returns the condition that the calendar is not held. A held calendar sends and imports nothing by itself.
 */
export const notHeld = () => sql<SqlBool>`not exists (select 1 from editions where held = 1)`
