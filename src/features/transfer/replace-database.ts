import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { messageOf } from '../../base/errors.ts'
import { giveTo, makeFolder, type Owner, ownerAt, syncFolder } from '../../base/files.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { copyNote, databaseFile, NOTE_END, withoutPassword } from '../../store/storage/database-address.ts'
import { newEdition, readIdentity, renewEdition } from '../../store/storage/edition.ts'
import { openDatabase } from '../../store/storage/open-database.ts'
import { queryBuilder } from '../../store/storage/sqlite/sqlite-builders.ts'
import { isBusy, prepareKept } from '../../store/storage/sqlite/sqlite-connection.ts'
import { forgetMove } from './database-moves.ts'
import { requireOwnerKept } from './seal.ts'
import { gatherStatistics } from './tables.ts'

/** The calendar to replace; undefined if there is none, or it is unreadable. */
export type Former = { calendar: string; held: number } | undefined

/** Fills the new database in one transaction; if it fails, nothing is replaced. */
export type Fill = (tx: Db, former: Former) => Promise<void>

export interface Replacing {
  /** In ms since the epoch. */
  now: number
  /** Receives sentences on what will be written. */
  tell: (sentence: string) => void
}

/**
 * Replaces the database in one step: even after a crash the address leads to the whole former state or the
 * whole new one. Returns where the former one is kept.
 * @throws Error if the database is in use, or the new one cannot be made
 */
export async function replaceDatabase(
  address: string,
  fill: Fill,
  replacing: Replacing,
): Promise<string | undefined> {
  const file = databaseFile(address)
  return file === undefined ? replaceTables(address, fill, replacing) : replaceFile(file, fill, replacing)
}

/**
 * Puts back the copy `wanted`, or the newest, with a new edition; the present calendar becomes a copy.
 * @throws Error if there is no such copy, or the database is in use
 */
export async function putBack(
  address: string,
  wanted: string | undefined,
  replacing: Replacing,
): Promise<string> {
  const file = databaseFile(address)
  return file === undefined ? putTablesBack(address, wanted, replacing) : putFileBack(file, wanted, replacing)
}

/** Lists copies, oldest first. */
export async function listCopies(address: string): Promise<SafetyCopy[]> {
  const file = databaseFile(address)
  if (file !== undefined) return listFileCopies(file)
  const database = await openDatabase(address)
  try {
    return await listSchemaCopies(database.read)
  } finally {
    await database.close()
  }
}

async function replaceFile(file: string, fill: Fill, { now, tell }: Replacing): Promise<string | undefined> {
  requireOwnerKept(file)
  const next = `${file}.restoring`
  const wasThere = existsSync(file)
  const held = wasThere ? holdFile(file) : undefined
  try {
    const kept = freeFileCopy(file, now)
    // The calendar of a damaged file is unknown: the restored one counts as restored to another place (see
    // `standingOf` in `restore.ts`).
    const former = held && (await readIdentity(queryBuilder(prepareKept(held))).catch(() => undefined))
    tell(
      wasThere
        ? `The database ${resolve(file)} is replaced; what is there now is kept as ${resolve(kept)}.`
        : `A new database is made: ${resolve(file)}.`,
    )
    if (!wasThere) tellOfRest(file, kept, tell)
    const owner = makePlace(file)
    for (const end of ['', ...BESIDE]) rmSync(next + end, { force: true })
    const database = await openDatabase(`sqlite:${next}`)
    try {
      await database.migrate((tx) => fill(tx, former))
    } finally {
      // Closing the last connection merges the WAL and removes it.
      await database.close()
    }
    giveTo(next, owner)
    keepFile(file, kept, held !== undefined)
    renameSync(next, file)
    forgetMove(`sqlite:${file}`)
    await syncFolder(dirname(file))
    return wasThere ? resolve(kept) : undefined
  } finally {
    for (const end of ['', ...BESIDE]) rmSync(next + end, { force: true })
    held?.close()
  }
}

function makePlace(file: string): Owner {
  const owner = ownerAt(resolve(file))
  const made: string[] = []
  for (let folder = dirname(resolve(file)); !existsSync(folder); folder = dirname(folder)) made.push(folder)
  makeFolder(dirname(file))
  for (const folder of made) giveTo(folder, owner)
  return owner
}

/**
 * Merges the WAL and locks the file: a process waiting for the lock finds the file moved, and does not use
 * it. Returns undefined if the file is no readable database.
 * @throws Error if another process uses the file
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

/** Keeps the former file by a hard link `kept`, so that `file` exists at every moment. */
function keepFile(file: string, kept: string, isWhole: boolean): void {
  if (existsSync(file)) {
    removeSecondNames(file)
    linkSync(file, kept)
    copyNote(file, kept)
  }
  // SQLite would apply a leftover WAL to the new file: it is moved away.
  if (!isWhole) moveBeside(file, kept)
}

function tellOfRest(file: string, kept: string, tell: Replacing['tell']): void {
  for (const end of besideOf(file))
    tell(`A former database has left ${resolve(file + end)}, which is kept as ${resolve(kept + end)}.`)
}

