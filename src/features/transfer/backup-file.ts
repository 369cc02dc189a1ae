import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import type { Database, Db } from '../../store/storage/database.ts'
import { databaseFile } from '../../store/storage/database-address.ts'
import { findMigrations, findUnknown, migrateWithin, refuseNewer } from '../../store/storage/migrate.ts'
import { countedSteps, type FeatureTables, featureOfStep } from '../../store/storage/migration.ts'
import { openDatabase, openExisting, readSnapshot } from '../../store/storage/open-database.ts'
import { queryBuilder } from '../../store/storage/sqlite/sqlite-builders.ts'
import { prepareKept } from '../../store/storage/sqlite/sqlite-connection.ts'
import {
  databaseSize,
  findNextNumber,
  listTables,
  readRows,
  secretTables,
  type TableShape,
} from './tables.ts'

// A backup is a SQLite file: tables of content, image files in an archive as of `sqlite3 -A` (table `sqlar`),
// a manifest. Without a table `migrations`, no service starts on it.

export interface Manifest {
  /** Increased with every change of the format. */
  format: number
  made_utc: string
  version: string
  edition: string
  /** The name of the calendar, the same through restores. */
  calendar: string
  migrations: string[]
  rows: Record<string, number>
  files: number
  bytes: number
  /** Keys of files that images refer to but the media store lacks. */
  missing: string[]
  /** Set without credentials: nobody can sign in to a calendar restored from it. */
  withoutSecrets?: true
}

export type TablesManifest = Pick<Manifest, 'edition' | 'calendar' | 'migrations' | 'rows'>

export const BACKUP_FORMAT = 1

/** `Klnd`, as `application_id` in the header of the SQLite file. */
const APPLICATION_ID = 0x4b6c6e64

export interface BackupWriter {
  db: Db
  addFile: (key: string, bytes: Uint8Array) => void
  /** Closes the file with a manifest, without which a backup is not valid. */
  finish: (manifest: Manifest) => void
  /** After a failure: closes the file without a manifest. */
  close: () => void
}

/**
 * Copies the tables, as of one moment although the service may write, into a new file that no other user can
 * read.
 * @param options `free`: bytes left on the disk; `withSecrets`: false leaves out credentials and other
 * secrets
 * @throws Error if the database holds no calendar, the file exists, or the disk is too full
 */
export async function writeBackupTables(
  address: string,
  file: string,
  features: readonly FeatureTables[],
  { withSecrets, free }: { withSecrets: boolean; free: number },
): Promise<{ writer: BackupWriter; tables: TablesManifest }> {
  const source = await openExisting(address)
  try {
    const steps = await findMigrations(source.read)
    if (!steps) throw new Error('The database holds no calendar.')
    refuseUnknown(steps, features)
    if (steps.length === 0)
      throw new Error(
        'The database is of an earlier version; serve it once with this one, which brings it up to date.',
      )
    const least = await leastBytes(source.read)
    if (free < least)
      throw new Error(
        `The disk has ${free} bytes left, and the backup needs ${least} at the least: make room first.`,
      )
    closeSync(openSync(file, 'wx', 0o600))
    const target = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    try {
      // After a crash a partial file is thrown away: it needs neither journal nor fsync.
      target.exec(
        `pragma journal_mode = off; pragma synchronous = off; pragma application_id = ${APPLICATION_ID}`,
      )
      const sourceFile = databaseFile(address)
      const leftOut = withSecrets ? [] : secretTables(features)
      const tables = sourceFile
        ? copyFromFile(target, sourceFile, await listTables(source.read, features), leftOut)
        : await readSnapshot(source, (from) => copyFromServer(target, from, features, leftOut))
      target.exec(SQLAR)
      return { writer: makeWriter(target), tables }
    } catch (error) {
      target.close()
      throw error
    }
  } finally {
    await source.close()
  }
}

const LEAST_CONTENT = 1 / 10

async function leastBytes(db: Db): Promise<number> {
  const { rows } = await databaseSize(db).execute(db)
  const images = await db
    .selectFrom('images')
    .select((image) => image.fn.sum<number | string | null>('filesize').as('bytes'))
    .executeTakeFirst()
  return Math.round(Number(rows[0]?.bytes ?? 0) * LEAST_CONTENT + Number(images?.bytes ?? 0))
}

/** An archive that `sqlite3 FILE -A` lists and unpacks. */
const SQLAR = 'create table sqlar (name text primary key, mode int, mtime int, sz int, data blob)'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Creates the tables as in the source: so SQLite copies whole records, which is fast. */
function copyFromFile(
  target: DatabaseSync,
  file: string,
  shapes: readonly TableShape[],
  leftOut: readonly string[],
): TablesManifest {
  const address = pathToFileURL(file)
  address.search = '?mode=ro'
  target.prepare('attach ? as source').run(address.href)
  target.exec('begin')
  const form = target.prepare(`select sql from source.sqlite_schema where type = 'table' and name = ?`)
  for (const { name } of shapes) {
    target.exec(String(form.get(name)?.sql))
    if (leftOut.includes(name)) continue
    target.exec(`insert into main.${quoted(name)} select * from source.${quoted(name)}`)
  }
  target.exec(`delete from main.sqlite_sequence;
    insert into main.sqlite_sequence select * from source.sqlite_sequence where name in (select name
    from main.sqlite_schema)`)
  const migrations = target
    .prepare('select name from source.migrations order by name')
    .all()
    .map(({ name }) => String(name))
  const edition = target.prepare('select * from source.editions').get()
  target.exec('commit; detach source')
  return describeTables(
    target,
    countedSteps(migrations),
    { edition: String(edition?.edition), calendar: String(edition?.calendar) },
    shapes,
  )
}

