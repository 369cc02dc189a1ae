import { constants, crc32, deflateRawSync } from 'node:zlib'

// Joins a gzip body from parts that were compressed before (RFC 1951 and 1952). Each part is a run of deflate blocks that ends on a byte and refers to
// nothing before it, so it can stand anywhere in any body. The checksum of the body is computed from those of the parts, without their plain bytes.

/** Bytes as deflate blocks. Numbers of a fixed width stand uncompressed in them, so that each can be rewritten in place. */
export interface Deflated {
  blocks: Buffer
  /** The places of the numbers in `blocks`. */
  places: readonly number[]
  /** How many plain bytes there are. */
  length: number
  /** The CRC-32 of the plain bytes; whoever rewrites a number computes it anew. */
  crc: number
  /** Joins two checksums: if other bytes have the CRC-32 `before`, then those bytes followed by these have `times(shift, before) ^ crc`. */
  shift: number
}

/** Returns deflate blocks with the checksum of their plain bytes, ready to be joined with others. */
export function joinable(plain: Buffer, blocks: Buffer, places: readonly number[]): Deflated {
  return { blocks, places, length: plain.length, crc: crc32(plain), shift: shiftBy(plain.length) }
}

// Arithmetic of checksums. A CRC-32 (RFC 1952, 8) is the remainder of a polynomial with one coefficient a bit; the highest bit is the coefficient of 1.
// Each further byte multiplies the remainder by x^8.

const POLYNOMIAL = 0xedb88320
/** The polynomials 1 and x^8. */
const ONE = 1 << 31
const ONE_BYTE = 1 << 23

/** Returns the remainder of the product of two polynomials. */
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

/** Returns the remainder of x^8 to the power of `bytes`. */
function shiftBy(bytes: number): number {
  let [shift, power] = [ONE, ONE_BYTE]
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = times(shift, power)
    power = times(power, power)
  }
  return shift
}

/** The most bytes of a body that the main thread compresses, which takes about five milliseconds; larger bodies are compressed in another thread. */
export const HERE_UP_TO = 262_144

/** The most bytes that a copy in deflated data refers back: two to the power of `windowBits` below. */
const WINDOW = 8192
/** A byte that JSON never has. It stands for each number while the rest is deflated, so that no later text is a copy of a number that may change. */
const MASK = 1

/** Deflates JSON and leaves the numbers of `width` bytes at `places`, in rising order, uncompressed. */
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

/** Copies parts into one buffer with memory of its own: small buffers share their memory with others, and one of them keeps all of it in use. */
function joined(parts: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const part of parts) at += part.copy(whole, at)
  return whole
}

/** Deflates the bytes between two places; the blocks may refer to the bytes before them. */
function deflateFrom(bytes: Buffer, from: number, to: number): Buffer {
  const dictionary = bytes.subarray(Math.max(0, from - WINDOW), from)
  return deflateRawSync(bytes.subarray(from, to), {
    ...SMALL,
    finishFlush: constants.Z_SYNC_FLUSH,
    ...(dictionary.length > 0 ? { dictionary } : {}),
  })
}

/** Options for texts of some kilobytes: each call clears and throws away less memory than with the defaults of zlib. */
const SMALL = { level: 6, windowBits: 13, memLevel: 5, chunkSize: 4096 }

const STORED_HEAD = 5
/** The most bytes of a block that is not compressed, by the format. */
const MOST_STORED = 65_535

/** Returns one deflate block that holds bytes uncompressed. */
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

/** A part of a body: plain bytes, or blocks that were deflated before. */
export type GzipRun = Buffer | Deflated

/** The least bytes of a plain run that is compressed: a shorter one would cost more time than it saves bytes. */
const COMPRESS_FROM = 1024
/** The first bytes of a gzip body: no name, no time, an unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER = 8

/** Returns an upper bound of the bytes of a gzip body of these runs. */
export function mostGzipBytes(runs: readonly GzipRun[]): number {
  let most = HEAD.length + TRAILER
  // Bytes that cannot be compressed take five bytes more in each block, and zlib makes no blocks of less than 4096 bytes of them.
  for (const run of runs)
    most += Buffer.isBuffer(run) ? run.length + Math.ceil(run.length / 4096) * STORED_HEAD + 64 : run.blocks.length
  return most
}

/**
 * Writes a gzip body of these runs, the last of which is plain, and returns it as a part of `into`, which has room for `mostGzipBytes`. Adds to `places`,
 * if given, the places of the numbers in the body, and then the place of the last run.
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

/** Makes a gzip body with another last run: `blocks` are the header and the blocks before it, `tail` is the new last run, which stays uncompressed. */
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