async function putFileBack(
  file: string,
  wanted: string | undefined,
  { now, tell }: Replacing,
): Promise<string> {
  const copy = chooseCopy(listFileCopies(file), wanted)
  requireOwnerKept(copy)
  const wasThere = existsSync(file)
  const held = wasThere ? holdFile(file) : undefined
  try {
    const kept = freeFileCopy(file, now)
    tell(`The calendar ${resolve(copy)} is put back as ${resolve(file)}.`)
    if (wasThere) tell(`What is there now is kept as ${resolve(kept)}.`)
    else tellOfRest(file, kept, tell)
    renewEditionOf(copy)
    keepFile(file, kept, held !== undefined)
    // If the process is killed before this rename, no service starts on either file: better than two serving
    // one calendar.
    const wasMoved = copyNote(copy, file)
    renameSync(copy, file)
    forgetMove(`sqlite:${wasMoved ? copy : file}`)
    await syncFolder(dirname(file))
    return copy
  } finally {
    held?.close()
  }
}

function renewEditionOf(copy: string): void {
  const connection = new DatabaseSync(copy)
  try {
    connection.prepare('update editions set edition = ?').run(newEdition())
  } catch (error) {
    const why = messageOf(error)
    throw new Error(`The calendar ${copy} cannot be put back, since it cannot be read: ${why}.`)
  } finally {
    connection.close()
  }
}

const LOCK_MS = 10_000

/** Opens one connection only, since any other would count as another process. */
function openAlone(address: string): Promise<Database> {
  return openDatabase(`${address}${address.includes('?') ? '&' : '?'}connections=1`)
}

async function replaceTables(
  address: string,
  fill: Fill,
  { now, tell }: Replacing,
): Promise<string | undefined> {
  const database = await openAlone(address)
  try {
    let kept: string | undefined
    await database.migrate(async (tx) => {
      await sql.raw(`set local lock_timeout = ${LOCK_MS}`).execute(tx)
      await refuseWhileUsed(tx)
      const moves = await findMoves(tx, 'current_schema()')
      const former = moves.length > 0 ? await readFormer(tx) : undefined
      if (moves.length > 0) kept = await freeSchemaCopy(tx, now)
      tell(
        kept === undefined
          ? `The database ${withoutPassword(address)} is empty, and is filled.`
          : [
              `The database ${withoutPassword(address)} is replaced;`,
              `what is there now is kept in its schema ${kept}.`,
            ].join(' '),
      )
      if (kept !== undefined) await setAside(tx, moves, kept)
      await fill(tx, former)
    })
    await gatherStatistics(database.read)
    return kept && `the schema ${kept} of the database`
  } finally {
    await database.close()
  }
}

async function putTablesBack(
  address: string,
  wanted: string | undefined,
  { now, tell }: Replacing,
): Promise<string> {
  const database = await openAlone(address)
  try {
    const copy = chooseCopy(await listSchemaCopies(database.read), wanted)
    await database.migrate(async (tx) => {
      await sql.raw(`set local lock_timeout = ${LOCK_MS}`).execute(tx)
      await refuseWhileUsed(tx)
      const [kept, moves] = [await freeSchemaCopy(tx, now), await findMoves(tx, 'current_schema()')]
      tell(`The calendar in the schema ${copy} is put back into ${withoutPassword(address)}.`)
      if (moves.length > 0) tell(`What is there now is kept in the schema ${kept}.`)
      const { rows } = await sql<{ home: string }>`select quote_ident(current_schema()) as home`.execute(tx)
      if (moves.length > 0) await setAside(tx, moves, kept)
      for (const move of await findMoves(tx, `'${copy}'`))
        await sql.raw(`${move} set schema ${rows[0]?.home}`).execute(tx)
      await sql.raw(`drop schema ${copy}`).execute(tx)
      await renewEdition(tx)
    })
    return copy
  } finally {
    await database.close()
  }
}

/** The calendar to replace; undefined for tables of the first version, without `editions.calendar`. */
async function readFormer(tx: Db): Promise<Former> {
  const { rows } = await sql<{ found: number }>`select count(*) as found from pg_attribute
    where attrelid = to_regclass('editions') and attname = 'calendar'`.execute(tx)
  return Number(rows[0]?.found) === 0 ? undefined : readIdentity(tx)
}

const LEAVES_WITHIN_MS = 3000

async function refuseWhileUsed(tx: Db): Promise<void> {
  const until = performance.now() + LEAVES_WITHIN_MS
  let others = await countOthers(tx)
  while (others > 0 && performance.now() < until) {
    await sleep(50)
    others = await countOthers(tx)
  }
  if (others > 0)
    throw new Error(`The database is in use by ${others} connections of Kalends: stop every node first.`)
}

/**
 * Counts other connections of Kalends. In a transaction PostgreSQL repeats the first result until its
 * snapshot of statistics is cleared.
 */
async function countOthers(tx: Db): Promise<number> {
  await sql`select pg_stat_clear_snapshot()`.execute(tx)
  const { rows } = await sql<{ others: number }>`
    select count(*) as others from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend'
      and application_name = 'kalends' and pid <> pg_backend_pid()`.execute(tx)
  return rows[0]?.others ?? 0
}