async function copyFromServer(
  target: DatabaseSync,
  from: Db,
  features: readonly FeatureTables[],
  leftOut: readonly string[],
): Promise<TablesManifest> {
  const migrations = (await findMigrations(from)) ?? []
  const shapes = await listTables(from, features)
  const forms = await tableForms(migrations, features)
  target.exec('begin')
  for (const shape of shapes) {
    const { name, columns, counter } = shape
    const form = forms.get(name) ?? ''
    target.exec(form)
    const values = columns.map(() => '?').join()
    const insert = target.prepare(
      `insert into ${quoted(name)} (${columns.map(quoted).join()}) values (${values})`,
    )
    for await (const rows of leftOut.includes(name) ? [] : readRows(from, shape))
      for (const row of rows) {
        // biome-ignore lint/plugin: columns of a table
        insert.run(...columns.map((column) => row[column] as SQLInputValue))
      }
    // Without `autoincrement` SQLite continues from the largest id: there is no counter.
    if (counter === undefined || !form.includes('autoincrement')) continue
    target.prepare('delete from sqlite_sequence where name = ?').run(name)
    const next = await findNextNumber(from, shape, counter)
    target.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, next - 1)
  }
  target.exec('commit')
  const { edition, calendar } = await from.selectFrom('editions').selectAll().executeTakeFirstOrThrow()
  return describeTables(target, migrations, { edition, calendar }, shapes)
}

async function tableForms(
  migrations: readonly string[],
  features: readonly FeatureTables[],
): Promise<Map<string, string>> {
  const blank: Database = await openDatabase('sqlite::memory:')
  try {
    await blank.migrate(async (tx) => {
      await migrateWithin(tx, migrations, features)
    })
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_schema where type = 'table'`.execute(blank.read)
    return new Map(rows.map((row) => [row.name, row.sql]))
  } finally {
    await blank.close()
  }
}

function describeTables(
  target: DatabaseSync,
  migrations: string[],
  named: Pick<Manifest, 'edition' | 'calendar'>,
  shapes: readonly TableShape[],
): TablesManifest {
  const rows = Object.fromEntries(shapes.map(({ name }) => [name, countRows(target, name)]))
  return { ...named, migrations, rows }
}

function countRows(connection: DatabaseSync, table: string): number {
  return Number(connection.prepare(`select count(*) as count from ${quoted(table)}`).get()?.count)
}

function makeWriter(target: DatabaseSync): BackupWriter {
  const insert = target.prepare('insert into sqlar (name, mode, mtime, sz, data) values (?, ?, 0, ?, ?)')
  return {
    db: queryBuilder(prepareKept(target)),
    addFile: (key, bytes) => {
      insert.run(key, 0o100600, bytes.length, bytes)
    },
    finish: (manifest) => {
      target.exec('create table backup (manifest text not null)')
      target.prepare('insert into backup (manifest) values (?)').run(JSON.stringify(manifest))
      target.close()
    },
    close: () => target.close(),
  }
}

/** Up to this size the file is mapped into memory, which saves copies of pages. */
const MAPPED_BYTES = 2 ** 30

export interface OpenBackup {
  manifest: Manifest
  db: Db
  listFiles: () => string[]
  readFile: (key: string) => Uint8Array
  close: () => void
}

/**
 * Opens a backup after checking pages, foreign keys, and the manifest's numbers of rows and files.
 * @throws Error if it is damaged, or of a newer version
 */
export function openBackup(file: string): OpenBackup {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    connection.exec(`pragma mmap_size = ${MAPPED_BYTES}`)
    const manifest = readManifest(connection)
    requireSound(connection, manifest)
    const names = connection.prepare('select name from sqlar order by name')
    const data = connection.prepare('select data from sqlar where name = ?')
    return {
      manifest,
      db: queryBuilder(prepareKept(connection)),
      listFiles: () => names.all().map(({ name }) => String(name)),
      readFile: (key) => data.get(key)?.data as Uint8Array,
      close: () => connection.close(),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function readManifest(connection: DatabaseSync): Manifest {
  const mark = connection.prepare('pragma application_id').get()?.application_id
  if (mark !== APPLICATION_ID) throw new Error('The file is no backup of Kalends.')
  const manifest: Manifest = JSON.parse(
    String(connection.prepare('select manifest from backup').get()?.manifest),
  )
  if (manifest.format !== BACKUP_FORMAT)
    throw new Error(`The backup was taken by Kalends ${manifest.version}, which is newer than this one.`)
  return manifest
}

function requireSound(connection: DatabaseSync, { rows, files }: Manifest): void {
  const found = connection.prepare('pragma quick_check(1)').get()?.quick_check
  if (found !== 'ok') throw new Error(`The backup is damaged: ${String(found)}.`)
  const dangling = connection.prepare('pragma foreign_key_check').get()
  if (dangling)
    throw new Error(`The backup is damaged: a row of ${String(dangling.table)} refers to nothing.`)
  for (const [table, count] of Object.entries({ ...rows, sqlar: files }))
    if (countRows(connection, table) !== count)
      throw new Error(
        `The backup is damaged: its table ${table} does not have the ${count} rows it should have.`,
      )
}

/** Refuses a database with unknown migrations: its tables could not be copied. */
export function refuseUnknown(done: Iterable<string>, features: readonly FeatureTables[]): void {
  refuseNewer(done, features)
  const left = new Set(findUnknown(done, features).map(featureOfStep))
  if (left.size > 0)
    throw new Error(`The database has tables of ${[...left].join(', ')}, which this program is without.`)
}
