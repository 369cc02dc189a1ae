import type { CacheBudget } from '../base/cache.ts'
import { Problem } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Found } from '../calendar/declare/operations.ts'
import { parseFields } from '../calendar/declare/parse.ts'
import { event } from '../calendar/events/event.ts'
import { type EventsQuery, eventFilters } from '../calendar/events/event-filters.ts'
import { findInMemory } from '../calendar/events/find-events.ts'
import { versionedTag } from '../calendar/records/record-store.ts'
import type { Served } from '../calendar/resources.ts'
import { awaitCommits, catchUp, isBehind, mayBeBehind } from '../store/memory/event-memory.ts'
import { bytesOf, type WrittenRecord } from '../store/memory/event-pieces.ts'
import { admitted, isFull, isPressed, leave, tryEnter } from './admission.ts'
import { namesOneOf, preferredFormat } from './choose-format.ts'
import {
  clockOf,
  collected,
  type Finished,
  type FinishedAnswers,
  findFinished,
  isBrief,
  isSteady,
  keepFinished,
  noFinishedAnswers,
  sinceWhen,
  versionTag,
  wasAsked,
} from './finished.ts'
import type { Reply } from './format.ts'
import { answerHeaders, askerOf, type Front, incomingOf, refuseOverload, VARY_WITH_ACCEPT } from './front.ts'
import {
  clientAddress,
  LONGEST_URL,
  NO_BODY,
  parsePlainQuery,
  type RequestUrl,
  type Visit,
} from './incoming.ts'
import {
  followEvent,
  followList,
  isPretty,
  type JsonList,
  json,
  jsonBytes,
  type ListFrame,
  listInChunks,
  mostListBytes,
  showJson,
  writeList,
} from './json.ts'
import { anonymousContext, type Responder, type Service, signInAsStranger } from './respond.ts'
import { findMatch, type RouteTable } from './route-table.ts'
import type { RouteAction } from './routes.ts'
import { asNew, contentTag, contentTagInTurns, send, sendStream } from './send.ts'

// Answers anonymous reads: from finished answers, from the index in memory, or through the ordinary way, and
// caches answers that stay valid.

/** The parts of the short way, which answers anonymous reads ahead of the route table. */
export interface PublicReads {
  service: Service
  front: Front
  routes: RouteTable
  respond: Responder
  finished: FinishedAnswers
  buffers: Buffers
  /** The template of the list of events. */
  listRoute: string
  /** Whether an `Accept` header may choose another representation than JSON. */
  namesAnother: (accept: string | undefined) => boolean
  /** Headers of every list, without `Link`; `rootLink` is the first of its links. */
  listHeaders: readonly string[]
  rootLink: string
}

/** One anonymous read, and the action of its row in the route table. */
interface Read extends Visit {
  /** The key of its finished answer. */
  key: string
  action: RouteAction
  now: number
  /** Whether it is a search: searches wait in a queue of their own. */
  isSearch: boolean
  /** Answers a person whose query is wrong, in place of the answer that programs get. */
  tellWrong: TellWrong | undefined
}

/** Answers a visit whose query is wrong; `names` are the parameters at fault. */
export type TellWrong = (visit: Visit, names: readonly string[]) => void

/** A list that the index was asked for; `list` is undefined where the index cannot answer. */
interface Looking {
  list: JsonList | undefined | Promise<JsonList | undefined>
}

/** Decides whether an address names the representation itself, once, so that `Accept` chooses none. */
const namesFormat = (url: string) =>
  /[?&]format=[a-z]+(?:&|$)/.test(url) && url.indexOf('format') === url.lastIndexOf('format')

/** Stands for a read of anything but the list of events. */
const NOT_LISTED: Looking = { list: undefined }

