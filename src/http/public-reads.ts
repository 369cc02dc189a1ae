import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CacheBudget, emptyCache, findCached, keep } from '../cache/cache.ts'
import { catchUp, isBehind } from '../memory/event-memory.ts'
import { Problem } from '../problems.ts'
import { admitted, isFull, leave, tryEnter } from './admission.ts'
import type { Answered } from './answered.ts'
import { clientAddress } from './client-address.ts'
import { compress } from './compression.ts'
import { type Front, isGone, refuseOverload } from './front.ts'
import { answerHeaders, crossOriginHeaders, type Encoding, encodingFor, hasCurrent } from './headers.ts'
import { isPretty, jsonBytes } from './json-bytes.ts'
import { isPressed } from './pressure.ts'
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
import { LONGEST_URL, NO_BODY, type Responder, type Service } from './respond.ts'
import { makeBuffers } from './sent-buffers.ts'
import { hasRoomFor, sendBody } from './slow-readers.ts'
import { isSteady, makeToday } from './steady-lists.ts'

/** A finished answer to an anonymous read, good for as long as its version and day hold. */
interface Finished {
  version: string
  day: string
  status: number
  /** The template of its route, as the log and the counts name it. */
  route: string
  /** Flat list of names and values, as `writeHead` takes it, without the entity tag. */
  headers: readonly string[]
  /** Its ETag, empty for none. */
  tag: string
  /** Entity tags that the same body had before, the latest ones. */
  earlierTags: readonly string[]
  body: Buffer
  /** A promise while it is being compressed. */
  encoded: Partial<Record<Encoding, Buffer | Promise<Buffer> | undefined>>
  /** Of what outlives changes of the data. */
  followed?: FollowedBody
  /** Whether it is cached for later requests. */
  isKept: boolean
  /** Numbers that `followed` knows of the counts in the body. */
  countsKept?: number
  /** Whether some of the body may still be on its way out: then nothing may be written into it. */
  isSending: boolean
}

/** One request on its way to its answer. */
interface Visit {
  request: IncomingMessage
  response: ServerResponse
  url: string
  requestId: string
  /** Milliseconds, on the clock of `performance.now`. */
  arrived: number
}

/** What the index of events was asked for: undefined for what it does not know. */
interface Looking {
  list: PublicList | undefined | Promise<PublicList | undefined>
}

