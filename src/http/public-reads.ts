import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { emptyGenerations, findKept, type Generations, keep } from '../common/generations.ts'
import { pageRequest } from '../common/record-store.ts'
import type { Asking } from '../declare/asking.ts'
import type { Parsed } from '../declare/resource.ts'
import { event } from '../events/event.ts'
import { eventBytes, listFromMemory } from '../events/event-lists.ts'
import { eventWindow } from '../events/event-window.ts'
import { effectiveParameters } from '../events/events.ts'
import { wallNow } from '../text/moments.ts'
import { answerHeaders, crossOriginHeaders, type Encoding, encode, encodingFor, hasCurrent } from './headers.ts'
import { listReply, type Reply } from './reply.ts'
import { parsePlainQuery } from './request.ts'
import { anonymousAsking, LONGEST_URL, type Responder, type Service } from './respond.ts'

/** A finished answer to an anonymous read, good for as long as its version and day hold. */
interface Finished {
  version: string
  day: string
  status: number
  /** Flat list of names and values, as `writeHead` takes it. */
  headers: string[]
  tag: string
  body: Buffer
  encoded: Partial<Record<Encoding, Buffer>>
}

type Bodies = Generations<string, Finished>

/** Handles a request when it is an anonymous read; false leaves it to the server behind. */
export type PublicReads = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Answers anonymous reads ahead of the router: from finished bodies where nothing has changed since, from the memory of events where it
 * knows them, and through the ordinary way else. An answer is kept with the version of the data it was made from, so that it is never
 * served after a change that this process can know of. `bytes` bounds the finished bodies.
 */
export function makePublicReads(service: Service, respond: Responder, bytes: number): PublicReads {
  const { memory, site } = service
  const bodies: Bodies = emptyGenerations(bytes)
  const root = `${site.restRoot}/`
  const edition = createHash('sha1').update(JSON.stringify(site)).digest('base64url').slice(0, 6)
  const today = makeToday(site.timezone)

  return (request, response) => {
    const url = request.url ?? ''
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.headers.authorization !== undefined || !url.startsWith(root) || url.length > LONGEST_URL)
      return false
    const now = service.now()
    if (!memory.isBehind()) {
      const known = findKept(bodies, url)
      if (known && known.version === memory.version && known.day === today(now)) {
        write(request, response, known)
        return true
      }
      const reply = eventListReply(service, url, now)
      if (reply && !(reply instanceof Promise)) {
        write(request, response, finish(url, reply, memory.version, today(now)))
        return true
      }
    }
    answerLater(request, response, url, now).catch((error: unknown) => {
      service.report(error)
      response.destroy()
    })
    return true
  }

  async function answerLater(
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    now: number,
  ): Promise<void> {
    if (memory.isBehind()) await memory.catchUp().catch(service.report)
    const { version } = memory
    const { method = 'GET', headers } = request
    const address = request.socket.remoteAddress ?? ''
    const reply =
      (await eventListReply(service, url, now)) ??
      (await respond({ method, url, headers, address, body: Buffer.alloc(0) }))
    write(request, response, finish(url, reply, version, today(now)))
  }

  function finish(url: string, reply: Reply, version: string, day: string): Finished {
    const body =
      reply.bytes ?? Buffer.from(JSON.stringify(reply.body, null, /[?&]_pretty(=|&|$)/.test(url) ? 4 : undefined))
    const isKept = reply.status === 200 && version !== '' && isSteady(url)
    const tag = isKept
      ? `W/"${edition}.${version}.${day}"`
      : `W/"${createHash('sha1').update(body).digest('base64url')}"`
    const headers = Object.entries(answerHeaders(site, reply.headers, true)).flat()
    if (reply.status === 200) headers.push('ETag', tag)
    const finished = { version, day, status: reply.status, headers, tag, body, encoded: {} }
    if (isKept) keep(bodies, url, finished, body.length + url.length + 1000)
    return finished
  }
}