/** Makes the public reads; `budget` bounds the cache of finished answers. */
export function makePublicReads(
  service: Service,
  routes: RouteTable,
  respond: Responder,
  budget: CacheBudget,
  front: Front,
): PublicReads {
  const { site } = service
  const { Link: rootLink = '', ...headers } = answerHeaders(
    site,
    { Allow: 'GET', Vary: VARY_WITH_ACCEPT },
    true,
  )
  return {
    service,
    front,
    routes,
    respond,
    finished: noFinishedAnswers(service, budget),
    buffers: makeBuffers(),
    namesAnother: namesOneOf(routes.formats),
    listRoute: `/${site.namespace}/events`,
    listHeaders: Object.entries(headers).flat(),
    rootLink,
  }
}

/**
 * Answers an anonymous read whose row of the route table lets finished answers be cached: from the cache
 * where nothing has changed since, from the index in memory where this can answer, or else through the
 * ordinary way. Returns false for any other request, which is left to the ordinary way.
 */
export function readPublic(reads: PublicReads, visit: Visit, tellWrong?: TellWrong): boolean {
  const { service, front, finished, routes } = reads
  const { method, headers } = visit.request
  const { text: url, path } = visit.url
  if (
    (method !== 'GET' && method !== 'HEAD') ||
    headers.authorization !== undefined ||
    url.length > LONGEST_URL
  )
    return false
  try {
    const now = service.now()
    const behind = isBehind(service.memory)
    const isPlain = !reads.namesAnother(headers.accept) || namesFormat(url)
    // A finished answer needs no look at the route table: only rows that allow it have kept answers.
    let known = behind || !isPlain ? undefined : findFinished(finished, url, now)
    const action = known ? undefined : findCachedAction(routes, path)
    if (!known && !action) return false
    const key = isPlain || !action ? url : finishedKey(action, url, headers.accept)
    if (!behind && !isPlain) known = findFinished(finished, key, now)
    if (known) send(front, visit, known, 'finished')
    else if (action)
      readUnfinished(
        reads,
        { ...visit, key, action, now, isSearch: /search=|words=/.test(url), tellWrong },
        behind,
      )
    return true
  } catch (error) {
    // No caller would catch the error. The ordinary way may succeed, or reports the error.
    service.report(error, visit.requestId)
    if (!visit.response.headersSent) return false
    visit.response.destroy()
    return true
  }
}

/** Returns the action of the row of a path, if its finished answers are cached. */
function findCachedAction(routes: RouteTable, path: string): RouteAction | undefined {
  const found = findMatch(routes, path)
  return found?.route.endpoints.find(({ cached }) => cached)?.action
}

/**
 * Returns the key of a finished answer: its address, and its representation where `Accept` has chosen another
 * than JSON.
 */
function finishedKey(action: RouteAction, url: string, accept: string | undefined): string {
  const name = action.do === 'list' ? preferredFormat(action.formats, accept).name : json.name
  return name === json.name ? url : `${name} ${url}`
}

/** Answers a read at once where possible, and later otherwise. */
function readUnfinished(reads: PublicReads, read: Read, behind: boolean): void {
  const { front, service } = reads
  const { request, response, now } = read
  let looking: Looking | undefined
  if (!behind) {
    if (
      isPressed(front.pressure) ||
      (read.isSearch && isFull(front.admission, 'searches', clientAddress(request, front.trusted)))
    ) {
      refuseOverload(front, read)
      return
    }
    looking = findAdmitted(reads, read)
    if (looking?.list && !(looking.list instanceof Promise)) {
      sendList(reads, read, looking.list, service.memory.version, now)
      return
    }
  }
  finishRead(reads, read, looking).catch((error: unknown) => {
    if (error instanceof Problem) {
      refuseOverload(front, read)
      return
    }
    service.report(error, read.requestId)
    response.destroy()
  })
}

/** Asks the index for a list of events as JSON; undefined where memory cannot answer. */
function askMemory({ service }: PublicReads, { action, url, key, now }: Read): Looking['list'] {
  if (action.do !== 'list' || key !== url.text) return undefined
  return findList(service, action.served, url.query, now)
}

