import { crc32, deflateRawSync } from 'node:zlib'

// Makes spreadsheets (XLSX) for tests.

/** Of archives that say something else about a part than is true. */
interface ZipPart {
  name: string
  bytes: Buffer
  /** Bytes once unpacked, as the directory says. */
  said?: number
}

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, bytes, said = bytes.length } of parts) {
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(said, 18)
    common.writeUInt16LE(name.length, 22)
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, place, Buffer.from(name))
    local.push(head)
    at += head.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...local, listed, end])
}

const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const LINKS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** A number in a cell is a day or a time of day, counted in days from the end of 1899. */
export function spreadsheetOf(
  rows: readonly (readonly (string | number)[])[],
  beside: readonly ZipPart[] = [],
): Buffer {
  const cell = (value: string | number, row: number, column: number) => {
    const place = `${String.fromCharCode(65 + column)}${row + 1}`
    return typeof value === 'number'
      ? `<c r="${place}" s="${value < 1 ? 2 : 1}"><v>${value}</v></c>`
      : `<c r="${place}" ` +
          `t="inlineStr"><is><t>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`
  }
  const lines = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((value, column) => cell(value, row, column)).join('')}</row>`,
  )
  const part = (name: string, xml: string): ZipPart => ({
    name,
    bytes: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${xml}`),
  })
  return zipOf([
    part(
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default ` +
        'Extension="xml" ContentType="application/xml"/></Types>',
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${SHEETS}" xmlns:r="${LINKS}"><sheets><sheet ` +
        'name="Season" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${LINKS}/worksheet" ` +
        'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" ' +
        `Type="${LINKS}/styles" Target="styles.xml"/></Relationships>`,
    ),
    part(
      'xl/styles.xml',
      `<styleSheet xmlns="${SHEETS}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" ` +
        'applyNumberFormat="1"/><xf numFmtId="20" applyNumberFormat="1"/></cellXfs></styleSheet>',
    ),
    part(
      'xl/worksheets/sheet1.xml',
      `<worksheet xmlns="${SHEETS}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
    ),
    ...beside,
  ])
}
