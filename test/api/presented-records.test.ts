import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import sharp from 'sharp'
import { cacheBudget } from '../../src/base/cache.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { listedEvents } from '../../src/calendar/events/event-bytes.ts'
import { closeMemory, type EventMemory, loadMemory, openEventMemory } from '../../src/store/memory/event-memory.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { readListed } from '../support/listed-events.ts'
import { publicContext } from '../support/public-context.ts'
import { startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

let service: TestService
/** The memory of a node that has just started: it has only the index. */
let memory: EventMemory | undefined
let context: Context

before(async () => {
  service = await startService()
})
after(() => service.close())
beforeEach(async () => {
  context = await publicContext(service.app)
})
afterEach(() => memory && closeMemory(memory))

const day = { start_date: '2027-03-01 10:00:00', end_date: '2027-03-01 12:00:00' }

/** Shows these events as a newly started node does. */
async function listed(...ids: number[]): Promise<Record<string, unknown>[]> {
  if (memory) await closeMemory(memory)
  memory = openEventMemory(service.app.database, cacheBudget(1_000_000))
  await loadMemory(memory)
  assert.ok(memory.index)
  return (await listedEvents(memory, memory.index, ids, context, 'page')).map(readListed)
}

const kept = () => service.app.database.read.selectFrom('presented_records')
const keptIds = async () => (await kept().select('record').execute()).map(({ record }) => record)

/** Changes the presented record, so that answers made from it can be recognised. */
async function mark(record: number, before: string): Promise<void> {
  const { members } = await kept().select('members').where('record', '=', record).executeTakeFirstOrThrow()
  assert.ok(members.includes(before))
  await service.app.database.write((tx) =>
    tx
      .updateTable('presented_records')
      .set({ members: members.replace(before, 'Kept') })
      .where('record', '=', record)
      .execute(),
  )
}

async function create(title: string, more: object = {}): Promise<number> {
  const { status, body } = await service.post('/events', { title, ...day, ...more })
  assert.equal(status, 201)
  return body.id
}

test('a public event is kept presented by the write that makes it, and lists read that', async () => {
  const id = await create('Plain')
  await mark(id, 'Plain')
  assert.deepEqual(
    (await listed(id)).map(({ title }) => title),
    ['Kept'],
  )
})

test('a change of an event is shown at once, and kept in place of what was', async () => {
  const id = await create('Changing')
  await mark(id, 'Changing')
  await service.put(`/events/${id}`, { title: 'Changed' })
  assert.equal((await listed(id))[0]?.title, 'Changed')
  await mark(id, 'Changed')
  assert.equal((await listed(id))[0]?.title, 'Kept')
})

test('an event that the public does not see is not kept', async () => {
  const draft = await create('Draft', { status: 'draft' })
  const taken = await create('Taken back')
  await service.put(`/events/${taken}`, { status: 'private' })
  const ids = await keptIds()
  for (const id of [draft, taken]) assert.ok(!ids.includes(id))
})

test('an event that comes back from the trash is presented anew', async () => {
  const id = await create('Gone')
  await mark(id, 'Gone')
  await service.remove(`/events/${id}`)
  const { events } = (await service.get('/events?start_date=2027-01-01')).body
  assert.ok(!events.some((event: { id: number }) => event.id === id))
  await service.app.database.write((tx) =>
    tx.updateTable('events').set({ status: 'publish' }).where('id', '=', id).execute(),
  )
  assert.ok(!(await keptIds()).includes(id))
  assert.equal((await listed(id))[0]?.title, 'Gone')
})

test('what was kept in another form is not used', async () => {
  const id = await create('Formed')
  await mark(id, 'Formed')
  await service.app.database.write((tx) =>
    tx.updateTable('presented_records').set({ form: 'older' }).where('record', '=', id).execute(),
  )
  assert.equal((await listed(id))[0]?.title, 'Formed')
})

test('an event is kept without its image and its links, which are shown as they are then', async () => {
  const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
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

test('what lists had to present from rows is kept from then on, events, venues and organizers', async () => {
  const ids: number[] = []
  for (let i = 0; i < 64; i++)
    ids.push(await create(`Many ${i}`, { venue: { venue: `Hall ${i}` }, organizer: [{ organizer: `Club ${i}` }] }))
  await service.app.database.write((tx) => tx.deleteFrom('presented_records').execute())
  const fromRows = await listed(...ids)
  const linked = fromRows.flatMap(({ venue, organizer }) => [venue, ...(organizer as [])] as { id: number }[])
  const all = [...ids, ...linked.map(({ id }) => id)]
  await until(async () => (await keptIds()).length >= all.length, 'all are kept')
  assert.deepEqual(new Set(await keptIds()), new Set(all))
  assert.deepEqual(await listed(...ids), fromRows)
})

test('a venue or organizer that changes, or is taken back, changes in all that show it', async () => {
  const more = { venue: { venue: 'Old hall' }, organizer: [{ organizer: 'Old club' }] }
  const ids = [await create('First', more), await create('Second', more)]
  const { venue, organizer } = (await service.get(`/events/${ids[0]}`)).body
  const linkedOf = async () =>
    (await listed(...ids)).map((event) => [
      (event.venue as { venue?: string }).venue,
      (event.organizer as { organizer: string }[]).map((shown) => shown.organizer),
    ])
  const { write } = service.app.database
  const { form } = await kept().select('form').where('record', 'in', ids).executeTakeFirstOrThrow()
  const presented = (record: { id: number }) => ({
    ...{ record: record.id, form, image: null, image_at: 0, rare: '' },
    members: JSON.stringify(record),
  })
  await write((tx) =>
    tx
      .insertInto('presented_records')
      .values([presented({ ...venue, venue: 'Kept hall' }), presented({ ...organizer[0], organizer: 'Kept club' })])
      .execute(),
  )
  assert.deepEqual(await linkedOf(), [
    ['Kept hall', ['Kept club']],
    ['Kept hall', ['Kept club']],
  ])
  await service.put(`/venues/${venue.id}`, { venue: 'New hall' })
  await service.put(`/organizers/${organizer[0].id}`, { organizer: 'New club' })
  assert.deepEqual((await linkedOf())[1], ['New hall', ['New club']])
  await service.remove(`/venues/${venue.id}`)
  await service.put(`/organizers/${organizer[0].id}`, { status: 'draft' })
  assert.deepEqual((await linkedOf())[0], [undefined, []])
})
