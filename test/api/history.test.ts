import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { uploadPicture } from '../support/pictures.ts'
import { type Answer, day, onDay, type Reader, serviceForTests, startService } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })
const OWN = '~/wp-json/kalends/v1'
const at = (path: string) => `${OWN}${path}/history`

async function versionOf(path: string): Promise<number> {
  const { status, headers } = await service.get(path, 'admin')
  equal(status, 200, path)
  return Number(/\.v\d+\.(\d+)"/.exec(headers.get('etag') ?? '')?.[1])
}

async function historyOf(path: string, query = '', as: Reader = 'admin'): Promise<Answer['body']> {
  const { status, body } = await service.get(`${at(path)}${query}`, as)
  equal(status, 200, JSON.stringify(body))
  return body
}

const restore = (path: string, version: number, body: object = {}, as: Reader = 'admin'): Promise<Answer> =>
  service.post(`${at(path)}/${version}/restore`, body, as)

async function restored(path: string, version: number, body: object = {}): Promise<Answer['body']> {
  const answer = await restore(path, version, body)
  equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

describe('the history of an event', () => {
  test('tells who changed what, the newest first, with former and new values', async () => {
    const venue = await service.create('/venues', { venue: 'Hall' })
    const tag = await service.create('/tags', { name: 'loud' })
    const event = await service.event({ title: 'First', ...day, cost: '5', venue: venue.id })
    const path = `/events/${event.id}`
    deepEqual((await historyOf(path)).history, [])
    await service.put(path, { title: 'Second', featured: true }, 'editor', { 'user-agent': 'a desk' })
    await service.update(path, { venue: [], tags: [tag.id], cost: '' })
    const { version, history, total } = await historyOf(path)
    equal(version, await versionOf(path))
    equal(total, 2)
    const [last, first] = history
    equal(last.version, version)
    deepEqual(
      [first.login, first.action, first.client, first.user],
      ['editor', 'update', 'a desk', service.userIds.editor],
    )
    match(first.date_utc, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    deepEqual(first.changes, [
      { member: 'title', former: 'First', new: 'Second' },
      { member: 'featured', former: false, new: true },
    ])
    deepEqual(last.changes, [
      { member: 'cost', former: ['5'], new: [] },
      { member: 'venue', former: [venue.id], new: [] },
      { member: 'tags', former: [], new: [tag.id] },
    ])
  })

  test('comes page by page', async () => {
    const { id } = await service.event({ title: 'None', ...day })
    for (let n = 1; n <= 5; n++) await service.update(`/events/${id}`, { title: String(n) })
    const titles = async (query: string) =>
      (await historyOf(`/events/${id}`, query)).history.map(({ changes }: Answer['body']) => changes[0].new)
    deepEqual(await titles('?per_page=2'), ['5', '4'])
    deepEqual(await titles('?per_page=2&page=3'), ['1'])
    deepEqual(await titles('?per_page=2&page=4'), [])
    const { total, total_pages } = await historyOf(`/events/${id}`, '?per_page=2')
    deepEqual([total, total_pages], [5, 3])
    equal((await service.get(`${at(`/events/${id}`)}?page=x`, 'admin')).status, 400)
  })

  test('is for those who may edit the event, and shows addresses to administrators alone', async () => {
    const { id } = await service.event({ title: 'Kept', ...day })
    const own = await service.event({ title: 'Own', ...day, status: 'draft' }, 'contributor')
    await service.update(`/events/${id}`, { title: 'Changed' })
    await service.update(`/events/${own.id}`, { title: 'Changed' })
    for (const as of ['anonymous', 'subscriber', 'contributor', 'author'] as const)
      for (const [method, end] of [
        ['GET', ''],
        ['GET', '/1'],
        ['POST', '/1/restore'],
      ] as const) {
        const { status, body } = await service.request(as, method, `${at(`/events/${id}`)}${end}`)
        deepEqual(
          [status, body.code],
          [as === 'anonymous' ? 401 : 403, 'rest_forbidden'],
          `${as} ${method} ${end}`,
        )
      }
    equal((await service.get(at('/events/999999'), 'admin')).status, 404)
    const [act] = (await historyOf(`/events/${own.id}`, '', 'contributor')).history
    deepEqual([act.login, 'address' in act], ['admin', false])
    equal((await historyOf(`/events/${own.id}`)).history[0].address, '127.0.0.1')
  })

  test('shows the beginnings of long texts, and a version the whole of them', async () => {
    const [long, longer] = ['a'.repeat(5000), 'b'.repeat(6000)]
    const { id } = await service.event({ title: 'Long', ...day, description: long })
    const first = await versionOf(`/events/${id}`)
    await service.update(`/events/${id}`, { description: longer })
    const [act] = (await historyOf(`/events/${id}`)).history
    deepEqual(act.changes, [
      { member: 'description', former: 'a'.repeat(2000), new: 'b'.repeat(2000), cut: true },
    ])
    const { body } = await service.get(`${at(`/events/${id}`)}/${first}`, 'admin')
    equal(body.values.description, long)
    equal(body.version, first)
  })

  test('keeps equal long texts once, however often they come back', async () => {
    const texts = ['x', 'y'].map((sign) => sign.repeat(100_000))
    const { id } = await service.event({ title: 'Often', ...day, description: texts[0] })
    const bytes = async () => {
      const { rows } = await sql<{
        bytes: number
      }>`select coalesce(sum(bytes), 0) as bytes from former_texts`.execute(service.app.database.read)
      return Number(rows[0]?.bytes)
    }
    const before = await bytes()
    for (let n = 1; n <= 10; n++) await service.update(`/events/${id}`, { description: texts[n % 2] })
    equal((await bytes()) - before, 200_000)
  })
})

describe('a version that is put back', () => {
  test('is an update, with its right, its record of changes and its own place in the history', async () => {
    const { id } = await service.event({ title: 'First', ...day, all_day: true })
    const path = `/events/${id}`
    const first = await versionOf(path)
    await service.update(path, {
      title: 'Second',
      ...onDay('2027-05-01', '09:00:00', '10:00:00'),
      all_day: false,
    })
    const second = await versionOf(path)
    const { members, left, record } = await restored(path, first)
    deepEqual([members.sort(), left], [['all_day', 'end_date', 'start_date', 'timezone', 'title'], []])
    deepEqual([record.title, record.all_day, record.start_date], ['First', true, '2027-04-01 00:00:00'])
    ok((await versionOf(path)) > second)
    equal((await historyOf(path)).history.length, 2)
    await restored(path, second)
    const { body } = await service.get(path)
    deepEqual([body.title, body.start_date], ['Second', '2027-05-01 09:00:00'])
  })

  test('may be put back for some members alone', async () => {
    const { id } = await service.event({ title: 'First', ...day, website: 'https://example.org/1' })
    const first = await versionOf(`/events/${id}`)
    await service.update(`/events/${id}`, { title: 'Second', website: 'https://example.org/2' })
    const { record } = await restored(`/events/${id}`, first, { members: ['website'] })
    deepEqual([record.title, record.website], ['Second', 'https://example.org/1'])
  })

  test('is refused for members that no event has, and nothing is put back', async () => {
    const { id } = await service.event({ title: 'First', ...day })
    const first = await versionOf(`/events/${id}`)
    await service.update(`/events/${id}`, { title: 'Second' })
    for (const members of [['titel'], ['title', 'constructor'], ['__proto__']]) {
      const { status, body } = await restore(`/events/${id}`, first, { members })
      deepEqual([status, Object.keys(body.data.params)], [400, ['members']])
    }
    equal((await service.get(`/events/${id}`)).body.title, 'Second')
  })

  test('writes nothing when nothing differs', async () => {
    const { id } = await service.event({ title: 'Same', ...day })
    const version = await versionOf(`/events/${id}`)
    const { members, record } = await restored(`/events/${id}`, version)
    deepEqual([members, record.title], [[], 'Same'])
    equal(await versionOf(`/events/${id}`), version)
  })

  test('is not one that is to come, or that was before any', async () => {
    const { id } = await service.event({ title: 'Known', ...day })
    const version = await versionOf(`/events/${id}`)
    await service.update(`/events/${id}`, { title: 'Better known' })
    const changed = await versionOf(`/events/${id}`)
    for (const unknown of [1, version - 1, changed + 1, 10 ** 9]) {
      const { status, body } = await restore(`/events/${id}`, unknown)
      deepEqual([status, body.code], [404, 'rest_version_not_found'])
      const read = await service.get(`${at(`/events/${id}`)}/${unknown}`, 'admin')
      deepEqual([read.status, read.body.code], [404, 'rest_version_not_found'])
    }
    equal((await service.get(`${at(`/events/${id}`)}/${version}`, 'admin')).body.values.title, 'Known')
    equal((await service.post(`${at(`/events/${id}`)}/${'9'.repeat(30)}/restore`, {}, 'admin')).status, 404)
  })

  test('is put back only on the version that If-Match names', async () => {
    const { id } = await service.event({ title: 'First', ...day })
    const path = `/events/${id}`
    const [first, tag] = [await versionOf(path), (await service.get(path, 'admin')).headers.get('etag') ?? '']
    await service.update(path, { title: 'Second' })
    const send = (held: string) =>
      service.post(`${at(path)}/${first}/restore`, {}, 'admin', { 'If-Match': held })
    equal((await send(tag)).status, 412)
    equal((await send((await service.get(path, 'admin')).headers.get('etag') ?? '')).status, 200)
  })

  test('leaves out what is gone, and says so', async () => {
    const { id: tag } = await service.create('/tags', { name: 'Short-lived' })
    const { id: kept } = await service.create('/tags', { name: 'Long-lived' })
    const { id: venue } = await service.create('/venues', { venue: 'Demolished' })
    const { id } = await service.event({ title: 'Linked', ...day, tags: [tag, kept], venue })
    const first = await versionOf(`/events/${id}`)
    await service.update(`/events/${id}`, { title: 'Unlinked', tags: [], venue: [] })
    await service.remove(`/tags/${tag}`, 'admin')
    await service.remove(`/venues/${venue}`, 'admin')
    const { record, left } = await restored(`/events/${id}`, first)
    deepEqual(left, [
      { member: 'terms', value: [tag] },
      { member: 'venue', value: venue },
    ])
    deepEqual([record.title, record.tags.map((one: { id: number }) => one.id)], ['Linked', [kept]])
  })

  test('leaves out a slug that another term has by now, and a parent that is below it now', async () => {
    const { id: tag } = await service.create('/tags', { name: 'Taken', slug: 'taken' })
    const tagged = await versionOf(`/tags/${tag}`)
    await service.update(`/tags/${tag}`, { name: 'Given', slug: 'given' })
    await service.create('/tags', { name: 'Other', slug: 'taken' })
    const back = await restored(`/tags/${tag}`, tagged)
    deepEqual(back.left, [{ member: 'slug', value: 'taken' }])
    deepEqual([back.record.name, back.record.slug, back.members], ['Taken', 'given', ['name']])

    const { id: above } = await service.create('/categories', { name: 'Above' })
    const { id } = await service.create('/categories', { name: 'Within', parent: above, slug: 'within' })
    const first = await versionOf(`/categories/${id}`)
    await service.update(`/categories/${id}`, { name: 'Top', parent: 0, slug: 'top' })
    await service.update(`/categories/${above}`, { parent: id })
    await service.create('/categories', { name: 'Another', slug: 'within' })
    const { left, record } = await restored(`/categories/${id}`, first)
    deepEqual(left.map(({ member }: { member: string }) => member).sort(), ['parent', 'slug'])
    equal(record.name, 'Within')
  })

  test('shows texts as they were shown, although an administrator puts them back', async () => {
    const description = '<p>Come</p><script>alert(1)</script>'
    const { id } = await service.create(
      '/events',
      { title: 'By an author', ...day, description, status: 'publish' },
      'author',
    )
    const path = `/events/${id}`
    const first = await versionOf(path)
    const shown = (await service.get(path)).body.description
    ok(!shown.includes('script'))
    await service.update(path, { description: '<p>Other</p>', title: 'By an administrator', excerpt: '' })
    await restored(path, first)
    equal((await service.get(path)).body.description, shown)
  })

  test('tells apart the two hours that a clock shows twice', async () => {
    const hour = { start_date: '2027-10-31T01:30:00Z', end_date: '2027-10-31T02:30:00Z' }
    const { id } = await service.event({ title: 'Later', ...hour })
    const path = `/events/${id}`
    const [first, was] = [await versionOf(path), (await service.get(path)).body.utc_start_date]
    await service.update(path, { start_date: '2027-10-31T00:30:00Z' })
    notEqual((await service.get(path)).body.utc_start_date, was)
    await restored(path, first)
    equal((await service.get(path)).body.utc_start_date, was)
  })

  test('has its image, and comes out of the trash', async () => {
    const image = await uploadPicture(service, 8, 8)
    const { id } = await service.event({ title: 'Pictured', ...day, image })
    const path = `/events/${id}`
    const [first, was] = [await versionOf(path), (await service.get(path)).body]
    await service.update(path, { image: '' })
    await service.remove(path, 'admin')
    const trashed = await versionOf(path)
    await restored(path, first)
    const { body } = await service.get(path)
    deepEqual([body.image.id, body.status, body.slug], [image, 'publish', was.slug])
    await restored(path, trashed)
    equal((await service.get(path, 'admin')).body.status, 'trash')
  })

  test('of a series has its rule, and its dates follow', async () => {
    const event = await service.event({ title: 'Yoga', ...day, recurrence: 'FREQ=DAILY;COUNT=5' })
    const path = `/series/${event.post_parent}`
    const dates = async () => (await service.get(`${OWN}${path}`, 'admin')).body.occurrences.total
    const first = await versionOf(`${OWN}${path}`)
    await service.put(`${OWN}${path}`, { title: 'Less yoga', recurrence: 'FREQ=DAILY;COUNT=2' })
    equal(await dates(), 2)
    const [act] = (await historyOf(path)).history
    deepEqual(pluck(act.changes, 'member'), ['title', 'recurrence'])
    const { record } = await restored(path, first)
    deepEqual([record.title, await dates()], ['Yoga', 5])
    equal((await service.get(`/events/${event.id}`)).body.title, 'Yoga')
  })

  for (const [list, made, changed] of [
    ['/venues', { venue: 'Old', city: 'Ghent' }, { venue: 'New', city: '', geo_lat: 51.05, geo_lng: 3.7 }],
    ['/organizers', { organizer: 'Old', email: 'a@example.org' }, { organizer: 'New', email: '' }],
    ['/categories', { name: 'Old', description: 'Was' }, { name: 'New', description: '', slug: 'other' }],
    ['/tags', { name: 'Old word' }, { name: 'New word', slug: 'new-word' }],
  ] as const)
    test(`of ${list} reads as it did`, async () => {
      const { id } = await service.create(list, made)
      const path = `${list}/${id}`
      const [first, was] = [await versionOf(path), (await service.get(path, 'admin')).body]
      await service.update(path, changed)
      await restored(path, first)
      const { modified, modified_utc, ...is } = (await service.get(path, 'admin')).body
      deepEqual(
        { ...is, modified: was.modified, modified_utc: was.modified_utc },
        { modified, modified_utc, ...was },
      )
    })
})

describe('former values', () => {
  test('end with a record that is removed for good', async () => {
    const { id } = await service.create('/tags', { name: 'Gone soon' })
    await service.update(`/tags/${id}`, { name: 'Gone sooner' })
    await service.remove(`/tags/${id}`, 'admin')
    const { rows } = await sql<{
      former: string
    }>`select former from history where kind = 'term' and record = ${id}`.execute(service.app.database.read)
    deepEqual(pluck(rows, 'former'), ['', '', ''])
    equal((await service.get(at(`/tags/${id}`), 'admin')).status, 400)
  })

  test('are dropped, the oldest first, where they take too much room; older versions go', async () => {
    await using own = await startService()
    const { id } = await own.event({ title: 'Long', ...day, description: 'a'.repeat(10_000) })
    const path = `~/wp-json/kalends/v1/events/${id}/history`
    for (const sign of 'bcd') await own.update(`/events/${id}`, { description: sign.repeat(10_000) })
    const before = (await own.get(path, 'admin')).body
    equal(before.total, 3)
    await dropOld(own.app.database, 0, Date.now(), 25_000)
    // Up to a hundred acts are dropped at once, so all of these are.
    const after = (await own.get(path, 'admin')).body
    equal(after.total, 0)
    const [newest, , oldest] = before.history
    for (const [version, status] of [
      [oldest.version, 404],
      [newest.version, 200],
    ])
      equal((await own.get(`${path}/${version}`, 'admin')).status, status)
    const { rows } = await sql<{ texts: number }>`select count(*) as texts from former_texts`.execute(
      own.app.database.read,
    )
    equal(Number(rows[0]?.texts), 0)
    await own.update(`/events/${id}`, { title: 'Short' })
    equal((await own.get(path, 'admin')).body.total, 1)
    equal((await own.post(`${path}/${newest.version}/restore`, {}, 'admin')).body.record.title, 'Long')
  })

  test('are told as they were or not at all while they are dropped', async () => {
    await using own = await startService()
    const told = new Set<string>()
    for (let n = 0; n < 30; n++) {
      const { id } = await own.event({ title: 'First', ...day })
      const path = `~/wp-json/kalends/v1/events/${id}/history`
      const { version } = (await own.get(path, 'admin')).body
      await own.update(`/events/${id}`, { title: 'Second' })
      let isDropping = true
      const read = async () => {
        while (isDropping) {
          const { status, body } = await own.get(`${path}/${version}`, 'admin')
          told.add(`${status} ${body.values?.title ?? body.code}`)
        }
      }
      const reading = [read(), read(), read(), read()]
      await dropOld(own.app.database, 0, Date.now(), 0)
      isDropping = false
      await Promise.all(reading)
    }
    ok(told.size > 0)
    for (const one of told) match(one, /^(?:200 First|404 rest_version_not_found)$/)
  })

  test('are not kept at all where they may take no room, and earlier versions are not known', async () => {
    await using own = await startService({ history_bytes: '0' })
    const { id } = await own.event({ title: 'First', ...day, description: 'a'.repeat(1000) })
    const path = `~/wp-json/kalends/v1/events/${id}/history`
    const { version: first } = (await own.get(path, 'admin')).body
    await own.update(`/events/${id}`, { title: 'Second', description: 'b'.repeat(1000) })
    const { rows } = await sql<{ former: string }>`select former from history where former_bytes > 0
      union all select text from former_texts`.execute(own.app.database.read)
    deepEqual(rows, [])
    const { version, known_from, total } = (await own.get(path, 'admin')).body
    deepEqual([known_from, total], [version, 0])
    const before = await own.get(`${path}/${first}`, 'admin')
    deepEqual([before.status, before.body.code], [404, 'rest_version_not_found'])
    equal((await own.get(`${path}/${version}`, 'admin')).body.values.title, 'Second')
  })

  test('go with the history, but texts that later acts name stay', async () => {
    await using own = await startService()
    const [a, b] = ['a'.repeat(1000), 'b'.repeat(1000)]
    const { id } = await own.event({ title: 'Long', ...day, description: a })
    const path = `~/wp-json/kalends/v1/events/${id}/history`
    await own.update(`/events/${id}`, { description: b })
    await own.app.database.write(async (tx) => {
      await sql`update history set time_utc = '2020-01-01 00:00:00'`.execute(tx)
    })
    await own.update(`/events/${id}`, { description: a })
    await own.update(`/events/${id}`, { description: b })
    const { history } = (await own.get(path, 'admin')).body
    await dropOld(own.app.database, 30, Date.now())
    const kept = (await own.get(path, 'admin')).body
    equal(kept.total, 2)
    equal(kept.known_from, history.at(-1).version)
    equal((await own.get(`${path}/${history[1].version}`, 'admin')).body.values.description, a)
  })
})
