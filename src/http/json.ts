import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Site } from '../base/config.ts'
import { isTruthy } from '../base/fields/kinds.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Found, ListedJson } from '../calendar/declare/operations.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import { collectionUrl, type Resource } from '../calendar/declare/resource.ts'
import { presentListed } from '../calendar/records/record-store.ts'
import type { Served } from '../calendar/resources.ts'
import type { EventMemory } from '../store/memory/event-memory.ts'
import {
  areUnchanged,
  bytesOf,
  type EventStates,
  hasCurrentCounts,
  isWritten,
  makePiece,
  type Piece,
  statesOf,
  updateCounts,
  type WrittenRecord,
} from '../store/memory/event-pieces.ts'
import type { Format, Reply } from './format.ts'

// Lists and records as JSON: with totals, links, chosen fields and the envelope, as bytes or gzip, and as
// bodies that are kept up to date.

/** Headers that belong to the answer rather than to the transport, which an envelope repeats (rule 28.5). */
const ANSWER_HEADERS = [
  'Allow',
  'X-TEC-Total',
  'X-TEC-TotalPages',
  'X-WP-Total',
  'X-WP-TotalPages',
  'Location',
]

/** JSON: a page of a list with its totals and links, or one record. */
export const json: Format = {
  name: 'json',
  mediaType: 'application/json',
  extension: '',
  extent: 'page',
  lists: 'all',
  byAccept: 'answer',
  showList: async (context, { resource, operations }, found) => {
    const atHand = await operations.loadJson?.(context, found, 'page')
    const items = atHand
      ? await parseInTurns(atHand)
      : await presentListed(context, operations.presentation, await operations.load(context, found))
    return listReply(context.site, resource, found, items)
  },
}

/**
 * Reads records from memory as objects, for a list that is to be shown with other members or blanks than
 * memory has it.
 */
async function parseInTurns(listed: ListedJson): Promise<object[]> {
  const records = listed.mostBytes > AT_ONCE ? listed.held() : listed
  const objects: object[] = []
  let turn = 0
  for (let i = 0; i < records.count; i++) {
    const bytes = Buffer.allocUnsafe(records.mostBytesOf(i))
    const end = records.write(i, bytes, 0)
    objects.push(JSON.parse(bytes.toString('utf8', 0, end)))
    turn += end
    if (turn < AT_ONCE) continue
    turn = 0
    await nextTurn()
  }
  return objects
}

