import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { commandVariables } from '../config.ts'
import { openMediaStore } from '../media/open-media-store.ts'
import { Problem } from '../problems.ts'
import { withoutPassword } from '../storage/database-address.ts'
import { migrate } from '../storage/migrate.ts'
import { forgetMove, noteMove } from '../storage/moved-calendar.ts'
import { openDatabase, openExisting } from '../storage/open-database.ts'
import { type Copied, copyCalendar } from './copy.ts'
import { type Print, run, showProgress } from './run-command.ts'

/** Puts the command `copy` on the command line. */
export function registerCopyCommand(program: Command): void {
  program
    .command('copy')
    .description('Copy a calendar with everything in it into another, empty database.')
    .argument('[from]', `the database to read, as in --database [${commandVariables.copyFrom}]`)
    .argument(
      '[to]',
      `the database to fill, as in --database; run the same command again to finish an interrupted copy [${commandVariables.copyTo}]`,
    )
    .option('--from-file <file>', 'a file with the address of the database to read, which no other user can see')
    .option('--to-file <file>', 'the same for the database to fill')
    .option('--media-from <address>', 'the store to read the files of images from, as in --media')
    .option('--media-to <address>', 'the store to put them into, as in --media')
    .action((first: string | undefined, second: string | undefined, options: CopyOptions, command: Command) =>
      run(command, (print) => {
        const { mediaFrom, mediaTo } = options
        const databases = databasesOf([first, second], options, process.env)
        for (const word of [first, second]) if (word !== undefined && hasPassword(word)) print(remarkOn(word))
        return copyByAddress({ ...databases, ...(mediaFrom && { mediaFrom }), ...(mediaTo && { mediaTo }) }, print)
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
 * The addresses of the databases: of the command line, else from the files, else of the environment. A single address of the command line
 * is that of the database which is not named elsewhere, of the one to read when neither is.
 * @throws Error with one sentence when one is named nowhere, or a file cannot be read
 */
function databasesOf(
  words: readonly (string | undefined)[],
  files: Pick<CopyOptions, 'fromFile' | 'toFile'>,
  environment: NodeJS.ProcessEnv,
): Pick<CopyAddresses, 'from' | 'to'> {
  const { copyFrom, copyTo } = commandVariables
  const from = files.fromFile === undefined ? environment[copyFrom] : addressIn(files.fromFile)
  const to = files.toFile === undefined ? environment[copyTo] : addressIn(files.toFile)
  const [first, second] = from && words[1] === undefined ? [undefined, words[0]] : words
  return {
    from: named(first ?? from, `Name the database to read: as an argument, in ${copyFrom}, or with --from-file.`),
    to: named(second ?? to, `Name the database to fill: as an argument, in ${copyTo}, or with --to-file.`),
  }
}

function named(address: string | undefined, otherwise: string): string {
  if (!address) throw new Error(otherwise)
  return address
}

/** The first line of a file. */
function addressIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]?.trim() ?? ''
  } catch (error) {
    throw new Error(`The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Whether an address has a password in it; a path, named by mistake, is no address. */
function hasPassword(address: string): boolean {
  return address.includes('://') && withoutPassword(address) !== address
}

function remarkOn(address: string): string {
  const { copyFrom, copyTo } = commandVariables
  return `Other users of this machine can see the password of ${withoutPassword(address)} on the command line; ${copyFrom} and ${copyTo}, --from-file and --to-file keep it from them.`
}

/** What to copy where: databases as in the setting `database`, and stores as in `media`, both or none. */
export interface CopyAddresses {
  from: string
  to: string
  mediaFrom?: string
  mediaTo?: string
}

/** Copies, and prints the progress and the counts. @throws Error with one sentence when it cannot. */
export async function copyByAddress(addresses: CopyAddresses, print: Print): Promise<void> {
  const failures: Error[] = []
  const stores = await openStores(addresses, (error) => failures.push(error))
  const source = await openExisting(addresses.from)
  try {
    const target = await openDatabase(addresses.to)
    try {
      const { remarks } = await migrate(target)
      remarks.forEach(print)
      const copied = await copyCalendar(source, target, stores, await showProgress(process.stdout, print))
      forgetMove(addresses.to)
      const noted = noteMove(addresses.from, addresses.to, Date.now())
      for (const line of [...describeCopied(copied), ...(noted ? [noted] : [])]) print(line)
    } finally {
      await target.close()
    }
  } catch (error) {
    // The store has reported the reason.
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
  const width = (column: number) => [HEAD, ...rows].reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)
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
