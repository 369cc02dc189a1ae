import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import ICAL from 'ical.js'
import { contentLine, escapeText } from '../../src/features/feeds/content-lines.ts'
import { fc } from '../support/rounds.ts'

const linesOf = (text: string) => text.split('\r\n').slice(0, -1)
const unfolded = (text: string) => text.replaceAll('\r\n ', '')

describe('a content line', () => {
  test('has at most 75 octets, and no fold parts a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const line = contentLine('SUMMARY', escapeText(text))
        ok(line.endsWith('\r\n'))
        for (const part of linesOf(line)) {
          ok(Buffer.byteLength(part) <= 75)
          ok(!part.includes('\ufffd') || text.includes('\ufffd') || !text.isWellFormed())
        }
        equal(unfolded(line), `SUMMARY:${escapeText(text)}\r\n`)
      }),
      { numRuns: 50 },
    )
  })

  test('keeps a blank that stands at a fold', () => {
    const text = `${'a'.repeat(66)} b ${'c'.repeat(72)} d`
    equal(unfolded(contentLine('SUMMARY', text)), `SUMMARY:${text}\r\n`)
  })

  test('escapes backslashes, semicolons, commas and line ends, and nothing else', () => {
    equal(escapeText('a\\b;c,d\re\nf\r\ng: "h"\0\x07\ti'), 'a\\\\b\\;c\\,d\\ne\\nf\\ng: "h"\ti')
  })

  test('is read back by another parser as it was', () => {
    const readable = fc.string({ unit: 'grapheme', maxLength: 200 })
    fc.assert(
      fc.property(readable, readable, (value, parameter) => {
        const property = ICAL.Property.fromString(
          unfolded(contentLine('SUMMARY', escapeText(value), { ALTREP: parameter })).slice(0, -2),
        )
        equal(property.getFirstValue(), value)
        if (parameter.trim() !== '') equal(property.getParameter('altrep'), parameter)
      }),
    )
  })

  test('quotes parameters with signs that would end them, and writes others by RFC 6868', () => {
    equal(
      contentLine('ORGANIZER', 'mailto:a@b.c', { CN: 'A "B", C^D\nE' }),
      'ORGANIZER;CN="A ^\'B^\', C^^D^nE":mailto:a@b.c\r\n',
    )
  })
})