/** Answers with a list, its totals and its links (rules 11.1 and 11.4). */
function listReply(site: Site, resource: Resource, found: Found, items: readonly object[]): Reply {
  const collection = `${collectionUrl(site, resource)}/`
  const links = listLinks(collection, found)
  const neighbours = {
    ...(links.next ? { next_rest_url: links.next } : {}),
    ...(links.previous ? { previous_rest_url: links.previous } : {}),
  }
  const totals = { total: found.total, total_pages: links.totalPages }
  const shown = { [resource.path]: items }
  const body =
    found.pastEnd === undefined
      ? { rest_url: `${collection}${termQuery(found)}`, ...totals, ...shown, ...neighbours }
      : { ...shown, rest_url: links.own, ...neighbours, ...totals }
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

/** The addresses of a page and of those beside it, and the number of pages. */
interface ListLinks {
  own: string
  next: string | undefined
  previous: string | undefined
  /** The value of the `Link` header, empty for none. */
  header: string
  totalPages: number
}

/**
 * Returns the links of a list, with every parameter in effect. `page` is last, and the link back to the first
 * page leaves it out (rule 11.4).
 */
function listLinks(collection: string, found: Found): ListLinks {
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

/**
 * Returns the query in the own address of a list of terms, which names what differs from a plain list (rule
 * 11.5).
 */
function termQuery({ page, perPage, effective }: Found): string {
  const query = `${page === 1 ? '' : `&page=${page}`}${perPage === 10 ? '' : `&per_page=${perPage}`}${effective}`
  return query === '' ? '' : `?${query.slice(1)}`
}

/**
 * Applies `_fields` to successful answers, and the envelope to every answer (rules 28.4 and 28.5). Answers in
 * other representations stay as they are.
 */
export function withFieldsAndEnvelope(reply: Reply, query: RawValues): Reply {
  if (reply.shown) return reply
  const paths = fieldPaths(query._fields)
  const trimmed = paths && reply.status < 300 ? { ...reply, body: keepFields(reply.body, paths) } : reply
  return wantsEnvelope(query)
    ? { ...envelope(trimmed), route: reply.route, innerStatus: reply.status }
    : trimmed
}

/** Returns true for a query that asks for an envelope: naming `_envelope` is enough. */
export function wantsEnvelope({ _envelope: asked }: RawValues): boolean {
  return asked === '' || isTruthy(asked)
}

/**
 * Puts an answer into an envelope with status 200, for clients that cannot read statuses or headers (rule
 * 28.5).
 */
function envelope(reply: Reply): Reply {
  const headers = Object.fromEntries(
    ANSWER_HEADERS.flatMap((name) =>
      reply.headers[name] === undefined ? [] : [[name, reply.headers[name]]],
    ),
  )
  const { Allow: _allow, ...outer } = reply.headers
  return {
    status: 200,
    headers: omit(outer, ANSWER_HEADERS),
    body: { body: reply.body, status: reply.status, headers },
  }
}

function omit(record: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

/**
 * Reads the names in `_fields`, which is comma-separated text or a list, and splits each at its points;
 * undefined for no names.
 */
function fieldPaths(value: unknown): string[][] | undefined {
  const names = (Array.isArray(value) ? value : [value]).flatMap((name) =>
    typeof name === 'string' ? name.split(',') : [],
  )
  const paths = names.map((name) => name.trim()).filter(Boolean)
  return paths.length > 0 ? paths.map((name) => name.split('.')) : undefined
}

/** Returns only the members that `paths` name, through records and into lists; `_links` stay (rule 28.4). */
function keepFields(body: unknown, paths: readonly string[][]): unknown {
  if (isWritten(body)) return keepFields(body.toJSON(), paths)
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

/** Returns true for an address that asks for an indented answer. */
export function isPretty(url: string): boolean {
  return /[?&]_pretty(=|&|$)/.test(url)
}

/** The members of a list around its records, and what its headers say. */
export interface ListFrame {
  /** JSON before the records. */
  head: string
  /** JSON behind the records. */
  tail: string
  total: number
  totalPages: number
  /** The value of the `Link` header, empty for none. */
  link: string
}

/** A list that can be written: its records as JSON, and what stands around them. */
export interface JsonList extends ListFrame {
  records: ListedJson
  found: Found
  /** The states that its records had before they were read. */
  states: EventStates
  /** Returns the JSON around the same records in a list with another total. */
  frameWith: (total: number) => ListFrame
}

/**
 * Loads the records of a list from memory; undefined where memory cannot. The answer has the bytes of
 * `showList`, but for blanks before counts.
 */
export function showJson(
  context: Context & { memory: EventMemory },
  { resource, operations }: Served,
  found: Found,
): JsonList | undefined | Promise<JsonList | undefined> {
  const states = statesOf(context.memory.pieces, found.ids)
  const records = operations.loadJson?.(context, found, 'page')
  if (!records) return undefined
  const { base } = context.site
  const frameWith = (total: number) => frameOf(base, resource, { ...found, total })
  const around = { ...frameOf(base, resource, found), found, states, frameWith }
  if (records instanceof Promise) return records.then((later) => later && { ...around, records: later })
  return { ...around, records }
}

function frameOf(base: string, { path }: Resource, found: Found): ListFrame {
  const { total } = found
  const {
    own,
    next: after,
    previous: before,
    header: link,
    totalPages,
  } = listLinks(`${base}/${path}/`, found)
  const next = after === undefined ? '' : `,"next_rest_url":"${after}"`
  const previous = before === undefined ? '' : `,"previous_rest_url":"${before}"`
  // Addresses are escaped, so that nothing in them needs escaping again in JSON.
  const tail = `],"rest_url":"${own}"${next}${previous},"total":${total},"total_pages":${totalPages}}`
  return { head: `{"${path}":[`, tail, total, totalPages, link }
}

const COMMA = ','.charCodeAt(0)

/** Returns an upper bound of the bytes of a list. */
export function mostListBytes({ head, records, tail }: JsonList): number {
  return records.mostBytes + records.count + (head.length + tail.length) * 3
}

/**
 * Writes a list into a buffer with room for `mostListBytes`; `counts`, if any, gets the places of the counts
 * of terms, as pieces have them.
 */
export function writeList({ head, records, tail }: JsonList, into: Buffer, counts?: number[]): Buffer {
  let at = into.write(head, 0, 'latin1')
  for (let i = 0; i < records.count; i++) {
    if (i > 0) into[at++] = COMMA
    at = records.write(i, into, at, counts)
  }
  at += into.write(tail, at)
  return into.subarray(0, at)
}

/** Writes a list record by record, with the counts of now; other requests take their turns in between. */
export function listInChunks({ head, records, tail }: JsonList): AsyncGenerator<Buffer> {
  return chunksOf(head, records.held(), tail)
}

async function* chunksOf(head: string, records: ListedJson, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head, 'latin1')
  for (let i = 0; i < records.count; i++) {
    const chunk = Buffer.allocUnsafeSlow(records.mostBytesOf(i) + 1)
    if (i > 0) chunk[0] = COMMA
    yield chunk.subarray(0, records.write(i, chunk, i > 0 ? 1 : 0))
    await nextTurn()
  }
  yield Buffer.from(tail)
}

/**
 * The body of an answer that stays in use while the data change: new counts of terms and a new total are
 * written into it.
 */
export interface FollowedBody {
  body: Buffer
  /**
   * Returns true only if the answer would be the same on this day, apart from counts and the total; it may
   * return false for one that would be.
   */
  isSame: (day: string) => boolean
  /**
   * Writes the present counts and total, into a copy while the body is being sent (`isSending`). Returns
   * false if all are current.
   */
  recount: (isSending: boolean) => boolean
  /** The JSON around the records of a list, with the present total; undefined for a single event. */
  frame: ListFrame | undefined
}

/** Makes a followed body of a piece that was assembled from memory. */
function followBody(
  memory: EventMemory,
  piece: Piece,
  isSame: FollowedBody['isSame'],
  frame?: ListFrame,
): FollowedBody {
  let written = frame
  const followed: FollowedBody = {
    body: piece.bytes,
    isSame,
    recount: (isSending) => {
      const isCounted = hasCurrentCounts(memory.pieces, piece, memory.terms)
      const reframed = followed.frame === written ? undefined : followed.frame
      if (isCounted && !reframed) return false
      if (isSending) piece.bytes = bytesOf(piece.bytes)
      if (written && reframed) piece.bytes = withTail(piece.bytes, written, reframed)
      written = followed.frame
      if (!isCounted) updateCounts(memory.pieces, piece, memory.terms)
      followed.body = piece.bytes
      return true
    },
    frame,
  }
  return followed
}

/** Writes another tail over that of a list, in a copy where the lengths differ. */
function withTail(bytes: Buffer, { tail: old }: ListFrame, { tail }: ListFrame): Buffer {
  const start = bytes.length - Buffer.byteLength(old)
  const length = start + Buffer.byteLength(tail)
  const into = length === bytes.length ? bytes : Buffer.allocUnsafeSlow(length)
  if (into !== bytes) bytes.copy(into, 0, 0, start)
  into.write(tail, start)
  return into
}

/** Makes a followed body of a list that was written on this day, with the counts of terms in it. */
export function followList(
  memory: EventMemory,
  { found, states, frameWith, records: _records, ...frame }: JsonList,
  written: Pick<Piece, 'bytes' | 'counts'>,
  writtenOn: string,
): FollowedBody {
  const { ids, again: findAgain } = found
  let { revision, total } = found
  const isSamePage = () => {
    if (memory.index?.revision === revision) return true
    const again = findAgain?.()
    if (again?.ids.length !== ids.length || !again.ids.every((id, i) => id === ids[i])) return false
    if (again.total !== total) followed.frame = frameWith(again.total)
    total = again.total
    if (memory.index) revision = memory.index.revision
    return true
  }
  const followed: FollowedBody = followBody(
    memory,
    { ...written, countsVersion: -1 },
    (day) =>
      day === writtenOn &&
      findAgain !== undefined &&
      areUnchanged(memory.pieces, ids, states) &&
      isSamePage(),
    frame,
  )
  return followed
}

/** Makes a followed body of the answer for a single event, which is valid until the event changes. */
export function followEvent(memory: EventMemory, body: WrittenRecord): FollowedBody {
  const states = statesOf(memory.pieces, [body.id])
  const piece = makePiece(body, memory.pieces.countsVersion)
  // Without an index it is not known what has changed.
  const isSame = () => memory.index !== undefined && areUnchanged(memory.pieces, [body.id], states)
  return followBody(memory, piece, isSame)
}

/** Characters written in one turn of the event loop; writing that many takes some five milliseconds. */
const AT_ONCE = 1_000_000

/**
 * The most records of a list that is written in one turn: this many of the longest take about ten
 * milliseconds.
 */
const FEW = 6

/** The most bytes of an answer that is indented. */
const MOST_INDENTED = 1_000_000

/**
 * Writes a body as JSON, a long list in several turns of the event loop, so that nobody waits for all of it.
 */
export async function jsonBytes(body: unknown, isIndented = false): Promise<Buffer> {
  const bytes = await compactBytes(body)
  return isIndented && bytes.length <= MOST_INDENTED ? Buffer.from(JSON.stringify(body, null, 4)) : bytes
}

async function compactBytes(body: unknown): Promise<Buffer> {
  if (isWritten(body)) return body.bytes
  const list = findList(body)
  if (!list) return Buffer.from(JSON.stringify(body))
  const { start, items, end } = list
  const pieces: Buffer[] = []
  let [text, copied] = [start, 0]
  for (const [i, item] of items.entries()) {
    if (i > 0) text += ','
    if (isWritten(item)) {
      pieces.push(Buffer.from(text), item.bytes)
      text = ''
      copied += item.bytes.length
    } else text += JSON.stringify(item) ?? 'null'
    if (text.length < AT_ONCE && copied < BYTES_AT_ONCE) continue
    pieces.push(Buffer.from(text))
    text = ''
    copied = 0
    await nextTurn()
  }
  const last = Buffer.from(text + end)
  return pieces.length === 0 ? last : joinInTurns([...pieces, last])
}

/**
 * Bytes that are copied or digested in one turn of the event loop: some ten milliseconds where memory is new.
 */
export const BYTES_AT_ONCE = 8_000_000

async function joinInTurns(pieces: readonly Buffer[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let [at, turn] = [0, 0]
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    if (at - turn < BYTES_AT_ONCE) continue
    turn = at
    await nextTurn()
  }
  return whole
}

/**
 * Finds the list in a body, with the JSON before its items and behind them; undefined for a body without a
 * long list.
 */
function findList(body: unknown): { start: string; items: readonly unknown[]; end: string } | undefined {
  if (Array.isArray(body)) return { start: '[', items: body, end: ']' }
  if (isWritten(body)) return { start: '', items: [body], end: '' }
  if (body === null || typeof body !== 'object') return undefined
  for (const [name, value] of Object.entries(body)) {
    // An envelope has its list one deeper.
    const isLong = Array.isArray(value) && value.length > FEW
    const inner = isLong || name === 'body' ? findList(value) : undefined
    if (!inner) continue
    const shell = JSON.stringify({ ...body, [name]: [] })
    // No text has these characters in a row: a quotation mark in one is escaped.
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
