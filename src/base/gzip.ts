import { constants, crc32, deflateRawSync } from 'node:zlib'

// A gzip body joined from parts that were compressed before (RFC 1951 and 1952): each part is a run of deflate blocks that ends on a byte and refers to
// nothing before it, so it can stand anywhere in any body. Only the checksum is made anew, from the plain bytes.

/** Bytes as deflate blocks, in which numbers of a fixed width stand uncompressed, so that they can be rewritten in place. */
export interface Deflated {
  blocks: Buffer
  /** The places of the numbers in `blocks`. */
  places: readonly number[]
}

/** Distances go back so far, by `windowBits` below. */
const WINDOW = 8192
/**
 * A byte that JSON never has. It stands in the place of each number while the rest is deflated, so that no later text is written as a copy of a
 * number that may change.
 */
const MASK = 1

/** Deflates JSON in which numbers of `width` bytes stand at `places`, in rising order. */
export function deflateAround(json: Buffer, places: readonly number[], width: number): Deflated {
  const masked = Buffer.from(json)
  for (const place of places) masked.fill(MASK, place, place + width)
  const parts: Buffer[] = []
  const moved: number[] = []
  let [from, length] = [0, 0]
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const place of places) {
    add(deflateFrom(masked, from, place))
    moved.push(length + STORED_HEAD)
    add(stored(json.subarray(place, place + width), false))
    from = place + width
  }
  add(deflateFrom(masked, from, masked.length))
  return { blocks: joined(parts, length), places: moved }
}

/** Copies parts into a buffer of its own: small buffers share memory with others, and hold all of it. */
function joined(parts: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const part of parts) at += part.copy(whole, at)
  return whole
}

/** Deflates a part of `bytes`; its blocks may refer to the bytes before the part. */
function deflateFrom(bytes: Buffer, from: number, to: number): Buffer {
  const dictionary = bytes.subarray(Math.max(0, from - WINDOW), from)
  return deflateRawSync(bytes.subarray(from, to), {
    ...SMALL,
    finishFlush: constants.Z_SYNC_FLUSH,
    ...(dictionary.length > 0 ? { dictionary } : {}),
  })
}

/** For some kilobytes: less memory is cleared and thrown away for each call. */
const SMALL = { level: 6, windowBits: 13, memLevel: 5, chunkSize: 4096 }

const STORED_HEAD = 5
/** A stored block holds no more. */
const MOST_STORED = 65_535

/** One block that is not compressed. */
function stored(bytes: Buffer, isLast: boolean): Buffer {
  const block = Buffer.allocUnsafe(STORED_HEAD + bytes.length)
  writeStored(block, 0, bytes, isLast)
  return block
}

function writeStored(into: Buffer, at: number, bytes: Buffer, isLast: boolean): number {
  into[at] = isLast ? 1 : 0
  into.writeUInt16LE(bytes.length, at + 1)
  into.writeUInt16LE(bytes.length ^ MOST_STORED, at + 3)
  into.set(bytes, at + STORED_HEAD)
  return at + STORED_HEAD + bytes.length
}

/** A run of the plain bytes up to `to`, with its blocks where it was deflated before. */
export interface GzipRun {
  to: number
  blocks: Deflated | undefined
}

/** Runs this long are compressed where they have no blocks: less would cost more time than it saves bytes. */
const COMPRESS_FROM = 1024
/** The first bytes of a gzip body: no name, no time, an unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER = 8

/** An upper bound of the bytes of a gzip body of these runs. */
export function mostGzipBytes(runs: readonly GzipRun[]): number {
  let [most, from] = [HEAD.length + TRAILER, 0]
  for (const { to, blocks } of runs) {
    // Data that cannot be compressed take five bytes more in each block, and zlib's blocks are no shorter than this.
    most += blocks ? blocks.blocks.length : to - from + Math.ceil((to - from) / 4096) * STORED_HEAD + 64
    from = to
  }
  return most
}

/**
 * Writes the gzip body of `plain`, all of which `runs` cover; the last of them has no blocks. `into` has room for `mostGzipBytes`. If `places` is given,
 * the places of the numbers in the blocks are added to it, and last the place of the last run.
 */
export function writeGzip(plain: Buffer, runs: readonly GzipRun[], into: Buffer, places?: number[]): Buffer {
  let at = HEAD.copy(into, 0)
  let [from, last] = [0, at]
  for (const [i, { to, blocks }] of runs.entries()) {
    last = at
    if (blocks) {
      if (places) for (const place of blocks.places) places.push(at + place)
      into.set(blocks.blocks, at)
      at += blocks.blocks.length
    } else at = writeRun(plain.subarray(from, to), i === runs.length - 1, into, at)
    from = to
  }
  places?.push(last)
  return into.subarray(0, writeChecksum(plain, into, at))
}

/** Makes a gzip body of `plain` anew from what stands in it before its last run, which is `tail` bytes long and has changed as numbers have. */
export function endGzip(before: Buffer, plain: Buffer, tail: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(before.length + STORED_HEAD + tail + TRAILER)
  const end = writeStored(whole, before.copy(whole), plain.subarray(plain.length - tail), true)
  writeChecksum(plain, whole, end)
  return whole
}

function writeChecksum(plain: Buffer, into: Buffer, at: number): number {
  into.writeUInt32LE(crc32(plain), at)
  into.writeUInt32LE(plain.length % 2 ** 32, at + 4)
  return at + TRAILER
}

function writeRun(bytes: Buffer, isLast: boolean, into: Buffer, at: number): number {
  if (bytes.length < COMPRESS_FROM) return writeStored(into, at, bytes, isLast)
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
  const blocks = deflateRawSync(bytes, { level: 1, finishFlush })
  into.set(blocks, at)
  return at + blocks.length
}
