import type { TermRow } from '../storage/schema.ts'
import { type Cache, type CacheBudget, drop, dropAll, emptyCache, findCached, keepCached } from './cache.ts'

/** A part of an answer as JSON bytes, ready to be copied. */
export interface Piece {
  bytes: Buffer
  /** The counts of terms in `bytes`: three numbers each: the place, the term and the count. */
  counts: number[]
  /** The `countsVersion` that its counts are of. */
  countsVersion: number
}

/** A cache of presented public events and of their parts, bounded in bytes. */
export interface EventPieces {
  events: Cache<number, Piece>
  /** As events show them; empty for records that events do not show. */
  venues: Cache<number, Buffer>
  organizers: Cache<number, Buffer>
  terms: Cache<number, Piece>
  /** Rises whenever the count of any term changes. */
  countsVersion: number
  /** Rises whenever everything is dropped. */
  age: number
  /** Rises with every drop by a change: a row read before one may be older than a value cached after it. */
  drops: number
  /** How often each event has changed, by id. */
  changes: Uint32Array
  /** The ids of missed events; of ids that share a place, the latest. */
  missed: Uint32Array
}

/** The parts of an event. */
export interface EventParts {
  /** Its own members, as a JSON object, and behind a line end those that come last. */
  own: string
  categories: readonly Piece[]
  tags: readonly Piece[]
  /** The parts that it shows. */
  venues: readonly Buffer[]
  organizers: readonly Buffer[]
}

/** An event of a list: a cached piece, or the parts to write it from. */
export type ListedEvent = Piece | EventParts

/** The bytes of a piece. */
const sizeOf = ({ bytes, counts }: Piece) => bytes.length + counts.length * 8 + OVERHEAD

/** Digits reserved for a count, so that it can be rewritten in place: JSON ignores blanks before a number. */
const WIDTH = 10
/** Only an embedded term has these members in this order; inside a JSON text every quote would be escaped. */
const EMBEDDED_COUNT = /"count":(\d+),"filter":"raw","id":(\d+)/g
/** Bytes a piece costs beside its JSON. */
const OVERHEAD = 200
/** Places for missed events, a power of two: several times as many as the budget of a small machine has room for. */
const MISSED = 65_536

export function emptyPieces(budget: CacheBudget): EventPieces {
  return {
    events: emptyCache(budget),
    venues: emptyCache(budget),
    organizers: emptyCache(budget),
    terms: emptyCache(budget),
    countsVersion: 0,
    age: 0,
    drops: 0,
    changes: new Uint32Array(256),
    missed: new Uint32Array(MISSED),
  }
}

/** An event with the counts of its terms as they are now, or undefined when it is not in memory. */
export function findPiece(pieces: EventPieces, id: number, terms: ReadonlyMap<number, TermRow>): Piece | undefined {
  const piece = findCached(pieces.events, id)
  if (piece && piece.countsVersion !== pieces.countsVersion) updateCounts(pieces, piece, terms)
  return piece
}

/** Caches an event assembled from its parts. */
export function keepPiece(pieces: EventPieces, id: number, parts: EventParts): Piece {
  const piece = joinPiece(pieces, parts)
  keepCached(pieces.events, id, piece, sizeOf(piece))
  return piece
}

/**
 * Notes a miss, and tells whether the event is worth caching: when it was missed before, lately. In a large calendar most events are asked for
 * once, and would only evict those that are asked for again.
 */
export function isMissedAgain({ missed }: EventPieces, id: number): boolean {
  const place = id % MISSED
  if (missed[place] === id) return true
  missed[place] = id
  return false
}

/** Caches a venue or organizer as events show it. */
export function keepLinked(linked: Cache<number, Buffer>, id: number, bytes: Buffer): void {
  keepCached(linked, id, bytes, bytes.length + OVERHEAD)
}

/** The piece of a term with its present count; it is made when it is not cached. */
export function termPiece(
  pieces: EventPieces,
  id: number,
  terms: ReadonlyMap<number, TermRow>,
  present: () => object,
): Piece {
  const known = findCached(pieces.terms, id)
  if (known) {
    if (known.countsVersion !== pieces.countsVersion) updateCounts(pieces, known, terms)
    return known
  }
  const piece = readPiece(JSON.stringify(present()), pieces.countsVersion)
  keepCached(pieces.terms, id, piece, sizeOf(piece))
  return piece
}

/** Drops a changed event and everything made of it. */
export function dropPiece(pieces: EventPieces, id: number): void {
  pieces.drops++
  drop(pieces.events, id)
  if (id >= pieces.changes.length) {
    const wider = new Uint32Array(Math.ceil((id + 1) * 1.5))
    wider.set(pieces.changes)
    pieces.changes = wider
  }
  pieces.changes[id] = (pieces.changes[id] ?? 0) + 1
}

/** Drops a changed venue or organizer. */
export function dropLinked(pieces: EventPieces, kind: 'venues' | 'organizers', id: number): void {
  pieces.drops++
  drop(pieces[kind], id)
}

/** Drops a changed term. */
export function dropTerm(pieces: EventPieces, id: number): void {
  pieces.drops++
  drop(pieces.terms, id)
}

export function dropAllPieces(pieces: EventPieces): void {
  for (const kept of [pieces.events, pieces.terms]) dropAll<number, Piece>(kept)
  for (const kept of [pieces.venues, pieces.organizers]) dropAll<number, Buffer>(kept)
  pieces.age++
  pieces.drops++
}

/** The state of events at some time, to compare with a later one. */
export interface EventStates {
  age: number
  /** How often each event had changed. */
  changes: readonly number[]
}

