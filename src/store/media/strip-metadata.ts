import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

// Removes metadata from images without decoding pixels.

type Strip = (bytes: Buffer, orientation: number) => Buffer | Promise<Buffer>

const strips: Readonly<Record<string, Strip>> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
  'image/gif': stripGif,
  'image/avif': stripAvif,
}

/**
 * Removes Exif, XMP, IPTC and comments. Pixels, colour profile and animation stay; an `orientation` of 2 to 8
 * becomes the only entry of new Exif. Returns `bytes` itself if there is nothing to remove, undefined if its
 * parts cannot be told apart.
 */
export async function stripMetadata(
  bytes: Buffer,
  mimeType: string,
  orientation: number,
): Promise<Buffer | undefined> {
  const strip = strips[mimeType]
  try {
    return await strip?.(bytes, orientation)
  } catch (error) {
    // The parts of the file cannot be told apart.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Kept parts of a file; adjacent ones are joined, so an unchanged file is one piece. */
interface Pieces {
  source: Buffer
  kept: Buffer[]
  /** The offset in `source` at which the last piece ends; -1 if that piece is not from `source`. */
  end: number
  parts: number
  /** The offset after which other work gets its next turn. */
  until: number
}

/** Maximum parts, to bound the work; an animation has three per frame. */
const MOST_PARTS = 50_000
/** After this many bytes, other work gets a turn of the event loop. */
const STRETCH = 2 ** 19

function noPieces(source: Buffer): Pieces {
  return { source, kept: [], end: -1, parts: 0, until: STRETCH }
}

/** @throws RangeError if the file ends before `end`, or has too many parts */
function keep(pieces: Pieces, start: number, end: number): void {
  skip(pieces, start, end)
  const { source, kept } = pieces
  const last = pieces.end === start ? kept.pop() : undefined
  kept.push(source.subarray(start - (last?.length ?? 0), end))
  pieces.end = end
}

/** @throws RangeError as `keep` does */
function skip(pieces: Pieces, start: number, end: number): void {
  pieces.parts += 1
  if (start > end || end > pieces.source.length)
    throw new RangeError('The file ends within one of its parts.')
  if (pieces.parts > MOST_PARTS) throw new RangeError('The file falls into too many parts.')
}

function add(pieces: Pieces, bytes: Buffer): void {
  pieces.kept.push(bytes)
  pieces.end = -1
}

function joined({ source, kept }: Pieces): Buffer {
  const [first] = kept
  return kept.length === 1 && first?.length === source.length ? source : Buffer.concat(kept)
}

async function yieldTurn(pieces: Pieces, at: number): Promise<void> {
  await nextTurn()
  pieces.until = at + STRETCH
}

/** Returns Exif with only the orientation: a little-endian directory of entry 0x0112 (Exif 2.3, 4.6.2). */
function orientationExif(orientation: number): Buffer {
  const bytes = Buffer.alloc(26)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  bytes.writeUInt16LE(1, 8)
  bytes.writeUInt16LE(0x0112, 10)
  bytes.writeUInt16LE(3, 12)
  bytes.writeUInt32LE(1, 14)
  bytes.writeUInt16LE(orientation, 18)
  return bytes
}

const JPEG_END = 0xd9
const SCAN = 0xda

/**
 * Removes comments, everything after the image, and all application segments but JFIF, colour profile and
 * Adobe's colour transform.
 * @throws RangeError for a file whose segments cannot be told apart
 */
async function stripJpeg(bytes: Buffer, orientation: number): Promise<Buffer> {
  const pieces = noPieces(bytes)
  keep(pieces, 0, 2)
  let isOriented = orientation === 1
  for (let at = 2; at < bytes.length; ) {
    if (bytes[at] !== 0xff) throw new RangeError('No segment begins where one should.')
    const marker = bytes[at + 1] ?? JPEG_END
    if (marker === 0xff) {
      // A segment may begin with any number of 0xff.
      skip(pieces, at, ++at)
      continue
    }
    if (!isOriented && marker !== 0xe0) {
      add(pieces, exifSegment(orientation))
      isOriented = true
    }
    if (marker === JPEG_END) {
      keep(pieces, at, Math.min(at + 2, bytes.length))
      break
    }
    const end = hasLength(marker) ? at + 2 + bytes.readUInt16BE(at + 2) : at + 2
    if (staysIn(marker, bytes.subarray(at + 4, end))) keep(pieces, at, end)
    else skip(pieces, at, end)
    at = marker === SCAN ? await endOfScan(pieces, end) : end
    if (marker === SCAN) keep(pieces, end, at)
  }
  return joined(pieces)
}

const hasLength = (marker: number) => marker !== 0x01 && (marker < 0xd0 || marker > 0xd7)

function staysIn(marker: number, content: Buffer): boolean {
  const begins = (name: string) => content.subarray(0, name.length).toString('latin1') === name
  if (marker === 0xe0) return begins('JFIF\0')
  if (marker === 0xe2) return begins('ICC_PROFILE\0')
  if (marker === 0xee) return begins('Adobe')
  return marker !== 0xfe && (marker < 0xe1 || marker > 0xef)
}

function exifSegment(orientation: number): Buffer {
  const exif = orientationExif(orientation)
  const head = Buffer.from([0xff, 0xe1, 0, 2 + 6 + exif.length])
  return Buffer.concat([head, Buffer.from('Exif\0\0', 'latin1'), exif])
}

async function endOfScan(pieces: Pieces, start: number): Promise<number> {
  const { source: bytes } = pieces
  for (let at = start; ; at++) {
    if (at >= pieces.until) await yieldTurn(pieces, at)
    while (at < pieces.until && at < bytes.length && bytes[at] !== 0xff) at++
    if (at >= bytes.length) return bytes.length
    const next = bytes[at + 1] ?? 0
    // In coded data 0xff is followed by zero, a restart marker, or another 0xff.
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
}

/** Chunks that stay: pixels, colours and animation. */
const PNG_KEPT = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(
    ' ',
  ),
)

const SIGNATURE_BYTES = 8

/** @throws RangeError for a file whose chunks cannot be told apart */
function stripPng(bytes: Buffer, orientation: number): Buffer {
  const pieces = noPieces(bytes)
  keep(pieces, 0, SIGNATURE_BYTES)
  for (let at = SIGNATURE_BYTES; at < bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (PNG_KEPT.has(type)) keep(pieces, at, end)
    else skip(pieces, at, end)
    if (type === 'IHDR' && orientation !== 1) add(pieces, chunk('eXIf', orientationExif(orientation)))
    if (type === 'IEND') break
    at = end
  }
  return joined(pieces)
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Chunks that stay: pixels, animation and colour profile. */
const WEBP_KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const HEAD_BYTES = 12
const EXIF = 0x08
const XMP = 0x04

/** @throws RangeError for a file whose chunks cannot be told apart */
function stripWebp(bytes: Buffer, orientation: number): Buffer {
  const pieces = noPieces(bytes)
  const length = Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
  let flagsAt = -1
  keep(pieces, 0, HEAD_BYTES)
  for (let at = HEAD_BYTES; at + 8 <= length; ) {
    const type = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    // The last chunk may lack its padding.
    const end = Math.min(at + 8 + size + (size % 2), Math.max(bytes.length, at + 8 + size))
    if (type === 'VP8X') flagsAt = pieces.kept.reduce((sum, piece) => sum + piece.length, 0) + 8
    if (WEBP_KEPT.has(type)) keep(pieces, at, end)
    else skip(pieces, at, end)
    at = end
  }
  const isOriented = orientation !== 1 && flagsAt !== -1
  if (isOriented) add(pieces, exifChunk(orientation))
  const whole = joined(pieces)
  return whole === bytes ? bytes : withHead(whole, flagsAt, isOriented)
}

function exifChunk(orientation: number): Buffer {
  const exif = orientationExif(orientation)
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1')
  head.writeUInt32LE(exif.length, 4)
  return Buffer.concat([head, exif])
}

function withHead(whole: Buffer, flagsAt: number, isOriented: boolean): Buffer {
  whole.writeUInt32LE(whole.length - 8, 4)
  const flags = flagsAt === -1 ? undefined : whole[flagsAt]
  if (flags !== undefined) whole[flagsAt] = (flags & ~(EXIF | XMP)) | (isOriented ? EXIF : 0)
  return whole
}

/** Application blocks that stay: animation and colours. */
const KEPT_APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])

const EXTENSION = 0x21
const IMAGE = 0x2c
const GIF_END = 0x3b

/**
 * Removes comments and foreign application blocks, such as XMP.
 * @throws RangeError for a file whose blocks cannot be told apart
 */
async function stripGif(bytes: Buffer): Promise<Buffer> {
  const pieces = noPieces(bytes)
  let at = 13 + tableBytes(bytes.readUInt8(10))
  keep(pieces, 0, at)
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === GIF_END) {
      keep(pieces, at, at + 1)
      break
    }
    if (kind !== EXTENSION && kind !== IMAGE) throw new RangeError('No block begins where one should.')
    const data = kind === IMAGE ? at + 11 + tableBytes(bytes.readUInt8(at + 9)) : at + 2
    const end = await endOfBlocks(pieces, data)
    if (kind === IMAGE || isKept(bytes, at)) keep(pieces, at, end)
    else skip(pieces, at, end)
    at = end
  }
  return joined(pieces)
}

