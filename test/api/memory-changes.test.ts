import { deepEqual, equal, ok } from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { cacheBudget } from '../../src/base/cache.ts'
import { parseFields } from '../../src/calendar/declare/parse.ts'
import { eventFilters } from '../../src/calendar/events/event-filters.ts'
import { findEvents } from '../../src/calendar/events/find-events.ts'
import { eventsOfTerm } from '../../src/store/memory/event-index.ts'
import {
  catchUp,
  closeMemory,
  type EventMemory,
  loadMemory,
  openEventMemory,
} from '../../src/store/memory/event-memory.ts'
import { publicContext } from '../support/public-context.ts'
import { touch } from '../support/recording.ts'
import { serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests()
const { create } = service
let memory: EventMemory
const reported: string[] = []

afterEach(async () => {
  await closeMemory(memory)
  reported.length = 0
})

const open = (database = service.app.database) => {
  memory = openEventMemory(database, cacheBudget(1_000_000), (error) => reported.push(String(error)))
}

async function loaded(): Promise<void> {
  open()
  await loadMemory(memory)
}

const day = { start_date: '2027-03-01 10:00:00', end_date: '2027-03-01 12:00:00' }

function index() {
  ok(memory.index, 'the memory is filled')
  return memory.index
}

test('events lose a term that is removed, and move with categories that do', async () => {
  const root = await create('/categories', { name: 'Root' })
  const other = await create('/categories', { name: 'Other root' })
  const middle = await create('/categories', { name: 'Middle', parent: root.id })
  const leaf = await create('/categories', { name: 'Leaf', parent: middle.id })
  const tag = await create('/tags', { name: 'Short lived' })
  const event = await create('/events', { title: 'Filed', ...day, categories: [leaf.id], tags: [tag.id] })
  await loaded()
  const before = index()
  const filed = (...terms: { id: number }[]) =>
    terms.map(({ id }) => eventsOfTerm(index(), id).includes(event.id))
  deepEqual(filed(root, other, middle, leaf, tag), [true, false, true, true, true])
  const steps: [() => Promise<unknown>, boolean[]][] = [
    [() => service.remove(`/tags/${tag.id}`), [true, false, true, true, false]],
    [() => service.put(`/categories/${middle.id}`, { parent: other.id }), [false, true, true, true, false]],
    [() => service.remove(`/categories/${middle.id}`), [false, true, false, true, false]],
    [() => service.put(`/categories/${leaf.id}`, { parent: root.id }), [true, false, false, true, false]],
  ]
  for (const [step, expected] of steps) {
    await step()
    await catchUp(memory)
    deepEqual(filed(root, other, middle, leaf, tag), expected)
    equal(memory.index, before)
  }
  deepEqual(reported, [])
})

async function withoutLinks(work: () => Promise<void>): Promise<void> {
  const { database } = service.app
  const rename = (from: string, to: string) =>
    database.migrate((tx) =>
      sql
        .raw(`alter table ${from} rename to ${to}`)
        .execute(tx)
        .then(() => undefined),
    )
  await rename('event_terms', 'hidden_terms')
  try {
    await work()
  } finally {
    await rename('hidden_terms', 'event_terms')
  }
}

test('a list waits for a small calendar that is being read', async () => {
  await create('/events', { title: 'Waited for', ...day })
  open()
  const context = { ...(await publicContext(service.app)), memory }
  const list = async () => findEvents(context, await parseFields(eventFilters, {}, context))
  equal((await list()).isIndexed, undefined)
  const loading = loadMemory(memory)
  equal((await list()).isIndexed, true)
  await loading
})

test('an index that was read is used once it has every change made meanwhile', async () => {
  const { database } = service.app
  let made: { id: number } | undefined
  const hasMade = () =>
    made !== undefined &&
    memory.index !== undefined &&
    [...eventsOfTerm(memory.index, tag.id)].includes(made.id)
  const looks: string[] = []
  const tag = await create('/tags', { name: 'Made meanwhile' })
  // The calendar has been read by the time its changes are asked for.
  const readChanges: typeof database.readChanges = async (cursor) => {
    made ??= await create('/events', { title: 'Made meanwhile', ...day, tags: [tag.id] })
    looks.push(memory.index === undefined || hasMade() ? 'right' : 'stale')
    return database.readChanges(cursor)
  }
  open({ ...database, readChanges })
  await loadMemory(memory)
  equal(hasMade(), true)
  ok(looks.length > 0)
  deepEqual(new Set(looks), new Set(['right']))
})

test('what cannot be read is noted, and read again until it can', async () => {
  open()
  let isLoaded = false
  let loading: Promise<void> | undefined
  await withoutLinks(async () => {
    loading = loadMemory(memory).then(() => {
      isLoaded = true
    })
    await until(() => reported.length > 0, 'nothing was noted')
    equal(isLoaded, false)
  })
  await loading
  ok(index().slotCount > 0)
})

test('a change that cannot be taken in costs the memory for a while, and not whoever made it', async () => {
  const event = await create('/events', { title: 'Before', ...day })
  await loaded()
  await withoutLinks(async () => {
    await service.app.database.write((tx) => touch(tx, 'event', event.id))
    await catchUp(memory)
    equal(memory.index, undefined)
    ok(reported.length > 0)
  })
  await until(() => memory.index !== undefined, 'the memory was not filled again', 20)
  ok((index().slotOf[event.id] ?? 0) > 0)
})
