// A short form of `npm run round-trip`.
import { deepEqual } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { type Calendar, startCalendar } from '../import/calendar-command.ts'
import { FORMATS, fillForRoundTrip, KNOWN_LOSSES, roundTrip } from './round-trip.ts'

const ENOUGH = 75
const EVENTS = Number(process.env.ROUND_TRIP_EVENTS ?? ENOUGH)

describe('a calendar that goes out and into an empty one', () => {
  let calendar: Calendar
  before(async () => {
    calendar = await startCalendar({ timezone: 'Europe/Oslo' })
    await fillForRoundTrip(calendar, EVENTS, 1)
  })
  after(() => calendar.close())

  for (const format of FORMATS)
    test(`loses by ${format} what its documentation says, and nothing else`, async () => {
      const losses = await roundTrip(calendar, format)
      const unknown = [...losses].filter(([path]) => !KNOWN_LOSSES[format].includes(path))
      deepEqual(unknown, [])
      // A series is written as single events only where it has a rule that programs read in several ways.
      const kept = KNOWN_LOSSES[format].filter((path) => !losses.has(path) && path !== 'recurrence')
      if (EVENTS >= ENOUGH) deepEqual(kept, [], 'is said to be lost')
    })
})

test('a calendar that goes out and into an empty one is documented with its losses', async () => {
  const page = await readFile(new URL('../../docs/exports.md', import.meta.url), 'utf8')
  for (const format of ['ics', 'csv'] as const) {
    const named = page.split('\n').flatMap((line) => {
      const [, members = '', ...cells] = line.split('|').map((cell) => cell.trim())
      return cells[format === 'ics' ? 0 : 1] === 'lost' ||
        cells[format === 'ics' ? 0 : 1]?.startsWith('changed')
        ? [...members.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
        : []
    })
    deepEqual(named.sort(), [...KNOWN_LOSSES[format]].sort(), format)
  }
})