/**
 * Asks the index for a list at once, if there is a place. Undefined where the request has to wait for a
 * place.
 */
function findAdmitted(reads: PublicReads, read: Read): Looking | undefined {
  const { admission } = reads.front
  if (!isEventList(read.action)) return NOT_LISTED
  if (read.isSearch || !tryEnter(admission, 'lists')) return undefined
  let list: Looking['list']
  try {
    list = askMemory(reads, read)
    return { list }
  } finally {
    if (list instanceof Promise) list.catch(() => undefined).finally(() => leave(admission, 'lists'))
    else leave(admission, 'lists')
  }
}

/**
 * Finds a list when its turn comes. Undefined where the index cannot answer or fails: then the ordinary way
 * answers, and says why.
 */
async function findListInTurn(reads: PublicReads, read: Read): Promise<JsonList | undefined> {
  if (!isEventList(read.action)) return undefined
  const find = async () => {
    try {
      return await askMemory(reads, read)
    } catch {
      return undefined
    }
  }
  return admitted(
    reads.front.admission,
    read.isSearch ? 'searches' : 'lists',
    askerOf(reads.front, read),
    find,
  )
}

async function finishRead(reads: PublicReads, read: Read, looking: Looking | undefined): Promise<void> {
  const { service, front, finished } = reads
  const { url, key, now } = read
  const { memory } = service
  // Without the database nothing can be taken in, and the ordinary way says so.
  if (!looking && isBehind(memory)) await catchUp(memory).catch(service.report)
  const known = looking || isBehind(memory) ? undefined : findFinished(finished, key, now)
  if (known) return send(front, read, known, 'finished')
  const { version } = memory
  const { drops } = memory.pieces
  const list = await (looking
    ? Promise.resolve(looking.list).catch(() => undefined)
    : findListInTurn(reads, read))
  await awaitCommits(memory)
  if (list) return sendList(reads, read, list, version, now)
  const reply = await answerOrdinarily(reads, read)
  await awaitCommits(memory)
  if (reply.shown) return sendShown(reads, read, reply, reply.shown, version)
  if (reply.status === 400 && read.tellWrong) return read.tellWrong(read, namesAtFault(reply))
  // A row read during a change may be older than the cached one.
  const isCurrent = drops === memory.pieces.drops && memory.version === version && !mayBeBehind(memory)
  const made =
    isEventRoute(read.action) && url.query === '' && reply.status === 200
      ? finishEvent(reads, url, reply, version, now, isCurrent)
      : await finish(reads, url, reply, version, now)
  keepFinished(finished, key, made)
  send(front, read, made, 'ordinary')
}

/** Returns the parameters that the body of a refusal names. */
function namesAtFault({ body }: Reply): string[] {
  const { data } = body as { data?: { params?: object } }
  return Object.keys(data?.params ?? {})
}

function answerOrdinarily({ respond, front }: PublicReads, read: Read): Promise<Reply> {
  return respond(
    incomingOf(front, read, async () => NO_BODY),
    signInAsStranger,
  )
}

/**
 * Sends another representation than JSON. A complete one is cached as JSON is, a stream of data alone from
 * its second request on.
 */
function sendShown(
  reads: PublicReads,
  read: Read,
  reply: Reply,
  { format, bytes }: NonNullable<Reply['shown']>,
  version: string,
): void {
  const { front, finished } = reads
  const { url, key, now } = read
  const isOfVersion = version !== '' && isSteady(url.text)
  const tag = isOfVersion ? versionTag(finished, version, clockOf(finished, url.text, now), format) : ''
  const modified = isOfVersion && !isBrief(url.text) ? { modified: sinceWhen(finished, version, now) } : {}
  if (!Buffer.isBuffer(bytes)) {
    const keepIt = (body: Buffer) =>
      keepFinished(finished, key, {
        ...finishedWith(reads, url, reply, version, now, tag, body),
        ...modified,
      })
    const chunks = isOfVersion && wasAsked(finished, key) ? collected(finished, bytes, keepIt) : bytes
    sendStream(front, read, { ...headOf(reads, reply), tag, chunks, ...modified }, 'ordinary')
    return
  }
  const made = {
    ...finishedWith(reads, url, reply, version, now, tag || contentTag(bytes), bytes),
    ...modified,
  }
  keepFinished(finished, key, made)
  send(front, read, made, 'ordinary')
}