/** Reads other than lists of events. */
const NOT_LISTED: Looking = { list: undefined }

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
export function makePublicReads(service: Service, respond: Responder, budget: CacheBudget, front: Front): PublicReads {
  const { memory, site } = service
  const { admission, readers, requestIds, onAnswered } = front
  const bodies = emptyCache<string, Finished>(budget)
  const asked = new Uint32Array(ASKED)
  const findList = makePublicLists(service)
  const singles = makePublicEvents(service)
  const buffers = makeBuffers()
  const root = `${site.restRoot}/`
  const isAtTop = root === '/'
  const edition = createHash('sha1')
    .update(JSON.stringify([service.edition, site, service.images.mediaUrl]))
    .digest('base64url')
    .slice(0, 6)
  const today = makeToday(site.timezone)
  const { Link: rootLink = '', ...listHeaders } = answerHeaders(site, { Allow: 'GET' }, true)
  const fixedHeaders = Object.entries(listHeaders).flat()
  const listRoute = `/${site.namespace}/events`
  const listPath = site.restRoot + listRoute

  return (request, response) => {
    const url = request.url ?? ''
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.headers.authorization !== undefined || !url.startsWith(root) || url.length > LONGEST_URL)
      return false
    if (isAtTop && BESIDE.test(url)) return false
    const visit: Visit = { request, response, url, requestId: requestIds(), arrived: performance.now() }
    try {
      answer(visit)
      return true
    } catch (error) {
      // Nobody behind would catch it. The ordinary way may succeed, or reports the error.
      service.report(error, visit.requestId)
      if (!response.headersSent) return false
      response.destroy()
      return true
    }
  }

  function answer(visit: Visit): void {
    const { url } = visit
    const now = service.now()
    let looking: Looking | undefined
    if (!isBehind(memory)) {
      const known = findFinished(url, now)
      if (known) {
        write(visit, known, 'finished')
        return
      }
      if (isPressed(front.pressure) || (isSearch(url) && isFull(admission, 'searches'))) {
        refuseOverload(front, visit.request, visit.response)
        return
      }
      looking = findAdmitted(url, now)
      if (looking?.list && !(looking.list instanceof Promise)) {
        writeFresh(visit, looking.list, memory.version, today(now))
        return
      }
    }
    answerLater(visit, now, looking).catch((error: unknown) => {
      if (error instanceof Problem) {
        refuseOverload(front, visit.request, visit.response)
        return
      }
      service.report(error, visit.requestId)
      visit.response.destroy()
    })
  }

  /** What the index has to say of a list, where it may be asked at once; undefined where it is to be asked in turn. */
  function findAdmitted(url: string, now: number): Looking | undefined {
    if (!url.startsWith(listPath)) return NOT_LISTED
    if (isSearch(url) || !tryEnter(admission, 'lists')) return undefined
    let list: Looking['list']
    try {
      list = findList(url, now)
      return { list }
    } finally {
      if (list instanceof Promise) list.catch(() => undefined).finally(() => leave(admission, 'lists'))
      else leave(admission, 'lists')
    }
  }

  /** The same when it is its turn. Why a list cannot be found the ordinary way says too. */
  async function findInTurn({ url, request }: Visit, now: number): Promise<PublicList | undefined> {
    if (!url.startsWith(listPath)) return undefined
    const find = async () => {
      try {
        return await findList(url, now)
      } catch {
        return undefined
      }
    }
    return admitted(admission, isSearch(url) ? 'searches' : 'lists', () => isGone(request), find)
  }

  /** The finished answer that is still good. */
  function findFinished(url: string, now: number): Finished | undefined {
    const known = findCached(bodies, url)
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

  async function answerLater(visit: Visit, now: number, looking: Looking | undefined): Promise<void> {
    const { url, request, requestId } = visit
    // Without the database there is nothing to take in, and the ordinary way says so.
    if (!looking && isBehind(memory)) await catchUp(memory).catch(service.report)
    const known = looking || isBehind(memory) ? undefined : findFinished(url, now)
    if (known) return write(visit, known, 'finished')
    const { version } = memory
    const { drops } = memory.pieces
    const list = await (looking ? Promise.resolve(looking.list).catch(() => undefined) : findInTurn(visit, now))
    if (list) return writeFresh(visit, list, version, today(now))
    const { method = 'GET', headers } = request
    const address = clientAddress(request, front.trusted)
    const reply = await respond({
      method,
      url,
      headers,
      address,
      requestId,
      isGone: () => isGone(request),
      readBody: async () => NO_BODY,
    })
    // A row read during a change may be older than the cached one.
    const isCurrent = drops === memory.pieces.drops && memory.version === version && !isBehind(memory)
    const finished =
      singles.isEvent(url) && reply.status === 200
        ? finishEvent(reply, version, now, isCurrent)
        : await finish(url, reply, version, now)
    if (finished.followed || finished.tag.startsWith(`W/"${edition}.`)) keepFinished(url, finished)
    write(visit, finished, 'ordinary')
  }

  function writeFresh(visit: Visit, list: PublicList, version: string, day: string): void {
    const { url } = visit
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
    const finished: Finished = { version, day, status: 200, route: listRoute, headers, tag, body, ...asNew() }
    if (isKept) {
      buffers.give(pooled)
      finished.followed = followList(memory, list, written, day)
      finished.countsKept = written.counts.length
      keepFinished(url, finished)
    }
    write(visit, finished, 'memory', isKept ? undefined : () => buffers.give(pooled))
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
    finished.isKept = true
    // Beside the body, what it is compressed to, its address twice, and what follows it: ids, states, and places of counts.
    const { body, countsKept = 0 } = finished
    keep(bodies, url, finished, body.length * 1.5 + url.length * 4 + countsKept * 8 + 2500)
  }

  /** Names the state of the data rather than the bytes: the same on every node, and made in no time. */
  function listTag(version: string, day: string): string {
    return `W/"${edition}.${version}.${day}"`
  }

  async function finish(url: string, reply: Reply, version: string, now: number): Promise<Finished> {
    const body = await jsonBytes(reply.body, isPretty(url))
    const day = today(now)
    // An envelope may be cached as long as its content.
    const isOk = (reply.innerStatus ?? reply.status) === 200
    const tag = !isOk ? '' : version !== '' && isSteady(url) ? listTag(version, day) : contentTag(body)
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
    const { status, route = '' } = reply
    return { version, day: today(now), status, route, headers, tag, body, ...asNew() }
  }

  /** Sends an answer; `sent` is called once its body has left and may be overwritten. */
  function write(visit: Visit, answer: Finished, from: Answered['from'], sent?: () => void): void {
    const { request } = visit
    if (answer.tag !== '' && hasCurrent(request.headers, answer.tag, answer.earlierTags)) {
      writeUnchanged(visit, answer, sent)
      announce(visit, answer, from, 304, 0)
      return
    }
    const encoding = encodingFor(request.headers, answer.body.length)
    const body = encoding && encoded(answer, encoding)
    if (!(body instanceof Promise)) {
      writeBody(visit, answer, from, body, encoding, sent)
      return
    }
    body.then(
      (bytes) => writeBody(visit, answer, from, bytes, encoding, sent),
      (error: unknown) => {
        service.report(error, visit.requestId)
        visit.response.destroy()
      },
    )
  }

  function writeUnchanged({ request, response, requestId }: Visit, answer: Finished, sent?: () => void): void {
    const headers = [...withoutBody(answer.headers), 'ETag', answer.tag, 'X-Request-Id', requestId]
    response.writeHead(304, [...headers, ...crossOrigin(request)])
    response.end(sent)
  }

  /** Sends the body as it stands, or the same compressed. */
  function writeBody(
    visit: Visit,
    answer: Finished,
    from: Answered['from'],
    compressed: Buffer | undefined,
    encoding: Encoding | undefined,
    sent?: () => void,
  ): void {
    const { request, response, requestId } = visit
    const body = compressed ?? answer.body
    if (!answer.isKept && !hasRoomFor(readers, body.length)) {
      refuseOverload(front, request, response)
      return
    }
    const headers = [...answer.headers, 'X-Request-Id', requestId, 'Content-Length', String(body.length)]
    if (answer.tag !== '') headers.push('ETag', answer.tag)
    if (request.headers.origin !== undefined) headers.push(...crossOrigin(request))
    if (compressed && encoding) headers.push('Content-Encoding', encoding)
    response.writeHead(answer.status, headers)
    if (request.method === 'HEAD') response.end(sent)
    else {
      // One that is kept is held for all of its readers.
      const isOnItsWay = sendBody(readers, response, body, answer.isKept ? 0 : body.length, sent)
      if (isOnItsWay && body === answer.body) answer.isSending = true
    }
    announce(visit, answer, from, answer.status, body.length)
  }

  function announce(visit: Visit, answer: Finished, from: Answered['from'], status: number, bytes: number): void {
    if (!onAnswered) return
    const { request, url, requestId, arrived } = visit
    const { method = 'GET' } = request
    const ms = performance.now() - arrived
    const address = clientAddress(request, front.trusted)
    onAnswered({ method, url, route: answer.route, status, ms, bytes, requestId, address, from })
  }
}

