import type { CacheBudget } from '../base/cache.ts'
import { versionedTag } from '../calendar/records/record-store.ts'
import { awaitCommits, catchUp, isBehind } from '../store/memory/event-memory.ts'
import { lengthOf } from '../store/memory/event-pieces.ts'
import { isPressed } from './admission.ts'
import { answerHeaders } from './answer-headers.ts'
import { namesOneOf, preferredFormat } from './choose-format.ts'
import {
  collected,
  editionOf,
  type FinishedAnswers,
  findFinished,
  keepFinished,
  noFinishedAnswers,
  sinceWhen,
  versionTag,
  wasAsked,
} from './finished.ts'
import type { Reply, Shown } from './format.ts'
import { type Front, incomingOf, refuseOverload } from './front.ts'
import { type Exchange, LONGEST_URL, NO_BODY } from './incoming.ts'
import { BYTES_AT_ONCE, isPretty, joined, json, jsonParts, partByPart } from './json.ts'
import { type Responder, type Service, signInAsStranger } from './respond.ts'
import { findRoute, type RouteTable } from './route-table.ts'
import type { MatchedRoute } from './routes.ts'
import { asNew, contentTag, type Outgoing, send, sendStream } from './send.ts'

// Anonymous reads: a kept answer, or the ordinary way, kept from the second request on.

export interface PublicReads {
  service: Service
  front: Front
  routes: RouteTable
  respond: Responder
  finished: FinishedAnswers
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
  front: Front,
): PublicReads {
  const finished = noFinishedAnswers(service, budget)
  const namesAnother = namesOneOf(routes.formats)
  return { service, front, routes, respond, finished, buffers: makeBuffers(), namesAnother }
}

/** Returns false for what is left to the ordinary way. */
export function readPublic(reads: PublicReads, exchange: Exchange, tellWrong?: TellWrong): boolean {
  const { service, front, finished, routes } = reads
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
    // Only rows that allow it have kept answers, so no row is looked for.
    const known = isBehind(service.memory) ? undefined : findFinished(finished, key, now)
    if (known) {
      send(front, exchange, known, 'finished')
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

/** The parameter is there once, so that `Accept` chooses nothing. */
const namesFormat = (url: string) =>
  /[?&]format=[a-z]+(?:&|$)/.test(url) && url.indexOf('format') === url.lastIndexOf('format')

/** The key has the representation where `Accept` chose another than JSON. */
function keyOf({ namesAnother, routes }: PublicReads, url: string, accept: string | undefined): string {
  if (!namesAnother(accept) || namesFormat(url)) return url
  const { name } = preferredFormat([json, ...routes.formats], accept)
  return name === json.name ? url : `${name} ${url}`
}

async function answerRead(reads: PublicReads, read: PublicRead): Promise<void> {
  const { service, front, finished, respond } = reads
  const { memory } = service
  if (isPressed(front.pressure)) return refuseOverload(front, read)
  if (isBehind(memory)) {
    // If the database does not answer, the ordinary way says so.
    await catchUp(memory).catch(service.report)
    const known = isBehind(memory) ? undefined : findFinished(finished, read.key, read.now)
    if (known) return send(front, read, known, 'finished')
  }
  const { version } = memory
  const { found } = read
  const incoming = { ...incomingOf(front, read, async () => NO_BODY), found }
  const reply = await respond(incoming, signInAsStranger)
  await awaitCommits(memory)
  if (reply.isRefused) return refuseOverload(front, read)
  if (reply.status === 400 && read.tellWrong) return read.tellWrong(read, namesAtFault(reply))
  return reply.shown
    ? sendShown(reads, read, reply, reply.shown, version)
    : sendJson(reads, read, reply, version)
}

function namesAtFault({ body }: Reply): string[] {
  const { data } = body as { data?: { params?: object } }
  return Object.keys(data?.params ?? {})
}

function validityOf({ clock = 'day', status, innerStatus = status }: Reply, version: string, now: number) {
  return version === '' || clock === 'now' || innerStatus !== 200 ? undefined : { version, clock, now }
}

/** An answer is kept from its second request on; very long ones go out part by part. */
async function sendJson(reads: PublicReads, read: PublicRead, reply: Reply, version: string): Promise<void> {
  const { service, front, finished, buffers } = reads
  const parts = await jsonParts(reply.body, isPretty(read.url.text))
  const length = lengthOf(parts)
  const validity = validityOf(reply, version, read.now)
  const from = reply.isFromMemory ? 'memory' : 'ordinary'
  const head = headOf(service, reply)
  if (length > BYTES_AT_ONCE) {
    const tag = validity ? versionTag(finished, json.name, validity) : ''
    const held = reply.isFromMemory ? 0 : length
    sendStream(front, read, { ...head, tag, chunks: partByPart(parts), held }, from)
    return
  }
  const isOk = (reply.innerStatus ?? reply.status) === 200
  // A list that is asked for once is not worth a digest of its bytes; a record keeps its tag.
  const isOne = reply.version !== undefined
  const firstTag = validity && !isOne ? versionTag(finished, json.name, validity) : ''
  const contentOf = (body: Buffer) =>
    isOk ? versionedTag(contentTag(body, editionOf(finished)), reply.version) : ''
  if (validity && wasAsked(finished, read.key)) {
    const body = joined(parts)
    const made = { ...asNew(), ...head, tag: contentOf(body), firstTag, body }
    send(front, read, keepFinished(finished, read.key, made, validity), from)
    return
  }
  const lent = buffers.take(length)
  const body = joined(parts, lent)
  const tag = firstTag || contentOf(body)
  send(front, read, { ...asNew(), ...head, tag, body }, from, () => buffers.give(lent))
}

function sendShown(
  { service, front, finished }: PublicReads,
  read: PublicRead,
  reply: Reply,
  { format, bytes }: Shown,
  version: string,
): void {
  const { key, now } = read
  const validity = validityOf(reply, version, now)
  const head: Omit<Outgoing, 'body' | 'tag'> = { ...asNew(), ...headOf(service, reply) }
  if (validity?.clock === 'day') head.modified = sinceWhen(finished, version, now)
  const tag = validity ? versionTag(finished, format, validity) : ''
  if (!Buffer.isBuffer(bytes)) {
    const keepIt = (body: Buffer) => validity && keepFinished(finished, key, { ...head, tag, body }, validity)
    const chunks = validity && wasAsked(finished, key) ? collected(finished, bytes, keepIt) : bytes
    sendStream(front, read, { ...head, tag, chunks }, 'ordinary')
    return
  }
  const made = { ...head, tag: tag || contentTag(bytes), body: bytes }
  send(front, read, validity ? keepFinished(finished, key, made, validity) : made, 'ordinary')
}

function headOf({ site }: Service, { status, route = '', headers }: Reply) {
  return { status, route, headers: Object.entries(answerHeaders(site, headers, true)).flat() }
}

const BUFFER_SIZE = 128 * 1024
const MOST_BUFFERS = 64

interface Buffers {
  take: (size: number) => Buffer
  give: (buffer: Buffer) => void
}

/** Allocating 30 kB for each answer costs more than filling them. */
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
