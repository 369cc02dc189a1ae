import type { Kysely } from 'kysely'
import type { Search } from '../text/search.ts'
import { noteChanges } from './changes.ts'
import type { IdSet } from './id-set.ts'
import { openPostgres } from './postgres.ts'
import type { ChangeColumns, Tables } from './schema.ts'
import { openSqlite } from './sqlite.ts'

/** What queries are written against: a connection for reading, or the inside of a transaction. */
export type Db = Kysely<Tables>

/** A place in the log of changes. Equal cursors mean equal data, and where nothing is being written, equal data mean equal cursors on every node. */
export type Cursor = string

/** A record that was created, changed or removed. */
export type Change = Pick<ChangeColumns, 'kind' | 'record'>

/** An open database. */
export interface Database {
  /** For reads outside a transaction; never shows what is not committed. */
  read: Db
  /**
   * For reads outside a transaction whose answer anybody may see: what one request reads with. Everything that `cursor`, `readChanges` and
   * the listeners of `onChange` have told of shows in whatever is asked afterwards.
   */
  readPublic: () => Db
  /**
   * Runs `work` as one transaction and returns once it is durable. `work` may be run again after a conflict with another writer,
   * so it does nothing but use `tx`. What it decides by must be held (see `locks.ts`), since others may write meanwhile.
   */
  write: <T>(work: (tx: Db) => Promise<T>) => Promise<T>
  /** Runs `work` as one transaction that may take its time; no other process does so meanwhile. For changes of tables. */
  migrate: (work: (tx: Db) => Promise<void>) => Promise<void>
  /** Where the log of changes ends now. */
  cursor: () => Promise<Cursor>
  /**
   * What changed since a cursor, in any order and possibly more than once, and the cursor to ask with next time; `'too old'` when
   * the log no longer reaches back so far. No change whose commit came before the call is ever missing.
   */
  readChanges: (since: Cursor) => Promise<{ changes: Change[]; cursor: Cursor } | 'too old'>
  /** Calls the listener whenever the database may have changed. Returns how to stop it. */
  onChange: (listener: () => void) => () => void
  /** Looks, at little cost, whether another process may have changed the database since the last look; tells the listeners if so. */
  look: () => boolean
  /**
   * The ids of the events whose folded text has every word of a search and none of those left out, as of a moment after the call; perhaps
   * with some ids that are no events.
   */
  findMatching: (search: Search) => Promise<IdSet>
  /** Throws when the database does not answer. */
  ping: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens the database at `sqlite:FILE`, creating the file when it is not there, or at `postgres://…`. Its functions reject with
 * DatabaseUnavailable while the database cannot be reached or is overloaded.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openDatabase(address: string): Promise<Database> {
  const [scheme] = address.split(':', 1)
  if (scheme === 'sqlite') return openSqlite(address.slice('sqlite:'.length))
  if (scheme === 'postgres' || scheme === 'postgresql') return openPostgres(address)
  throw new Error(`No database can be opened at ${address}: sqlite:FILE and postgres://… are understood.`)
}

/** Notes inside a transaction that a record changed, so that caches on every node drop it. */
export async function recordChange(tx: Db, kind: ChangeColumns['kind'], record: number): Promise<void> {
  await recordChanges(tx, kind, [record])
}

/** Notes that several records changed. */
export async function recordChanges(tx: Db, kind: ChangeColumns['kind'], records: readonly number[]): Promise<void> {
  await noteChanges(
    tx,
    records.map((record) => ({ kind, record })),
  )
}