/**
 * The most bytes of a list that is written in one turn of the event loop. They are estimated, up to three
 * times too high.
 */
const LONG_LIST = 12_000_000

/** Sends a list from memory, and caches it once it has been requested twice. */
function sendList(reads: PublicReads, read: Read, list: JsonList, version: string, now: number): void {
  const { finished } = reads
  const { url, key } = read
  const day = clockOf(finished, url.text, now)
  if (mostListBytes(list) > LONG_LIST) {
    sendLongList(reads, read, list, version, day)
    return
  }
  const isOfVersion = isSteady(url.text)
  const made: Unwritten = {
    ...asNew(),
    version,
    day,
    isBrief: isBrief(url.text),
    status: 200,
    route: reads.listRoute,
    headers: headersOf(reads, list),
    tag: isOfVersion ? versionTag(finished, version, day) : '',
  }
  if (isOfVersion && wasAsked(finished, key)) sendKeptList(reads, read, list, made)
  else sendListOnce(reads, read, list, made)
}

/** An answer before its body is written. */
type Unwritten = Omit<Finished, 'body'>

/** Writes a list, caches it, and sends it. */
function sendKeptList(reads: PublicReads, read: Read, list: JsonList, unwritten: Unwritten): void {
  const { front, finished, buffers, service } = reads
  const pooled = buffers.take(mostListBytes(list))
  const counts: number[] = []
  const body = bytesOf(writeList(list, pooled, counts))
  buffers.give(pooled)
  const made: Finished = { ...unwritten, body }
  made.followed = followList(service.memory, list, { bytes: body, counts }, made.day)
  made.framedHeaders = (frame) => headersOf(reads, frame)
  made.bytesFollowed = counts.length * 8
  keepFinished(finished, read.key, made)
  send(front, read, made, 'memory')
}

/** Sends a list that nobody has asked for before. */
function sendListOnce({ front, buffers }: PublicReads, read: Read, list: JsonList, made: Unwritten): void {
  const pooled = buffers.take(mostListBytes(list))
  const body = writeList(list, pooled)
  const tag = made.tag || contentTag(body)
  send(front, read, { ...made, tag, body }, 'memory', () => buffers.give(pooled))
}

/**
 * Sends a list record by record, without caching it. The answer has an ETag if it depends on the data alone.
 */
function sendLongList(reads: PublicReads, read: Read, list: JsonList, version: string, day: string): void {
  const { front, finished, listRoute: route } = reads
  const tag = isSteady(read.url.text) ? versionTag(finished, version, day) : ''
  sendStream(
    front,
    read,
    { status: 200, route, headers: headersOf(reads, list), tag, chunks: listInChunks(list) },
    'memory',
  )
}

function headersOf({ listHeaders, rootLink }: PublicReads, { link, totalPages, total }: ListFrame): string[] {
  return [
    ...listHeaders,
    'Link',
    link === '' ? rootLink : `${rootLink}, ${link}`,
    'X-TEC-Total',
    String(total),
    'X-TEC-TotalPages',
    String(totalPages),
  ]
}

async function finish(
  reads: PublicReads,
  url: RequestUrl,
  reply: Reply,
  version: string,
  now: number,
): Promise<Finished> {
  const { finished } = reads
  const body = await jsonBytes(reply.body, isPretty(url.text))
  // An envelope may be cached as long as its content.
  const isOk = (reply.innerStatus ?? reply.status) === 200
  const isOfVersion = version !== '' && isSteady(url.text)
  const tag = isOfVersion
    ? versionTag(finished, version, clockOf(finished, url.text, now))
    : await contentTagInTurns(body)
  return finishedWith(reads, url, reply, version, now, isOk ? tag : '', body)
}

