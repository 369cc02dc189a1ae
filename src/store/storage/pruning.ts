import { sql } from 'kysely'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import { type Database, type Db, isPostgres } from './database.ts'
import { dropHistory, dropOldestFormer, formerBytes } from './history.ts'
import { dropTombstones as dropFromPostgres } from './postgres/postgres-changes.ts'
import { dropTombstones as dropFromSqlite } from './sqlite/sqlite-changes.ts'
import { dropBeyond, dropStored, MOST_STORED, STORED_HOURS } from './stored-answers.ts'

// Drops rows that are stored for a limited time.

/** For how long tombstones stay in the record of changes, and withdrawn events in feeds. */
export const TOMBSTONE_DAYS = 90

/** Sessions have ended by then (`sessions.ts`). */
const SESSION_DAYS = 90

/** Rows of a feature that are stored for a limited time. */
export interface Pruning {
  days: number
  /** Drops at most `most` rows from before a time, and returns their number. */
  drop: (tx: Db, beforeUtc: string, most: number) => Promise<number>
}

/** So few rows let other writers wait for some milliseconds only. */
const DROPPED_AT_ONCE = 1000

const VALUES_AT_ONCE = 100

/**
 * Drops in small writes: tombstones and withdrawn events after 90 days; stored answers after a day, and
 * beyond 10,000 of a user; rows of features; expired links, and sessions unused for 90 days; history after
 * `historyDays` (0: never); former values beyond `mostBytes`. A reader that missed a dropped tombstone starts
 * afresh. `now` is in ms.
 */
export async function dropOld(
  database: Pick<Database, 'read' | 'write'>,
  historyDays: number,
  now: number,
  mostBytes = Number.POSITIVE_INFINITY,
  prunings: readonly Pruning[] = [],
): Promise<void> {
  const daysAgo = (days: number) => formatUtc(now - days * DAY_MS)
  const dropTombstones = (tx: Db) =>
    (isPostgres(tx) ? dropFromPostgres : dropFromSqlite)(tx, daysAgo(TOMBSTONE_DAYS), DROPPED_AT_ONCE)
  await untilFew(() => database.write(dropTombstones))
  await dropWithdrawn(database, daysAgo(TOMBSTONE_DAYS))
  await untilFew(() => database.write((tx) => dropStored(tx, daysAgo(STORED_HOURS / 24), DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropBeyond(tx, MOST_STORED, DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropSignedIn(tx, formatUtc(now), daysAgo(SESSION_DAYS))))
  for (const { days, drop } of prunings)
    await untilFew(() => database.write((tx) => drop(tx, daysAgo(days), DROPPED_AT_ONCE)))
  if (historyDays > 0)
    await untilFew(() => database.write((tx) => dropHistory(tx, daysAgo(historyDays), DROPPED_AT_ONCE)))
  while ((await formerBytes(database.read)) > mostBytes)
    if ((await database.write((tx) => dropOldestFormer(tx, VALUES_AT_ONCE))) === 0) return
}

async function dropSignedIn(tx: Db, nowUtc: string, unusedSince: string): Promise<number> {
  // The page of an expired invitation says whom to ask.
  await tx
    .deleteFrom('sign_in_links')
    .where((link) =>
      link.or([
        link('expires_utc', '<', unusedSince),
        link.and([link('expires_utc', '<', nowUtc), link('purpose', '!=', 'set-up')]),
      ]),
    )
    .execute()
  const unused = tx
    .selectFrom('sessions')
    .select('hash')
    .where('seen_utc', '<', unusedSince)
    .limit(DROPPED_AT_ONCE)
  const { numDeletedRows } = await tx.deleteFrom('sessions').where('hash', 'in', unused).executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Times of withdrawals have no index, so this walks through all rows, some with each write. The latest stays
 * (`findLastWithdrawal`).
 */
async function dropWithdrawn(database: Pick<Database, 'write'>, beforeUtc: string): Promise<void> {
  let after: number | null = 0
  while (after !== null) {
    const from: number = after
    after = await database.write((tx) => dropWithdrawnAfter(tx, from, beforeUtc))
  }
}

async function dropWithdrawnAfter(tx: Db, after: number, beforeUtc: string): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`select max(event) as last from
    (select event from withdrawn_events where event > ${after} order by event
    limit ${sql.lit(DROPPED_AT_ONCE)}) as next`.execute(tx)
  const last = rows[0]?.last ?? null
  if (last !== null)
    await sql`delete from withdrawn_events where event > ${after} and event <= ${last}
      and withdrawn_utc < ${beforeUtc}
      and withdrawn_utc < (select max(withdrawn_utc) from withdrawn_events)`.execute(tx)
  return last
}

async function untilFew(drop: () => Promise<number>): Promise<void> {
  while ((await drop()) === DROPPED_AT_ONCE);
}
