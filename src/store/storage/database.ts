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
import type { IdSet } from './id-set.ts'
import type { Tx, Writer } from './recording.ts'
import type { ChangeColumns, RecordTable, Tables } from './schema.ts'

// The interface of the database, which SQLite and PostgreSQL both have.

/** A connection for reading, or the inside of a transaction; queries are written against it. */
export type Db = Kysely<Tables>

/** A place in the record of changes. Equal cursors mean equal data, and where nothing is being written, equal data mean equal cursors on every node. */
export type Cursor = string

/** A record that was created, changed or removed. */
export type Change = Pick<ChangeColumns, 'kind' | 'record'>

/** Connections to a server. */
interface Connections {
  open: number
  /** Of these, how many nobody uses. */
  idle: number
  /** Statements and transactions that wait for one. */
  waiting: number
}

/** An open database. */
export interface Database {
  /** For reads outside a transaction; shows committed rows alone. */
  read: Db
  /**
   * For reads outside a transaction whose answer anybody may see: what one request reads with. Everything that `cursor`, `readChanges` and
   * the listeners of `onChange` have told of shows in whatever is asked afterwards.
   */
  readPublic: () => Db
  /** Runs long reads, such as lists and searches, of `read` or the result of `readPublic`. */
  aside: ReadAside
  /**
   * Runs `work` as one transaction and returns once it is durable. `work` may be run again after a conflict with another writer,
   * so it does nothing but use `tx`. Rows that it decides by must be locked (see `locks.ts`), since others may write meanwhile.
   * What it changes is recorded as the doing of `by`, or of nobody.
   */
  write: <T>(work: (tx: Tx) => Promise<T>, by?: Writer) => Promise<T>
  /** Runs `work` as one transaction that may take its time; no other process does so meanwhile. For changes of tables. */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  /** Where the record of changes ends now. */
  cursor: () => Promise<Cursor>
  /**
   * The records that changed since a cursor, in any order, and the cursor to ask with next time; `'too old'` when so many have changed that a
   * reader starts afresh, or it is no longer known which. No change whose commit came before the call is ever missing.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed. Returns how to stop it. */
  onChange: (listener: () => void) => () => void
  /** Looks, at little cost, whether another process may have changed the database since the last look; tells the listeners if so. */
  look: () => boolean
  /**
   * Resolves once the listeners have been told of every commit that is under way now in this process; undefined when none is. A read that ended
   * by now may have shown such a commit although nobody has been told of it.
   */
  commitsUnderWay: () => Promise<unknown> | undefined
  /**
   * The ids of the events whose folded text has every word of a search and none of those left out, as of a moment after the call; perhaps
   * with some ids that are no events.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** Counts its connections to a server; undefined where it has none. */
  connections?: () => Connections
  /** Returns true while its replica is reached and keeps up; undefined where it has none. */
  isReplicaUp?: () => boolean
  /** Throws when the database does not answer, or has refused the last write for want of room or permission and still does. */
  ping: () => Promise<void>
  close: () => Promise<void>
}

/** True when queries of this connection go to PostgreSQL. Asked only inside `storage/`. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

// Long reads, which run beside quick ones.

/** The expected time of a long read: a `list` takes some milliseconds, a `search` as long as it takes to read the texts. */
export type Lane = 'list' | 'search'

/** A query of the query builder that selects. */
export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries that may take long, as `db` would, without holding up quick ones: in a thread on a SQLite file, over a bounded share of the
 * connections on PostgreSQL. They see everything that was committed before the call, and on a file all of them one snapshot. Rejects with
 * DatabaseUnavailable when too many such reads are under way.
 */
export type ReadAside = <Rows extends readonly unknown[] | []>(
  db: Kysely<Tables>,
  lane: Lane,
  queries: { [At in keyof Rows]: ReadQuery<Rows[At]> },
) => Promise<{ [At in keyof Rows]: Rows[At][] }>

/** Runs the queries on the connection itself, at the same time where it can. */
export async function runQueries(db: Kysely<Tables>, queries: readonly ReadQuery<unknown>[]): Promise<unknown[][]> {
  const results = await Promise.all(queries.map((query) => db.executeQuery(query.compile())))
  return results.map(({ rows }) => rows)
}

/** A row without its search text, and what was found beside its id. */
type FoundRow<Table extends RecordTable, Found> = Found & Omit<Selectable<Tables[Table]>, 'search'> & { search: '' }

/**
 * The rows of a table with the ids that a query in brackets finds, in this order. Finding, narrowing and ordering read indexes only, and rows are
 * read for the page alone. They come without the search text, which no answer shows and which is as long as all other texts together.
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

/** An id, a time and one more text. */
export interface TimedRow {
  id: number
  time: string
  text: string
}

/** Many rows as one text, to be read with `rowsIn`: making a row of each costs more than finding it, and as much again when it comes from a thread. */
export const asOneText = (columns: Record<keyof TimedRow, Expression<unknown>>): RawBuilder<string | null> =>
  sql`string_agg(${columns.id} || ' ' || ${columns.time} || ' ' || replace(${columns.text}, ${BETWEEN_ROWS}, ' '), ${BETWEEN_ROWS})`

/** Reads the rows of a text of `asOneText`; null means none. */
export const rowsIn = (rows: string | null): TimedRow[] =>
  (rows?.split(BETWEEN_ROWS) ?? []).map((row) => {
    const time = row.indexOf(' ') + 1
    const text = time + TIME_LENGTH
    return { id: Number(row.slice(0, time)), time: row.slice(time, text), text: row.slice(text + 1) }
  })
