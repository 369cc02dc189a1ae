import {
  type CompiledQuery,
  type Expression,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely'
import type { Search } from '../../base/text/search.ts'
import type { SharedWork } from './commit-groups.ts'
import type { IdSet } from './id-set.ts'
import type { Tx, Writer } from './recording.ts'
import type { ChangeColumns, RecordTable, Tables } from './schema.ts'

/** A connection for reading, or the inside of a transaction. */
export type Db = Kysely<Tables>

/**
 * A position in `changes`. Equal cursors mean equal records; without writes, all nodes get the same cursor.
 */
export type Cursor = string

export type Change = Pick<ChangeColumns, 'kind' | 'record'>

interface Connections {
  open: number
  idle: number
  waiting: number
}

export interface Database {
  /**
   * For reads outside transactions: committed rows, with each change that `cursor` or a listener announced.
   */
  read: Db
  /** Runs long reads, such as lists and searches, without holding up quick ones. */
  readInLane: ReadInLane
  /**
   * Runs `work` as one transaction; resolves once the commit is durable. After a conflict `work` may run
   * again, so it must have no effects outside `tx`. Since others may write meanwhile, it must lock the rows
   * on which its decisions depend (`locks.ts`). Changes are recorded under `by`, or without a writer.
   */
  write: <T>(work: (tx: Tx) => Promise<T>, by?: Writer) => Promise<T>
  /** Like `write`, but may share a transaction with writes of the same `work`; each fails alone. */
  writeShared: <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) => Promise<Result>
  /** Runs `work` as one transaction without a time limit; no other process migrates meanwhile. */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  cursor: () => Promise<Cursor>
  /**
   * Returns the records that changed since a cursor, in any order, and the cursor for the next call. No
   * change committed before the call is missing. `'too old'`: too many records changed, or changes were
   * deleted, so the reader must read everything again.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed; the returned function removes it. */
  onChange: (listener: () => void) => () => void
  /**
   * Checks cheaply whether another process may have written since the last check; if so, calls the listeners
   * and returns true.
   */
  look: () => boolean
  /**
   * Resolves once listeners were called for all commits now under way in this process; undefined if there are
   * none. A read that has ended may have seen these commits.
   */
  commitsUnderWay: () => Promise<unknown> | undefined
  /**
   * Finds events whose folded text has all words of a search and no excluded word; some ids may be of deleted
   * events.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** Counts the connections of the pool; undefined for SQLite. */
  connections?: () => Connections
  /** Rejects if the database does not answer, or refuses writes for lack of disk space or permission. */
  ping: () => Promise<void>
  close: () => Promise<void>
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Long reads: a `list` takes some ms, a `search` at most as long as reading the texts of all events. */
export type Lane = 'list' | 'search'

export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs long queries without holding up quick ones: in a thread on a SQLite file, on a limited share of the
 * connections on PostgreSQL. The queries see everything committed before the call, on a SQLite file in one
 * snapshot. Rejects with DatabaseUnavailable if too many queries wait.
 */
export type ReadInLane = <Rows extends readonly unknown[] | []>(
  db: Kysely<Tables>,
  lane: Lane,
  queries: { [At in keyof Rows]: ReadQuery<Rows[At]> },
) => Promise<{ [At in keyof Rows]: Rows[At][] }>

export async function runQueries(
  db: Kysely<Tables>,
  queries: readonly ReadQuery<unknown>[],
): Promise<unknown[][]> {
  const results = await Promise.all(queries.map((query) => db.executeQuery(query.compile())))
  return results.map(({ rows }) => rows)
}

type FoundRow<Table extends RecordTable, Found> = Found &
  Omit<Selectable<Tables[Table]>, 'search'> & { search: '' }

/**
 * Selects the rows of `table` with the ids of `found`, a subquery in parentheses, so that whole rows are read
 * only for one page. `search` is left empty, since no answer shows it, and it is as long as all other texts
 * together.
 */
export function foundRows<Table extends RecordTable, Found extends { id: number }>(
  db: Kysely<Tables>,
  table: Table,
  found: Expression<Found>,
  order: RawBuilder<unknown>,
): ReadQuery<FoundRow<Table, Found>> {
  const rows = sql.table(table)
  const query = sql<FoundRow<Table, Found>>`
    with found as materialized ${found}
    select found.*, ${rows}.*, '' as search from found join ${rows} on ${rows}.id = found.id
    order by ${order}`
  return { compile: () => query.compile(db) }
}
