import type { Context } from '../context/context.ts'
import type { Found } from '../declare/operations.ts'
import { parseFields } from '../declare/parse.ts'
import { event } from '../events/event.ts'
import { eventPieces } from '../events/event-bytes.ts'
import { type EventsQuery, eventFilters } from '../events/event-filters.ts'
import { findInMemory } from '../events/find-events.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import {
  areUnchanged,
  bytesOf,
  type EventStates,
  hasCurrentCounts,
  type ListedEvent,
  mostBytes,
  type Piece,
  statesOf,
  updateCounts,
  writeParts,
  writePiece,
} from '../memory/event-pieces.ts'
import { Problem } from '../problems.ts'
import { listLinks } from './reply.ts'
import { parsePlainQuery } from './request.ts'
import { anonymousContext, type Service } from './respond.ts'
import type { Action } from './routes.ts'

/** A list of events on its way out: the events as JSON, then the members after them. */
export interface PublicList {
  events: readonly ListedEvent[]
  /** JSON behind the events. */
  tail: string
  total: number
  totalPages: number
  /** The value of the `Link` header, empty for none. */
  link: string
  /** Its events, as they were before they were read. */
  ids: readonly number[]
  states: EventStates
  /** As it was found in the index. */
  found: Found
}

/** A body that outlives changes which it does not show, and that new counts of terms are written into. */
export interface FollowedBody {
  body: Buffer
  /** Whether it is for certain still the same on this day, but for the counts; it may say no of one that is. */
  isSame: (day: string) => boolean
  /** Brings the counts up to date, in a copy while the body `isSending`; false when they are. */
  recount: (isSending: boolean) => boolean
}

/** Follows a body that was put together from what memory knows. */
export function followBody(memory: EventMemory, piece: Piece, isSame: FollowedBody['isSame']): FollowedBody {
  const followed: FollowedBody = {
    body: piece.bytes,
    isSame,
    recount: (isSending) => {
      if (hasCurrentCounts(memory.pieces, piece, memory.terms)) return false
      if (isSending) piece.bytes = bytesOf(piece.bytes)
      updateCounts(memory.pieces, piece, memory.terms)
      followed.body = piece.bytes
      return true
    },
  }
  return followed
}

/** Whether a row of the route table lists the events of the namespace. */
export function isEventList(action: Action): boolean {
  return action.do === 'list' && action.served.resource === event
}

/**
 * Finds the plain lists of events, which memory answers without the router: the function gives undefined for every other request,
 * and for lists that memory does not know.
 */
export function makePublicLists(
  service: Service,
): (url: string, now: number) => PublicList | undefined | Promise<PublicList | undefined> {
  const { site, memory } = service
  const path = `${site.restRoot}/${site.namespace}/events`

  return (url, now) => {
    const queryText = queryOf(url, path)
    if (queryText === undefined) return undefined
    const context = anonymousContext(service, now)
    try {
      const query = readQuery(queryText, context)
      return query instanceof Promise
        ? query.then((later) => list(later, context)).catch(leaveProblem)
        : query && list(query, context)
    } catch (error) {
      return leaveProblem(error)
    }
  }

  function list(query: EventsQuery, context: Context): PublicList | undefined | Promise<PublicList | undefined> {
    const found = findInMemory(context, query)
    return found instanceof Promise ? found.then((later) => present(later, context)) : present(found, context)
  }

  function present(found: Found | undefined, context: Context): PublicList | undefined | Promise<PublicList> {
    if (!found || (found.page > 1 && found.ids.length === 0)) return undefined
    const { total, ids } = found
    const links = listLinks(`${site.base}/events/`, found)
    const next = links.next === undefined ? '' : `,"next_rest_url":"${links.next}"`
    const previous = links.previous === undefined ? '' : `,"previous_rest_url":"${links.previous}"`
    // Addresses are escaped, so that nothing in them needs escaping again in JSON.
    const tail = `],"rest_url":"${links.own}"${next}${previous},"total":${total},"total_pages":${links.totalPages}}`
    const { index, pieces } = memory
    if (!index) return undefined
    const states = statesOf(pieces, ids)
    const around = { tail, total, totalPages: links.totalPages, link: links.header, ids, states, found }
    const events = eventPieces(memory, index, ids, context)
    return events instanceof Promise ? events.then((later) => ({ ...around, events: later })) : { ...around, events }
  }
}

/** The query of a request for this list, empty for none; undefined for any other path. */
function queryOf(url: string, path: string): string | undefined {
  if (!url.startsWith(path)) return undefined
  const end = url.charAt(path.length) === '/' ? path.length + 1 : path.length
  if (url.length === end) return ''
  return url.charAt(end) === '?' ? url.slice(end + 1) : undefined
}

/** The parameters of a query in which nothing is out of the ordinary; undefined for any other, which the ordinary way looks at. @throws Problem */
function readQuery(text: string, context: Context): EventsQuery | undefined | Promise<EventsQuery> {
  const pairs = parsePlainQuery(text)
  if (!pairs) return undefined
  for (const name of pairs.keys()) if (name.startsWith('_')) return undefined
  return parseFields(eventFilters, Object.fromEntries(pairs), context)
}

/** What is wrong with a request the ordinary way says. */
function leaveProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

const HEAD = Buffer.from('{"events":[')
const COMMA = ','.charCodeAt(0)

/** As many bytes as the list takes, or more. */
export function mostListBytes({ events, tail }: PublicList): number {
  let most = HEAD.length + events.length + tail.length * 3
  for (const event of events) most += 'bytes' in event ? event.bytes.length : mostBytes(event)
  return most
}

/** A list that was written into a buffer. */
export interface WrittenList {
  /** Its bytes, part of that buffer. */
  bytes: Buffer
  /** The counts of terms in it, as those of a `Piece`. */
  counts: number[]
}

/** Writes the list into a buffer of `mostListBytes`. */
export function writeList({ events, tail }: PublicList, into: Buffer): WrittenList {
  const counts: number[] = []
  let at = HEAD.copy(into)
  for (let i = 0; i < events.length; i++) {
    if (i > 0) into[at++] = COMMA
    const event = events[i] as ListedEvent
    at = 'bytes' in event ? writePiece(event, into, at, counts) : writeParts(event, into, at, counts)
  }
  at += into.write(tail, at)
  return { bytes: into.subarray(0, at), counts }
}

/** The same list in a buffer of its own. */
export function copyList({ bytes, counts }: WrittenList): WrittenList {
  return { bytes: bytesOf(bytes), counts }
}

/** Follows a list that has been written on this day. */
export function followList(
  memory: EventMemory,
  list: PublicList,
  written: WrittenList,
  writtenOn: string,
): FollowedBody {
  const { ids, total, states } = list
  const { again: findAgain } = list.found
  let { revision } = list.found
  const isSamePage = () => {
    if (memory.index?.revision === revision) return true
    const again = findAgain?.()
    if (!again) return false
    const isSame = again.total === total && again.ids.length === ids.length && again.ids.every((id, i) => id === ids[i])
    if (isSame && memory.index) revision = memory.index.revision
    return isSame
  }
  return followBody(
    memory,
    { ...written, countsVersion: -1 },
    (day) => day === writtenOn && findAgain !== undefined && areUnchanged(memory.pieces, ids, states) && isSamePage(),
  )
}
