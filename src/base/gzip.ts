import { constants, crc32, deflateRawSync } from 'node:zlib'

// A gzip body joined from parts that were compressed before (RFC 1951 and 1952): each part is a run of deflate blocks that ends on a byte and refers to
// nothing before it, so it can stand anywhere in any body. The checksum is joined from those of the parts, so nothing looks at their plain bytes again.

/** Bytes as deflate blocks, in which numbers of a fixed width stand uncompressed, so that they can be rewritten in place. */
export interface Deflated {
  blocks: Buffer
  /** The places of the numbers in `blocks`. */
  places: readonly number[]
  /** The number of the plain bytes. */
  length: number
  /** Their CRC-32; whoever rewrites a number sets it anew. */
  crc: number
  /** Bytes with the CRC-32 `before`, followed by these, have the CRC-32 `times(shift, before) ^ crc`. */
  shift: number
}

/** The deflate blocks of these plain bytes, ready to be joined. */
export function joinable(plain: Buffer, blocks: Buffer, places: readonly number[]): Deflated {
  return { blocks, places, length: plain.length, crc: crc32(plain), shift: shiftBy(plain.length) }
}

// A CRC-32 (RFC 1952, 8) is the remainder of a polynomial with one coefficient a bit; its highest bit is the constant. Each byte that follows multiplies
// the remainder by x^8.

const POLYNOMIAL = 0xedb88320
/** The polynomials 1 and x^8. */
const ONE = 1 << 31
const ONE_BYTE = 1 << 23

/** The remainder of the product of two polynomials. */
function times(a: number, b: number): number {
  let [product, left, moved] = [0, a, b]
  for (let bit = ONE; left !== 0; bit >>>= 1) {
    if (left & bit) {
      product ^= moved
      left ^= bit
    }
    moved = moved & 1 ? (moved >>> 1) ^ POLYNOMIAL : moved >>> 1
  }
  return product
}

/** The remainder of x^8 to the power of `bytes`. */
function shiftBy(bytes: number): number {
  let [shift, power] = [ONE, ONE_BYTE]
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = times(shift, power)
    power = times(power, power)
  }
  return shift
}

/** Larger bodies are compressed in a thread: compressing this many bytes takes about five milliseconds. */
export const HERE_UP_TO = 262_144

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
  return joinable(json, joined(parts, length), moved)
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

/** A part of a body: plain bytes, or what was deflated before. */
export type GzipRun = Buffer | Deflated

/** Runs this long are compressed where they have no blocks: less would cost more time than it saves bytes. */
const COMPRESS_FROM = 1024
/** The first bytes of a gzip body: no name, no time, an unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER = 8

/** An upper bound of the bytes of a gzip body of these runs. */
export function mostGzipBytes(runs: readonly GzipRun[]): number {
  let most = HEAD.length + TRAILER
  // Data that cannot be compressed take five bytes more in each block, and zlib's blocks are no shorter than this.
  for (const run of runs)
    most += Buffer.isBuffer(run) ? run.length + Math.ceil(run.length / 4096) * STORED_HEAD + 64 : run.blocks.length
  return most
}

/**
 * Writes a gzip body of these runs, the last of which is plain. `into` has room for `mostGzipBytes`. If `places` is given, the places of the numbers in
 * the blocks are added to it, and last the place of the last run.
 */
export function writeGzip(runs: readonly GzipRun[], into: Buffer, places?: number[]): Buffer {
  let at = HEAD.copy(into, 0)
  let [last, length, crc] = [at, 0, 0]
  for (const [i, run] of runs.entries()) {
    last = at
    length += run.length
    if (Buffer.isBuffer(run)) {
      crc = crc32(run, crc)
      at = writeRun(run, i === runs.length - 1, into, at)
    } else {
      if (places) for (const place of run.places) places.push(at + place)
      into.set(run.blocks, at)
      at += run.blocks.length
      crc = (times(run.shift, crc) ^ run.crc) >>> 0
    }
  }
  places?.push(last)
  return into.subarray(0, writeTrailer(crc, length, into, at))
}

/** Makes a gzip body anew from its header and blocks before the last run, and that run. */
export function endGzip({ blocks, length, crc }: Deflated, tail: Buffer): Buffer {
  const whole = Buffer.allocUnsafeSlow(blocks.length + STORED_HEAD + tail.length + TRAILER)
  const end = writeStored(whole, blocks.copy(whole), tail, true)
  writeTrailer(crc32(tail, crc), length + tail.length, whole, end)
  return whole
}

function writeTrailer(crc: number, length: number, into: Buffer, at: number): number {
  into.writeUInt32LE(crc, at)
  into.writeUInt32LE(length % 2 ** 32, at + 4)
  return at + TRAILER
}

function writeRun(bytes: Buffer, isLast: boolean, into: Buffer, at: number): number {
  if (bytes.length < COMPRESS_FROM) return writeStored(into, at, bytes, isLast)
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
  const blocks = deflateRawSync(bytes, { level: 1, finishFlush })
  into.set(blocks, at)
  return at + blocks.length
}
