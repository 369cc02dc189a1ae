// Reads a spreadsheet (XLSX) apart from the service, because the file is somebody else's.
import { readSheet } from 'read-excel-file/universal'
import { MOST_ROWS } from './read-table.ts'

/** In bytes: all parts unpacked, as the archive declares. */
const MOST_UNPACKED = 60_000_000
const MOST_PARTS = 2000

process.once('message', async (bytes) => {
  process.send?.((bytes instanceof Uint8Array && (await textsIn(bytes))) || null)
})

async function textsIn(bytes: Uint8Array): Promise<string[][] | undefined> {
  if (!isBounded(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) return undefined
  try {
    const own = new Uint8Array(bytes)
    const rows = await readSheet(own.buffer)
    return rows.slice(0, MOST_ROWS + 2).map((row) => row.map(textOfCell))
  } catch {
    return undefined
  }
}

/** Checks number and size of parts before unpacking, by the archive's directory (APPNOTE.TXT 4.3.12). */
function isBounded(archive: Buffer): boolean {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end < 0 || end + 22 > archive.length) return false
  const parts = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  let unpacked = 0
  for (let part = 0; part < parts; part += 1) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== 0x02014b50) return false
    unpacked += archive.readUInt32LE(at + 24)
    at += 46 + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return parts <= MOST_PARTS && unpacked <= MOST_UNPACKED
}

/** Days begin at the end of 1899: a date before this one is only a time of day. */
const FIRST_DAY = Date.UTC(1900, 0, 2)

function textOfCell(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (!(cell instanceof Date)) return typeof cell === 'object' ? '' : String(cell)
  // Times are stored as fractions of a day, which are not exact.
  const ms = Math.round(cell.getTime() / 1000) * 1000
  if (Number.isNaN(ms)) return ''
  const text = new Date(ms).toISOString()
  const [day, time] = [text.slice(0, 10), text.slice(11, 16)]
  if (ms < FIRST_DAY) return time
  return time === '00:00' ? day : `${day} ${time}`
}
