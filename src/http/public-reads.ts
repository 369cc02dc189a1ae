import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CacheBudget, emptyGenerations, findKept, keep } from '../common/generations.ts'
import { wallNow } from '../text/moments.ts'
import { answerHeaders, crossOriginHeaders, type Encoding, encode, encodingFor, hasCurrent } from './headers.ts'
import { makePublicEvents } from './public-events.ts'
import {
  copyList,
  type FollowedBody,
  followList,
  makePublicLists,
  mostListBytes,
  type PublicList,
  writeList,
} from './public-lists.ts'
import type { Reply } from './reply.ts'
import { LONGEST_URL, type Responder, type Service } from './respond.ts'

/** A finished answer to an anonymous read, good for as long as its version and day hold. */
interface Finished {
  version: string
  day: string
  status: number
  /** Flat list of names and values, as `writeHead` takes it, without the entity tag. */
  headers: readonly string[]
  tag: string
  /** Entity tags that the same body had before, the latest ones. */
  earlierTags: readonly string[]
  body: Buffer
  encoded: Partial<Record<Encoding, Buffer>>
  /** Of what outlives changes of the data. */
  followed?: FollowedBody
  /** Whether some of the body may still be on its way out: then nothing may be written into it. */
  isSending: boolean
}

/** Handles a request when it is an anonymous read; false leaves it to the server behind. */
export type PublicReads = (request: IncomingMessage, response: ServerResponse) => boolean

/** Earlier tags that a list is known by: clients ask again for what they got a few changes ago. */
const EARLIER_TAGS = 16

/** Places for the addresses that are remembered as asked for once; a power of two. */
const ASKED = 65_536

/**
 * Answers anonymous reads ahead of the router: from finished bodies where nothing has changed since, from the memory of events where it
 * knows them, and through the ordinary way else. An answer is kept with the version of the data it was made from, so that it is never
 * served after a change that this process can know of; it is kept once it has been asked for twice, since most lists of a busy site are
 * asked for once. `budget` bounds the finished bodies.
 */
