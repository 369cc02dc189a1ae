import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Search } from '../../text/search.ts'
import type { Database, Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import { addId, countIds, type IdSet, listIds, makeIdSet } from '../id-set.ts'
import { contains } from '../text.ts'
import { indexEvents } from './event-words.ts'

const SEARCHED = ['events', 'venues', 'organizers'] as const
/** Events that are indexed at once when many are left, as after the migration that made the index. */
const EVENTS_AT_ONCE = 5000

/**
 * Prepares fast searches at every start: on SQLite it indexes the waiting events; on PostgreSQL it makes trigram indexes, since their extension may
 * have been added. Returns a sentence for the operator when searches stay slow.
 */
export async function prepareSearch(tx: Db): Promise<string | undefined> {
  if (!isPostgres(tx)) {
    while ((await indexEvents(tx, EVENTS_AT_ONCE)) > 0);
    return undefined
  }
  if (!(await hasTrigrams(tx)))
    return 'Searches read whole tables, since the extension pg_trgm is missing; CREATE EXTENSION pg_trgm by an administrator of the database and a restart make them fast.'
  for (const table of SEARCHED) {
    const index = sql.id(`${table}_search`)
    await sql`create index if not exists ${index} on ${sql.table(table)} using gin (search gin_trgm_ops)`.execute(tx)
  }
  return undefined
}

/**
 * Indexes the words of so many events that the transaction has written, so that searches need not read them one by one. On PostgreSQL the index
 * follows by itself.
 */
export async function indexWritten(tx: Db, events: number): Promise<void> {
  if (!isPostgres(tx)) await indexEvents(tx, events)
}

/** True when the extension is there, or could be added by this user. */
async function hasTrigrams(tx: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'pg_trgm'`.execute(tx)
  if (rows.length > 0) return true
  await sql`savepoint extension`.execute(tx)
  try {
    await sql`create extension pg_trgm`.execute(tx)
    return true
  } catch {
    await sql`rollback to savepoint extension`.execute(tx)
    return false
  }
}

/** Above this many ids a condition looks each row up among them; below, it starts from the ids. */
const MANY = 5000

/** Adds to a condition on events that a search finds them. */
export async function alsoMatching(
  db: Db,
  search: Search,
  findMatching: Database['findMatching'],
): Promise<(condition: Expression<SqlBool>) => Expression<SqlBool>> {
  if (isPostgres(db)) return (condition) => sql<SqlBool>`${containsAll(search)} and ${condition}`
  const ids = await findMatching(search)
  if (countIds(ids) > MANY) {
    const marks = Buffer.alloc(ids.length * 32)
    for (const id of listIds(ids)) marks[id] = 1
    return (condition) => sql<SqlBool>`substr(${marks}, events.id + 1, 1) = x'01' and ${condition}`
  }
  const few = JSON.stringify(listIds(ids))
  // As a value, the condition keeps SQLite from choosing an index over the ids.
  return (condition) => sql<SqlBool>`events.id in (select value from json_each(${few})) and (${condition}) is true`
}

function containsAll({ include, exclude }: Search): RawBuilder<SqlBool> {
  const conditions = [
    ...include.map((word) => contains('events.search', word)),
    ...exclude.map((word) => sql<SqlBool>`not ${contains('events.search', word)}`),
  ]
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** The events that a search finds, where the database looks for texts itself. */
export async function findContaining(db: Db, search: Search): Promise<IdSet> {
  // As one value: making a row for each id would take longer than finding it.
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(json_agg(id), '[]') as ids from events where ${containsAll(search)}
  `.execute(db)
  const ids = rows[0]?.ids ?? []
  const found = makeIdSet(ids.reduce((largest, id) => Math.max(largest, id), 0))
  for (const id of ids) addId(found, id)
  return found
}