/**
 * Makes the finished answer with one event. Its ETag depends on its content alone, so clients keep their copy
 * while other events change.
 */
function finishEvent(
  reads: PublicReads,
  url: RequestUrl,
  reply: Reply,
  version: string,
  now: number,
  isCurrent: boolean,
): Finished {
  const followed = followEvent(reads.service.memory, reply.body as WrittenRecord)
  const { body } = followed
  const finished = finishedWith(reads, url, reply, version, now, contentTag(body), body)
  return isCurrent && reads.service.memory.index ? { ...finished, followed } : finished
}

function headOf({ service }: PublicReads, { status, route = '', headers }: Reply) {
  return { status, route, headers: Object.entries(answerHeaders(service.site, headers, true)).flat() }
}

function finishedWith(
  reads: PublicReads,
  url: RequestUrl,
  reply: Reply,
  version: string,
  now: number,
  tag: string,
  body: Buffer,
): Finished {
  const { version: recordVersion } = reply
  return {
    ...asNew(),
    ...headOf(reads, reply),
    version,
    day: clockOf(reads.finished, url.text, now),
    isBrief: isBrief(url.text),
    tag: tag === '' ? tag : versionedTag(tag, recordVersion),
    recordVersion,
    body,
  }
}

/** Decides whether a row of the route table lists the events of the namespace. */
function isEventList(action: RouteAction): boolean {
  return action.do === 'list' && action.served.resource === event
}

/** Decides whether a row of the route table answers a single event of the namespace. */
function isEventRoute(action: RouteAction): boolean {
  return action.do === 'read' && action.served.resource === event
}

/** Finds a list of events in memory. Undefined where memory cannot answer it, and for an unusual request. */
function findList(
  service: Service,
  served: Served,
  queryText: string,
  now: number,
): JsonList | undefined | Promise<JsonList | undefined> {
  const context = anonymousContext(service, now)
  const show = (found: Found | undefined) =>
    !found || (found.page > 1 && found.ids.length === 0) ? undefined : showJson(context, served, found)
  const list = (query: EventsQuery) => {
    const found = findInMemory(context, query)
    return found instanceof Promise ? found.then(show) : show(found)
  }
  try {
    const query = readQuery(queryText, context)
    return query instanceof Promise ? query.then(list).catch(leaveProblem) : query && list(query)
  } catch (error) {
    return leaveProblem(error)
  }
}

const FILTERS: ReadonlySet<string> = new Set(Object.keys(eventFilters))

/** Matches a parameter that only changes how the list is shown. */
const SHOWING = /(?:^|&)(?:_|format=)/

/**
 * Reads the parameters of a simple query. Undefined for any other, which is answered the ordinary way.
 * @throws Problem
 */
function readQuery(text: string, context: Context): EventsQuery | undefined | Promise<EventsQuery> {
  const raw = SHOWING.test(text) ? undefined : parsePlainQuery(text, FILTERS)
  return raw && parseFields(eventFilters, raw, context)
}

/** Leaves a problem to the ordinary way, which reports the faults of a request. @throws any other error */
function leaveProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

const BUFFER_SIZE = 128 * 1024
const MOST_BUFFERS = 64

interface Buffers {
  take: (size: number) => Buffer
  give: (buffer: Buffer) => void
}

/**
 * Makes the buffers for answers that are sent and forgotten: making one of 30 kB for each answer costs more
 * than filling it.
 */
function makeBuffers(): Buffers {
  const free: Buffer[] = []
  return {
    take: (size) =>
      size > BUFFER_SIZE ? Buffer.allocUnsafeSlow(size) : (free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_SIZE)),
    give: (buffer) => {
      if (free.length < MOST_BUFFERS && buffer.length === BUFFER_SIZE) free.push(buffer)
    },
  }
}
