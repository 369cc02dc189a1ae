import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { cacheBudget } from '../../src/base/cache.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { loadJson } from '../../src/calendar/events/event-bytes.ts'
import {
  closeMemory,
  type EventMemory,
  loadMemory,
  openEventMemory,
} from '../../src/store/memory/event-memory.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { publicContext } from '../support/public-context.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let memory: EventMemory | undefined
let context: Context

beforeEach(async () => {
  context = await publicContext(service.app)
})
afterEach(() => memory && closeMemory(memory))

const day = { start_date: '2027-03-01 10:00:00', end_date: '2027-03-01 12:00:00' }

async function listed(...ids: number[]): Promise<Record<string, unknown>[]> {
  if (memory) await closeMemory(memory)
  memory = openEventMemory(service.app.database, cacheBudget(1_000_000))
  await loadMemory(memory)
  assert.ok(memory.index)
  const found = { ids, total: ids.length, page: 1, perPage: 10, effective: '', isIndexed: true } as const
  const events = await loadJson({ ...context, memory }, found, 'page')
  return JSON.parse(JSON.stringify(events))
}

async function create(title: string, more: object = {}): Promise<number> {
  const { status, body } = await service.post('/events', { title, ...day, ...more })
  assert.equal(status, 201)
  return body.id
}

test('a listed event has its image and its links as they are then', async () => {
  const png = await drawPng(4, 4, 'red')
  const upload = await service.request('admin', 'POST', '~/wp-json/wp/v2/media', new Uint8Array(png), {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename="red.png"',
  })
  assert.equal(upload.status, 201)
  const links = {
    venue: [{ venue: 'Second hall' }, { venue: 'First hall' }],
    organizer: [{ organizer: 'Club' }],
    categories: ['One', 'Two'],
    tags: ['red'],
  }
  const id = await create('With "image":false, in its title', { image: upload.body.id, ...links })
  const shown = (await service.get(`/events/${id}`)).body
  const [fresh] = await listed(id)
  assert.equal(shown.image.id, upload.body.id)
  assert.deepEqual(fresh, withoutLinkedData(shown))
  await service.request('admin', 'DELETE', `~/wp-json/wp/v2/media/${upload.body.id}?force=true`)
  assert.equal((await listed(id))[0]?.image, false)
})

test('a venue or organizer that changes, or is taken back, changes in all that show it', async () => {
  const more = { venue: { venue: 'Old hall' }, organizer: [{ organizer: 'Old club' }] }
  const ids = [await create('First', more), await create('Second', more)]
  const { venue, organizer } = (await service.get(`/events/${ids[0]}`)).body
  const linkedOf = async () =>
    (await listed(...ids)).map((event) => [
      (event.venue as { venue?: string }).venue,
      pluck(event.organizer as { organizer: string }[], 'organizer'),
    ])
  assert.deepEqual(await linkedOf(), [
    ['Old hall', ['Old club']],
    ['Old hall', ['Old club']],
  ])
  await service.put(`/venues/${venue.id}`, { venue: 'New hall' })
  await service.put(`/organizers/${organizer[0].id}`, { organizer: 'New club' })
  assert.deepEqual((await linkedOf())[1], ['New hall', ['New club']])
  await service.remove(`/venues/${venue.id}`)
  await service.put(`/organizers/${organizer[0].id}`, { status: 'draft' })
  assert.deepEqual((await linkedOf())[0], [undefined, []])
})
