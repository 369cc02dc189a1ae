import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cacheBudget, findCached } from '../../src/base/cache.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { loadJson } from '../../src/calendar/events/event-bytes.ts'
import {
  catchUp,
  closeMemory,
  type EventMemory,
  isBehind,
  loadMemory,
  openEventMemory,
} from '../../src/store/memory/event-memory.ts'
import { dropAllPieces, dropPieces, type EventPieces } from '../../src/store/memory/event-pieces.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { publicContext } from '../support/public-context.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let memory: EventMemory
let id: number
let context: Context

before(async () => {
  await service.ready
  const day = { start_date: '2027-03-01', end_date: '2027-03-01' }
  const { body } = await service.post('/events', { title: 'Read', ...day, venue: { venue: 'Hall' } })
  id = body.id
  context = await publicContext(service.app)
  memory = openEventMemory(service.app.database, cacheBudget(1_000_000))
  await loadMemory(memory)
})
after(() => closeMemory(memory))

const found = () => ({ ids: [id], total: 1, page: 1, perPage: 10, effective: '', isIndexed: true }) as const

/** Loads the event as JSON, and calls `meanwhile` while it is being read. */
async function load(meanwhile: (pieces: EventPieces) => void): Promise<object> {
  while (isBehind(memory)) await catchUp(memory)
  const loading = loadJson({ ...context, memory }, found(), 'page')
  meanwhile(memory.pieces)
  const [event] = JSON.parse(JSON.stringify(await loading))
  equal(event.venue.venue, 'Hall')
  return event
}

const isKept = () => findCached(memory.pieces.listed, id) !== undefined

test('an event is kept once it has been asked for, and shown alike before and after', async () => {
  const shown: unknown[] = []
  for (let i = 0; i < 3; i++) {
    shown.push(await load(() => undefined))
    ok(isKept())
  }
  const single = withoutLinkedData((await service.get(`/events/${id}`)).body)
  deepEqual(shown, [single, single, single])
})

const changes: Record<string, (pieces: EventPieces) => void> = {
  'the event': (pieces) => dropPieces(pieces, id),
  everything: (pieces) => dropAllPieces(pieces),
}
for (const [what, change] of Object.entries(changes)) {
  test(`what was read while ${what} was forgotten is answered with and not kept`, async () => {
    dropAllPieces(memory.pieces)
    await load(change)
    ok(!isKept())
    await load(() => undefined)
    ok(isKept())
  })
}
