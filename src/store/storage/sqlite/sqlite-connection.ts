import { closeSync, existsSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { SqliteStatement } from 'kysely'
import { cacheBudget, emptyCache, findCached, setCached } from '../../../base/cache.ts'
import { messageOf } from '../../../base/errors.ts'
import { makeFolder } from '../../../base/files.ts'
import { distanceKm } from '../distance.ts'
import { DatabaseUnavailable, type Lack } from '../unavailable.ts'

/** Ms that opening a file waits for its lock. */
const OPENING_MS = 5000

/**
 * A thread checkpoints the WAL at this many pages of 4 kB. New events change the same index pages again and
 * again, and a checkpoint writes each once, so a long WAL saves writes. To read it after a crash takes only a
 * moment.
 */
export const LOG_PAGES = 16_000
/** With more pages, a commit itself checkpoints, in case the thread falls behind. */
const MOST_LOG_PAGES = 4 * LOG_PAGES

/**
 * Opens or creates the file. Later statements never wait: on a locked file they fail with SQLITE_BUSY at
 * once.
 * @throws Error with one sentence if the file cannot be opened
 */
export function connect(file: string, cacheKb: number): DatabaseSync {
  try {
    if (file !== ':memory:') makeFile(file)
    const connection = new DatabaseSync(file, { timeout: OPENING_MS })
    connection.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${cacheKb};
      pragma wal_autocheckpoint = ${MOST_LOG_PAGES};
      pragma temp_store = memory;
      pragma busy_timeout = 0;
    `)
    addFunctions(connection)
    return connection
  } catch (error) {
    throw new Error(`The database ${file} cannot be opened: ${messageOf(error)}.`)
  }
}

/** Opens a read-only connection for a thread; its statements wait for locks. */
export function connectReader(file: string, cacheKb: number): DatabaseSync {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: OPENING_MS })
  connection.exec(`pragma cache_size = -${cacheKb}; pragma temp_store = memory`)
  addFunctions(connection)
  return connection
}

/** Checkpoints the WAL as far as no reader or writer has to wait. It takes long, so a thread calls it. */
export function checkpoint(file: string): void {
  const address = pathToFileURL(file)
  address.search = '?mode=rw'
  const connection = new DatabaseSync(address, { timeout: OPENING_MS })
  try {
    // The second checkpoint is short, since it has only the pages written during the first.
    connection.exec(
      'pragma synchronous = full; pragma wal_checkpoint(passive); pragma wal_checkpoint(passive)',
    )
  } finally {
    connection.close()
  }
}

/** Creates a missing file and folder for this user alone; SQLite gives its other files the same mode. */
function makeFile(file: string): void {
  makeFolder(dirname(file))
  // To close an existing file here would release the locks that other connections of this process hold.
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!existsSync(file)) throw error
  }
}

export interface FileWatch {
  /** Throws DatabaseUnavailable while the file is lost, since anything written would be lost too. */
  require: () => void
  isLost: () => boolean
}

/**
 * Watches whether the file is lost: the path leads to no file, another file, an empty file, or one that a
 * shorter file was copied over. When the file is back, cached pages are dropped, since they may be of the
 * other file, and a transaction that may have read them is rolled back.
 */
export function watchFile(file: string, writer: DatabaseSync, reader: DatabaseSync): FileWatch {
  const own = statSync(file)
  const isCut = watchLength(reader)
  let wasLost = false
  const require = () => {
    const why = whyLost(own, file, isCut)
    const isBack = wasLost && why === undefined
    wasLost = why !== undefined
    if (wasLost)
      throw new DatabaseUnavailable(`The database ${file} ${why}; until it is back nothing is written.`)
    if (!isBack) return
    const isBegun = writer.isTransaction
    if (isBegun) writer.exec('rollback')
    for (const connection of [writer, reader]) connection.exec('pragma shrink_memory')
    if (isBegun)
      throw new DatabaseUnavailable(`The database ${file} is back; what was begun before is not written.`)
  }
  return { require, isLost: () => wasLost }
}

function whyLost(own: Stats, file: string, isCut: (bytes: number) => boolean): string | undefined {
  try {
    const found = statSync(file)
    if (found.ino !== own.ino || found.dev !== own.dev)
      return 'has been replaced by another file, which takes a restart'
    if (found.size === 0) return 'has been emptied'
    return isCut(found.size) ? 'has been overwritten by a shorter file' : undefined
  } catch (error) {
    return `is gone (${messageOf(error)})`
  }
}

/**
 * Returns a function that tells whether the file has become shorter since the last call, other than by a
 * checkpoint, which shows in the WAL and leaves all pages of the database in the file.
 */
function watchLength(connection: DatabaseSync): (bytes: number) => boolean {
  // `noop` only counts the pages.
  const checkpoints = connection.prepare('pragma wal_checkpoint(noop)')
  const pages = connection.prepare(
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  )
  let before = { bytes: 0, log: 0, checkpointed: 0 }
  return (bytes) => {
    try {
      const { log, checkpointed } = checkpoints.get() as { log: number; checkpointed: number }
      const isSameLog = checkpointed === before.checkpointed && log >= before.log
      if (isSameLog && bytes < before.bytes && Number(pages.get()?.bytes) > bytes) return true
      before = { bytes, log, checkpointed }
    } catch {
      // SQLite gives no answer while the connection reads; the next call asks again.
    }
    return false
  }
}

function addFunctions(connection: DatabaseSync): void {
  connection.function('distance_km', { deterministic: true, varargs: true }, (...points) =>
    // biome-ignore lint/plugin: a tuple
    distanceKm(...(points as [number, number, number, number])),
  )
  connection.function('line_contains_all', { deterministic: true, varargs: true }, (text, words) =>
    Number(lineContainsAll(String(text), JSON.parse(String(words)))),
  )
}

function lineContainsAll(text: string, words: readonly string[]): boolean {
  return text.split('\n').some((line) => words.every((word) => line.includes(word)))
}

export type Prepare = (sql: string) => SqliteStatement

/**
 * Bytes that the cached statements of a connection may take. A statement counts `BYTES_A_CHARACTER` for each
 * character of SQL, but at least `LEAST_BYTES`.
 */
const STATEMENT_BYTES = 20_000_000
const LEAST_BYTES = 40_000
const BYTES_A_CHARACTER = 20
/** In characters: longer SQL is not cached, since it takes many times its length and is rarely repeated. */
const LONGEST_KEPT = 8000

/** Prepares statements, and caches them within `STATEMENT_BYTES`. */
export function prepareKept(connection: DatabaseSync): Prepare {
  const prepared = emptyCache<string, SqliteStatement>(cacheBudget(STATEMENT_BYTES))
  return (sql) => {
    const known = findCached(prepared, sql)
    if (known) return known
    const statement = adapted(connection.prepare(sql))
    const bytes = Math.max(LEAST_BYTES, sql.length * BYTES_A_CHARACTER)
    if (sql.length <= LONGEST_KEPT) setCached(prepared, sql, statement, bytes)
    return statement
  }
}

export function runPrepared(statement: SqliteStatement, parameters: readonly unknown[]): unknown[] {
  if (statement.reader) return statement.all(parameters)
  statement.run(parameters)
  return []
}

export interface BoundStatement {
  sql: string
  parameters: readonly unknown[]
}

/** Runs the statements on one snapshot, on a connection that is not in a transaction. */
export function runTogether(
  connection: DatabaseSync,
  prepare: Prepare,
  statements: readonly BoundStatement[],
): unknown[][] {
  const run = ({ sql, parameters }: BoundStatement) => runPrepared(prepare(sql), parameters)
  if (statements.length === 1) return statements.map(run)
  connection.exec('begin')
  try {
    return statements.map(run)
  } finally {
    connection.exec('commit')
  }
}

/**
 * Reads rows as arrays and makes objects of them: the objects that Node itself creates for many columns are
 * hash tables, which take far longer to copy.
 */
function adapted(statement: StatementSync): SqliteStatement {
  let names = namesOf(statement)
  statement.setReturnArrays(true)
  const rowOf = (values: SQLOutputValue[]) => {
    if (values.length !== names.length) names = namesOf(statement)
    return namedRow(names, values)
  }
  const rows = (parameters: readonly unknown[]) =>
    // biome-ignore lint/plugin: values of a statement, in which a list is one
    statement.all(...(parameters as SQLInputValue[])) as unknown as SQLOutputValue[][]
  return {
    reader: names.length > 0,
    all: (parameters) => rows(parameters).map(rowOf),
    // biome-ignore lint/plugin: values of a statement, in which a list is one
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) =>
      Iterator.from(
        // biome-ignore lint/plugin: values of a statement, in which a list is one
        statement.iterate(...(parameters as SQLInputValue[])) as unknown as Iterable<SQLOutputValue[]>,
      ).map(rowOf),
  }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function namedRow(
  names: readonly string[],
  values: readonly SQLOutputValue[],
): Record<string, SQLOutputValue> {
  const row: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as SQLOutputValue
  return row
}

/**
 * By primary result code: PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL. Others are bugs or
 * damage.
 */
const LACKS: Record<number, Lack> = {
  3: 'permission',
  5: 'answer',
  6: 'answer',
  8: 'permission',
  10: 'answer',
  13: 'space',
  14: 'answer',
  15: 'answer',
}

/**
 * By extended result code: IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC, IOERR_TRUNCATE, IOERR_SHMSIZE, after
 * which reads still work.
 */
const WRITE_LACKS: Record<number, Lack> = {
  778: 'permission',
  1034: 'permission',
  1290: 'permission',
  1546: 'permission',
  4874: 'permission',
}

const BUSY = 5

const extendedCodeOf = (error: unknown) =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined

const codeOf = (error: unknown) => {
  const code = extendedCodeOf(error)
  return code === undefined ? undefined : code & 0xff
}

/** True for the result codes CORRUPT and NOTADB. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(codeOf(error) ?? 0)

/** Converts errors of an unavailable database to DatabaseUnavailable; returns others unchanged. */
export function asUnavailable(error: unknown): unknown {
  const code = extendedCodeOf(error)
  const lack = code === undefined ? undefined : (WRITE_LACKS[code] ?? LACKS[code & 0xff])
  if (lack === undefined || !(error instanceof Error)) return error
  return new DatabaseUnavailable(`The database ${WORDS[lack]}: ${error.message}.`, error, lack)
}

const WORDS: Record<Lack, string> = {
  answer: 'does not answer',
  space: 'has no room left',
  permission: 'may not be written',
}

/** True if another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY
}

export const LOCK_MS = 5000

/** Ms between the first attempts to get a lock; between all later ones, `LAST_PAUSE_MS`. */
const PAUSES_MS = [1, 2, 5, 10] as const
const LAST_PAUSE_MS = 20

export function pauseAfter(attempts: number): Promise<void> {
  return sleep(PAUSES_MS[attempts - 1] ?? LAST_PAUSE_MS)
}

/**
 * Repeats `attempt` until the lock is free, without blocking the event loop. Rejects with DatabaseUnavailable
 * after `LOCK_MS` ms.
 */
export async function whenFree<T>(attempt: () => T | Promise<T>): Promise<T> {
  const since = performance.now()
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() - since > LOCK_MS) throw asUnavailable(error)
    }
    await pauseAfter(attempts)
  }
}
