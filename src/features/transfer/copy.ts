import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { messageOf } from '../../base/errors.ts'
import { Problem } from '../../base/problems.ts'
import { type Print, runCommand } from '../../base/run-command.ts'
import { filesOf } from '../../calendar/images/images.ts'
import type { MediaStore } from '../../store/media/media-store.ts'
import { openMediaStore } from '../../store/media/open-media-store.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { withoutPassword } from '../../store/storage/database-address.ts'
import { findMigrations, migrate } from '../../store/storage/migrate.ts'
import { type FeatureTables, type KeepsTables, listFeatureTables } from '../../store/storage/migration.ts'
import { openDatabase, openExisting, readSnapshot } from '../../store/storage/open-database.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { COPY_FROM, COPY_TO } from './copy-variables.ts'
import { forgetMove, noteMove } from './database-moves.ts'
import { type CopyProgress, showProgress } from './show-progress.ts'
import {
  countRows,
  findNextNumber,
  gatherStatistics,
  insertRows,
  listTables,
  type Row,
  readRows,
  setNextNumber,
  type TableShape,
} from './tables.ts'

export function registerCopyCommand(program: Command, features: readonly KeepsTables[]): void {
  program
    .command('copy')
    .description('Copy a calendar with everything in it into another, empty database.')
    .argument('[from]', `the database to read, as in --database [${COPY_FROM}]`)
    .argument(
      '[to]',
      'the database to fill, as in --database; run the same command again to finish an interrupted ' +
        `copy [${COPY_TO}]`,
    )
    .option(
      '--from-file <file>',
      'a file with the address of the database to read, which no other user can see',
    )
    .option('--to-file <file>', 'the same for the database to fill')
    .option('--media-from <address>', 'the store to read the files of images from, as in --media')
    .option('--media-to <address>', 'the store to put them into, as in --media')
    .action((first: string | undefined, second: string | undefined, options: CopyOptions, command: Command) =>
      runCommand(command, async (print) => {
        const { mediaFrom, mediaTo } = options
        const databases = databasesOf([first, second], options, process.env)
        for (const word of [first, second]) if (word !== undefined && hasPassword(word)) print(remarkOn(word))
        await copyByAddress(
          { ...databases, ...(mediaFrom && { mediaFrom }), ...(mediaTo && { mediaTo }) },
          await listFeatureTables(features),
          print,
        )
      }),
    )
}

interface CopyOptions {
  fromFile?: string
  toFile?: string
  mediaFrom?: string
  mediaTo?: string
}

/**
 * Returns both addresses: from the command line, else from files, else from the environment.
 * @throws Error for a missing address
 */
function databasesOf(
  words: readonly (string | undefined)[],
  files: Pick<CopyOptions, 'fromFile' | 'toFile'>,
  environment: NodeJS.ProcessEnv,
): Pick<CopyAddresses, 'from' | 'to'> {
  const from = files.fromFile === undefined ? environment[COPY_FROM] : addressIn(files.fromFile)
  const to = files.toFile === undefined ? environment[COPY_TO] : addressIn(files.toFile)
  const [first, second] = from && words[1] === undefined ? [undefined, words[0]] : words
  return {
    from: named(
      first ?? from,
      `Name the database to read: as an argument, in ${COPY_FROM}, or with --from-file.`,
    ),
    to: named(second ?? to, `Name the database to fill: as an argument, in ${COPY_TO}, or with --to-file.`),
  }
}

function named(address: string | undefined, otherwise: string): string {
  if (!address) throw new Error(otherwise)
  return address
}

function addressIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]?.trim() ?? ''
  } catch (error) {
    throw new Error(`The file ${file} cannot be read: ${messageOf(error)}.`)
  }
}

function hasPassword(address: string): boolean {
  return address.includes('://') && withoutPassword(address) !== address
}

function remarkOn(address: string): string {
  return (
    `Other users of this machine can see the password of ${withoutPassword(address)} on the ` +
    `command line; ${COPY_FROM} and ${COPY_TO}, --from-file and --to-file keep it from them.`
  )
}

interface CopyAddresses {
  from: string
  to: string
  mediaFrom?: string
  mediaTo?: string
}

/** Migrates the target, copies the calendar, prints the counts. */
export async function copyByAddress(
  addresses: CopyAddresses,
  features: readonly FeatureTables[],
  print: Print,
): Promise<void> {
  const failures: Error[] = []
  const stores = await openStores(addresses, (error) => failures.push(error))
  const source = await openExisting(addresses.from)
  try {
    const target = await openDatabase(addresses.to)
    try {
      const { remarks } = await migrate(target, features)
      remarks.forEach(print)
      const copied = await copyCalendar(
        source,
        target,
        features,
        stores,
        await showProgress(process.stdout, print),
      )
      forgetMove(addresses.to)
      const noted = noteMove(addresses.from, addresses.to, Date.now())
      for (const line of [...describeCopied(copied), ...(noted ? [noted] : [])]) print(line)
    } finally {
      await target.close()
    }
  } catch (error) {
    // The store rejects with a Problem; `failures` has the cause.
    throw error instanceof Problem ? (failures[0] ?? error) : error
  } finally {
    await source.close()
  }
}

