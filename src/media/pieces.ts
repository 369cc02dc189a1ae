import { setImmediate as nextTurn } from 'node:timers/promises'

/** The kept parts of a file, in order. Neighbours are joined, so a file with nothing to remove is one piece. */
export interface Pieces {
  source: Buffer
  kept: Buffer[]
  /** The end of the last piece in the source; -1 when it is not of the source. */
  end: number
  /** Parts that were kept or passed over. */
  parts: number
  /** The place in the source where other work gets its next turn. */
  until: number
}

/** The most parts of a file, which bounds the work; an animation has three a frame. */
const MOST_PARTS = 50_000
/** Bytes between two turns of other work. */
const STRETCH = 2 ** 19

export function noPieces(source: Buffer): Pieces {
  return { source, kept: [], end: -1, parts: 0, until: STRETCH }
}

/** Keeps the bytes from `start` up to `end`. @throws RangeError when the file ends before, or has too many parts */
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

/** The kept bytes; the source itself when nothing was removed. */
export function joined({ source, kept }: Pieces): Buffer {
  const [first] = kept
  return kept.length === 1 && first?.length === source.length ? source : Buffer.concat(kept)
}

/** Gives other work its turn in the middle of a long part; to be called once `at` has reached `until`. */
export async function takeBreath(pieces: Pieces, at: number): Promise<void> {
  await nextTurn()
  pieces.until = at + STRETCH
}
