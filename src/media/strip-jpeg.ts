import { orientationExif } from './exif.ts'
import { add, joined, keep, noPieces, type Pieces, skip, takeBreath } from './pieces.ts'

const END = 0xd9
const SCAN = 0xda

/**
 * A JPEG without metadata: of the application segments only JFIF, the colour profile and Adobe's colour transform stay,
 * and nothing behind the end of the image. @throws RangeError for a file whose segments cannot be told apart
 */
export async function stripJpeg(bytes: Buffer, orientation: number): Promise<Buffer> {
  const pieces = noPieces(bytes)
  keep(pieces, 0, 2)
  let isOriented = orientation === 1
  for (let at = 2; at < bytes.length; ) {
    if (bytes[at] !== 0xff) throw new RangeError('No segment begins where one should.')
    const marker = bytes[at + 1] ?? END
    if (marker === 0xff) {
      // Any number of these may stand before a segment.
      skip(pieces, at, ++at)
      continue
    }
    if (!isOriented && marker !== 0xe0) {
      add(pieces, exifSegment(orientation))
      isOriented = true
    }
    if (marker === END) {
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

/** Where the next segment begins behind the coded data of a scan, or the file ends. */
async function endOfScan(pieces: Pieces, start: number): Promise<number> {
  const { source: bytes } = pieces
  for (let at = start; ; at++) {
    if (at >= pieces.until) await takeBreath(pieces, at)
    while (at < pieces.until && at < bytes.length && bytes[at] !== 0xff) at++
    if (at >= bytes.length) return bytes.length
    const next = bytes[at + 1] ?? 0
    // Within coded data 0xff is followed by zero, by the number of a restart, or by more of itself.
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
}