function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1)
}

function isKept(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1]
  if (label === 0xff) return KEPT_APPLICATIONS.has(bytes.toString('latin1', at + 3, at + 14))
  return label === 0xf9 || label === 0x01
}

/** Returns the offset after a series of blocks, each of which begins with its length; the last is empty. */
async function endOfBlocks(pieces: Pieces, start: number): Promise<number> {
  let at = start
  for (;;) {
    if (at >= pieces.until) await yieldTurn(pieces, at)
    const length = pieces.source[at]
    if (length === undefined) throw new RangeError('The file ends within a block.')
    at += 1 + length
    if (length === 0) return at
  }
}

/** A box of ISO base media; `start` and `end` bound its content. */
interface Box {
  type: string
  typeAt: number
  start: number
  end: number
}

/** The type of boxes of unused space, which every reader ignores. */
const FREE = 'free'
/** Types of items that are no part of the picture: Exif, XMP, and everything with a media type. */
const METADATA_ITEMS = new Set(['Exif', 'mime', 'uri '])
/** `CONTAINERS` hold boxes; `DROPPED` have data about the picture, and are erased. */
const CONTAINERS = new Set(['moov', 'trak'])
const DROPPED = new Set(['uuid', 'udta'])

/**
 * Overwrites metadata with zeros, since boxes refer to offsets in the file. The orientation, which is a
 * property, stays.
 * @throws RangeError for a file whose boxes cannot be told apart
 */
