import type { Context } from '../declare/context.ts'
import type { Found } from '../declare/operations.ts'
import { parseFields, type RawValues } from '../declare/parse.ts'
import { formatsOf } from '../formats/formats.ts'
import { ndjson } from '../formats/ndjson.ts'
import { Problem } from '../problems.ts'
import { presentListed } from '../records/present-records.ts'
import { resources, type Served } from '../resources.ts'

// An export finds, loads and shows records as the lists of the interface do, for whoever the caller of the context is.

/** The parameters that say when; without any an export has events of all times. */
const DATES = ['start_date', 'end_date', 'starts_before', 'starts_after', 'ends_before', 'ends_after', 'include']

/** Earlier than any event: with it there is no window. */
const BEFORE_ALL = '0001-01-02'

const [events] = resources
if (!events) throw new Error('There is no list of events.')
const { resource, filters, operations } = events

/** The filters of an export: those of lists of events, which has no pages. */
export const exportFilters = Object.entries(filters).filter(([name]) => !['page', 'per_page'].includes(name))

/** The names of the formats, the first of which is the default. */
export const exportFormats: readonly string[] = formatsOf(resource).map(({ name }) => name)

/** What is exported. */
export interface ExportAsked {
  /** One of `exportFormats`. */
  format: string
  /** Filters by name, as sent. */
  sent: RawValues
  /** Adds venues, organizers, categories and tags, where the format has room for them. */
  withLists: boolean
}

/**
 * The bytes of an export, made as they are taken.
 * @throws Error with one sentence that names the filters with impossible values
 */
export async function* exportCalendar(
  context: Context,
  { format, sent, withLists }: ExportAsked,
): AsyncGenerator<Buffer> {
  const found = await findExported(context, sent)
  if (format === 'json') return yield* exportJson(context, found, withLists)
  yield* shownAs(context, format, found)
}

/**
 * The events that filters leave, of all times unless they say when.
 * @throws Error with one sentence that names the filters with impossible values
 */
export async function findExported(context: Context, sent: RawValues): Promise<Found> {
  const raw = DATES.some((name) => sent[name] !== undefined) ? sent : { ...sent, starts_after: BEFORE_ALL }
  const query = await readQuery(context, raw)
  const { findAll } = operations
  if (!findAll) throw new Error('Events have no list without pages.')
  // Events that are no longer public are told of in feeds, whose readers have them.
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
    const records = names.some((name) => filters[name]?.lookUp) ? ' The calendar has nothing of that name or id.' : ''
    throw new Error(`No list takes such a value: ${named.join(', ')}.${drafts}${records}`)
  }
}

async function* shownAs(context: Context, name: string, found: Found): AsyncGenerator<Buffer> {
  const format = formatsOf(resource).find((known) => known.name === name) ?? ndjson
  const { shown } = await format.showList(context, events as Served, found, `${context.site.base}/events`)
  if (!shown || Buffer.isBuffer(shown.bytes)) throw new Error(`The format ${name} has no form without pages.`)
  yield* shown.bytes
}

/** One object with a list of events, and perhaps those of all other kinds. */
async function* exportJson(context: Context, found: Found, withLists: boolean): AsyncGenerator<Buffer> {
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

/** A member with all records of a list, page by page. */
async function* exportList(context: Context, served: Served): AsyncGenerator<Buffer> {
  yield Buffer.from(`\n],"${served.resource.path}":[\n`)
  let between = ''
  for (let page = 1, isLast = false; !isLast; page++) {
    const sent = { page, per_page: context.site.pageSizeCap }
    const found = await served.operations.find(context, await parseFields(served.filters, sent, context))
    const loaded = found.total === 0 ? [] : await served.operations.load(context, found)
    const records = await presentListed(context, served.operations.presentation, loaded)
    if (records.length > 0) yield Buffer.from(between + records.map((record) => JSON.stringify(record)).join(',\n'))
    if (records.length > 0) between = ',\n'
    isLast = page * found.perPage >= found.total
  }
}
