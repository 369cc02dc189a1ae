import { type RawBuilder, sql } from 'kysely'
import { type Db, isPostgres } from './database.ts'
import { type RecordedChange, recordChange, type Tx } from './recording.ts'
import type { TABLE_OF } from './schema.ts'
import { statement } from './statement.ts'

// Locks what a write bases its decisions on, until its transaction ends. On SQLite, which has only one
// writing transaction at a time, nothing is locked. On PostgreSQL, a statement begun after the lock is held
// sees the latest state of the row.

const lockName = statement<{ name: string }>()(
  (_db, value) => sql`select pg_advisory_xact_lock(hashtextextended(${value('name')}, 0))`,
)

export type HeldTable = (typeof TABLE_OF)[keyof typeof TABLE_OF]

const lockIn = (table: HeldTable) =>
  statement<{ id: number }>()(
    (_db, value) => sql`select from ${sql.table(table)} where id = ${value('id')} for no key update`,
  )

const lockRecord = {
  events: lockIn('events'),
  venues: lockIn('venues'),
  organizers: lockIn('organizers'),
  series: lockIn('series'),
  images: lockIn('images'),
  terms: lockIn('terms'),
}

/** Takes an advisory lock, for rows that do not exist yet, such as a venue of a certain name. */
export async function holdName(tx: Db, name: string): Promise<void> {
  if (isPostgres(tx)) await lockName(tx, { name })
}

export async function holdRecord(tx: Db, table: HeldTable, id: number): Promise<void> {
  if (isPostgres(tx)) await lockRecord[table](tx, { id })
}

export function lockedRows<Query extends { forNoKeyUpdate: () => Query }>(tx: Db, query: Query): Query {
  return isPostgres(tx) ? query.forNoKeyUpdate() : query
}

/** Selects the terms of `ids`, and locks them in the order of ids, so that writers do not deadlock. */
export function lockedTerms(tx: Db, ids: RawBuilder<number>[]): RawBuilder<unknown> {
  const list = sql`(${sql.join(ids)})`
  return isPostgres(tx) ? sql`(select id from terms where id in ${list} order by id for no key update)` : list
}

export function claimedRows<Query extends { forUpdate: () => Query; skipLocked: () => Query }>(
  tx: Db,
  query: Query,
): Query {
  return isPostgres(tx) ? query.forUpdate().skipLocked() : query
}

const begin = statement<Record<never, never>>()(() => sql`savepoint attempt`)
const release = statement<Record<never, never>>()(() => sql`release savepoint attempt`)
const undo = statement<Record<never, never>>()(() => sql`rollback to savepoint attempt`)

/**
 * Runs `work` in a savepoint. If `work` fails, its changes and their recording are undone, the call rejects,
 * and the transaction can go on. Calls cannot be nested.
 */
export async function attempt<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const { recording } = tx
  const before = recording.changes
  recording.changes = new Map()
  await begin(tx, {})
  try {
    const made = await work()
    await release(tx, {})
    const own = recording.changes
    recording.changes = before
    for (const { act, ...change } of own.values()) recordChange(tx, change satisfies RecordedChange, act)
    return made
  } catch (error) {
    recording.changes = before
    await undo(tx, {})
    await release(tx, {})
    throw error
  }
}
