import { sql } from 'kysely'
import { DAY_MS, utcToMs } from '../../base/text/zones.ts'
import type { Db } from './database.ts'

// Queries of the command `kalends doctor` and of the desk page Today.

export const MOST_NAMED = 20

type Row = Record<string, unknown>

export type Ask = (text: string) => Promise<Row[]>

/** Returns the time of the last `kalends backup`; empty if there was none. */
export function findLastBackup(ask: Ask): Promise<string> {
  return askText(ask, `select max(time_utc) from history where kind = 'backup'`)
}

const BACKUP_DAYS = 7

export const isOldBackup = (takenUtc: string, now: number): boolean =>
  now - utcToMs(takenUtc) >= BACKUP_DAYS * DAY_MS

export async function askText(ask: Ask, query: string): Promise<string> {
  const [row = {}] = await ask(query)
  return String(Object.values(row)[0] ?? '')
}

export const askOf =
  (db: Db): Ask =>
  async (text) =>
    (await sql.raw<Row>(text).execute(db)).rows

export const isHeldNow = async (ask: Ask): Promise<boolean> =>
  (await ask('select 1 from editions where held = 1')).length > 0
