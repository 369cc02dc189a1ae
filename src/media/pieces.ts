import { setImmediate as nextTurn } from 'node:timers/promises'

/** The parts of a file that are kept, in order. Neighbours are joined, so that a file with nothing to remove is one piece. */
export interface Pieces {
  source: Buffer
  kept: Buffer[]
  /** Where the last piece ends in the source; -1 when that is not of the source. */
  end: number
  /** Parts that were kept or passed over. */
  parts: number
  /** Where in the source others have their turn next. */
  until: number
}

/** Parts that a file may fall into, which bounds the work; a moving image has three a frame. */
const MOST_PARTS = 50_000
/** Bytes gone through before others have their turn. */
const STRETCH = 2 ** 19

export function noPieces(source: Buffer): Pieces {
  return { source, kept: [], end: -1, parts: 0, until: STRETCH }
}

/** Keeps the bytes from `start` up to `end`. @throws RangeError when the file ends before, or falls into too many parts */
export function keep(pieces: Pieces, start: number, end: number): void {
  skip(pieces, start, end)
  const { source, kept } = pieces
  const last = pieces.end === start ? kept.pop() : undefined
  kept.push(source.subarray(start - (last?.length ?? 0), end))
  pieces.end = end
}

/** Passes over the bytes from `start` up to `end`. @throws RangeError as `keep` does */
export function skip(pieces: Pieces, start: number, end: number): void {
  pieces.parts += 1
  if (start > end || end > pieces.source.length) throw new RangeError('The file ends within one of its parts.')
  if (pieces.parts > MOST_PARTS) throw new RangeError('The file falls into too many parts.')
}

/** Appends our own bytes. */
export function add(pieces: Pieces, bytes: Buffer): void {
  pieces.kept.push(bytes)
  pieces.end = -1
}

/** All that was kept: the very source when that is everything. */
export function joined({ source, kept }: Pieces): Buffer {
  const [first] = kept
  return kept.length === 1 && first?.length === source.length ? source : Buffer.concat(kept)
}

/** Gives others their turn in the middle of a long part; to be called once `at` has reached `until`. */
export async function takeBreath(pieces: Pieces, at: number): Promise<void> {
  await nextTurn()
  pieces.until = at + STRETCH
}