/** What every answer begins with. */
const asNew = () => ({ earlierTags: [], encoded: {}, isKept: false, isSending: false })

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const contentTag = (body: Buffer) => `W/"${createHash('sha1').update(body).digest('base64url')}"`

/** The routes beside the interface, where the interface is served at the top of the site. */
const BESIDE = /^\/(?:healthz|readyz|metrics|media\/[^?]*)\/?(?:\?|$)/

/** Whether a search may be asked for, which is one of the kinds of work that wait apart. */
function isSearch(url: string): boolean {
  return url.includes('search=')
}

function crossOrigin({ headers: { origin } }: IncomingMessage): string[] {
  return origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
}

/** The body compressed, a promise of it, or undefined where it goes out as it is. */
function encoded(answer: Finished, encoding: Encoding): Buffer | Promise<Buffer> | undefined {
  const known = answer.encoded[encoding]
  if (known) return known
  const { body } = answer
  const bytes = compress(body, encoding)
  if (!bytes) return undefined
  answer.encoded[encoding] = bytes
  if (bytes instanceof Promise) {
    // It is read beside this thread: nothing may be written into it.
    answer.isSending = true
    const keepIt = (later: Buffer | undefined) => {
      if (answer.body === body) answer.encoded[encoding] = later
    }
    bytes.then(keepIt, () => keepIt(undefined))
  }
  return bytes
}

/** Without the headers that speak of a body (RFC 9110, 15.4.5). */
function withoutBody(headers: readonly string[]): string[] {
  return headers.filter((_, i) => headers[i - (i % 2)] !== 'Content-Type')
}
