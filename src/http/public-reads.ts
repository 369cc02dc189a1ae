import type { CacheBudget } from '../base/cache.ts'
import { versionedTag } from '../calendar/records/record-store.ts'
import { catchUp, commitsOf, isBehind } from '../store/memory/event-memory.ts'
import { lengthOf } from '../store/memory/event-pieces.ts'
import {
  type AnswerCache,
  cacheAnswer,
  collected,
  editionOf,
  emptyAnswerCache,
  findCachedAnswer,
  sinceWhen,
  versionTag,
  wasAsked,
} from './answer-cache.ts'
import { answerHeaders } from './answer-headers.ts'
import { namesOneOf, preferredFormat } from './choose-format.ts'
import { type Entrance, incomingOf, refuseOverload } from './entrance.ts'
import type { Answer, Representation } from './format.ts'
import { type Exchange, LONGEST_URL, NO_BODY } from './incoming.ts'
import { BYTES_AT_ONCE, isPretty, joined, json, jsonParts, partByPart } from './json.ts'
import { type Responder, type Service, signInAsStranger } from './respond.ts'
import { findRoute, type RouteTable } from './route-table.ts'
import type { MatchedRoute } from './routes.ts'
import { asNew, contentTag, send, sendStream, type WrittenAnswer } from './send.ts'

// Answers anonymous reads from a cache, or the ordinary way (`respond`); most answers are cached at their
// second request.

export interface PublicReads {
  service: Service
  entrance: Entrance
  routes: RouteTable
  respond: Responder
  cache: AnswerCache
  buffers: Buffers
  namesAnother: (accept: string | undefined) => boolean
}

interface PublicRead extends Exchange {
  key: string
  found: MatchedRoute
  now: number
  tellWrong: TellWrong | undefined
}

export type TellWrong = (exchange: Exchange, names: readonly string[]) => void

export function makePublicReads(
  service: Service,
  routes: RouteTable,
  respond: Responder,
  budget: CacheBudget,
  entrance: Entrance,
): PublicReads {
  const cache = emptyAnswerCache(service, budget)
  const namesAnother = namesOneOf(routes.formats)
  return { service, entrance, routes, respond, cache, buffers: makeBuffers(), namesAnother }
}

/** Answers an anonymous read; returns false if `respond` has to answer. */
export function readPublic(reads: PublicReads, exchange: Exchange, tellWrong?: TellWrong): boolean {
  const { service, entrance, cache, routes } = reads
  const { method, headers } = exchange.request
  const { text: url, path } = exchange.url
  if (
    (method !== 'GET' && method !== 'HEAD') ||
    headers.authorization !== undefined ||
    url.length > LONGEST_URL
  )
    return false
  try {
    const now = service.now()
    const key = keyOf(reads, url, headers.accept)
    // Only routes that allow caching have cached answers, so no route is looked up.
    const known = isBehind(service.memory) ? undefined : findCachedAnswer(cache, key, now)
    if (known) {
      send(entrance, exchange, known, 'finished')
      return true
    }
    const found = findRoute(routes, path)
    if (!found?.route.endpoints.some(({ cached }) => cached)) return false
    answerRead(reads, { ...exchange, key, found, now, tellWrong }).catch((error: unknown) => {
      service.report(error, exchange.requestId)
      exchange.response.destroy()
    })
    return true
  } catch (error) {
    // The ordinary way may succeed, or reports the error.
    service.report(error, exchange.requestId)
    if (!exchange.response.headersSent) return false
    exchange.response.destroy()
    return true
  }
}

/** True if the URL has the parameter `format` exactly once: `Accept` then chooses nothing. */
const namesFormat = (url: string) =>
  /[?&]format=[a-z]+(?:&|$)/.test(url) && url.indexOf('format') === url.lastIndexOf('format')

/** The URL, after the name of the format if `Accept` chose another than JSON. */
function keyOf({ namesAnother, routes }: PublicReads, url: string, accept: string | undefined): string {
  if (!namesAnother(accept) || namesFormat(url)) return url
  const { name } = preferredFormat([json, ...routes.formats], accept)
  return name === json.name ? url : `${name} ${url}`
}