export function makePublicReads(service: Service, respond: Responder, budget: CacheBudget): PublicReads {
  const { memory, site } = service
  const bodies = emptyGenerations<string, Finished>(budget)
  const asked = new Uint32Array(ASKED)
  const findList = makePublicLists(service)
  const singles = makePublicEvents(service)
  const buffers = makeBuffers()
  const root = `${site.restRoot}/`
  const edition = createHash('sha1')
    .update(JSON.stringify([service.edition, site]))
    .digest('base64url')
    .slice(0, 6)
  const today = makeToday(site.timezone)
  const { Link: rootLink = '', ...listHeaders } = answerHeaders(site, { Allow: 'GET' }, true)
  const fixedHeaders = Object.entries(listHeaders).flat()

  return (request, response) => {
    const url = request.url ?? ''
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.headers.authorization !== undefined || !url.startsWith(root) || url.length > LONGEST_URL)
      return false
    try {
      answer(request, response, url)
      return true
    } catch (error) {
      // Nobody behind would catch it. The ordinary way may do better, or says what is wrong.
      service.report(error)
      if (!response.headersSent) return false
      response.destroy()
      return true
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: string): void {
    const now = service.now()
    let looking: ReturnType<typeof findList>
    if (!memory.isBehind()) {
      const known = findFinished(url, now)
      if (known) {
        write(request, response, known)
        return
      }
      const list = findList(url, now)
      if (list && !(list instanceof Promise)) {
        writeFresh(request, response, url, list, memory.version, today(now))
        return
      }
      looking = list
    }
    answerLater(request, response, url, now, looking).catch((error: unknown) => {
      service.report(error)
      response.destroy()
    })
  }

  /** The finished answer that is still good. */
  function findFinished(url: string, now: number): Finished | undefined {
    const known = findKept(bodies, url)
    const day = today(now)
    if (!known || (known.version === memory.version && known.day === day)) return known
    if (!known.followed?.isSame(day)) return undefined
    renew(known, known.followed, day)
    return known
  }

  /** Brings an answer that has outlived a change to the present version, and the counts that it shows of terms. */
  function renew(known: Finished, followed: FollowedBody, day: string): void {
    const isRecounted = followed.recount(known.isSending)
    if (isRecounted) Object.assign(known, { body: followed.body, encoded: {}, isSending: false })
    // The tag of a list is that of every node. What it had before stays good here for as long as it says the same.
    const isOfVersion = known.tag === listTag(known.version, known.day)
    const tag = isOfVersion ? listTag(memory.version, day) : isRecounted ? contentTag(known.body) : known.tag
    const earlier = tag === known.tag ? known.earlierTags : [...known.earlierTags, known.tag].slice(-EARLIER_TAGS)
    Object.assign(known, { version: memory.version, day, tag, earlierTags: isRecounted ? [] : earlier })
  }

  async function answerLater(
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    now: number,
    looking: ReturnType<typeof findList>,
  ): Promise<void> {
    // Without the database there is nothing to take in, and the ordinary way says so.
    if (!looking && memory.isBehind()) await memory.catchUp().catch(service.report)
    const known = looking || memory.isBehind() ? undefined : findFinished(url, now)
    if (known) return write(request, response, known)
    const { version } = memory
    const { drops } = memory.pieces
    // Why a list cannot be found the ordinary way says too.
    const list = await Promise.resolve(looking ?? findList(url, now)).catch(() => undefined)
    if (list) return writeFresh(request, response, url, list, version, today(now))
    const { method = 'GET', headers } = request
    const address = request.socket.remoteAddress ?? ''
    const reply = await respond({ method, url, headers, address, body: Buffer.alloc(0) })
    // What was read while something changed may be older than what is remembered now.
    const isCurrent = drops === memory.pieces.drops && memory.version === version && !memory.isBehind()
    const finished =
      singles.isEvent(url) && reply.status === 200
        ? finishEvent(reply, version, now, isCurrent)
        : finish(url, reply, version, now)
    if (finished.followed || finished.tag.startsWith(`W/"${edition}.`)) keepFinished(url, finished)
    write(request, response, finished)
  }

  function writeFresh(
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    list: PublicList,
    version: string,
    day: string,
  ): void {
    const isSteadyList = isSteady(url)
    const isKept = isSteadyList && wasAsked(url)
    const pooled = buffers.take(mostListBytes(list))
    const pooledList = writeList(list, pooled)
    const written = isKept ? copyList(pooledList) : pooledList
    const body = written.bytes
    const tag = isSteadyList ? listTag(version, day) : contentTag(body)
    const headers = [
      ...fixedHeaders,
      'Link',
      list.link === '' ? rootLink : `${rootLink}, ${list.link}`,
      'X-TEC-Total',
      String(list.total),
      'X-TEC-TotalPages',
      String(list.totalPages),
    ]
    const finished: Finished = { version, day, status: 200, headers, tag, body, ...asNew() }
    if (isKept) {
      buffers.give(pooled)
      finished.followed = followList(memory, list, written, day)
      keepFinished(url, finished)
    }
    write(request, response, finished, isKept ? undefined : () => buffers.give(pooled))
  }

  /**
   * Whether this address has been asked for before, lately. Of addresses only their hashes are kept: texts would have to be collected again,
   * and all that comes of two with the same hash is a body kept too soon.
   */
  function wasAsked(url: string): boolean {
    const hash = hashOf(url)
    const place = hash % ASKED
    if (asked[place] === hash) return true
    asked[place] = hash
    return false
  }

  function keepFinished(url: string, finished: Finished): void {
    keep(bodies, url, finished, finished.body.length + url.length + 1000)
  }

  /** Of a state of the data rather than of what is said of it: the same on every node, and made in no time. */
  function listTag(version: string, day: string): string {
    return `W/"${edition}.${version}.${day}"`
  }

  function finish(url: string, reply: Reply, version: string, now: number): Finished {
    const body = Buffer.from(JSON.stringify(reply.body, null, /[?&]_pretty(=|&|$)/.test(url) ? 4 : undefined))
    const day = today(now)
    const tag = reply.status === 200 && version !== '' && isSteady(url) ? listTag(version, day) : contentTag(body)
    return finishedWith(reply, version, now, tag, body)
  }

  /** Its entity tag is of what it says alone, so that clients keep it while other events change. */
  function finishEvent(reply: Reply, version: string, now: number, isCurrent: boolean): Finished {
    const followed = singles.follow(reply.body as { id: number })
    const { body } = followed
    const finished = finishedWith(reply, version, now, contentTag(body), body)
    return isCurrent && memory.index ? { ...finished, followed } : finished
  }

  function finishedWith(reply: Reply, version: string, now: number, tag: string, body: Buffer): Finished {
    const headers = Object.entries(answerHeaders(site, reply.headers, true)).flat()
    return { version, day: today(now), status: reply.status, headers, tag, body, ...asNew() }
  }
}

