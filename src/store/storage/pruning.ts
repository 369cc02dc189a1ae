import { sql } from 'kysely'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import { type Database, type Db, isPostgres } from './database.ts'
import { dropHistory, dropOldestFormer, formerBytes } from './history.ts'
import { dropTombstones as dropFromPostgres } from './postgres/postgres-changes.ts'
import { dropTombstones as dropFromSqlite } from './sqlite/sqlite-changes.ts'
import { dropBeyond, dropStored, MOST_STORED, STORED_HOURS } from './stored-answers.ts'

/** Days that rows of deleted records stay in `changes`, and withdrawn events in feeds. */
export const TOMBSTONE_DAYS = 90

/** Days until an unused session is deleted; it expires before that (`sessions.ts`). */
const SESSION_DAYS = 90

/** How a feature deletes its own rows older than `days`. */
export interface Pruning {
  days: number
  /** Deletes at most `most` rows from before `beforeUtc`, and returns how many. */
  drop: (tx: Db, beforeUtc: string, most: number) => Promise<number>
}

/** Rows deleted in one transaction, so few that other writers wait only some ms. */
const DROPPED_AT_ONCE = 1000

const VALUES_AT_ONCE = 100

/**
 * Deletes, in small transactions, rows that are stored for a limited time. History goes after `historyDays`
 * days (0: never), the oldest former values beyond `mostBytes` bytes. A client that missed a deleted row in
 * `changes` must synchronize from the start. `now` is in ms since the epoch.
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
  // Expired invitations (`set-up`) stay for 90 days, since their page says whom to ask for a new one.
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
 * Deletes events withdrawn before `beforeUtc`, except the latest (`findLastWithdrawal`). `withdrawn_utc` has
 * no index, so all rows are read, a batch in each transaction.
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
