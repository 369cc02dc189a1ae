import { randomBytes } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './schema.ts'

/**
 * The name of this history of the calendar. Cursors of different editions never mean the same state, so a client gets a cursor together with the
 * edition. It changes when the database goes back to an earlier state, which the database cannot notice itself.
 */
export async function readEdition(db: Db): Promise<string> {
  const { edition } = await db.selectFrom('editions').select('edition').executeTakeFirstOrThrow()
  return edition
}

/** Makes a name for an edition that none had before. */
export const newEdition = (): string => randomBytes(6).toString('base64url')

/** Begins another edition; processes learn of it at their next start. */
export async function renewEdition(tx: Db): Promise<void> {
  await tx.updateTable('editions').set({ edition: newEdition() }).execute()
}

/** Reads the name that a calendar keeps through editions and backups, and whether it is held. */
export function readCalendar(db: Db): Promise<Omit<Tables['editions'], 'edition'>> {
  return db.selectFrom('editions').select(['calendar', 'held']).executeTakeFirstOrThrow()
}

/** Sets the name of a database's calendar, and whether it is held. */
export async function nameCalendar(tx: Db, named: Omit<Tables['editions'], 'edition'>): Promise<void> {
  await tx.updateTable('editions').set(named).execute()
}

/** Lets webhooks and imports on a schedule go on. Returns whether they were held. */
export async function resumeCalendar(tx: Db): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('editions').set({ held: 0 }).where('held', '=', 1).executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** The words for a calendar that is held, and for the remedy. */
export const HELD_NOTICE =
  'Webhooks and imports on a schedule are held, since this calendar was restored in another place.'
export const HELD_REMEDY = 'kalends resume lets them go on.'

/** A line for lists of webhooks and imports of a calendar that is held; none of any other. */
export async function describeHeld(db: Db): Promise<string[]> {
  return (await readCalendar(db)).held === 1 ? [`${HELD_NOTICE} ${HELD_REMEDY}`] : []
}

/** The condition that the calendar is not held. A held calendar sends and imports nothing by itself. */
export const notHeld = () => sql<SqlBool>`not exists (select 1 from editions where held = 1)`
