import { orientationExif } from './exif.ts'
import { add, joined, keep, noPieces, skip } from './pieces.ts'

/** The chunks of the pixels, of their movement and of the colour profile. */
const KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const HEAD_BYTES = 12
/** Flags of the chunk VP8X. */
const EXIF = 0x08
const XMP = 0x04

/** A WebP without metadata. @throws RangeError for a file whose chunks cannot be told apart */
export function stripWebp(bytes: Buffer, orientation: number): Buffer {
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
    if (KEPT.has(type)) keep(pieces, at, end)
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

/** The file with the right length and flags in its head. */
function withHead(whole: Buffer, flagsAt: number, isOriented: boolean): Buffer {
  whole.writeUInt32LE(whole.length - 8, 4)
  const flags = flagsAt === -1 ? undefined : whole[flagsAt]
  if (flags !== undefined) whole[flagsAt] = (flags & ~(EXIF | XMP)) | (isOriented ? EXIF : 0)
  return whole
}