async function findMoves(tx: Db, schema: string): Promise<string[]> {
  const { rows } = await sql<{ move: string }>`${sql.raw(`
    select 'alter table ' || c.oid::regclass as move from pg_class c
    where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = ${schema})
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all
    select 'alter function ' || p.oid::regprocedure from pg_proc p
    where pronamespace = (select oid from pg_namespace where nspname = ${schema})
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)}`.execute(tx)
  return rows.map(({ move }) => move)
}

async function setAside(tx: Db, moves: readonly string[], schema: string): Promise<void> {
  await sql.raw(`create schema ${schema}`).execute(tx)
  for (const move of moves) await sql.raw(`${move} set schema ${schema}`).execute(tx)
}

// A copy is a file beside the database, or a schema in it, named after the time of the restore; only an
// operator removes it.

interface SafetyCopy {
  name: string
  bytes: number
  removal: string
}

const BESIDE = ['-wal', '-shm', '-journal']

const FILE_END = /^\.before-restore(-\d{4}-\d\d-\d\dT\d{6}Z(-\d{1,4})?)?$/

const oldestFirst = new Intl.Collator('en', { numeric: true }).compare

/** Copies, in the order of names; earlier versions gave these no time. A hard link of the file is no copy. */
export function listFileCopies(file: string): SafetyCopy[] {
  const names = namesBeside(file).filter((name) => inodeOf(name) !== inodeOf(file))
  return names.map((name) => {
    const files = ['', ...BESIDE, NOTE_END].map((end) => name + end).filter((each) => existsSync(each))
    const bytes = files.reduce((sum, each) => sum + statSync(each).size, 0)
    return { name, bytes, removal: `rm ${files.map(shellWord).join(' ')}` }
  })
}

const shellWord = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

/** An unused name that sorts after copies made before `now` (in ms). */
export function freeFileCopy(file: string, now: number): string {
  const time = formatUtc(now).replace(' ', 'T').replaceAll(':', '')
  return join(
    dirname(file),
    freeName(`${basename(file)}.before-restore-${time}Z`, '-', namesIn(dirname(file))),
  )
}

function removeSecondNames(file: string): void {
  for (const name of namesBeside(file)) if (statSync(name).ino === inodeOf(file)) rmSync(name)
}

function moveBeside(from: string, to: string): void {
  for (const end of besideOf(from)) renameSync(from + end, to + end)
}

const besideOf = (file: string) => BESIDE.filter((end) => existsSync(file + end))

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

function namesBeside(file: string): string[] {
  const [folder, base] = [dirname(file), basename(file)]
  const names = namesIn(folder).filter(
    (name) => name.startsWith(base) && FILE_END.test(name.slice(base.length)),
  )
  return names.sort(oldestFirst).map((name) => join(folder, name))
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino

const SCHEMA = /^before_restore(_\d{8}t\d{6}z(_\d{1,4})?)?$/

export async function listSchemaCopies(db: Db): Promise<SafetyCopy[]> {
  const { rows } = await sql<{ name: string; bytes: number | string }>`
    select nspname as name, coalesce((select sum(pg_total_relation_size(c.oid)) from pg_class c
      where c.relnamespace = n.oid and c.relkind = 'r'), 0) as bytes
    from pg_namespace n where nspname like 'before\\_restore%'`.execute(db)
  const copies = rows.filter(({ name }) => SCHEMA.test(name)).sort((a, b) => oldestFirst(a.name, b.name))
  return copies.map(({ name, bytes }) => ({
    name,
    bytes: Number(bytes),
    removal: `drop schema ${name} cascade`,
  }))
}

/** An unused name that sorts after copies made before `now` (in ms). */
export async function freeSchemaCopy(db: Db, now: number): Promise<string> {
  const time = formatUtc(now).replace(' ', 't').replaceAll(/[-:]/g, '')
  const taken = (await listSchemaCopies(db)).map(({ name }) => name)
  return freeName(`before_restore_${time}z`, '_', taken)
}

/**
 * Returns `name`. If copies of the same second exist, appends a number above all of theirs: a lower one would
 * sort before newer copies.
 */
function freeName(name: string, mark: string, taken: readonly string[]): string {
  const numbers = taken
    .filter((one) => one.startsWith(name))
    .map((one) => Number.parseInt(one.slice(name.length + mark.length), 10) || 1)
  if (numbers.length === 0) return name
  const last = numbers.reduce((one, other) => Math.max(one, other))
  return `${name}${mark}${last + 1}`
}

function chooseCopy(copies: readonly SafetyCopy[], wanted: string | undefined): string {
  const found =
    wanted === undefined ? copies.at(-1) : copies.find(({ name }) => [name, basename(name)].includes(wanted))
  if (found) return found.name
  throw new Error(
    wanted === undefined
      ? 'There is nothing to put back: no restore has replaced a calendar here.'
      : `No restore has kept ${wanted}; kalends restore --list shows what there is.`,
  )
}
