import { type Cache, type CacheBudget, drop, dropAll, emptyCache, setCached } from '../../base/cache.ts'

/**
 * A value serialized as JSON, in parts that never change. Answers copy its bytes; code that needs members
 * parses it (`unwritten`).
 */
export interface WrittenJson {
  readonly parts: readonly Buffer[]
  toJSON: () => unknown
}

/** The parts must together be one JSON value in UTF-8. */
export const writtenJson = (parts: readonly Buffer[]): WrittenJson => ({ parts, toJSON: parse })

function parse(this: WrittenJson): unknown {
  return JSON.parse(Buffer.concat(this.parts).toString('utf8'))
}

export function isWritten(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && 'toJSON' in value && value.toJSON === parse
}

export function unwritten(value: unknown): unknown {
  return isWritten(value) ? value.toJSON() : value
}

export function lengthOf(parts: readonly Buffer[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}

/**
 * The JSON of an event before and after its categories and tags, whose counts change most often. A piece
 * never changes: another state of the event is another piece.
 */
export interface EventPiece {
  before: Buffer
  categories: readonly number[]
  tags: readonly number[]
  after: Buffer
}

/** The piece of an event that is shown alone; `sequence` is that of the event. */
export interface SinglePiece extends EventPiece {
  sequence: number
}

/** In bytes: longer events are not cached. */
const LONGEST_KEPT = 200_000

/** Bytes of a piece besides its JSON. */
const OVERHEAD = 400

export interface EventPieces {
  /** Public events as lists show them, by id. */
  listed: Cache<number, EventPiece>
  /** Public events as shown alone, by id. */
  single: Cache<number, SinglePiece>
  /** Incremented whenever all pieces are dropped. */
  age: number
  /** Incremented with every drop: a row read before a drop may be older than a piece cached after it. */
  drops: number
  changes: Uint32Array
}

export function emptyPieces(budget: CacheBudget): EventPieces {
  return {
    listed: emptyCache(budget),
    single: emptyCache(budget),
    age: 0,
    drops: 0,
    changes: new Uint32Array(256),
  }
}

export function makePiece(
  before: string,
  { categories, tags }: Pick<EventPiece, 'categories' | 'tags'>,
  after: string,
): EventPiece {
  const length = Buffer.byteLength(before)
  const bytes = bytesOf(before + after)
  return { before: bytes.subarray(0, length), categories, tags, after: bytes.subarray(length) }
}

const COMMA = Buffer.from(',')
const TAGS = Buffer.from('],"tags":[')

/** Inserts the current JSON of terms into a piece; `jsonOf` returns no bytes for a term that is not shown. */
export function writePiece(
  { before, categories, tags, after }: EventPiece,
  jsonOf: (term: number) => Buffer,
): WrittenJson {
  // Allocated whole, since an array that grows may take twice the memory.
  const parts = new Array<Buffer>(3 + 2 * (categories.length + tags.length))
  parts[0] = before
  const middle = addTerms(parts, 1, categories, jsonOf)
  parts[middle] = TAGS
  const end = addTerms(parts, middle + 1, tags, jsonOf)
  parts[end] = after
  parts.length = end + 1
  return writtenJson(parts)
}

function addTerms(
  parts: Buffer[],
  first: number,
  terms: readonly number[],
  jsonOf: (term: number) => Buffer,
): number {
  let at = first
  for (const term of terms) {
    const json = jsonOf(term)
    if (json.length === 0) continue
    if (at > first) parts[at++] = COMMA
    parts[at++] = json
  }
  return at
}

export function cachePiece<Piece extends EventPiece>(
  kept: Cache<number, Piece>,
  id: number,
  piece: Piece,
): void {
  const { before, categories, tags, after } = piece
  const length = before.length + after.length
  if (length <= LONGEST_KEPT)
    setCached(kept, id, piece, length + (categories.length + tags.length) * 8 + OVERHEAD)
}

export function dropPieces(pieces: EventPieces, id: number): void {
  pieces.drops++
  drop(pieces.listed, id)
  drop(pieces.single, id)
  if (id >= pieces.changes.length) {
    const wider = new Uint32Array(Math.ceil((id + 1) * 1.5))
    wider.set(pieces.changes)
    pieces.changes = wider
  }
  pieces.changes[id] = (pieces.changes[id] ?? 0) + 1
}

export function dropAllPieces(pieces: EventPieces): void {
  dropAll(pieces.listed)
  dropAll(pieces.single)
  pieces.age++
  pieces.drops++
}

/** Gives the text a buffer of its own, since small buffers share memory, and each keeps all of it alive. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