/** False for answers that change with the clock alone within a day: dates in words, and what is upcoming. */
function isSteady(url: string): boolean {
  const mark = url.indexOf('?')
  if (mark === -1) return true
  const dates = url
    .slice(mark)
    .matchAll(
      /[?&](?:start_date|end_date|starts_before|starts_after|ends_before|ends_after|only_with_upcoming)=([^&]*)/g,
    )
  return [...dates].every(([, value = '']) => /^\d{4}-\d\d-\d\d/.test(value)) && !/%(5B|5b)|\[/.test(url)
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

type ListQuery = Parsed<typeof event.filters>

/** The answer to a plain list of events from memory; undefined for every other request, and for lists that memory cannot answer. */
function eventListReply(service: Service, url: string, now: number): Reply | Promise<Reply> | undefined {
  const { site, memory } = service
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const list = `${site.restRoot}/${site.namespace}/events`
  if (path !== list && path !== `${list}/`) return undefined
  const asking = anonymousAsking(service, now)
  const query = readQuery(mark === -1 ? '' : url.slice(mark + 1), asking)
  if (!query) return undefined
  const window = eventWindow(query, asking)
  const page = pageRequest(query, asking)
  const found = listFromMemory(memory, query, window, (page.page - 1) * page.perPage, page.perPage, asking)
  if (!found || (page.page > 1 && found.ids.length === 0)) return undefined
  const answer = { items: [], total: found.total, ...page, effective: effectiveParameters(asking, query, window) }
  const reply = listReply(site, 'events', answer, false)
  reply.headers.Allow = 'GET'
  const pieces = eventBytes(memory, found.ids, asking)
  return pieces instanceof Promise ? pieces.then((bytes) => withItems(reply, bytes)) : withItems(reply, pieces)
}

/** The filters of a query in which nothing is out of the ordinary; undefined for any other, which the ordinary way looks at. */
function readQuery(text: string, asking: Asking): ListQuery | undefined {
  const pairs = parsePlainQuery(text)
  if (!pairs) return undefined
  const query: Record<string, unknown> = {}
  for (const [name, value] of pairs) {
    if (name.startsWith('_')) return undefined
    const field = event.filters[name as keyof typeof event.filters]
    if (!field || !Object.hasOwn(event.filters, name)) continue
    const { kind } = field
    if (kind.valid && kind.valid(value, asking) !== true) return undefined
    const read = kind.read(value)
    if (read === undefined) return undefined
    query[name] = read
  }
  return query
}

const LIST_START = Buffer.from('{"events":[')
const COMMA = ','.charCodeAt(0)

/** The list around the events that are there as bytes already. */
function withItems(reply: Reply, items: readonly Buffer[]): Reply {
  const rest = Buffer.from(JSON.stringify(reply.body).slice(LIST_START.length))
  const size =
    items.reduce((sum, item) => sum + item.length, 0) + Math.max(0, items.length - 1) + LIST_START.length + rest.length
  const bytes = Buffer.allocUnsafe(size)
  let at = LIST_START.copy(bytes)
  items.forEach((item, i) => {
    if (i > 0) bytes[at++] = COMMA
    at += item.copy(bytes, at)
  })
  rest.copy(bytes, at)
  return { ...reply, bytes }
}

function write(request: IncomingMessage, response: ServerResponse, answer: Finished): void {
  const { origin } = request.headers
  const crossOrigin = origin === undefined ? [] : Object.entries(crossOriginHeaders(origin)).flat()
  if (answer.status === 200 && hasCurrent(request.headers, answer.tag)) {
    response.writeHead(304, [...withoutBody(answer.headers), ...crossOrigin])
    response.end()
    return
  }
  const encoding = encodingFor(request.headers, answer.body.length)
  const body = encoding ? encoded(answer, encoding) : answer.body
  const headers = [...answer.headers, ...crossOrigin, 'Content-Length', String(body.length)]
  if (encoding) headers.push('Content-Encoding', encoding)
  response.writeHead(answer.status, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
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
