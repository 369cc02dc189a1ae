import { joined, keep, noPieces, type Pieces, skip, takeBreath } from './pieces.ts'

/** Application blocks for the animation and the colours. */
const KEPT_APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])

const EXTENSION = 0x21
const IMAGE = 0x2c
const END = 0x3b

/** A GIF without comments and foreign application blocks, such as XMP. @throws RangeError for a file whose blocks cannot be told apart */
export async function stripGif(bytes: Buffer): Promise<Buffer> {
  const pieces = noPieces(bytes)
  let at = 13 + tableBytes(bytes.readUInt8(10))
  keep(pieces, 0, at)
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === END) {
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

/** The colour table that these flags announce. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1)
}

function isKept(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1]
  if (label === 0xff) return KEPT_APPLICATIONS.has(bytes.toString('latin1', at + 3, at + 14))
  return label === 0xf9 || label === 0x01
}

/** The end of a row of blocks; each block begins with its length, and the last one is empty. */
async function endOfBlocks(pieces: Pieces, start: number): Promise<number> {
  let at = start
  for (;;) {
    if (at >= pieces.until) await takeBreath(pieces, at)
    const length = pieces.source[at]
    if (length === undefined) throw new RangeError('The file ends within a block.')
    at += 1 + length
    if (length === 0) return at
  }
}