async function answerRead(reads: PublicReads, read: PublicRead): Promise<void> {
  const { service, entrance, cache, respond } = reads
  const { memory } = service
  if (isBehind(memory)) {
    // If the database does not answer, `respond` says so.
    await catchUp(memory).catch(service.report)
    const known = isBehind(memory) ? undefined : findCachedAnswer(cache, read.key, read.now)
    if (known) return send(entrance, read, known, 'finished')
  }
  const { version } = memory
  const { found } = read
  const incoming = { ...incomingOf(entrance, read, async () => NO_BODY), found }
  const answer = await respond(incoming, signInAsStranger)
  const commits = commitsOf(memory)
  if (commits) await commits
  if (answer.isRefused) return refuseOverload(entrance, read)
  if (answer.status === 400 && read.tellWrong) return read.tellWrong(read, namesAtFault(answer))
  return answer.representation
    ? sendRepresentation(reads, read, answer, answer.representation, version)
    : sendJson(reads, read, answer, version)
}

function namesAtFault({ body }: Answer): string[] {
  const { data } = body as { data?: { params?: object } }
  return Object.keys(data?.params ?? {})
}

function validityOf({ clock = 'day', status, innerStatus = status }: Answer, version: string, now: number) {
  return version === '' || clock === 'now' || innerStatus !== 200 ? undefined : { version, clock, now }
}

/** An answer is cached from its second request on; very long ones go out part by part. */
async function sendJson(
  reads: PublicReads,
  read: PublicRead,
  answer: Answer,
  version: string,
): Promise<void> {
  const { service, entrance, cache, buffers } = reads
  const making = jsonParts(answer.body, isPretty(read.url.text))
  const parts = making instanceof Promise ? await making : making
  const length = lengthOf(parts)
  const validity = validityOf(answer, version, read.now)
  const from = answer.isFromMemory ? 'memory' : 'ordinary'
  const head = headOf(service, answer)
  if (length > BYTES_AT_ONCE) {
    const tag = validity ? versionTag(cache, json.name, validity) : ''
    const held = answer.isFromMemory ? 0 : length
    sendStream(entrance, read, { ...head, tag, chunks: partByPart(parts), held }, from)
    return
  }
  const isOk = (answer.innerStatus ?? answer.status) === 200
  // A list that is asked for once is not worth hashing; a record has the same ETag from the first answer on.
  const isOne = answer.version !== undefined
  const firstTag = validity && !isOne ? versionTag(cache, json.name, validity) : ''
  const contentOf = (body: Buffer) =>
    isOk ? versionedTag(contentTag(body, editionOf(cache)), answer.version) : ''
  if (validity && wasAsked(cache, read.key)) {
    const body = joined(parts)
    const made = { ...asNew(), ...head, tag: contentOf(body), firstTag, body }
    send(entrance, read, cacheAnswer(cache, read.key, made, validity), from)
    return
  }
  const lent = buffers.take(length)
  const body = joined(parts, lent)
  const tag = firstTag || contentOf(body)
  send(entrance, read, { ...asNew(), ...head, tag, body }, from, () => buffers.give(lent))
}

function sendRepresentation(
  { service, entrance, cache }: PublicReads,
  read: PublicRead,
  answer: Answer,
  { format, bytes }: Representation,
  version: string,
): void {
  const { key, now } = read
  const validity = validityOf(answer, version, now)
  const head: Omit<WrittenAnswer, 'body' | 'tag'> = { ...asNew(), ...headOf(service, answer) }
  if (validity?.clock === 'day') head.modified = sinceWhen(cache, version, now)
  const tag = validity ? versionTag(cache, format, validity) : ''
  if (!Buffer.isBuffer(bytes)) {
    const cacheIt = (body: Buffer) => validity && cacheAnswer(cache, key, { ...head, tag, body }, validity)
    const chunks = validity && wasAsked(cache, key) ? collected(cache, bytes, cacheIt) : bytes
    sendStream(entrance, read, { ...head, tag, chunks }, 'ordinary')
    return
  }
  const made = { ...head, tag: tag || contentTag(bytes), body: bytes }
  send(entrance, read, validity ? cacheAnswer(cache, key, made, validity) : made, 'ordinary')
}

function headOf({ site }: Service, { status, route = '', headers }: Answer) {
  return { status, route, headers: answerHeaders(site, headers, true) }
}

const BUFFER_SIZE = 128 * 1024
const MOST_BUFFERS = 64

interface Buffers {
  take: (size: number) => Buffer
  give: (buffer: Buffer) => void
}

/** Pools buffers: allocating one for each answer costs more than filling it. */
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
