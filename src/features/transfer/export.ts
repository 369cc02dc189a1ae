import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { flagName, settingTable } from '../../base/config.ts'
import { codeOf } from '../../base/errors.ts'
import { Problem } from '../../base/problems.ts'
import { runOnOpened } from '../../base/run-command.ts'
import type { HasSettings } from '../../base/setting-kinds.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { FoundRecords } from '../../calendar/declare/operations.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { type CalendarGround, readerContext } from '../../calendar/ground.ts'
import { presentListed } from '../../calendar/records/record-store.ts'
import { events, resources, type ServedResource } from '../../calendar/resources.ts'
import { readSnapshot } from '../../store/storage/open-database.ts'
import { saysWhen } from '../feeds/feed.ts'
import { formatsOf } from '../feeds/formats.ts'
import { ndjson } from '../feeds/ndjson.ts'
import { asRefusal, isFolder, requireFolderOf } from './show-progress.ts'

interface ExportOptions extends Record<string, string | boolean | undefined> {
  format: string
  output?: string
  all?: true
}

export function registerExportCommand(
  program: Command,
  open: () => Promise<CalendarGround>,
  features: readonly HasSettings[],
): void {
  const command = program
    .command('export')
    .description(
      'Write events to standard output or a file: all public events, or those that match the filters.',
    )
    .addOption(
      new Option('--format <name>', 'the format').choices([...exportFormats]).default(exportFormats[0]),
    )
    .option('--output <file>', 'the file to write; it appears when it is complete')
    .option('--all', 'also records that are not public; in json also venues, organizers, categories and tags')
  addFilters(command, features)
  command.action((options: ExportOptions, self: Command) =>
    runOnOpened(self, open, (ground) =>
      readSnapshot(ground.database, async (db) => {
        const context = readerContext(ground, options.all === true, { db, write: writeNothing })
        await writeBytes(exportCalendar(context, askedBy(options)), options.output)
      }),
    ),
  )
}

export function addFilters(command: Command, features: readonly HasSettings[]): void {
  const settings = settingTable(features)
  // A filter with the name of a setting has no option: the flag of the setting is used.
  for (const [name, { about }] of exportFilters)
    if (!Object.hasOwn(settings, name)) command.option(`${flagName(name)} <value>`, about)
}

const writeNothing = () => Promise.reject(new Error('An export writes nothing.'))

function askedBy(options: ExportOptions): ExportAsked {
  return { format: options.format, sent: filtersAmong(options), withLists: options.all === true }
}

export function filtersAmong(options: Readonly<Record<string, unknown>>): Record<string, string> {
  const sent = exportFilters.flatMap(([name]) => {
    const value = options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(sent)
}

/** Writes to standard output, or to a file that appears once complete. */
async function writeBytes(bytes: AsyncIterable<Buffer>, file: string | undefined): Promise<void> {
  const counted =
    process.stderr.isTTY && (file !== undefined || !process.stdout.isTTY) ? countAloud(bytes) : bytes
  if (file !== undefined) return writeFile(counted, file)
  try {
    await pipeline(Readable.from(counted), process.stdout, { end: false })
  } catch (error) {
    const hasLeft = codeOf(error) === 'EPIPE'
    if (!hasLeft) throw error
  }
}

async function writeFile(bytes: AsyncIterable<Buffer>, file: string): Promise<void> {
  if (isFolder(file)) throw new Error(`${file} is a folder: name a file in it.`)
  requireFolderOf(file)
  const partial = `${file}.${process.pid}.part`
  const handle = await open(partial, 'wx').catch((error: Error) => {
    const refusal = asRefusal(error, file)
    throw refusal === error ? new Error(`${file} cannot be written: ${error.message}.`) : refusal
  })
  try {
    await pipeline(Readable.from(bytes), handle.createWriteStream({ flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

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

// Exported records look as in the lists of the API for the same caller.

const BEFORE_ALL = '0001-01-02'

const { resource, filters, operations } = events

const exportFilters = Object.entries(filters).filter(([name]) => !['page', 'per_page'].includes(name))

const exportFormats: readonly string[] = formatsOf(resource).map(({ name }) => name)

interface ExportAsked {
  format: string
  sent: RawValues
  /** True if venues, organizers and terms are exported too, which only json can contain. */
  withLists: boolean
}

async function* exportCalendar(
  context: Context,
  { format, sent, withLists }: ExportAsked,
): AsyncGenerator<Buffer> {
  const found = await findExported(context, sent)
  if (format === 'json') return yield* exportJson(context, found, withLists)
  yield* shownAs(context, format, found)
}

/** Finds events of all times, unless filtered. @throws Error that names filters with impossible values */
export async function findExported(context: Context, sent: RawValues): Promise<FoundRecords> {
  const raw = saysWhen(sent) ? sent : { ...sent, starts_after: BEFORE_ALL }
  const query = await readQuery(context, raw)
  const { findAll } = operations
  if (!findAll) throw new Error('Events have no list without pages.')
  // Only subscribers of feeds need withdrawn events.
  const { withdrawn: _withdrawn, ...found } = await findAll(context, query)
  return found
}

async function readQuery(context: Context, raw: RawValues): Promise<unknown> {
  try {
    return await parseFields(filters, raw, context)
  } catch (error) {
    if (!(error instanceof Problem) || !error.details.params) throw error
    const names = Object.keys(error.details.params)
    const named = names.map((name) => `--${name.replaceAll('_', '-')} ${String(raw[name])}`)
    const drafts = names.includes('status') ? ' Only --all has others than published ones.' : ''
    const records = names.some((name) => filters[name]?.lookUp)
      ? ' The calendar has nothing of that name or id.'
      : ''
    throw new Error(`The filter does not take this value: ${named.join(', ')}.${drafts}${records}`)
  }
}

async function* shownAs(context: Context, name: string, found: FoundRecords): AsyncGenerator<Buffer> {
  const format = formatsOf(resource).find((known) => known.name === name) ?? ndjson
  const { representation } = await format.showList(
    context,
    events as ServedResource,
    found,
    `${context.site.base}/events`,
  )
  if (!representation || Buffer.isBuffer(representation.bytes))
    throw new Error(`The format ${name} has no form without pages.`)
  yield* representation.bytes
}

async function* exportJson(
  context: Context,
  found: FoundRecords,
  withLists: boolean,
): AsyncGenerator<Buffer> {
  yield Buffer.from('{"events":[\n')
  let between = ''
  for await (const lines of shownAs(context, ndjson.name, found)) {
    if (lines.length === 0) continue
    yield Buffer.from(between + lines.toString('utf8', 0, lines.length - 1).replaceAll('\n', ',\n'))
    between = ',\n'
  }
  for (const served of withLists ? resources.slice(1) : []) yield* exportList(context, served)
  yield Buffer.from('\n]}\n')
}

async function* exportList(context: Context, served: ServedResource): AsyncGenerator<Buffer> {
  yield Buffer.from(`\n],"${served.resource.path}":[\n`)
  let between = ''
  for (let page = 1, isLast = false; !isLast; page++) {
    const sent = { page, per_page: context.site.pageSizeCap }
    const found = await served.operations.find(context, await parseFields(served.filters, sent, context))
    const loaded = found.total === 0 ? [] : await served.operations.load(context, found)
    const records = await presentListed(context, served.operations.presentation, loaded)
    if (records.length > 0)
      yield Buffer.from(between + records.map((record) => JSON.stringify(record)).join(',\n'))
    if (records.length > 0) between = ',\n'
    isLast = page * found.perPage >= found.total
  }
}