async function openStores({ mediaFrom, mediaTo }: CopyAddresses, report: (error: Error) => void) {
  if (mediaFrom === undefined && mediaTo === undefined) return undefined
  if (mediaFrom === undefined || mediaTo === undefined)
    throw new Error('Files go from one store to another: give both --media-from and --media-to.')
  return { from: await openMediaStore(mediaFrom, report), to: await openMediaStore(mediaTo, report) }
}

function describeCopied({ wasThere, counts, files }: Copied): string[] {
  const total = counts.reduce((sum, { target }) => sum + target, 0)
  const rows = counts.map(({ table, source, target }) => [table, String(source), String(target)])
  const width = (column: number) =>
    [HEAD, ...rows].reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)
  const table = [HEAD, ...rows].map(([name = '', source = '', target = '']) =>
    [name.padEnd(width(0)), source.padStart(width(1)), target.padStart(width(2))].join('  '),
  )
  const said = wasThere
    ? `The target held all ${total} rows already.`
    : `Copied ${total} rows; the counts of all tables agree.`
  return [...table, ...(files ? describeFiles(files) : []), said]
}

const HEAD = ['TABLE', 'SOURCE', 'TARGET']

function describeFiles({ copied, kept, missing }: NonNullable<Copied['files']>): string[] {
  const lost = missing.map((key) => `Not in the source, though an image names it: ${key}`)
  return [...lost, `Files of images: ${copied} copied, ${kept} there already, ${missing.length} missing.`]
}

interface TableCount {
  table: string
  source: number
  target: number
}

interface Copied {
  wasThere: boolean
  counts: TableCount[]
  files: CopiedFiles | undefined
}

interface CopiedFiles {
  copied: number
  kept: number
  /** Keys of files that images refer to but the source store lacks. */
  missing: string[]
}

interface FileStores {
  from: MediaStore
  to: MediaStore
}

/**
 * Copies image files if there are `stores`, then all rows in one transaction, into a migrated target. Ids,
 * slugs, people and credentials stay; new ids continue after the last one.
 * @throws Error when versions differ, the target holds other rows, or counts differ at the end
 */
export async function copyCalendar(
  source: Database,
  target: Database,
  features: readonly FeatureTables[],
  stores: FileStores | undefined,
  progress: CopyProgress,
): Promise<Copied> {
  return readSnapshot(source, async (from) => {
    await requireSameMigrations(from, target.read)
    const tables = await listCommonTables(from, target.read, features)
    const wasThere = await holdsCopy(from, target.read, tables, progress)
    const files = stores && (await copyFiles(from, tables, stores, progress))
    if (!wasThere) {
      await target.migrate((tx) => copyTables(from, tx, tables, progress))
      // Runs steps that need rows, such as filling the search index.
      await migrate(target, features)
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
    throw new Error(
      `The source is of an older version (without ${lacking.join(', ')}); serve it once with this one.`,
    )
  const unknown = before.filter((name) => !after.includes(name))
  if (unknown.length > 0) throw new Error(`The source is of a newer version (with ${unknown.join(', ')}).`)
}

/**
 * Tables that both databases have; others are derived, or belong to another program.
 * @throws Error when the columns of a table differ
 */
export async function listCommonTables(
  from: Db,
  to: Db,
  features: readonly FeatureTables[],
): Promise<TableShape[]> {
  const sources = new Map((await listTables(from, features)).map((table) => [table.name, table]))
  return (await listTables(to, features)).filter((table) => {
    const source = sources.get(table.name)
    if (source && source.columns.toSorted().join() !== table.columns.toSorted().join())
      throw new Error(`The table ${table.name} has other columns in the source than in the target.`)
    return source !== undefined
  })
}

/** True if the target holds the same rows, false if it is empty. @throws Error when it holds others */
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
 * Copies all rows into empty tables; sets counters so that no id is used twice.
 * @throws Error when a table is not empty before, or lacks rows afterwards
 */
export async function copyTables(
  from: Db,
  tx: Db,
  tables: TableShape[],
  progress: CopyProgress,
): Promise<void> {
  const before = await compareCounts(from, tx, tables)
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

export async function compareCounts(from: Db, to: Db, tables: readonly TableShape[]): Promise<TableCount[]> {
  const counts: TableCount[] = []
  for (const table of tables)
    counts.push({
      table: table.name,
      source: await countRows(from, table),
      target: await countRows(to, table),
    })
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

/** @throws Error when the target store has a file of another size under the key */
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
