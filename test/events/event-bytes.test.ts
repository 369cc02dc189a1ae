import { equal, ok } from 'node:assert/strict'
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
import { publicContext } from '../support/public-context.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let memory: EventMemory
let id: number
let context: Context

before(async () => {
  await service.ready
  id = (await service.event({ title: 'Read', ...day, venue: { venue: 'Hall' } })).id
  context = await publicContext(service.app)
  memory = openEventMemory(service.app.database, cacheBudget(1_000_000))
  await loadMemory(memory)
})
after(() => closeMemory(memory))

/** Loads the event as JSON, and calls `meanwhile` while it is being read. */
async function load(meanwhile: (pieces: EventPieces) => void): Promise<void> {
  while (isBehind(memory)) await catchUp(memory)
  const found = { ids: [id], total: 1, page: 1, perPage: 10, effective: '', isIndexed: true } as const
  const loading = loadJson({ ...context, memory }, found, 'page')
  meanwhile(memory.pieces)
  const [event] = JSON.parse(JSON.stringify(await loading))
  equal(event.venue.venue, 'Hall')
}

const isKept = () => findCached(memory.pieces.listed, id) !== undefined

for (const [what, forget] of [
  ['the event', (pieces: EventPieces) => dropPieces(pieces, id)],
  ['everything', dropAllPieces],
] as const)
  test(`what was read while ${what} was forgotten is answered with and not kept`, async () => {
    dropAllPieces(memory.pieces)
    await load(forget)
    ok(!isKept())
    await load(() => undefined)
    ok(isKept())
  })
