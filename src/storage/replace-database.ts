import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { syncFolder } from '../sync-folder.ts'
import type { Db } from './database.ts'
import { openDatabase } from './open-database.ts'
import { isBusy } from './sqlite/sqlite-failure.ts'
import { gatherStatistics } from './tables.ts'

/** Fills a new, empty database, within one transaction. When it fails, so does the replacement. */
export type Fill = (tx: Db) => Promise<void>

/**
 * Fills a new database in place of the one at this address, if there is one. Whatever happens on the way, the address leads to the former state
 * or to the new one, whole. Returns where the former one is kept: until the next replacement, or until somebody removes it.
 * @throws Error with one sentence when the database is in use, or the new one cannot be made
 */
export async function replaceDatabase(address: string, fill: Fill): Promise<string | undefined> {
  return address.startsWith('sqlite:')
    ? replaceFile(address.slice('sqlite:'.length), fill)
    : replaceTables(address, fill)
}

/** The files that SQLite may have beside a database. */
const BESIDE = ['-wal', '-shm', '-journal']

async function replaceFile(file: string, fill: Fill): Promise<string | undefined> {
  const [next, kept] = [`${file}.restoring`, `${file}.before-restore`]
  const wasThere = existsSync(file)
  const held = wasThere ? holdFile(file) : undefined
  try {
    for (const end of ['', ...BESIDE]) rmSync(next + end, { force: true })
    const database = await openDatabase(`sqlite:${next}`)
    try {
      await database.migrate(fill)
    } finally {
      // The last connection writes the log into the file and removes it.
      await database.close()
    }
    if (wasThere) keepFile(file, kept, held !== undefined)
    renameSync(next, file)
    await syncFolder(dirname(file))
    return wasThere ? kept : undefined
  } finally {
    for (const end of ['', ...BESIDE]) rmSync(next + end, { force: true })
    held?.close()
  }
}

/**
 * Keeps everybody else from a file, and joins its log to it. A process that waits for the file meanwhile finds it moved and does not use it. Undefined
 * for a file that is no database any more.
 * @throws Error with one sentence when somebody uses it
 */
function holdFile(file: string): DatabaseSync | undefined {
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    connection.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin exclusive')
    return connection
  } catch (error) {
    connection.close()
    if (isBusy(error)) throw new Error(`The database ${file} is in use: stop the service first.`)
    return undefined
  }
}

/** Gives the former file a second name, so that there is one under the first name at every moment. */
function keepFile(file: string, kept: string, isWhole: boolean): void {
  for (const end of ['', ...BESIDE]) rmSync(kept + end, { force: true })
  linkSync(file, kept)
  // A log that could not be joined to its file must not be taken for that of the new one.
  if (!isWhole) for (const end of BESIDE) if (existsSync(file + end)) renameSync(file + end, kept + end)
}

/** The schema that the former tables are kept in. */
const ASIDE = 'before_restore'

/** Milliseconds to wait for somebody who is reading a table. */
const LOCK_MS = 10_000

async function replaceTables(address: string, fill: Fill): Promise<string | undefined> {
  // With one connection, all others are those of somebody else.
  const database = await openDatabase(`${address}${address.includes('?') ? '&' : '?'}connections=1`)
  try {
    let wereThere = false
    await database.migrate(async (tx) => {
      await sql.raw(`set local lock_timeout = ${LOCK_MS}`).execute(tx)
      await refuseWhileUsed(tx)
      wereThere = await setAside(tx)
      await fill(tx)
    })
    await gatherStatistics(database.read)
    return wereThere ? `the schema ${ASIDE} of the database` : undefined
  } finally {
    await database.close()
  }
}

async function refuseWhileUsed(tx: Db): Promise<void> {
  const { rows } = await sql<{ others: number }>`
    select count(*) as others from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
      and application_name = 'kalends' and pid <> pg_backend_pid()`.execute(tx)
  const others = rows[0]?.others ?? 0
  if (others > 0) throw new Error(`The database is in use by ${others} connections of Kalends: stop every node first.`)
}

/** What a calendar is made of, without what belongs to extensions: statements that move it into the schema aside. */
const MOVES = sql.raw(`
  select format('alter table %I set schema ${ASIDE}', relname) as move from pg_class c
  where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  union all
  select format('alter function %s set schema ${ASIDE}', p.oid::regprocedure) from pg_proc p
  where pronamespace = (select oid from pg_namespace where nspname = current_schema())
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)

/** Moves everything out of the way, and removes what was moved there before. False when there is nothing. */
async function setAside(tx: Db): Promise<boolean> {
  const { rows } = (await MOVES.execute(tx)) as { rows: { move: string }[] }
  if (rows.length === 0) return false
  await sql.raw(`drop schema if exists ${ASIDE} cascade`).execute(tx)
  await sql.raw(`create schema ${ASIDE}`).execute(tx)
  for (const { move } of rows) await sql.raw(move).execute(tx)
  return true
}
