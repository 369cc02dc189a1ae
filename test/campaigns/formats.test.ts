// A short form of `npm run formats`, with the parsers of npm alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { type ReadEvent, readers } from './format-readers.ts'
import { differences, fetchFeed, writeEvents } from './formats-campaign.ts'

const EVENTS = 120

test('every format says the same of every event: who it is, what it is called and when it is', async () => {
  await using service = await startService({ timezone: 'Europe/Oslo' })
  const expected = await writeEvents(service, EVENTS, 1)
  const read = new Map<string, ReadEvent[]>()
  for (const [ending, reader] of Object.entries(readers))
    read.set(ending, reader(await fetchFeed(service, ending)))
  assert.deepEqual(differences(expected, read).slice(0, 10), [])
})
