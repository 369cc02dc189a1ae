import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { type Answer, day, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let image: Uint8Array<ArrayBuffer>

before(async () => {
  await service.ready
  image = await drawPng(8, 8, '#0a8')
})
async function tagOf(path: string, as: Reader = 'admin'): Promise<string> {
  const { status, headers } = await service.get(path, as)
  equal(status, 200)
  return headers.get('etag') ?? ''
}

const change = (path: string, body: object | undefined, tag: string, method = 'PUT'): Promise<Answer> =>
  service.request('admin', method, path, body, { 'If-Match': tag })

function assertRefused({ status, body }: Answer): void {
  deepEqual([status, body.code, body.data?.status], [412, 'rest_precondition_failed', 412])
}

const KINDS = [
  { list: '/events', made: { title: 'First', ...day }, changed: { title: 'Second' } },
  { list: '/venues', made: { venue: 'First' }, changed: { venue: 'Second' } },
  { list: '/organizers', made: { organizer: 'First' }, changed: { organizer: 'Second' } },
  { list: '/categories', made: { name: 'First' }, changed: { name: 'Second' } },
  { list: '/tags', made: { name: 'First' }, changed: { name: 'Second' } },
]

for (const { list, made, changed } of KINDS)
  test(`an item of ${list} changes with the ETag that it has, and no more with one that it had`, async () => {
    const { id } = await service.create(list, made)
    const path = `${list}/${id}`
    const first = await tagOf(path)
    equal((await change(path, changed, first)).status, 200)
    const kept = await service.get(path, 'admin')
    assertRefused(await change(path, made, first))
    assertRefused(await change(path, undefined, first, 'DELETE'))
    deepEqual((await service.get(path, 'admin')).body, kept.body)
    equal((await change(path, undefined, await tagOf(path), 'DELETE')).status, 200)
  })

test('of several changes at once with one ETag, one is done', async () => {
  for (const { list, made } of KINDS) {
    const path = `${list}/${(await service.create(list, made)).id}`
    const tag = await tagOf(path)
    const bodies = ['A', 'B', 'C', 'D'].map((letter) => ({ description: letter }))
    const answers = await Promise.all(bodies.map((body) => change(path, body, tag)))
    deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412], list)
  }
})

test('an image of the platform changes with the ETag that it has', async () => {
  const media = '~/wp-json/wp/v2/media'
  const headers = { 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename="a.png"' }
  const { body } = await service.post(media, image, 'admin', headers)
  const path = `${media}/${body.id}`
  const first = await tagOf(path)
  equal((await change(path, { alt_text: 'A square' }, first, 'POST')).status, 200)
  assertRefused(await change(path, { alt_text: 'A circle' }, first, 'POST'))
})

test('a series changes with the ETag that it has', async () => {
  const event = await service.event({ title: 'Yoga', ...day, recurrence: 'FREQ=DAILY;COUNT=3' })
  const path = `~/wp-json/kalends/v1/series/${event.post_parent}`
  const first = await tagOf(path)
  equal((await change(path, { title: 'Yoga in the park' }, first)).status, 200)
  assertRefused(await change(path, { title: 'Yoga at home' }, first))
})

describe('the ETag of an event', () => {
  let path: string
  let id: number
  before(async () => {
    const venue = await service.create('/venues', { venue: 'Hall' })
    ;({ id } = await service.event({ title: 'Seen', slug: 'seen', ...day, venue: venue.id }))
    path = `/events/${id}`
  })

  test('is good for changes however it was read', async () => {
    const readings: [string, Reader][] = [
      [path, 'admin'],
      [path, 'anonymous'],
      [`${path}?_fields=title`, 'anonymous'],
      ['/events/by-slug/seen', 'admin'],
      ['/events/by-slug/seen', 'anonymous'],
    ]
    for (const [at, as] of readings) {
      const tag = await tagOf(at, as)
      equal((await change(path, { title: `Seen at ${at}` }, tag)).status, 200, at)
      assertRefused(await change(path, { title: 'Late' }, tag))
    }
  })

  test('is good after answers were taken from memory and other records have changed', async () => {
    await tagOf(path, 'anonymous')
    await service.event({ title: 'Another', ...day })
    const tag = await tagOf(path, 'anonymous')
    equal(await tagOf(path, 'anonymous'), tag)
    equal((await change(path, { title: 'Seen again' }, tag)).status, 200)
    notEqual(await tagOf(path, 'anonymous'), tag)
    assertRefused(await change(path, { title: 'Late' }, tag))
  })

  test('is good when a cache has made a strong one of it, and beside others', async () => {
    const tag = await tagOf(path)
    equal((await change(path, { title: 'Strong' }, tag.replace('W/', ''))).status, 200)
    const next = await tagOf(path)
    equal((await change(path, { title: 'Beside' }, `${tag}, "x", ${next}`)).status, 200)
  })

  test('is that of no other event', async () => {
    const other = await service.event({ title: 'Other', ...day })
    assertRefused(await change(path, { title: 'Mistaken' }, await tagOf(`/events/${other.id}`)))
  })

  test('of a list, or none at all, is good for nothing', async () => {
    for (const tag of [
      await tagOf('/events'),
      '"nonsense"',
      'nonsense',
      '',
      'W/"',
      '"*"',
      ',,',
      '"x'.repeat(4000),
    ])
      assertRefused(await change(path, { title: 'Unseen' }, tag))
  })

  test('may be anything where an asterisk stands for it', async () => {
    equal((await change(path, { title: 'Any' }, '*')).status, 200)
    equal((await change('/events/999999', { title: 'None' }, '*')).status, 404)
  })

  test('counts for each request of a batch by itself', async () => {
    const tag = await tagOf(path)
    const item = (title: string) => ({
      method: 'PUT',
      path: `/tribe/events/v1${path}`,
      body: { title },
      headers: { 'If-Match': tag },
    })
    const { body } = await service.post('~/wp-json/batch/v1', { requests: [item('One'), item('Two')] })
    deepEqual(pluck(body.responses, 'status'), [200, 412])
  })

  test('is looked at after rights and values', async () => {
    equal((await service.put(path, { title: 'No' }, 'anonymous', { 'If-Match': '"x"' })).status, 401)
    equal((await change(path, { start_date: 'never' }, '"x"')).status, 400)
  })
})