export function statesOf({ age, changes }: EventPieces, ids: readonly number[]): EventStates {
  return { age, changes: ids.map((id) => changes[id] ?? 0) }
}

/** Whether these events are certainly the same, but for the counts of their terms. */
export function areUnchanged({ age, changes }: EventPieces, ids: readonly number[], before: EventStates): boolean {
  return age === before.age && ids.every((id, i) => (changes[id] ?? 0) === before.changes[i])
}

/** A text, or a copy of bytes, in a buffer of its own: small buffers share memory with others and keep it alive. */
export function bytesOf(content: string | Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(content))
  if (typeof content === 'string') bytes.write(content)
  else content.copy(bytes)
  return bytes
}

/** A piece of JSON, with the counts of its terms ready to be rewritten. */
export function readPiece(json: string, countsVersion: number): Piece {
  const counts: number[] = []
  let text = ''
  let copied = 0
  let bytes = 0
  for (const match of json.matchAll(EMBEDDED_COUNT)) {
    const start = match.index + '"count":'.length
    const before = json.slice(copied, start)
    bytes += Buffer.byteLength(before)
    counts.push(bytes, Number(match[2]), Number(match[1]))
    text += before + String(match[1]).padStart(WIDTH)
    bytes += WIDTH
    copied = start + String(match[1]).length
  }
  return { bytes: bytesOf(text + json.slice(copied)), counts, countsVersion }
}

const CATEGORIES = Buffer.from(',"categories":[')
const TAGS = Buffer.from('],"tags":[')
const VENUE = Buffer.from('],"venue":')
const ORGANIZER = Buffer.from(',"organizer":[')
const END = Buffer.from('],"custom_fields":[]}')
/** More bytes than the separators between the parts of an event and between events. */
const FRAME = CATEGORIES.length + TAGS.length + VENUE.length + ORGANIZER.length + END.length + 2
const COMMA = ','.charCodeAt(0)
const OPEN = '['.charCodeAt(0)
const CLOSE = ']'.charCodeAt(0)

/** An upper bound of the JSON bytes of an event, found without a look at its text. */
export function mostBytes({ own, categories, tags, venues, organizers }: EventParts): number {
  let most = own.length * 3 + FRAME
  for (const terms of [categories, tags]) for (const { bytes } of terms) most += bytes.length + 1
  for (const linked of [venues, organizers]) for (const bytes of linked) most += bytes.length + 1
  return most
}

/**
 * Writes an event, with exactly the members of `presentEvent`, into a buffer with room for `mostBytes`. Returns the end, and adds the counts of the
 * event to `counts`, if any.
 */
export function writeParts(parts: EventParts, into: Buffer, start: number, counts?: number[]): number {
  const line = parts.own.indexOf('\n')
  // More members follow in place of the last brace.
  let at = start + into.write(line === -1 ? parts.own : parts.own.slice(0, line), start) - 1
  const add = (chunk: Buffer, i: number) => {
    if (i > 0) into[at++] = COMMA
    into.set(chunk, at)
    at += chunk.length
  }
  const addTerm = (term: Piece, i: number) => {
    if (i > 0) into[at++] = COMMA
    at = writePiece(term, into, at, counts)
  }
  add(CATEGORIES, 0)
  parts.categories.forEach(addTerm)
  add(TAGS, 0)
  parts.tags.forEach(addTerm)
  add(VENUE, 0)
  const isOne = parts.venues.length === 1
  if (!isOne) into[at++] = OPEN
  parts.venues.forEach(add)
  if (!isOne) into[at++] = CLOSE
  add(ORGANIZER, 0)
  parts.organizers.forEach(add)
  add(END, 0)
  return line === -1 ? at : at - 1 + into.write(`,${parts.own.slice(line + 2)}`, at - 1)
}

/** The same for a piece: copies it, and adds its counts to `counts`. */
export function writePiece({ bytes, counts: own }: Piece, into: Buffer, at: number, counts?: number[]): number {
  into.set(bytes, at)
  if (counts)
    for (let i = 0; i < own.length; i += 3)
      counts.push(at + (own[i] as number), own[i + 1] as number, own[i + 2] as number)
  return at + bytes.length
}

/** An event assembled from its parts. */
function joinPiece({ countsVersion }: EventPieces, parts: EventParts): Piece {
  const wide = Buffer.allocUnsafe(mostBytes(parts))
  const counts: number[] = []
  const end = writeParts(parts, wide, 0, counts)
  return { bytes: bytesOf(wide.subarray(0, end)), counts, countsVersion }
}

/** Rewrites the outdated counts of a piece. */
export function updateCounts(
  { countsVersion }: Pick<EventPieces, 'countsVersion'>,
  piece: Piece,
  terms: ReadonlyMap<number, TermRow>,
): void {
  for (let i = 0; i < piece.counts.length; i += 3) {
    const count = terms.get(piece.counts[i + 1] as number)?.count ?? 0
    if (count === piece.counts[i + 2]) continue
    piece.bytes.write(String(count).padStart(WIDTH), piece.counts[i] as number, 'latin1')
    piece.counts[i + 2] = count
  }
  piece.countsVersion = countsVersion
}

/** Whether the counts in a piece are the present ones. */
export function hasCurrentCounts(
  { countsVersion }: EventPieces,
  piece: Piece,
  terms: ReadonlyMap<number, TermRow>,
): boolean {
  if (piece.countsVersion === countsVersion) return true
  const { counts } = piece
  for (let i = 0; i < counts.length; i += 3)
    if ((terms.get(counts[i + 1] as number)?.count ?? 0) !== counts[i + 2]) return false
  piece.countsVersion = countsVersion
  return true
}
