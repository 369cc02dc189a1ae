import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Site } from '../base/config.ts'
import { isTruthy } from '../base/fields/kinds.ts'
import { isRecord } from '../base/foreign-json.ts'
import type { FoundRecords } from '../calendar/declare/operations.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import { collectionUrl, type Resource } from '../calendar/declare/resource.ts'
import { presentListed } from '../calendar/records/record-store.ts'
import { isWritten, lengthOf, unwritten, type WrittenJson } from '../store/memory/event-pieces.ts'
import type { Answer, Format } from './format.ts'

/** Headers that an envelope moves into its body (rule 28.5). */
const ANSWER_HEADERS = [
  'Allow',
  'X-TEC-Total',
  'X-TEC-TotalPages',
  'X-WP-Total',
  'X-WP-TotalPages',
  'Location',
]

export const json: Format = {
  name: 'json',
  mediaType: 'application/json',
  extension: '',
  extent: 'page',
  lists: 'all',
  byAccept: 'answer',
  showList: (context, { resource, operations }, found) => {
    const written = operations.loadJson?.(context, found, 'page')
    const answer = (items: readonly object[]) => answerList(context.site, resource, found, items)
    if (written) return written instanceof Promise ? written.then(answer) : answer(written)
    const shown = async () =>
      presentListed(context, operations.presentation, await operations.load(context, found))
    return shown().then(answer)
  },
}

/** Answers with a page of a list, its totals and its neighbours' links (rules 11.1 and 11.4). */
function answerList(site: Site, resource: Resource, found: FoundRecords, items: readonly object[]): Answer {
  const collection = `${collectionUrl(site, resource)}/`
  const links = listLinks(collection, found)
  const neighbours = {
    ...(links.next ? { next_rest_url: links.next } : {}),
    ...(links.previous ? { previous_rest_url: links.previous } : {}),
  }
  const totals = { total: found.total, total_pages: links.totalPages }
  const records = { [resource.path]: items }
  const body =
    found.pastEnd === undefined
      ? { rest_url: `${collection}${termQuery(found)}`, ...totals, ...records, ...neighbours }
      : { ...records, rest_url: links.own, ...neighbours, ...totals }
  return {
    status: 200,
    headers: {
      'X-TEC-Total': String(found.total),
      'X-TEC-TotalPages': String(links.totalPages),
      ...(links.header ? { Link: links.header } : {}),
    },
    body,
  }
}

interface ListLinks {
  own: string
  next: string | undefined
  previous: string | undefined
  header: string
  totalPages: number
}

/**
 * Links to neighbours have every effective parameter, `page` last; the link to the first page omits it (rule
 * 11.4).
 */
function listLinks(collection: string, found: FoundRecords): ListLinks {
  const { page, perPage, total, effective, shownOnly = '' } = found
  const totalPages = Math.ceil(total / perPage)
  const own = `${collection}?page=${page}&per_page=${perPage}${effective}${shownOnly}`
  const others = `${collection}?per_page=${perPage}${effective}`
  const before = Math.min(page - 1, Math.max(totalPages, 1))
  const next = page < totalPages ? `${others}&page=${page + 1}` : undefined
  const previous = page > 1 ? others + (before > 1 ? `&page=${before}` : '') : undefined
  const nextHeader = next === undefined ? '' : `<${next}>; rel="next"`
  const previousHeader = previous === undefined ? '' : `<${previous}>; rel="prev"`
  const header =
    nextHeader && previousHeader ? `${nextHeader}, ${previousHeader}` : nextHeader || previousHeader
  return { own, next, previous, header, totalPages }
}

/** Returns a query string with only what differs from a plain list (rule 11.5). */
function termQuery({ page, perPage, effective }: FoundRecords): string {
  const query =
    `${page === 1 ? '' : `&page=${page}`}` + `${perPage === 10 ? '' : `&per_page=${perPage}`}${effective}`
  return query === '' ? '' : `?${query.slice(1)}`
}

/** Applies `_fields` and `_envelope` to JSON (rules 28.4 and 28.5). */
export function withFieldsAndEnvelope(answer: Answer, query: RawValues): Answer | Promise<Answer> {
  const isPlain = query._fields === undefined && query._envelope === undefined
  return isPlain || answer.representation ? answer : trimAndWrap(answer, query)
}

async function trimAndWrap(answer: Answer, query: RawValues): Promise<Answer> {
  const paths = fieldPaths(query._fields)
  const trimmed =
    paths && answer.status < 300
      ? { ...answer, body: keepFields(await parseInTurns(answer.body), paths) }
      : answer
  return wantsEnvelope(query)
    ? { ...envelope(trimmed), route: answer.route, innerStatus: answer.status }
    : trimmed
}

export function wantsEnvelope({ _envelope: asked }: RawValues): boolean {
  return asked === '' || isTruthy(asked)
}

/**
 * Puts status and `ANSWER_HEADERS` into the body, for clients that cannot read them; the outer status is 200
 * (rule 28.5).
 */
function envelope(answer: Answer): Answer {
  const headers = Object.fromEntries(
    ANSWER_HEADERS.flatMap((name) =>
      answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]],
    ),
  )
  const { Allow: _allow, ...outer } = answer.headers
  return {
    status: 200,
    headers: omit(outer, ANSWER_HEADERS),
    body: { body: answer.body, status: answer.status, headers },
  }
}

