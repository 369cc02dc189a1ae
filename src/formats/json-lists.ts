import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import type { Found, JsonPieces } from '../declare/operations.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import {
  areUnchanged,
  bytesOf,
  type EventStates,
  hasCurrentCounts,
  type Piece,
  readPiece,
  statesOf,
  updateCounts,
} from '../memory/event-pieces.ts'
import type { Served } from '../resources.ts'
import { listLinks } from './json.ts'

/** A list on its way out: its records as pieces of JSON, and the members around them. */
export interface JsonList {
  /** JSON before the records. */
  head: string
  records: JsonPieces
  /** JSON behind the records. */
  tail: string
  totalPages: number
  /** The value of the `Link` header, empty for none. */
  link: string
  /** As it was found in the index. */
  found: Found
  /** Its records, as they were before they were read. */
  states: EventStates
}

/**
 * A list found in memory, put together from the pieces of its records; undefined where it has none. The answer is the same as that of `showList`,
 * only sooner.
 */
export function showPieces(
  context: Context & { memory: EventMemory },
  { resource, operations }: Served,
  found: Found,
): JsonList | undefined | Promise<JsonList | undefined> {
  const states = statesOf(context.memory.pieces, found.ids)
  const records = operations.loadPieces?.(context, found, 'page')
  if (!records) return undefined
  const links = listLinks(`${context.site.base}/${resource.path}/`, found)
  const next = links.next === undefined ? '' : `,"next_rest_url":"${links.next}"`
  const previous = links.previous === undefined ? '' : `,"previous_rest_url":"${links.previous}"`
  // Addresses are escaped, so that nothing in them needs escaping again in JSON.
  const tail = `],"rest_url":"${links.own}"${next}${previous},"total":${found.total},"total_pages":${links.totalPages}}`
  const around = {
    head: `{"${resource.path}":[`,
    tail,
    totalPages: links.totalPages,
    link: links.header,
    found,
    states,
  }
  if (records instanceof Promise) return records.then((later) => later && { ...around, records: later })
  return { ...around, records }
}

const COMMA = ','.charCodeAt(0)

/** As many bytes as the list takes, or more. */
export function mostListBytes({ head, records, tail }: JsonList): number {
  return records.mostBytes + records.count + (head.length + tail.length) * 3
}

/** Writes the list into a buffer of `mostListBytes`; `counts` gets the counts of terms in it, where it is to be followed. */
export function writeList({ head, records, tail }: JsonList, into: Buffer, counts?: number[]): Buffer {
  let at = into.write(head, 0, 'latin1')
  for (let i = 0; i < records.count; i++) {
    if (i > 0) into[at++] = COMMA
    at = records.write(i, into, at, counts)
  }
  at += into.write(tail, at)
  return into.subarray(0, at)
}

/** The same bytes record by record, with the counts of now; other requests take their turns in between. */
export function pieceList({ head, records, tail }: JsonList): AsyncGenerator<Buffer> {
  return piecesOf(head, records.held(), tail)
}

async function* piecesOf(head: string, records: JsonPieces, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head, 'latin1')
  for (let i = 0; i < records.count; i++) {
    const piece = Buffer.allocUnsafeSlow(records.mostBytesOf(i) + 1)
    if (i > 0) piece[0] = COMMA
    yield piece.subarray(0, records.write(i, piece, i > 0 ? 1 : 0))
    await nextTurn()
  }
  yield Buffer.from(tail)
}

/** A body that outlives changes which it does not show, and that new counts of terms are written into. */
export interface FollowedBody {
  body: Buffer
  /** Whether it is for certain still the same on this day, but for the counts; it may say no of one that is. */
  isSame: (day: string) => boolean
  /** Brings the counts up to date, in a copy while the body `isSending`; false when they are. */
  recount: (isSending: boolean) => boolean
}

/** Follows a body that was assembled from memory. */
function followBody(memory: EventMemory, piece: Piece, isSame: FollowedBody['isSame']): FollowedBody {
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

/** Follows a list that has been written on this day, with the counts of terms in it. */
export function followList(
  memory: EventMemory,
  { found, states }: JsonList,
  written: Pick<Piece, 'bytes' | 'counts'>,
  writtenOn: string,
): FollowedBody {
  const { ids, total, again: findAgain } = found
  let { revision } = found
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

/** Makes the body of the answer of a single event, which is valid until the event changes. */
export function followEvent(memory: EventMemory, body: { id: number }): FollowedBody {
  const states = statesOf(memory.pieces, [body.id])
  const piece = readPiece(JSON.stringify(body), memory.pieces.countsVersion)
  // Without an index no changes have been followed.
  const isSame = () => memory.index !== undefined && areUnchanged(memory.pieces, [body.id], states)
  return followBody(memory, piece, isSame)
}
