import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cacheBudget } from '../../src/base/cache.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { listedEvents } from '../../src/calendar/events/event-bytes.ts'
import {
  catchUp,
  closeMemory,
  type EventMemory,
  isBehind,
  loadMemory,
  openEventMemory,
} from '../../src/store/memory/event-memory.ts'
import {
  dropAllPieces,
  dropLinked,
  dropPiece,
  type EventPieces,
  findPiece,
} from '../../src/store/memory/event-pieces.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { readListed } from '../support/listed-events.ts'
import { publicContext } from '../support/public-context.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let memory: EventMemory
let id: number
let venue: number
let context: Context

before(async () => {
  await service.ready
  const day = { start_date: '2027-03-01', end_date: '2027-03-01' }
  const { body } = await service.post('/events', { title: 'Read', ...day, venue: { venue: 'Hall' } })
  id = body.id
  venue = body.venue.id
  context = await publicContext(service.app)
  memory = openEventMemory(service.app.database, cacheBudget(1_000_000))
  await loadMemory(memory)
})
after(() => closeMemory(memory))

async function present(meanwhile: (pieces: EventPieces) => void): Promise<void> {
  while (isBehind(memory)) await catchUp(memory)
  assert.ok(memory.index)
  const presented = listedEvents(memory, memory.index, [id], context, 'page')
  meanwhile(memory.pieces)
  const [event] = await presented
  assert.ok(event)
  assert.equal((readListed(event).venue as { venue: string }).venue, 'Hall')
}

const isKept = () => findPiece(memory.pieces, id, memory.terms) !== undefined

test('an event is kept once it has been asked for, and shown alike before and after', async () => {
  assert.ok(memory.index)
  const shown: unknown[] = []
  for (let i = 0; i < 3; i++) {
    shown.push(...(await listedEvents(memory, memory.index, [id], context, 'page')).map(readListed))
    assert.ok(isKept())
  }
  const single = withoutLinkedData((await service.get(`/events/${id}`)).body)
  assert.deepEqual(shown, [single, single, single])
})

const changes: Record<string, (pieces: EventPieces) => void> = {
  'the event': (pieces) => dropPiece(pieces, id),
  'its venue': (pieces) => dropLinked(pieces, 'venues', venue),
  everything: (pieces) => dropAllPieces(pieces),
}
for (const [what, change] of Object.entries(changes)) {
  test(`what was read while ${what} was forgotten is answered with and not kept`, async () => {
    dropAllPieces(memory.pieces)
    await present(change)
    assert.ok(!isKept())
    assert.equal(memory.pieces.venues.young.size, 0)
    await present(() => undefined)
    assert.ok(isKept())
    assert.equal(memory.pieces.venues.young.size, 1)
  })
}