function stripAvif(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const ranges: [start: number, end: number][] = [[0, copy.length]]
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    for (const box of boxesIn(copy, range[0], range[1])) {
      if (CONTAINERS.has(box.type)) ranges.push([box.start, box.end])
      if (DROPPED.has(box.type)) erase(copy, box)
      if (box.type === 'meta') eraseItems(copy, box)
    }
  }
  return copy.equals(bytes) ? bytes : copy
}

const MOST_BOXES = 10_000

function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    const short = bytes.readUInt32BE(at)
    const isLong = short === 1
    const size = short === 0 ? end - at : isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
    const head = isLong ? 16 : 8
    if (size < head || at + size > end || boxes.length >= MOST_BOXES)
      throw new RangeError('A box is of no possible size.')
    const type = bytes.toString('latin1', at + 4, at + 8)
    boxes.push({ type, typeAt: at + 4, start: at + head, end: at + size })
    at += size
  }
  return boxes
}

function erase(bytes: Buffer, { typeAt, start, end }: Box): void {
  bytes.write(FREE, typeAt, 'latin1')
  bytes.fill(0, start, end)
}

function eraseItems(bytes: Buffer, meta: Box): void {
  const boxes = boxesIn(bytes, meta.start + 4, meta.end)
  const find = (type: string) => boxes.find((box) => box.type === type)
  const [infos, places, data] = [find('iinf'), find('iloc'), find('idat')]
  for (const box of boxes) if (DROPPED.has(box.type)) erase(bytes, box)
  if (!infos) return
  const metadata = new Set(
    typedItems(bytes, infos).flatMap((item) => (METADATA_ITEMS.has(item.type) ? [item] : [])),
  )
  if (metadata.size === 0) return
  const ids = new Set([...metadata].map(({ id }) => id))
  let left = bytes.length
  for (const { id, start, end } of places ? itemPlaces(bytes, places, data?.start) : []) {
    if (!ids.has(id)) continue
    left -= end - start
    if (!(start >= 0 && end <= bytes.length && left >= 0))
      throw new RangeError('An item lies where it cannot.')
    bytes.fill(0, start, end)
  }
  for (const { typeAt } of metadata) bytes.write('skip', typeAt, 'latin1')
}

interface Item {
  id: number
  type: string
  typeAt: number
}

function typedItems(bytes: Buffer, { start, end }: Box): Item[] {
  const first = start + (bytes.readUInt8(start) === 0 ? 6 : 8)
  return boxesIn(bytes, first, end).map((entry) => {
    const version = bytes.readUInt8(entry.start)
    if (version < 2) throw new RangeError('An item has no type.')
    const id = version === 2 ? bytes.readUInt16BE(entry.start + 4) : bytes.readUInt32BE(entry.start + 4)
    const typeAt = entry.start + (version === 2 ? 8 : 10)
    return { id, type: bytes.toString('latin1', typeAt, typeAt + 4), typeAt }
  })
}

interface Place {
  id: number
  start: number
  end: number
}

function itemPlaces(bytes: Buffer, { start, end }: Box, data: number | undefined): Place[] {
  const version = bytes.readUInt8(start)
  const sizes = bytes.readUInt16BE(start + 4)
  const [offset, length, base, index] = [
    sizes >> 12,
    (sizes >> 8) & 15,
    (sizes >> 4) & 15,
    version === 0 ? 0 : sizes & 15,
  ]
  let at = start + 6
  const take = (size: number): number => {
    if (at + size > end) throw new RangeError('The places of items end too early.')
    at += size
    if (size === 0) return 0
    return size === 8 ? Number(bytes.readBigUInt64BE(at - size)) : bytes.readUIntBE(at - size, size)
  }
  const places: Place[] = []
  for (let left = take(version < 2 ? 2 : 4); left > 0; left--) {
    const id = take(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : take(2) & 15
    take(2)
    const from = take(base) + (method === 1 ? (data ?? Number.NaN) : 0)
    for (let extents = take(2); extents > 0; extents--) {
      take(index)
      const first = from + take(offset)
      // A length of 0 would mean everything that follows; no encoder of pictures writes it.
      places.push({ id, start: first, end: first + take(length) })
    }
  }
  return places
}
