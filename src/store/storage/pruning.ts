import { sql } from 'kysely'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import { dropBulkChanges, dropDecided, dropUnsaved } from '../../features/desk/desk-rows.ts'
import { type Database, type Db, isPostgres } from './database.ts'
import { dropDeliveries, dropHistory, dropOldestFormer, formerBytes } from './history.ts'
import { dropBeyond, dropKept, KEPT_HOURS, MOST_KEPT } from './kept-answers.ts'
import { dropTombstones as dropFromPostgres } from './postgres/postgres-changes.ts'
import { dropTombstones as dropFromSqlite } from './sqlite/sqlite-changes.ts'

// Drops the rows of all tables that keep their rows for a limited time.

/** Days for which tombstones stay in the record of changes, and for which feeds tell of withdrawn events. */
export const TOMBSTONE_DAYS = 90

/** Days for which messages to webhooks are kept. */
const DELIVERY_DAYS = 30

/** Days after which an unused session is dropped: by then it has ended in any case (`sessions.ts`). */
const SESSION_DAYS = 90

/** Days for which unsaved texts and decided proposals are kept. */
const DESK_DAYS = 30

/** The most rows dropped by one write, so that other writers wait for a few milliseconds only. */
const DROPPED_AT_ONCE = 1000

/** The most acts that lose their former values by one write: these texts may be long. */
const VALUES_AT_ONCE = 100

/**
 * Drops what is kept for a limited time, in small writes: tombstones and withdrawn events after 90 days;
 * answers kept under keys after a day, and the oldest beyond 10,000 of one user; messages to webhooks,
 * unsaved texts and decided proposals after 30 days; undo records of bulk changes after a day; expired
 * sign-in links, and sessions unused for 90 days; the history after `historyDays`; and the oldest former
 * values beyond `mostBytes`. A reader of changes that has missed a dropped tombstone must start afresh.
 * @param historyDays 0 keeps the whole history
 * @param now milliseconds since the epoch
 */
export async function dropOld(
  database: Pick<Database, 'read' | 'write'>,
  historyDays: number,
  now: number,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  const daysAgo = (days: number) => formatUtc(now - days * DAY_MS)
  const dropTombstones = (tx: Db) =>
    (isPostgres(tx) ? dropFromPostgres : dropFromSqlite)(tx, daysAgo(TOMBSTONE_DAYS), DROPPED_AT_ONCE)
  await untilFew(() => database.write(dropTombstones))
  await dropWithdrawn(database, daysAgo(TOMBSTONE_DAYS))
  await untilFew(() => database.write((tx) => dropKept(tx, daysAgo(KEPT_HOURS / 24), DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropBeyond(tx, MOST_KEPT, DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropSignedIn(tx, formatUtc(now), daysAgo(SESSION_DAYS))))
  await untilFew(() => database.write((tx) => dropDeliveries(tx, daysAgo(DELIVERY_DAYS), DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropUnsaved(tx, daysAgo(DESK_DAYS), DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropDecided(tx, daysAgo(DESK_DAYS), DROPPED_AT_ONCE)))
  await untilFew(() => database.write((tx) => dropBulkChanges(tx, daysAgo(1), DROPPED_AT_ONCE)))
  if (historyDays > 0)
    await untilFew(() => database.write((tx) => dropHistory(tx, daysAgo(historyDays), DROPPED_AT_ONCE)))
  while ((await formerBytes(database.read)) > mostBytes)
    if ((await database.write((tx) => dropOldestFormer(tx, VALUES_AT_ONCE))) === 0) return
}

/**
 * Drops all sign-in links that have expired, and the next sessions that nobody has used. Returns how many
 * sessions.
 */
async function dropSignedIn(tx: Db, nowUtc: string, unusedSince: string): Promise<number> {
  await tx.deleteFrom('sign_in_links').where('expires_utc', '<', nowUtc).execute()
  const unused = tx
    .selectFrom('sessions')
    .select('hash')
    .where('seen_utc', '<', unusedSince)
    .limit(DROPPED_AT_ONCE)
  const { numDeletedRows } = await tx.deleteFrom('sessions').where('hash', 'in', unused).executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Drops the rows of events that were withdrawn before a time. Their times have no index, so this walks
 * through all rows, some with each write.
 */
async function dropWithdrawn(database: Pick<Database, 'write'>, beforeUtc: string): Promise<void> {
  let after: number | null = 0
  while (after !== null) {
    const from: number = after
    after = await database.write((tx) => dropWithdrawnAfter(tx, from, beforeUtc))
  }
}

/**
 * Drops the old ones among the next withdrawn events behind an id. Returns the last id it looked at; null
 * where no row is left.
 */
async function dropWithdrawnAfter(tx: Db, after: number, beforeUtc: string): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`select max(event) as last from
    (select event from withdrawn_events where event > ${after} order by event limit ${sql.lit(DROPPED_AT_ONCE)}) as next`.execute(
    tx,
  )
  const last = rows[0]?.last ?? null
  if (last !== null)
    await sql`delete from withdrawn_events where event > ${after} and event <= ${last} and withdrawn_utc < ${beforeUtc}`.execute(
      tx,
    )
  return last
}

async function untilFew(drop: () => Promise<number>): Promise<void> {
  while ((await drop()) === DROPPED_AT_ONCE);
}
