import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { readToken } from '../sync/sync-token.ts'
import { message } from './import-messages.ts'
import {
  type FetchedAnswer,
  type FetchOptions,
  fetchPolitely,
  nameOrigin,
  SourceFailure,
} from './polite-fetch.ts'
import {
  itemsOf,
  LISTS,
  type ListedKind,
  MOST_OCCURRENCES,
  type ShownRecord,
  seriesEntries,
  seriesIn,
} from './shown-records.ts'
import { itemKey, type Source, type SourceEntry, standsAlone } from './source-item.ts'
import { describeMarkup } from './source-text.ts'

interface Interface {
  root: string
  base: string
}

export const NAMESPACE = /^((.*)\/[a-z][a-z0-9-]*\/events\/v1)(?:\/.*)?$/

/**
 * Finds the namespace: in the address, by the link of its page, or at a known path.
 * @throws SourceFailure if there is none
 */
export async function findInterface(
  address: string,
  options: FetchOptions,
  known?: FetchedAnswer,
): Promise<Interface> {
  const [path = ''] = address.split(/[?#]/, 1)
  const given = path.replace(/(?<!\/)\/+$/, '')
  const [, base, root] = NAMESPACE.exec(given) ?? []
  if (base !== undefined && root !== undefined) return { root, base }
  const page =
    known ?? (await fetchPolitely(`${given}/`, { ...options, accept: 'text/html' }).catch(ignoreMissing))
  const found = rootOf(page?.headers) ?? `${given}/wp-json`
  const namespace = (await readNamespaces(found, options)).find((name) =>
    /^[a-z][a-z0-9-]*\/events\/v1$/.test(name),
  )
  const markup = page && describeMarkup(page.body.toString('utf8'), page.url)
  if (namespace === undefined)
    throw new SourceFailure(address, [
      markup === undefined
        ? message('does not lead to an event interface;')
        : message('does not lead to an event interface but to {markup};', { markup }),
      message('give the address of its namespace, such as https://host/wp-json/tribe/events/v1,'),
      message('or of a calendar file.'),
    ])
  return { root: found, base: `${found}/${namespace}` }
}

/**
 * Namespaces in the index; empty without an index.
 * @throws SourceFailure when the site does not answer, or wants a login
 */
export async function readNamespaces(root: string, options: FetchOptions): Promise<string[]> {
  const index = await fetchPolitely(`${root}/`, options).catch(ignoreMissing)
  const value = index && parsedJson(index.body)
  const { namespaces }: ShownRecord = isRecord(value) ? value : {}
  return Array.isArray(namespaces) ? namespaces.map(String) : []
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof SourceFailure) || error.status === 0 || error.status === 401) throw error
}

function rootOf(headers: FetchedAnswer['headers'] | undefined): string | undefined {
  const links = [headers?.link ?? []].flat().flatMap((link) => link.split(','))
  const link = links.find((one) => one.includes('rel="https://api.w.org/"'))
  const root = link?.slice(link.indexOf('<') + 1, link.indexOf('>'))
  return root?.replace(/(?<!\/)\/+$/, '')
}

/** A page of the feed of changes of another Kalends (docs/sync.md). */
interface Changes {
  changes: readonly { kind: ListedKind; id: string; record: unknown }[]
  next: string
  /** Sync token for the next run; empty on every page but the last. */
  token: string
}

const CHANGES_AT_ONCE = 200

/**
 * Asks for a page of changes; an empty token asks for all records.
 * @throws SourceFailure: 410 for an expired token, 404 without the feed
 */
async function askChanges(root: string, since: string, options: FetchOptions): Promise<Changes> {
  const query = new URLSearchParams({ per_page: String(CHANGES_AT_ONCE), ...(since === '' ? {} : { since }) })
  const url = `${root}/kalends/v1/changes?${query}`
  const { body } = await fetchPolitely(url, options)
  const page = parsedJson(body)
  const { changes, next_token: next = '', sync_token: token = '' } = isRecord(page) ? page : {}
  const isPage = Array.isArray(changes) && typeof next === 'string' && typeof token === 'string'
  if (!isPage || (next === '') === (token === ''))
    throw new SourceFailure(url, message('tells no changes.'), 404)
  return { changes: changes.flatMap((change) => changeOf(change) ?? []), next, token }
}

