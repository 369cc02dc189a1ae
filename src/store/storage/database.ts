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

// Declares the interface of the database, which SQLite and PostgreSQL both implement, and a few queries that
// long reads share.

/** A connection for reading, or the inside of a transaction; queries are written against it. */
export type Db = Kysely<Tables>

/**
 * A place in the record of changes. Equal cursors mean equal data. Where nothing is being written, equal data
 * also mean equal cursors on every node.
 */
export type Cursor = string

/** A record that was created, changed or removed. */
export type Change = Pick<ChangeColumns, 'kind' | 'record'>

/** The numbers of connections to a server. */
interface Connections {
  open: number
  /** The open connections that nobody uses. */
  idle: number
  /** The statements and transactions that wait for a connection. */
  waiting: number
}

/** An open database. */
export interface Database {
  /**
   * For reads outside a transaction. It shows committed rows only, and all of which `cursor` or a listener
   * told.
   */
  read: Db
  /** Runs long reads, such as lists and searches, for `read`. */
  aside: ReadAside
  /**
   * Runs `work` as one transaction and resolves to its result once the commit is durable. `work` may run
   * again after a conflict with another writer, so it does nothing but use `tx`. It must lock the rows that
   * it decides by (see `locks.ts`), since others may write meanwhile. Its changes are recorded as those of
   * `by`, or of nobody.
   */
  write: <T>(work: (tx: Tx) => Promise<T>, by?: Writer) => Promise<T>
  /**
   * Does a write, perhaps in one transaction with others of the same work. It succeeds or fails as if it were
   * alone.
   */
  writeShared: <Item, Result>(work: SharedWork<Item, Result>, item: Item, by: Writer) => Promise<Result>
  /**
   * Runs `work`, which changes tables, as one transaction without a limit of time. No other process migrates
   * meanwhile.
   */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  /** Resolves to the present end of the record of changes. */
  cursor: () => Promise<Cursor>
  /**
   * Resolves to the records that changed since a cursor, in any order, and the cursor to ask with next time.
   * No change that was committed before the call is missing. `'too old'` where too many records have changed,
   * or nobody knows any more which: the reader must then start afresh.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed. Returns the function that ends this. */
  onChange: (listener: () => void) => () => void
  /**
   * Finds out, at little cost, whether another process may have changed the database since the last look, and
   * calls the listeners if so.
   */
  look: () => boolean
  /**
   * Resolves once the listeners know of every commit that is now under way in this process; undefined when
   * none is. A read that has ended may already show such a commit although no listener knows of it.
   */
  commitsUnderWay: () => Promise<unknown> | undefined
  /**
   * Resolves to the events whose folded text has every word of a search and no excluded one, as of a moment
   * after the call. Some ids may be gone.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** Counts the connections to the server; undefined for a database without a server. */
  connections?: () => Connections
  /**
   * Rejects when the database does not answer, or when it refused the last write for lack of room or
   * permission and still does.
   */
  ping: () => Promise<void>
  close: () => Promise<void>
}

/** Returns true when queries of this connection go to PostgreSQL. Called only inside `storage/`. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

// Long reads, which run beside quick ones.

/**
 * The expected length of a long read: a `list` takes some milliseconds, a `search` as long as reading the
 * texts of all events.
 */
export type Lane = 'list' | 'search'

/** A query of the query builder that returns rows. */
export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries of `db` that may take long, without holding up quick ones: on a SQLite file in a thread, on
 * PostgreSQL over a bounded share of the connections. The queries see everything that was committed before
 * the call; on a file they all see one snapshot. Rejects with DatabaseUnavailable when too many such reads
 * are under way.
 */
export type ReadAside = <Rows extends readonly unknown[] | []>(
  db: Kysely<Tables>,
  lane: Lane,
  queries: { [At in keyof Rows]: ReadQuery<Rows[At]> },
) => Promise<{ [At in keyof Rows]: Rows[At][] }>

/**
 * Runs the queries on the connection itself, at the same time where it can, and resolves to the rows of each.
 */
export async function runQueries(
  db: Kysely<Tables>,
  queries: readonly ReadQuery<unknown>[],
): Promise<unknown[][]> {
  const results = await Promise.all(queries.map((query) => db.executeQuery(query.compile())))
  return results.map(({ rows }) => rows)
}

/** A row without its search text, with the columns that the finding query selected. */
type FoundRow<Table extends RecordTable, Found> = Found &
  Omit<Selectable<Tables[Table]>, 'search'> & { search: '' }

/**
 * Returns the query for the rows of a table whose ids `found`, a query in brackets, selects, in the given
 * order. Finding, narrowing and ordering read indexes only; whole rows are read for the page alone. Rows come
 * without the search text, which no answer shows and which is as long as all other texts together.
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
    select found.*, ${rows}.*, '' as search from found join ${rows} on ${rows}.id = found.id order by ${order}`
  return { compile: () => query.compile(db) }
}

const BETWEEN_ROWS = '\u001e'
const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS'.length

export interface TimedRow {
  id: number
  time: string
  text: string
}

/**
 * Returns the expression that makes one text of many rows, for `rowsIn`: a row by itself costs more to make
 * and to pass than to find.
 */
export const asOneText = (columns: Record<keyof TimedRow, Expression<unknown>>): RawBuilder<string | null> =>
  sql`string_agg(${columns.id} || ' ' || ${columns.time} || ' ' || replace(${columns.text}, ${BETWEEN_ROWS}, ' '), ${BETWEEN_ROWS})`

/** Returns the rows in a text of `asOneText`; none for null. */
export const rowsIn = (rows: string | null): TimedRow[] =>
  (rows?.split(BETWEEN_ROWS) ?? []).map((row) => {
    const time = row.indexOf(' ') + 1
    const text = time + TIME_LENGTH
    return { id: Number(row.slice(0, time)), time: row.slice(time, text), text: row.slice(text + 1) }
  })