/** What every answer begins with. */
const asNew = () => ({ earlierTags: [], encoded: {}, isSending: false })

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const contentTag = (body: Buffer) => `W/"${createHash('sha1').update(body).digest('base64url')}"`

/** Parameters whose values in words change with the clock. */
const CLOCK =
  /[?&](?:start_date|end_date|starts_before|starts_after|ends_before|ends_after|only_with_upcoming)=(?!\d{4}-\d\d-\d\d)/

/** False for answers that change with the clock alone within a day: dates in words, and what is upcoming. */
function isSteady(url: string): boolean {
  return !CLOCK.test(url) && !url.includes('[') && !url.includes('%5')
}

/** The days that a default window depends on: today's in the zone of the site, and today's in UTC (contract 4.3). */
function makeToday(zone: string): (now: number) => string {
  let until = 0
  let day = ''
  return (now) => {
    if (now < until && now >= until - 60_000) return day
    day = `${wallNow(zone, now).slice(5, 10)}${new Date(now).toISOString().slice(8, 10)}`
    // Zones change the day at whole minutes of UTC.
    until = (Math.floor(now / 60_000) + 1) * 60_000
    return day
  }
}

const BUFFER_SIZE = 128 * 1024
const MOST_BUFFERS = 64

interface Buffers {
  take: (size: number) => Buffer
  give: (buffer: Buffer) => void
}

/** Buffers for answers that are sent and forgotten: making one of 30 kB for each costs more than filling it. */
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

/** Sends an answer; `sent` is called once its body has left and may be overwritten. */
function write(request: IncomingMessage, response: ServerResponse, answer: Finished, sent?: () => void): void {
  const { origin } = request.headers
  const crossOrigin = origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
  const tag = answer.status === 200 ? ['ETag', answer.tag] : []
  if (answer.status === 200 && hasCurrent(request.headers, answer.tag, answer.earlierTags)) {
    response.writeHead(304, [...withoutBody(answer.headers), ...tag, ...crossOrigin])
    response.end(sent)
    return
  }
  const encoding = encodingFor(request.headers, answer.body.length)
  const body = encoding ? encoded(answer, encoding) : answer.body
  const headers = [...answer.headers, ...tag, ...crossOrigin, 'Content-Length', String(body.length)]
  if (encoding) headers.push('Content-Encoding', encoding)
  response.writeHead(answer.status, headers)
  if (request.method === 'HEAD') response.end(sent)
  else response.end(body, sent)
  // A response behind others of its connection has no socket yet.
  const { socket } = response
  if (body === answer.body && (socket === null || socket.writableLength > 0)) answer.isSending = true
}

function encoded(answer: Finished, encoding: Encoding): Buffer {
  const known = answer.encoded[encoding]
  if (known) return known
  const bytes = encode(answer.body, encoding)
  answer.encoded[encoding] = bytes
  return bytes
}

/** Without the headers that speak of a body (RFC 9110, 15.4.5). */
function withoutBody(headers: readonly string[]): string[] {
  return headers.filter((_, i) => headers[i - (i % 2)] !== 'Content-Type')
}
