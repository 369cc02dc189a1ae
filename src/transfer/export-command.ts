import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { flagName, type Site, settings } from '../config.ts'
import type { Context } from '../declare/context.ts'
import { speaker } from '../locales/translate.ts'
import type { ImageService } from '../media/image-service.ts'
import { anonymous, type Caller } from '../people/caller.ts'
import type { Database, Db } from '../storage/database.ts'
import { readSnapshot } from '../storage/open-database.ts'
import { type ExportAsked, exportCalendar, exportFilters, exportFormats } from './export.ts'
import { isFolder, requireFolderOf } from './output-file.ts'
import { run } from './run-command.ts'

/** What an export reads. */
export interface ExportGround {
  database: Database
  site: Site
  images: ImageService
}

interface ExportOptions extends Record<string, string | boolean | undefined> {
  format: string
  output?: string
  all?: true
}

/** Puts the command `export` on the command line; it opens the calendar, and closes the database when done. */
export function registerExportCommand(program: Command, open: () => Promise<ExportGround>): void {
  const command = program
    .command('export')
    .description('Write events to standard output or a file: all public events, or those that match the filters.')
    .addOption(new Option('--format <name>', 'the format').choices([...exportFormats]).default(exportFormats[0]))
    .option('--output <file>', 'the file to write; it appears when it is complete')
    .option('--all', 'also records that are not public; in json also venues, organizers, categories and tags')
  addFilters(command)
  command.action((options: ExportOptions, self: Command) =>
    run(self, async () => {
      const { database, site, images } = await open()
      try {
        await readSnapshot(database, async (db) => {
          const caller = options.all ? EVERYBODY : anonymous
          const context = contextOf({ database, site, images }, db, caller)
          await send(exportCalendar(context, askedBy(options)), options.output)
        })
      } finally {
        await database.close()
      }
    }),
  )
}

/** Adds a flag for every filter of an export. */
export function addFilters(command: Command): void {
  // A flag that is a setting as well is one already, and does the same.
  for (const [name, { about }] of exportFilters)
    if (!Object.hasOwn(settings, name)) command.option(`${flagName(name)} <value>`, about)
}

/** An administrator who is no user, and sees everything. */
export const EVERYBODY: Caller = { id: -1, login: '', role: 'administrator' }

/** The context of an export, which reads one snapshot and writes nothing. */
function contextOf({ database, site, images }: ExportGround, db: Db, caller: Caller): Context {
  const { aside, findMatching } = database
  const write = () => Promise.reject(new Error('An export writes nothing.'))
  const report: Context['report'] = (error) => console.error(error)
  return { db, aside, write, findMatching, images, say: speaker(site), report, site, caller, now: Date.now() }
}

function askedBy(options: ExportOptions): ExportAsked {
  return { format: options.format, sent: filtersAmong(options), withLists: options.all === true }
}

/** The filters among the options, under the names of the interface. */
export function filtersAmong(options: Readonly<Record<string, unknown>>): Record<string, string> {
  const sent = exportFilters.flatMap(([name]) => {
    const value = options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(sent)
}

/** Writes into a file, which appears once it is whole, or to standard output for as long as somebody reads it. */
async function send(bytes: AsyncIterable<Buffer>, file: string | undefined): Promise<void> {
  const counted = process.stderr.isTTY && (file !== undefined || !process.stdout.isTTY) ? countAloud(bytes) : bytes
  if (file !== undefined) return writeFile(counted, file)
  try {
    await pipeline(Readable.from(counted), process.stdout, { end: false })
  } catch (error) {
    const hasLeft = error instanceof Error && 'code' in error && error.code === 'EPIPE'
    if (!hasLeft) throw error
  }
}

async function writeFile(bytes: AsyncIterable<Buffer>, file: string): Promise<void> {
  if (isFolder(file)) throw new Error(`${file} is a folder: name a file in it.`)
  requireFolderOf(file)
  const partial = `${file}.${process.pid}.part`
  const handle = await open(partial, 'wx').catch((error: Error) => {
    throw new Error(`${file} cannot be written: ${error.message}.`)
  })
  try {
    await pipeline(Readable.from(bytes), handle.createWriteStream({ flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Milliseconds between two words on how far it has come. */
const TELL_EVERY = 500

async function* countAloud(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const say = (end: string) => process.stderr.write(`\r${(written / 1_000_000).toFixed(1)} MB${end}`)
  let written = 0
  let told = performance.now()
  for await (const some of bytes) {
    yield some
    written += some.length
    if (performance.now() - told < TELL_EVERY) continue
    told = performance.now()
    say('')
  }
  say('\n')
}
