import { askChanges, type Changes, editionOf } from './ask-changes.ts'
import { findInterface, parsed } from './find-interface.ts'
import { nameOrigin } from './named-origin.ts'
import { type Answered, type FetchOptions, fetchPolitely, SourceFailure } from './polite-fetch.ts'
import { isShown, itemsOf, LISTS, type ShownKind } from './shown-records.ts'
import { MOST_OCCURRENCES, seriesEntries, seriesIn } from './shown-series.ts'
import { keyOf, type Source, type SourceEntry, standsAlone } from './source-item.ts'

/** The facts about a site that are known before it is read. */
export interface SiteTask {
  /** The address of the site, of its interface, or of a page of it. */
  url: string
  /** What that address answers with, if it is a page. */
  page?: Answered | undefined
  /** Login and application password, to read drafts and private records. */
  login?: string | undefined
  password?: string | undefined
  /** Only records that have changed since, `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined
  backOffMs: number
}

const PAGE_SIZE = 50
/** Pages of one list; a source with more has no end. */
const MOST_PAGES = 200_000
const STATUSES = 'publish,future,draft,pending,private'

/** How far a site has been read, and the facts found out about it. */
interface Reading {
  task: SiteTask
  options: FetchOptions
  base: string
  list: number
  page: number
  /** Records read of the list. */
  inList: number
  /** Records read, and those that there are to be read, as far as known. */
  read: number
  totals: Map<string, number>
  isWhole: boolean
  /** Venues, organizers and terms that came in lists of their own: events show them as well. */
  listed: Set<string>
  /** Series that have been read, each whole with its first occurrence. */
  series: Set<string>
  /** At a site with a feed of changes: the token to send next, and the token of its last answer. */
  since: string
  token: string
  /** The edition of its database, if it names one. */
  edition: string
}

/** A site that speaks this interface, read page by page. */
export function siteSource(task: SiteTask, address: string): Source {
  const named = nameOrigin(task.url, task.login, task.password)
  const options = { named, accept: 'application/json', backOffMs: task.backOffMs }
  const isWhole = task.since === undefined
  const reading: Reading = {
    task,
    options,
    base: '',
    list: 0,
    page: 1,
    inList: 0,
    read: 0,
    totals: new Map(),
    isWhole,
    listed: new Set(),
    series: new Set(),
    since: '',
    token: '',
    edition: '',
  }
  return {
    address,
    total: () => [...reading.totals.values()].reduce((sum, total) => sum + total, 0),
    progress: () => reading.read,
    isWhole: () => reading.isWhole,
    position: () =>
      JSON.stringify(reading.since === '' ? [reading.list, reading.page, reading.inList] : [reading.since]),
    resume: (position) => {
      const [list, page, inList]: unknown[] = JSON.parse(position)
      reading.isWhole = false
      if (typeof list === 'string') reading.since = list
      else [reading.list, reading.page, reading.inList] = [Number(list), Number(page), Number(inList)]
    },
    readSince: (token) => {
      reading.since = token
      reading.isWhole = task.since === undefined && token === ''
      reading.listed.clear()
      reading.series.clear()
    },
    token: () => reading.token,
    edition: () => reading.edition,
    entries: () => readSite(reading),
  }
}

async function* readSite(reading: Reading): AsyncGenerator<SourceEntry> {
  const { base, root } = await findInterface(reading.task.url, reading.options, reading.task.page)
  reading.base = base
  const isBegun = reading.list > 0 || reading.page > 1
  const changes = isBegun || reading.task.since !== undefined ? undefined : await firstChanges(reading, root)
  reading.edition = changes ? editionOf(changes) : ''
  if (changes) return yield* readChanges(reading, root, changes)
  for (; reading.list < LISTS.length; reading.list += 1) {
    const [path, kind] = LISTS[reading.list] ?? LISTS[0]
    yield* readList(reading, path, kind)
    reading.page = 1
    reading.inList = 0
  }
}

/** The first page of changes since the token at a site with such a feed; undefined at any other. */
async function firstChanges(reading: Reading, root: string): Promise<Changes | undefined> {
  try {
    return await askChanges(root, reading.since, reading.options)
  } catch (error) {
    if (!(error instanceof SourceFailure) || ![400, 401, 403, 404, 405, 410].includes(error.status)) throw error
    if (reading.since === '') return undefined
    // The token has expired, or belongs to another reader.
    reading.since = ''
    reading.isWhole = true
    return firstChanges(reading, root)
  }
}

async function* readChanges(reading: Reading, root: string, first: Changes): AsyncGenerator<SourceEntry> {
  const asked = new Set<string>()
  for (let page: Changes = first; ; page = await askChanges(root, page.next, reading.options)) {
    if (asked.has(page.next) || asked.size > MOST_PAGES)
      throw new SourceFailure(root, 'reports changes without an end.')
    asked.add(page.next)
    for (const { kind, id, record } of page.changes) {
      if (record !== undefined) yield* entriesOfRecord(reading, kind, record, `${kind} ${id}`)
      else if (kind === 'event') yield { lost: id }
      reading.read += 1
    }
    reading.since = page.next
    reading.token = page.token
    if (page.next === '') return
  }
}

async function* readList(reading: Reading, path: string, kind: ShownKind): AsyncGenerator<SourceEntry> {
  let before = ''
  for (;;) {
    const { page } = reading
    if (page > MOST_PAGES) throw new SourceFailure(reading.base, `has more than ${MOST_PAGES} pages of ${path}.`)
    const found = await readPage(reading, path)
    if (!found || found.records.length === 0) return yield* lackOf(reading, path, found)
    const text = JSON.stringify(found.records)
    if (text === before)
      throw new SourceFailure(reading.base, `gives the same answer for every page of ${path} from page ${page - 1} on.`)
    before = text
    if ((reading.totals.get(path) ?? found.total) !== found.total) reading.isWhole = false
    reading.totals.set(path, found.total)
    for (const record of found.records) yield* entriesOfRecord(reading, kind, record, `${path}, page ${page}`)
    reading.read += found.records.length
    reading.inList += found.records.length
    reading.page += 1
    if (page >= found.pages) return yield* lackOf(reading, path, found)
  }
}

/** Says where a list ends with fewer records than its pages have counted; `last` is its last page. */
function* lackOf({ base, inList, totals }: Reading, path: string, last: Page | undefined): Generator<SourceEntry> {
  const total = totals.get(path) ?? last?.total ?? 0
  if (inList < total) yield { cutOff: `${base}/${path} breaks off: it gave ${inList} of ${total} records.` }
}

async function* entriesOfRecord(
  reading: Reading,
  kind: ShownKind,
  record: unknown,
  at: string,
): AsyncGenerator<SourceEntry> {
  const { since } = reading.task
  if (since !== undefined && isShown(record) && String(record.modified_utc ?? since) < since) return
  const series = kind === 'event' ? seriesIn(record) : undefined
  if (series !== undefined && reading.series.has(series)) return
  const occurrences = series === undefined ? [] : await readOccurrences(reading, series, record)
  if (occurrences === undefined)
    return yield { cutOff: `The dates of the series ${series} at ${reading.base} break off.` }
  const entries = series === undefined ? itemsOf(kind, record, at) : seriesEntries(occurrences, series, at)
  for (const entry of entries) {
    if (!('kind' in entry) || standsAlone(entry.kind)) yield entry
    else if (entry.kind === kind) {
      reading.listed.add(keyOf(kind, entry.identity))
      yield entry
    } else if (!reading.listed.has(keyOf(entry.kind, entry.identity))) yield entry
  }
}

/** All occurrences of a series, given one of them; only that one if the site does not list them, undefined if it stops on the way. */
async function readOccurrences(reading: Reading, series: string, found: unknown): Promise<unknown[] | undefined> {
  reading.series.add(series)
  const records: unknown[] = []
  const own = { ...reading, task: { ...reading.task, since: undefined } }
  let total = 1
  for (own.page = 1; records.length < MOST_OCCURRENCES; own.page += 1) {
    const page = await readPage(own, 'events', { post_parent: series })
    if (!page || page.records.length === 0) break
    const others = page.records.filter((record) => seriesIn(record) === series)
    for (const record of others) records.push(record)
    // This site does not know the filter.
    if (others.length < page.records.length) return records.length === 0 ? [found] : records
    total = page.total
    if (own.page >= page.pages) break
  }
  return records.length < Math.min(total, MOST_OCCURRENCES) ? undefined : records
}

interface Page {
  records: readonly unknown[]
  total: number
  pages: number
}

/** A page of a list; undefined past its end. @throws SourceFailure */
async function readPage(
  reading: Reading,
  path: string,
  filters: Readonly<Record<string, string>> = {},
): Promise<Page | undefined> {
  const { options, task, page } = reading
  const query = new URLSearchParams({ ...filters, per_page: String(PAGE_SIZE), page: String(page) })
  if (path === 'events') {
    query.set('start_date', '1000-01-01')
    query.set('end_date', '9999-12-31')
  }
  if (options.named.authorization && path !== 'categories' && path !== 'tags') query.set('status', STATUSES)
  if (task.since !== undefined) query.set('modified_after', `${task.since.replace(' ', 'T')}Z`)
  const url = `${reading.base}/${path}?${query}`
  try {
    const { body } = await fetchPolitely(url, options)
    return pageOf(url, path, body)
  } catch (error) {
    const isPastEnd = error instanceof SourceFailure && [400, 404].includes(error.status)
    // Lists answer in this way that there is no such page, and empty lists that they have no page at all.
    if (isPastEnd && (page > 1 || path !== 'events')) return undefined
    if (isPastEnd && (await isThere(reading))) return undefined
    throw error
  }
}

/** Whether the interface answers at all, which proves that an empty list of events is really empty. */
async function isThere({ base, options }: Reading): Promise<boolean> {
  const answer = await fetchPolitely(base, options).catch(() => undefined)
  return answer !== undefined && isShown(parsed(answer.body))
}

function pageOf(url: string, path: string, body: Buffer): Page {
  const value = parsed(body)
  const records = isShown(value) ? value[path] : undefined
  if (!isShown(value) || !Array.isArray(records))
    throw new SourceFailure(
      url,
      `answers with ${body.subarray(0, 200).includes('<') ? 'HTML' : 'something else'} in place of ${path}.`,
    )
  const total = Number(value.total ?? records.length)
  return { records, total, pages: Number(value.total_pages ?? Number.MAX_SAFE_INTEGER) }
}