function omit(record: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

function fieldPaths(value: unknown): string[][] | undefined {
  const names = (Array.isArray(value) ? value : [value]).flatMap((name) =>
    typeof name === 'string' ? name.split(',') : [],
  )
  const paths = names.map((name) => name.trim()).filter(Boolean)
  return paths.length > 0 ? paths.map((name) => name.split('.')) : undefined
}

async function parseInTurns(body: unknown): Promise<unknown> {
  const found = isRecord(body) ? Object.entries(body).find(([, value]) => isWrittenList(value)) : undefined
  if (!found) return unwritten(body)
  const [name, written] = found
  const records: unknown[] = []
  let turn = 0
  for (const record of written as readonly WrittenJson[]) {
    records.push(record.toJSON())
    turn += lengthOf(record.parts)
    if (turn < AT_ONCE) continue
    turn = 0
    await nextTurn()
  }
  return { ...(body as object), [name]: records }
}

/** Keeps members at `paths`, also in lists; `_links` always stay (rule 28.4). */
function keepFields(body: unknown, paths: readonly string[][]): unknown {
  if (Array.isArray(body)) return body.map((entry) => keepFields(entry, paths))
  if (body === null || typeof body !== 'object') return body
  const entries = Object.entries(body).flatMap(([key, value]) => {
    const naming = paths.filter((path) => path[0] === key)
    if (naming.length === 0) return []
    const deeper = naming.map((path) => path.slice(1))
    return [[key, deeper.some((path) => path.length === 0) ? value : keepFields(value, deeper)]]
  })
  return Object.fromEntries('_links' in body ? [...entries, ['_links', body._links]] : entries)
}

export function isPretty(url: string): boolean {
  return /[?&]_pretty(=|&|$)/.test(url)
}

/** Characters of JSON after which other requests are served: some five milliseconds of work. */
const AT_ONCE = 1_000_000

/** A list of up to this many records is serialized in one turn. */
const FEW = 6

const MOST_INDENTED = 1_000_000

const COMMA = Buffer.from(',')

export function jsonParts(body: unknown, isIndented = false): readonly Buffer[] | Promise<readonly Buffer[]> {
  const compact = isWritten(body) ? body.parts : compactParts(body)
  if (!isIndented) return compact
  const indented = (parts: readonly Buffer[]) =>
    lengthOf(parts) <= MOST_INDENTED ? [Buffer.from(JSON.stringify(body, null, 4))] : parts
  return compact instanceof Promise ? compact.then(indented) : indented(compact)
}

function compactParts(body: unknown): readonly Buffer[] | Promise<readonly Buffer[]> {
  const list = findList(body)
  if (!list) return [Buffer.from(JSON.stringify(body))]
  const { start, items, end } = list
  if (!isWrittenList(items)) return partsInTurns(list)
  let length = 1 + items.length
  for (const { parts } of items) length += parts.length
  // An array that grows may take twice the memory.
  const all = new Array<Buffer>(length)
  let at = 0
  for (const { parts } of items) {
    all[at] = at === 0 ? Buffer.from(start) : COMMA
    at += 1
    for (const part of parts) all[at++] = part
  }
  all[at] = Buffer.from(end)
  return all
}

async function partsInTurns({ start, items, end }: ListInBody): Promise<readonly Buffer[]> {
  const parts: Buffer[] = []
  let text = start
  for (const [i, item] of items.entries()) {
    if (i > 0) text += ','
    text += JSON.stringify(item) ?? 'null'
    if (text.length < AT_ONCE) continue
    parts.push(Buffer.from(text))
    text = ''
    await nextTurn()
  }
  parts.push(Buffer.from(text + end))
  return parts
}

function isWrittenList(value: unknown): value is readonly WrittenJson[] {
  return Array.isArray(value) && isWritten(value[0])
}

interface ListInBody {
  start: string
  items: readonly unknown[]
  end: string
}

function findList(body: unknown): ListInBody | undefined {
  if (Array.isArray(body)) return { start: '[', items: body, end: ']' }
  if (isWritten(body)) return { start: '', items: [body], end: '' }
  if (!isRecord(body)) return undefined
  for (const name in body) {
    const value = body[name]
    // An envelope has its list one level deeper.
    const isLong = Array.isArray(value) && (value.length > FEW || isWritten(value[0]))
    const inner = isLong || name === 'body' ? findList(value) : undefined
    if (!inner) continue
    const shell = JSON.stringify({ ...body, [name]: [] })
    // No string in the JSON contains this mark, since its quotation marks would be escaped.
    const mark = `${JSON.stringify(name)}:[]`
    const at = shell.indexOf(mark) + mark.length - '[]'.length
    return {
      start: shell.slice(0, at) + inner.start,
      items: inner.items,
      end: inner.end + shell.slice(at + 2),
    }
  }
  return undefined
}

/** In bytes; more is copied in turns or streamed, so that other requests are served in between. */
export const BYTES_AT_ONCE = 8_000_000

export function joined(
  parts: readonly Buffer[],
  into: Buffer = Buffer.allocUnsafeSlow(lengthOf(parts)),
): Buffer {
  let at = 0
  for (const part of parts) {
    // A single byte is faster set than copied.
    if (part.length === 1) into[at] = part[0] as number
    else into.set(part, at)
    at += part.length
  }
  return into.subarray(0, at)
}

export async function joinInTurns(parts: readonly Buffer[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(lengthOf(parts))
  let [at, turn] = [0, 0]
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    if (at - turn < BYTES_AT_ONCE) continue
    turn = at
    await nextTurn()
  }
  return whole
}

/** Yields joined parts; other requests are served in between. */
export async function* partByPart(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  let some: Buffer[] = []
  let length = 0
  for (const part of parts) {
    some.push(part)
    length += part.length
    if (length < STREAMED_AT_ONCE) continue
    yield Buffer.concat(some, length)
    some = []
    length = 0
    await nextTurn()
  }
  yield Buffer.concat(some)
}

/** In bytes: a joined part has at least as many, except the last. */
const STREAMED_AT_ONCE = 262_144
