import { drop, dropAll, emptyGenerations, findKept, type Generations, keep } from '../common/generations.ts'
import type { TermRow } from '../storage/schema.ts'

/** An event's part of a list, as bytes of JSON ready to be copied into an answer. */
interface Piece {
  bytes: Buffer
  /** Where the counts of its terms stand in `bytes`, and whose they are: offset, term, offset, term … */
  counts: Int32Array
  /** The state of the counts it was last brought up to. */
  countsVersion: number
}

/** Presented public events, the recently used ones, bounded in bytes. */
export interface EventPieces {
  kept: Generations<number, Piece>
  /** Rises whenever the count of any term changes. */
  countsVersion: number
}

/** Digits kept free for a count, so that it can be rewritten in place: blanks before a number mean nothing in JSON. */
const WIDTH = 10
/** Only an embedded term has these members in this order; inside a JSON text every quote would be escaped. */
const EMBEDDED_COUNT = /"count":(\d+),"filter":"raw","id":(\d+)/g
/** Bytes a piece costs beside its JSON. */
const OVERHEAD = 200

export function emptyPieces(bytes: number): EventPieces {
  return { kept: emptyGenerations(bytes), countsVersion: 0 }
}

/** The bytes of an event with the counts of its terms as they are now, or undefined when they are not in memory. */
export function findPiece(pieces: EventPieces, id: number, terms: ReadonlyMap<number, TermRow>): Buffer | undefined {
  const piece = findKept(pieces.kept, id)
  if (!piece) return undefined
  if (piece.countsVersion !== pieces.countsVersion) writeCounts(pieces, piece, terms)
  return piece.bytes
}

/** Keeps a presented event and returns its bytes. */
export function keepPiece(pieces: EventPieces, id: number, presented: object): Buffer {
  const piece = makePiece(presented, pieces.countsVersion)
  keep(pieces.kept, id, piece, piece.bytes.length + OVERHEAD)
  return piece.bytes
}

export function dropPiece(pieces: EventPieces, id: number): void {
  drop(pieces.kept, id)
}

export function dropAllPieces(pieces: EventPieces): void {
  dropAll(pieces.kept)
}

function makePiece(presented: object, countsVersion: number): Piece {
  const json = JSON.stringify(presented)
  const counts: number[] = []
  let text = ''
  let copied = 0
  let bytes = 0
  for (const match of json.matchAll(EMBEDDED_COUNT)) {
    const start = match.index + '"count":'.length
    const before = json.slice(copied, start)
    bytes += Buffer.byteLength(before)
    counts.push(bytes, Number(match[2]))
    text += before + String(match[1]).padStart(WIDTH)
    bytes += WIDTH
    copied = start + String(match[1]).length
  }
  return { bytes: Buffer.from(text + json.slice(copied)), counts: Int32Array.from(counts), countsVersion }
}

function writeCounts(pieces: EventPieces, piece: Piece, terms: ReadonlyMap<number, TermRow>): void {
  for (let i = 0; i < piece.counts.length; i += 2) {
    const count = terms.get(piece.counts[i + 1] as number)?.count ?? 0
    piece.bytes.write(String(count).padStart(WIDTH), piece.counts[i] as number, 'latin1')
  }
  piece.countsVersion = pieces.countsVersion
}
