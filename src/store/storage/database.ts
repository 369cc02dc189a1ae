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

// The interface of the database, which SQLite and PostgreSQL both implement, and queries that long reads
// share.

/** A connection for reading, or the inside of a transaction. */
export type Db = Kysely<Tables>

/**
 * A place in the record of changes. Equal cursors mean equal data. While nothing is written, equal data also
 * mean equal cursors on every node.
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
   * Reads outside a transaction. It shows committed rows only, among them all that `cursor` or a listener
   * announced.
   */
  read: Db
  /** Runs long reads of `read`, such as lists and searches. */
  readInLane: ReadInLane
  /**
   * Runs `work` as one transaction and resolves once the commit is durable. `work` may run again after a
   * conflict with another writer, so it only uses `tx`. It must lock the rows that it decides by
   * (`locks.ts`), since others may write meanwhile. Its changes are recorded under `by`, or nobody.
   */
  write: <T>(work: (tx: Tx) => Promise<T>, by?: Writer) => Promise<T>
  /**
   * The write may share a transaction with others of the same work. It succeeds or fails as if it were alone.
   */
  writeShared: <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) => Promise<Result>
  /** Runs `work` as one transaction without a limit of time. No other process migrates meanwhile. */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  /** Resolves to the present end of the record of changes. */
  cursor: () => Promise<Cursor>
  /**
   * Resolves to the records that changed since a cursor, in any order, and the cursor to ask with next time.
   * No change committed before the call is missing. `'too old'` if too many records have changed, or the
   * changes are not known any more: the reader must then start afresh.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed; the result removes it. */
  onChange: (listener: () => void) => () => void
  /**
   * Looks, at little cost, whether another process may have changed the database since the last look; if so,
   * calls the listeners.
   */
  look: () => boolean
  /**
   * Resolves once the listeners know of every commit that is now under way in this process; undefined without
   * any. A read that has ended may already show such a commit.
   */
  commitsUnderWay: () => Promise<unknown> | undefined
  /**
   * Resolves to events whose folded text has every word of a search and no excluded one, as of a moment after
   * the call. Some ids may be gone.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** Undefined for a database without a server. */
  connections?: () => Connections
  /**
   * Rejects if the database does not answer, or if it refused the last write for lack of disk space or
   * permission and still does.
   */
  ping: () => Promise<void>
  close: () => Promise<void>
}

/** Called only inside `storage/`. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** A `list` takes some milliseconds, a `search` as long as reading the texts of all events. */
export type Lane = 'list' | 'search'

export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries that may take long without holding up quick ones: on a SQLite file in a thread, on PostgreSQL
 * over a share of the connections. They see everything committed before the call; on a file they all see one
 * snapshot. Rejects with DatabaseUnavailable if too many are under way.
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
 * Selects rows by the ids of `found`, a query in brackets. Finding, narrowing and ordering read indexes only;
 * whole rows are read for the page alone. The search text is left out: no answer shows it, and it is as long
 * as all other texts together.
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
