import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { formatUtc } from '../text/moments.ts'
import type { Db } from './database.ts'
import { NOTE_END } from './moved-calendar.ts'

// What a restore replaces is kept under a name of its time: a file beside that of the database, or a schema in the PostgreSQL database. Nothing is ever
// written over one, and only an operator removes one.

/** A calendar that a restore has replaced. */
export interface SafetyCopy {
  /** The path of a file, or the name of a schema. */
  name: string
  bytes: number
  /** The command or statement that removes it. */
  removal: string
}

/** The files that SQLite may have beside a database. */
export const BESIDE = ['-wal', '-shm', '-journal']

const FILE_END = /^\.before-restore(-\d{4}-\d\d-\d\dT\d{6}Z(-\d{1,4})?)?$/

/** By their times, then by their counts: names of one calendar differ in these alone. */
const oldestFirst = new Intl.Collator('en', { numeric: true }).compare

/** Lists the copies beside a file, the oldest first; those of earlier versions have no time. A second name of the file itself is none. */
export function listFileCopies(file: string): SafetyCopy[] {
  const names = namesBeside(file).filter((name) => inodeOf(name) !== inodeOf(file))
  return names.map((name) => {
    const files = ['', ...BESIDE, NOTE_END].map((end) => name + end).filter((each) => existsSync(each))
    const bytes = files.reduce((sum, each) => sum + statSync(each).size, 0)
    return { name, bytes, removal: `rm ${files.map(shellWord).join(' ')}` }
  })
}

/** A path as one word for a shell. */
const shellWord = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

/** Gives a name that comes after those of all copies of the file. @param now milliseconds since the epoch */
export function freeFileCopy(file: string, now: number): string {
  const time = formatUtc(now).replace(' ', 'T').replaceAll(':', '')
  return join(dirname(file), freeName(`${basename(file)}.before-restore-${time}Z`, '-', namesIn(dirname(file))))
}

/** Removes second names of a file, which a restore leaves when it is killed just before its last step. */
export function removeSecondNames(file: string): void {
  for (const name of namesBeside(file)) if (statSync(name).ino === inodeOf(file)) rmSync(name)
}

/** Moves what SQLite has beside a database, whether that is there or not, under another name. */
export function moveBeside(from: string, to: string): void {
  for (const end of besideOf(from)) renameSync(from + end, to + end)
}

/** Lists the ends of the files that SQLite has left beside a database. */
export const besideOf = (file: string) => BESIDE.filter((end) => existsSync(file + end))

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

function namesBeside(file: string): string[] {
  const [folder, base] = [dirname(file), basename(file)]
  const names = namesIn(folder).filter((name) => name.startsWith(base) && FILE_END.test(name.slice(base.length)))
  return names.sort(oldestFirst).map((name) => join(folder, name))
}

const inodeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino

const SCHEMA = /^before_restore(_\d{8}t\d{6}z(_\d{1,4})?)?$/

/** Lists the schemas that hold copies, the oldest first. */
export async function listSchemaCopies(db: Db): Promise<SafetyCopy[]> {
  const { rows } = await sql<{ name: string; bytes: number | string }>`
    select nspname as name, coalesce((select sum(pg_total_relation_size(c.oid)) from pg_class c
      where c.relnamespace = n.oid and c.relkind = 'r'), 0) as bytes
    from pg_namespace n where nspname like 'before\\_restore%'`.execute(db)
  const copies = rows.filter(({ name }) => SCHEMA.test(name)).sort((a, b) => oldestFirst(a.name, b.name))
  return copies.map(({ name, bytes }) => ({ name, bytes: Number(bytes), removal: `drop schema ${name} cascade` }))
}

/** Gives a name that comes after those of all schemas with copies. @param now milliseconds since the epoch */
export async function freeSchemaCopy(db: Db, now: number): Promise<string> {
  const time = formatUtc(now).replace(' ', 't').replaceAll(/[-:]/g, '')
  const taken = (await listSchemaCopies(db)).map(({ name }) => name)
  return freeName(`before_restore_${time}z`, '_', taken)
}

/**
 * Counts on from the last name of the same second. A name that became free when its copy was put back is not given again: it would stand before
 * those of older copies.
 */
function freeName(name: string, mark: string, taken: readonly string[]): string {
  let free = name
  for (const other of taken.filter((one) => one.startsWith(name)).sort(oldestFirst))
    free = `${name}${mark}${(Number.parseInt(other.slice(name.length + mark.length), 10) || 1) + 1}`
  return free
}

/**
 * Finds a copy by its name, or the newest one.
 * @throws Error with one sentence when there is none
 */
export function chooseCopy(copies: readonly SafetyCopy[], wanted: string | undefined): string {
  const found =
    wanted === undefined ? copies.at(-1) : copies.find(({ name }) => [name, basename(name)].includes(wanted))
  if (found) return found.name
  throw new Error(
    wanted === undefined
      ? 'There is nothing to put back: no restore has replaced a calendar here.'
      : `No restore has kept ${wanted}; kalends restore --list shows what there is.`,
  )
}