/** The edition of the database, with which each token begins. */
function editionOf({ next, token }: Pick<Changes, 'next' | 'token'>): string {
  return readToken(next || token)?.edition ?? ''
}

function changeOf(change: unknown): Changes['changes'][number] | undefined {
  if (!isRecord(change)) return undefined
  const found = LISTS.find(([, kind]) => kind === change.kind)
  if (!found) return undefined
  return {
    kind: found[1],
    id: String(change.id),
    record: change.action === 'delete' ? undefined : change.record,
  }
}

interface SiteTask {
  /** Address of the site, its interface, or a page. */
  url: string
  page?: FetchedAnswer | undefined
  login?: string | undefined
  password?: string | undefined
  /** UTC as `YYYY-MM-DD HH:MM:SS`: only records changed since are read. */
  since?: string | undefined
  backOffMs: number
  guest?: readonly string[] | undefined
}

const PAGE_SIZE = 50
/** A list with more pages counts as endless. */
const MOST_PAGES = 200_000
const STATUSES = 'publish,future,draft,pending,private'

interface SiteReading {
  task: SiteTask
  options: FetchOptions
  base: string
  list: number
  page: number
  inList: number
  read: number
  totals: Map<string, number>
  isWhole: boolean
  /** Keys of records from their own lists, not read again from events that show them. */
  listed: Set<string>
  series: Set<string>
  since: string
  token: string
  edition: string
}

