import {
  type Cache,
  type CacheBudget,
  drop,
  dropAll,
  emptyCache,
  findCached,
  keepCached,
} from '../../base/cache.ts'
import type { TermRow } from '../storage/schema.ts'

// Keeps records as JSON that is already written: cached in memory, and copied into answers.

/**
 * A value that has already been written as JSON. Answers and lists copy its bytes; code that needs its
 * members parses them (`unwritten`).
 */
export interface WrittenJson {
  readonly bytes: Buffer
  toJSON: () => unknown
}

const written = new WeakSet<object>()

/** Makes a written value of bytes, which must be one JSON value in UTF-8. */
export function writtenJson(bytes: Buffer): WrittenJson {
  const value = { bytes, toJSON: (): unknown => JSON.parse(bytes.toString('utf8')) }
  written.add(value)
  return value
}

/** A record that has been written as JSON for its answer. */
export interface WrittenRecord extends WrittenJson {
  readonly id: number
  /** The counts of terms in the JSON, as `TermCounts`. */
  readonly counts: readonly number[]
}

/** Makes a written record of JSON with its counts. */
export function writtenRecord(
  id: number,
  { bytes, counts }: Pick<WrittenRecord, 'bytes' | 'counts'>,
): WrittenRecord {
  return Object.assign(writtenJson(bytes), { id, counts })
}

/** Returns a value with its members: a written value is parsed, any other returned. */
export function unwritten(value: unknown): unknown {
  return isWritten(value) ? value.toJSON() : value
}

export function isWritten(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && written.has(value)
}

/**
 * The core of an event: its own members as JSON, without those of linked records and as if it had no image.
 */
export interface EventCore {
  /** A JSON object with the members that all events have. */
  members: string
  /** The place in `members` of the value of `image`, which is `false`. */
  imageAt: number
  /**
   * A JSON object with the members that only some events have, which come after all others; empty for none.
   */
  rare: string
}

/** Characters of a core above which an event is not cached. */
export const LONG_RECORD = 200_000

// Pieces: JSON of events and terms in memory, with counts that are rewritten in place.

/**
 * The counts of terms in JSON bytes, three numbers each: the place, the id of the term and the count. Only
 * this file reads them.
 */
export type TermCounts = number[]

/** JSON with the places of the counts of terms in it, which change more often than the rest. */
export interface CountedJson {
  bytes: Buffer
  counts: Readonly<TermCounts>
}

/** Cached JSON of an event, a term or a whole answer, in which every count can be rewritten in place. */
export interface Piece {
  bytes: Buffer
  counts: TermCounts
  /** The `countsVersion` of the caches at which the counts were right. */
  countsVersion: number
}

/** The caches of pieces, and the changes that they have followed. */
export interface EventPieces {
  events: Cache<number, Piece>
  /** JSON of venues as events show them, by id; no bytes for a venue that events do not show. */
  venues: Cache<number, Buffer>
  organizers: Cache<number, Buffer>
  terms: Cache<number, Piece>
  /** Rises whenever the count of any term changes. */
  countsVersion: number
  /** Rises whenever everything is dropped. */
  age: number
  /**
   * Rises with every drop by a change: a row that was read before a drop may be older than a value cached
   * after it.
   */
  drops: number
  /** The number of changes of each event, by id. */
  changes: Uint32Array
}

/** Returns the bytes that a piece takes up. */
const sizeOf = ({ bytes, counts }: Piece) => bytes.length + counts.length * 8 + OVERHEAD

/**
 * The characters reserved for a count, so that it can be rewritten in place: JSON ignores blanks before a
 * number.
 */
const WIDTH = 10
/** The bytes that a piece takes up beside its JSON and its counts. */
const OVERHEAD = 200

/** Makes empty caches of pieces. */
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
  }
}

/** Returns the piece of an event, with the present counts of its terms; undefined if it is not cached. */
export function findPiece(
  pieces: EventPieces,
  id: number,
  terms: ReadonlyMap<number, TermRow>,
): Piece | undefined {
  const piece = findCached(pieces.events, id)
  if (!piece) return undefined
  if (piece.countsVersion !== pieces.countsVersion) updateCounts(pieces, piece, terms)
  return piece
}

/**
 * Caches the JSON of an event and returns the piece. Its terms must have been joined from pieces, so that its
 * counts have room.
 */
export function keepPiece(
  { events, countsVersion }: EventPieces,
  id: number,
  { bytes, counts }: CountedJson,
): Piece {
  const piece = { bytes: bytesOf(bytes), counts: [...counts], countsVersion }
  keepCached(events, id, piece, sizeOf(piece))
  return piece
}

/** Caches the JSON of a venue or organizer as events show it. */
export function keepLinked(linked: Cache<number, Buffer>, id: number, bytes: Buffer): void {
  keepCached(linked, id, bytes, bytes.length + OVERHEAD)
}

