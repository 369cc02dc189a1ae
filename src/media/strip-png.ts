import { crc32 } from 'node:zlib'
import { orientationExif } from './exif.ts'
import { add, joined, keep, noPieces, skip } from './pieces.ts'

/** The chunks for the pixels and the animation. Texts, times, Exif and unknown chunks are removed. */
const KEPT = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
)

const SIGNATURE_BYTES = 8

/** A PNG without metadata. @throws RangeError for a file whose chunks cannot be told apart */
export function stripPng(bytes: Buffer, orientation: number): Buffer {
  const pieces = noPieces(bytes)
  keep(pieces, 0, SIGNATURE_BYTES)
  for (let at = SIGNATURE_BYTES; at < bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (KEPT.has(type)) keep(pieces, at, end)
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