export function siteSource(task: SiteTask, address: string): Source {
  const named = nameOrigin(task.url, task.login, task.password, task.guest)
  const options = { named, accept: 'application/json', backOffMs: task.backOffMs }
  const isWhole = task.since === undefined
  const reading: SiteReading = {
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

async function* readSite(reading: SiteReading): AsyncGenerator<SourceEntry> {
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

/** Asks for changes since the token; if refused, for everything. @returns undefined without the feed */
async function firstChanges(reading: SiteReading, root: string): Promise<Changes | undefined> {
  try {
    return await askChanges(root, reading.since, reading.options)
  } catch (error) {
    if (!(error instanceof SourceFailure) || ![400, 401, 403, 404, 405, 410].includes(error.status))
      throw error
    if (reading.since === '') return undefined
    // The token has expired, or belongs to another reader: everything is read.
    reading.since = ''
    reading.isWhole = true
    return firstChanges(reading, root)
  }
}

async function* readChanges(reading: SiteReading, root: string, first: Changes): AsyncGenerator<SourceEntry> {
  const asked = new Set<string>()
  for (let page: Changes = first; ; page = await askChanges(root, page.next, reading.options)) {
    if (asked.has(page.next) || asked.size > MOST_PAGES)
      throw new SourceFailure(root, message('reports changes without an end.'))
    asked.add(page.next)
    for (const { kind, id, record } of page.changes) {
      if (record === undefined && kind === 'event') yield { lost: id }
      const entries = record === undefined ? [] : entriesOfRecord(reading, kind, record, `${kind} ${id}`)
      for await (const entry of entries)
        yield 'kind' in entry && entry.kind === kind ? { ...entry, isChange: true } : entry
      reading.read += 1
    }
    reading.since = page.next
    reading.token = page.token
    if (page.next === '') return
  }
}

async function* readList(reading: SiteReading, path: string, kind: ListedKind): AsyncGenerator<SourceEntry> {
  let before = ''
  for (;;) {
    const { page } = reading
    if (page > MOST_PAGES)
      throw new SourceFailure(
        reading.base,
        message('has more than {most} pages of {list}.', { most: `${MOST_PAGES}`, list: path }),
      )
    const found = await readPage(reading, path)
    if (!found || found.records.length === 0) return yield* lackOf(reading, path, found)
    const text = JSON.stringify(found.records)
    if (text === before)
      throw new SourceFailure(
        reading.base,
        message('gives the same answer for every page of {list} from page {page} on.', {
          list: path,
          page: `${page - 1}`,
        }),
      )
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

/** Reports a list with fewer records than its pages counted. */
function* lackOf(
  { base, inList, totals }: SiteReading,
  path: string,
  last: ListPage | undefined,
): Generator<SourceEntry> {
  const total = totals.get(path) ?? last?.total ?? 0
  if (inList >= total) return
  const values = { address: `${base}/${path}`, given: `${inList}`, total: `${total}` }
  yield { cutOff: message('{address} breaks off: it gave {given} of {total} records.', values) }
}

async function* entriesOfRecord(
  reading: SiteReading,
  kind: ListedKind,
  record: unknown,
  at: string,
): AsyncGenerator<SourceEntry> {
  const { since } = reading.task
  if (since !== undefined && isRecord(record) && String(record.modified_utc ?? since) < since) return
  const series = kind === 'event' ? seriesIn(record) : undefined
  if (series !== undefined && reading.series.has(series)) return
  const occurrences = series === undefined ? [] : await readOccurrences(reading, series, record)
  if (occurrences === undefined)
    return yield {
      cutOff: message('The dates of the series {series} at {address} break off.', {
        series: series ?? '',
        address: reading.base,
      }),
    }
  const entries = series === undefined ? itemsOf(kind, record, at) : seriesEntries(occurrences, series, at)
  for (const entry of entries) {
    if (!('kind' in entry) || standsAlone(entry.kind)) yield entry
    else if (entry.kind === kind) {
      reading.listed.add(itemKey(kind, entry.identity))
      yield entry
    } else if (!reading.listed.has(itemKey(entry.kind, entry.identity))) yield entry
  }
}

/**
 * Reads all occurrences of a series; `found` alone if the site cannot list them.
 * @returns undefined if the list breaks off
 */
async function readOccurrences(
  reading: SiteReading,
  series: string,
  found: unknown,
): Promise<unknown[] | undefined> {
  reading.series.add(series)
  const records: unknown[] = []
  const own = { ...reading, task: { ...reading.task, since: undefined } }
  let total = 1
  for (own.page = 1; records.length < MOST_OCCURRENCES; own.page += 1) {
    const page = await readPage(own, 'events', { post_parent: series })
    if (!page || page.records.length === 0) break
    const others = page.records.filter((record) => seriesIn(record) === series)
    for (const record of others) records.push(record)
    // Other series show that the site ignores the filter.
    if (others.length < page.records.length) return records.length === 0 ? [found] : records
    total = page.total
    if (own.page >= page.pages) break
  }
  return records.length < Math.min(total, MOST_OCCURRENCES) ? undefined : records
}

interface ListPage {
  records: readonly unknown[]
  total: number
  pages: number
}

async function readPage(
  reading: SiteReading,
  path: string,
  filters: Readonly<Record<string, string>> = {},
): Promise<ListPage | undefined> {
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
    return parsePage(url, path, body)
  } catch (error) {
    const isPastEnd = error instanceof SourceFailure && [400, 404].includes(error.status)
    // A site answers 400 or 404 beyond the last page, and for an empty list.
    if (isPastEnd && (page > 1 || path !== 'events')) return undefined
    if (isPastEnd && hasRoute(error) && (await isThere(reading))) return undefined
    throw error
  }
}

function hasRoute({ body }: SourceFailure): boolean {
  const answer = parsedJson(body)
  return isRecord(answer) && answer.code !== 'rest_no_route'
}

/** True if the site has the interface: then a missing first page means an empty list. */
async function isThere({ base, options }: SiteReading): Promise<boolean> {
  const answer = await fetchPolitely(base, options).catch(() => undefined)
  return answer !== undefined && isRecord(parsedJson(answer.body))
}

function parsePage(url: string, path: string, body: Buffer): ListPage {
  const value = parsedJson(body)
  const records = isRecord(value) ? value[path] : undefined
  if (!isRecord(value) || !Array.isArray(records))
    throw new SourceFailure(
      url,
      message(
        body.subarray(0, 200).includes('<')
          ? 'answers with HTML in place of {list}.'
          : 'answers with something else in place of {list}.',
        { list: path },
      ),
    )
  const total = Number(value.total ?? records.length)
  return { records, total, pages: Number(value.total_pages ?? Number.MAX_SAFE_INTEGER) }
}
