import { buffer } from 'node:stream/consumers'
import { filesOf } from '../images/images.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { Database, Db } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { readSnapshot } from '../storage/open-database.ts'
import type { ImageRow } from '../storage/schema.ts'
import {
  countRows,
  findMigrations,
  findNextNumber,
  gatherStatistics,
  insertRows,
  listTables,
  type Row,
  readRows,
  setNextNumber,
  type TableShape,
} from '../storage/tables.ts'

/** Shows the progress of a copy: one piece of work after the other, each of so many rows or files. */
export interface CopyProgress {
  start: (what: string, total: number) => void
  advance: (done: number) => void
  finish: () => void
}

export interface TableCount {
  table: string
  source: number
  target: number
}

/** The result of a copy. */
export interface Copied {
  /** True when the target held the same rows from the start. */
  wasThere: boolean
  counts: TableCount[]
  /** Undefined when files were not asked for. */
  files: CopiedFiles | undefined
}

export interface CopiedFiles {
  copied: number
  /** Files that the target had already. */
  kept: number
  /** Keys that an image names and the source does not have. */
  missing: string[]
}

interface FileStores {
  from: MediaStore
  to: MediaStore
}

/**
 * Carries a calendar to another database, and its files to another store when there are `stores`: everything as it is at this moment, with
 * ids, slugs, people and their credentials, and counters that go on where they were. The source is only read. The target is brought up to
 * date with `migrate` before; it is filled in one transaction, so that it holds all or nothing whenever the copy ends. Files go first, one
 * by one, and those that are there are not sent again.
 * @throws Error with one sentence when the source is no calendar of this version, the target holds anything else than this copy, or the
 * counts of any table differ at the end.
 */
export async function copyCalendar(
  source: Database,
  target: Database,
  stores: FileStores | undefined,
  progress: CopyProgress,
): Promise<Copied> {
  return readSnapshot(source, async (from) => {
    await requireSameMigrations(from, target.read)
    const tables = await listCommonTables(from, target.read)
    const wasThere = await holdsCopy(from, target.read, tables, progress)
    const files = stores && (await copyFiles(from, tables, stores, progress))
    if (!wasThere) {
      await target.migrate((tx) => copyTables(from, tx, tables, progress))
      // Brings the search index up to the copied rows.
      await migrate(target)
      await gatherStatistics(target.read)
    }
    return { wasThere, counts: await compareCounts(from, target.read, tables), files }
  })
}

async function requireSameMigrations(from: Db, to: Db): Promise<void> {
  const [before, after] = [await findMigrations(from), (await findMigrations(to)) ?? []]
  if (before === undefined) throw new Error('The source holds no calendar.')
  const lacking = after.filter((name) => !before.includes(name))
  if (lacking.length > 0)
    throw new Error(`The source is of an older version (without ${lacking.join(', ')}); serve it once with this one.`)
  const unknown = before.filter((name) => !after.includes(name))
  if (unknown.length > 0) throw new Error(`The source is of a newer version (with ${unknown.join(', ')}).`)
}

/**
 * The tables of the calendar. After the same migrations both databases have all of them; what only one has is of its own making, or
 * somebody else's.
 */
export async function listCommonTables(from: Db, to: Db): Promise<TableShape[]> {
  const sources = new Map((await listTables(from)).map((table) => [table.name, table]))
  return (await listTables(to)).filter((table) => {
    const source = sources.get(table.name)
    if (source && source.columns.toSorted().join() !== table.columns.toSorted().join())
      throw new Error(`The table ${table.name} has other columns in the source than in the target.`)
    return source !== undefined
  })
}

/** False when the target is empty. @throws Error when it holds anything else than the rows of the source. */
async function holdsCopy(from: Db, to: Db, tables: TableShape[], progress: CopyProgress): Promise<boolean> {
  const counts = await compareCounts(from, to, tables)
  if (counts.every(({ target }) => target === 0)) return false
  if (counts.some(({ source, target }) => source !== target)) throw new Error(describeOther(counts))
  for (const [index, table] of tables.entries()) {
    progress.start(`comparing ${table.name}`, counts[index]?.source ?? 0)
    const others = readRows(to, table)
    for await (const rows of readRows(from, table)) {
      const { value } = await others.next()
      if (textOf(table, rows) !== textOf(table, value ?? [])) throw new Error(describeOther(counts))
      progress.advance(rows.length)
    }
    progress.finish()
  }
  return true
}

function describeOther(counts: readonly TableCount[]): string {
  const held = counts.filter(({ target }) => target > 0).map(({ table, target }) => `${target} in ${table}`)
  return `The target already holds other rows (${held.join(', ')}); copy into an empty database.`
}

const textOf = ({ columns }: TableShape, rows: readonly Row[]) =>
  JSON.stringify(rows.map((row) => columns.map((column) => row[column])))

/**
 * Copies the rows of empty tables within a transaction, and lets their counters go on where they were.
 * @throws Error with one sentence when a table is not empty, or does not have all rows at the end
 */
export async function copyTables(from: Db, tx: Db, tables: TableShape[], progress: CopyProgress): Promise<void> {
  const before = await compareCounts(from, tx, tables)
  // It may have been written since it was found empty.
  if (before.some(({ target }) => target > 0)) throw new Error(describeOther(before))
  for (const [index, table] of tables.entries()) {
    progress.start(table.name, before[index]?.source ?? 0)
    for await (const rows of readRows(from, table)) {
      await insertRows(tx, table, rows)
      progress.advance(rows.length)
    }
    if (table.counter !== undefined)
      await setNextNumber(tx, table, table.counter, await findNextNumber(from, table, table.counter))
    progress.finish()
  }
  const wrong = (await compareCounts(from, tx, tables)).filter(({ source, target }) => source !== target)
  if (wrong.length === 0) return
  const described = wrong.map(({ table, source, target }) => `${table} has ${target} of ${source} rows`)
  throw new Error(`The copy was given up: ${described.join(', ')}.`)
}

/** How many rows each table has on both sides. */
export async function compareCounts(from: Db, to: Db, tables: readonly TableShape[]): Promise<TableCount[]> {
  const counts: TableCount[] = []
  for (const table of tables)
    counts.push({ table: table.name, source: await countRows(from, table), target: await countRows(to, table) })
  return counts
}

async function copyFiles(
  from: Db,
  tables: readonly TableShape[],
  stores: FileStores,
  progress: CopyProgress,
): Promise<CopiedFiles> {
  const files: CopiedFiles = { copied: 0, kept: 0, missing: [] }
  const images = tables.find(({ name }) => name === 'images')
  if (!images) return files
  progress.start('image files', await countRows(from, images))
  for await (const rows of readRows(from, images)) {
    for (const row of rows as unknown as ImageRow[]) {
      const keys = filesOf(row)
      const results = await Promise.all(keys.map((key) => copyFile(key, row.mime_type, stores)))
      for (const [index, result] of results.entries()) {
        if (result === 'missing') files.missing.push(keys[index] ?? '')
        else files[result] += 1
      }
      progress.advance(1)
    }
  }
  progress.finish()
  return files
}

/** @throws Error when the target store has another file under the key. */
async function copyFile(
  key: string,
  mimeType: string,
  { from, to }: FileStores,
): Promise<'copied' | 'kept' | 'missing'> {
  const there = await to.read(key)
  there?.stream.destroy()
  const file = await from.read(key)
  if (!file) return 'missing'
  if (!there) {
    await to.restore(key, await buffer(file.stream), mimeType)
    return 'copied'
  }
  file.stream.destroy()
  if (there.size !== file.size) throw new Error(`The target store has another file ${key}.`)
  return 'kept'
}