/** Returns the piece of a term, with its present count; `write` makes its JSON if it is not cached. */
export function termPiece(
  pieces: EventPieces,
  id: number,
  terms: ReadonlyMap<number, TermRow>,
  write: () => CountedJson,
): Piece {
  const cached = findCached(pieces.terms, id)
  if (cached) {
    if (cached.countsVersion !== pieces.countsVersion) updateCounts(pieces, cached, terms)
    return cached
  }
  const piece = makePiece(write(), pieces.countsVersion)
  keepCached(pieces.terms, id, piece, sizeOf(piece))
  return piece
}

/** Drops the piece of a changed event, and counts the change. */
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

/** Drops the JSON of a changed venue or organizer. */
export function dropLinked(pieces: EventPieces, kind: 'venues' | 'organizers', id: number): void {
  pieces.drops++
  drop(pieces[kind], id)
}

/** Drops the piece of a changed term. */
export function dropTerm(pieces: EventPieces, id: number): void {
  pieces.drops++
  drop(pieces.terms, id)
}

/** Empties all caches of pieces. */
export function dropAllPieces(pieces: EventPieces): void {
  for (const kept of [pieces.events, pieces.terms]) dropAll<number, Piece>(kept)
  for (const kept of [pieces.venues, pieces.organizers]) dropAll<number, Buffer>(kept)
  pieces.age++
  pieces.drops++
}

/** The state of some events at one time, to be compared with a later one. */
export interface EventStates {
  age: number
  /** The number of changes that each event had seen. */
  changes: readonly number[]
}

/** Returns the present state of these events. */
export function statesOf({ age, changes }: EventPieces, ids: readonly number[]): EventStates {
  return { age, changes: ids.map((id) => changes[id] ?? 0) }
}

/** Returns true if these events have not changed since `before`, except for the counts of their terms. */
export function areUnchanged(
  { age, changes }: EventPieces,
  ids: readonly number[],
  before: EventStates,
): boolean {
  return age === before.age && ids.every((id, i) => (changes[id] ?? 0) === before.changes[i])
}

/**
 * Copies a text or bytes into a buffer of its own: small buffers share memory with others, and hold all of
 * it.
 */
export function bytesOf(content: string | Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(content))
  if (typeof content === 'string') bytes.write(content)
  else content.copy(bytes)
  return bytes
}

/** Makes the JSON of a term from the text before and the text behind its count. */
export function withCount(
  before: string,
  { id, count }: Pick<TermRow, 'id' | 'count'>,
  after: string,
): CountedJson {
  return { bytes: Buffer.from(before + count + after), counts: [Buffer.byteLength(before), id, count] }
}

/** Makes a piece: a copy of JSON with room for its counts. */
export function makePiece({ bytes, counts }: CountedJson, countsVersion: number): Piece {
  const wide = Buffer.allocUnsafeSlow(bytes.length + (counts.length / 3) * WIDTH)
  const moved: TermCounts = []
  let [from, to] = [0, 0]
  for (let i = 0; i < counts.length; i += 3) {
    const [place, term, count] = [counts[i] as number, counts[i + 1] as number, counts[i + 2] as number]
    to += bytes.copy(wide, to, from, place)
    moved.push(to, term, count)
    to += wide.write(String(count).padStart(WIDTH), to, 'latin1')
    from = place + String(count).length
  }
  to += bytes.copy(wide, to, from)
  return { bytes: bytesOf(wide.subarray(0, to)), counts: moved, countsVersion }
}

/**
 * Copies JSON into a buffer, from `at` on, and appends its counts to `counts`, if given. Returns the end of
 * the copy.
 */
export function writeCounted(
  { bytes, counts: own }: CountedJson,
  into: Buffer,
  at: number,
  counts?: TermCounts,
): number {
  into.set(bytes, at)
  if (counts)
    for (let i = 0; i < own.length; i += 3)
      counts.push(at + (own[i] as number), own[i + 1] as number, own[i + 2] as number)
  return at + bytes.length
}

/** Writes the present counts into the bytes of a piece. */
export function updateCounts(
  { countsVersion }: Pick<EventPieces, 'countsVersion'>,
  piece: Piece,
  terms: ReadonlyMap<number, TermRow>,
): void {
  const { bytes, counts } = piece
  for (let i = 0; i < counts.length; i += 3) {
    const count = terms.get(counts[i + 1] as number)?.count ?? 0
    if (count === counts[i + 2]) continue
    bytes.write(String(count).padStart(WIDTH), counts[i] as number, 'latin1')
    counts[i + 2] = count
  }
  piece.countsVersion = countsVersion
}

/** Returns true if the counts in a piece are the present ones. */
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
