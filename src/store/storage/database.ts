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

// The interface that both SQLite and PostgreSQL implement, and helpers for long reads.

/** A connection for reading, or the inside of a transaction. */
export type Db = Kysely<Tables>

/**
 * A position in the table `changes`. Equal cursors mean equal data. While nothing is written, all nodes get
 * the same cursor.
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
   * For reads outside a transaction. They see committed rows only, among them all that `cursor` or a listener
   * has announced.
   */
  read: Db
  /** Runs long reads, such as lists and searches, without holding up quick ones. */
  readInLane: ReadInLane
  /**
   * Runs `work` as one transaction and resolves once the commit is durable. `work` may run again after a
   * conflict with another writer, so it must have no effects outside of `tx`. It must lock the rows that it
   * bases decisions on (`locks.ts`), since others may write meanwhile. Its changes are recorded under the
   * writer `by`, or without a writer.
   */
  write: <T>(work: (tx: Tx) => Promise<T>, by?: Writer) => Promise<T>
  /**
   * Like `write`, but the write may share a transaction with others that have the same `work`. It succeeds or
   * fails as if it were alone.
   */
  writeShared: <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) => Promise<Result>
  /** Runs `work` as one transaction without a time limit. No other process migrates meanwhile. */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  /** Resolves to the cursor of the latest commit. */
  cursor: () => Promise<Cursor>
  /**
   * Resolves to the records that changed since a cursor, in any order, and the cursor for the next call. No
   * change committed before the call is missing. `'too old'`: too many records have changed, or some changes
   * have been deleted, so the reader must read everything again.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed; the returned function removes it. */
  onChange: (listener: () => void) => () => void
  /**
   * Checks at little cost whether another process may have changed the database since the last check; if so,
   * calls the listeners and returns true.
   */
  look: () => boolean
  /**
   * Resolves once the listeners have been called for every commit that is now under way in this process;
   * undefined if there is none. A read that has ended may already have seen such a commit.
   */
  commitsUnderWay: () => Promise<unknown> | undefined
  /**
   * Resolves to the ids of events whose folded text contains every word of a search and no excluded one. Some
   * ids may be of deleted events.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** The numbers of pool connections; undefined for SQLite. */
  connections?: () => Connections
  /**
   * Rejects if the database does not answer, or if it refused the last write for lack of disk space or
   * permission and still does.
   */
  ping: () => Promise<void>
  close: () => Promise<void>
}

/** Whether the database is PostgreSQL and not SQLite. Called only inside `storage/`. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * The kind of a long read: a `list` takes some milliseconds, a `search` up to as long as reading the texts of
 * all events.
 */
export type Lane = 'list' | 'search'

export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries that may take long without holding up quick ones: in a thread on a SQLite file, on a limited
 * share of the connections on PostgreSQL. They see everything committed before the call; on a SQLite file all
 * see the same snapshot. Rejects with DatabaseUnavailable if too many are under way.
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
 * Selects the rows of `table` with the ids of `found`, a subquery in parentheses. Filtering and sorting thus
 * read indexes only, and whole rows are read only for the requested page. `search` is left empty: no answer
 * shows it, and it is as long as all other texts together.
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
