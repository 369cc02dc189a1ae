import { type Cache, type CacheBudget, drop, dropAll, emptyCache, keepCached } from '../../base/cache.ts'

// Events as JSON that is already written: kept in memory, and put into answers.

/**
 * A value that has already been written as JSON, in parts that nothing changes. Answers copy their bytes; code
 * that needs the members parses them (`unwritten`).
 */
export interface WrittenJson {
  readonly parts: readonly Buffer[]
  toJSON: () => unknown
}

/** Makes a written value of parts, which must together be one JSON value in UTF-8. */
export const writtenJson = (parts: readonly Buffer[]): WrittenJson => ({ parts, toJSON: parse })

function parse(this: WrittenJson): unknown {
  return JSON.parse(Buffer.concat(this.parts).toString('utf8'))
}

export function isWritten(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && 'toJSON' in value && value.toJSON === parse
}

/** Returns a value with its members: a written value is parsed, any other returned. */
export function unwritten(value: unknown): unknown {
  return isWritten(value) ? value.toJSON() : value
}

export function lengthOf(parts: readonly Buffer[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}

/**
 * An event as JSON around its categories and tags, whose counts change more often than anything else of it. It
 * is never changed: another state of the event is another piece.
 */
export interface EventPiece {
  /** All before the first category. */
  before: Buffer
  categories: readonly number[]
  tags: readonly number[]
  /** All behind the last tag. */
  after: Buffer
}

/** An event read by itself, and the number of its version. */
export interface SinglePiece extends EventPiece {
  sequence: number
}

/** The most bytes of an event that is kept. */
const LONGEST_KEPT = 200_000

/** The bytes that a piece takes up beside its JSON. */
const OVERHEAD = 400

/** The caches of pieces, and the changes that they have followed. */
export interface EventPieces {
  /** Public events as lists show them, by id. */
  listed: Cache<number, EventPiece>
  /** Public events as they are shown by themselves, by id. */
  single: Cache<number, SinglePiece>
  /** Rises whenever everything is dropped. */
  age: number
  /** Rises with every drop: a row that was read before a drop may be older than a piece kept after it. */
  drops: number
  /** The number of changes of each event, by id. */
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

/** Makes a piece of the JSON before and behind the terms of an event. */
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

/** Writes an event with its terms as they are now; `jsonOf` returns no bytes for one that is not shown. */
export function writePiece(
  { before, categories, tags, after }: EventPiece,
  jsonOf: (term: number) => Buffer,
): WrittenJson {
  const parts = [before]
  const add = (terms: readonly number[]) => {
    const first = parts.length
    for (const term of terms) {
      const json = jsonOf(term)
      if (json.length === 0) continue
      if (parts.length > first) parts.push(COMMA)
      parts.push(json)
    }
  }
  add(categories)
  parts.push(TAGS)
  add(tags)
  parts.push(after)
  return writtenJson(parts)
}

/** Keeps an event, unless it is very long. */
export function keepPiece<Piece extends EventPiece>(
  kept: Cache<number, Piece>,
  id: number,
  piece: Piece,
): void {
  const { before, categories, tags, after } = piece
  const length = before.length + after.length
  if (length <= LONGEST_KEPT)
    keepCached(kept, id, piece, length + (categories.length + tags.length) * 8 + OVERHEAD)
}

/** Drops the pieces of a changed event, and counts the change. */
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

/** Writes a text into a buffer of its own: small buffers share memory with others, and hold all of it. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
