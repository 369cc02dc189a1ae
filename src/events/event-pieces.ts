import {
  type CacheBudget,
  drop,
  dropAll,
  emptyGenerations,
  findKept,
  type Generations,
  keep,
} from '../common/generations.ts'
import type { TermRow } from '../storage/schema.ts'

/** A part of an answer as bytes of JSON ready to be copied. */
export interface Piece {
  bytes: Buffer
  /** The counts of terms in `bytes`: where each stands, whose it is, and what it says, one after the other. */
  counts: number[]
  /** The state of the counts it was last brought up to. */
  countsVersion: number
}

/** Presented public events and what they are put together from, the recently used ones, bounded in bytes. */
export interface EventPieces {
  events: Generations<number, Piece>
  /** As events show them; empty for those that they do not show. */
  venues: Generations<number, Buffer>
  organizers: Generations<number, Buffer>
  terms: Generations<number, Piece>
  /** Rises whenever the count of any term changes. */
  countsVersion: number
  /** Rises whenever all is forgotten. */
  age: number
  /** Rises whenever anything is forgotten: what was read before may be older than what is kept from then on. */
  drops: number
  /** How often each event has changed, by id. */
  changes: Uint32Array
}

/** What an event is put together from. */
export interface EventParts {
  /** Its own members, as a JSON object. */
  own: string
  categories: readonly Piece[]
  tags: readonly Piece[]
  /** Those that it shows. */
  venues: readonly Buffer[]
  organizers: readonly Buffer[]
}

/** Digits kept free for a count, so that it can be rewritten in place: blanks before a number mean nothing in JSON. */
const WIDTH = 10
/** Only an embedded term has these members in this order; inside a JSON text every quote would be escaped. */
const EMBEDDED_COUNT = /"count":(\d+),"filter":"raw","id":(\d+)/g
/** Bytes a piece costs beside its JSON. */
const OVERHEAD = 200

export function emptyPieces(budget: CacheBudget): EventPieces {
  return {
    events: emptyGenerations(budget),
    venues: emptyGenerations(budget),
    organizers: emptyGenerations(budget),
    terms: emptyGenerations(budget),
    countsVersion: 0,
    age: 0,
    drops: 0,
    changes: new Uint32Array(256),
  }
}

/** An event with the counts of its terms as they are now, or undefined when it is not in memory. */
export function findPiece(pieces: EventPieces, id: number, terms: ReadonlyMap<number, TermRow>): Piece | undefined {
  const piece = findKept(pieces.events, id)
  if (piece && piece.countsVersion !== pieces.countsVersion) updateCounts(pieces, piece, terms)
  return piece
}

export function keepPiece(pieces: EventPieces, id: number, piece: Piece): void {
  keep(pieces.events, id, piece, piece.bytes.length + OVERHEAD)
}

/** Keeps a venue or organizer as events show it. */
export function keepLinked(linked: Generations<number, Buffer>, id: number, bytes: Buffer): void {
  keep(linked, id, bytes, bytes.length + OVERHEAD)
}

/** The piece of a term, made when it is not in memory. */
export function termPiece(pieces: EventPieces, id: number, present: () => object): Piece {
  const known = findKept(pieces.terms, id)
  if (known) return known
  const piece = readPiece(JSON.stringify(present()), pieces.countsVersion)
  keep(pieces.terms, id, piece, piece.bytes.length + OVERHEAD)
  return piece
}

/** Forgets an event that has changed, and with it whatever else was made of it. */
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

/** Forgets a venue or organizer that has changed. */
export function dropLinked(pieces: EventPieces, kind: 'venues' | 'organizers', id: number): void {
  pieces.drops++
  drop(pieces[kind], id)
}

export function dropAllPieces(pieces: EventPieces): void {
  for (const kept of [pieces.events, pieces.terms]) dropAll<number, Piece>(kept)
  for (const kept of [pieces.venues, pieces.organizers]) dropAll<number, Buffer>(kept)
  pieces.age++
  pieces.drops++
}

/** What events were like at some time, to be told from what they are like later. */
export interface EventStates {
  age: number
  /** Of each event, how often it had changed. */
  changes: readonly number[]
}

export function statesOf({ age, changes }: EventPieces, ids: readonly number[]): EventStates {
  return { age, changes: ids.map((id) => changes[id] ?? 0) }
}

/** Whether these events are for certain what they were, but for the counts of their terms. */
export function areUnchanged({ age, changes }: EventPieces, ids: readonly number[], before: EventStates): boolean {
  return age === before.age && ids.every((id, i) => (changes[id] ?? 0) === before.changes[i])
}

/** A text, or a copy of bytes, in a buffer of its own: small ones would share theirs with others, and keep it when those are gone. */
export function bytesOf(content: string | Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(content))
  if (typeof content === 'string') bytes.write(content)
  else content.copy(bytes)
  return bytes
}

/** JSON as a piece, with the counts of the terms in it ready to be rewritten. */
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
const COMMA = Buffer.from(',')
const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')

/** An event put together from its parts, member for member what `presentEvent` shows. */
export function joinPiece(pieces: EventPieces, parts: EventParts, terms: ReadonlyMap<number, TermRow>): Piece {
  const own = parts.own.slice(0, -1)
  const chunks: Buffer[] = []
  const counts: number[] = []
  let size = Buffer.byteLength(own)
  const add = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
  }
  const addAll = (list: readonly Buffer[]) =>
    list.forEach((chunk, i) => {
      if (i > 0) add(COMMA)
      add(chunk)
    })
  const addTerms = (list: readonly Piece[]) =>
    list.forEach((term, i) => {
      if (i > 0) add(COMMA)
      for (let j = 0; j < term.counts.length; j += 3)
        counts.push(size + (term.counts[j] as number), term.counts[j + 1] as number, term.counts[j + 2] as number)
      add(term.bytes)
    })
  add(CATEGORIES)
  addTerms(parts.categories)
  add(TAGS)
  addTerms(parts.tags)
  add(VENUE)
  if (parts.venues.length !== 1) add(OPEN)
  addAll(parts.venues)
  if (parts.venues.length !== 1) add(CLOSE)
  add(ORGANIZER)
  addAll(parts.organizers)
  add(END)
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = bytes.write(own)
  for (const chunk of chunks) at += chunk.copy(bytes, at)
  const piece = { bytes, counts, countsVersion: -1 }
  updateCounts(pieces, piece, terms)
  return piece
}

/** Rewrites the counts of the terms in a piece that are others by now. */
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

/** Whether a piece shows the counts that its terms have now. */
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
