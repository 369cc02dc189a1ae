import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../src/app.ts'
import type { CredentialScope } from '../../src/calendar/people/caller.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { listTables } from '../../src/features/transfer/tables.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { type Answer, credentialsOf, day, type Reader, serviceForTests } from '../support/service.ts'

const HOUR_MS = 3_600_000
const MEDIA = '~/wp-json/wp/v2/media'

const service = serviceForTests()
let keys = 0
let image: Uint8Array<ArrayBuffer>

before(async () => {
  await service.ready
  image = await drawPng(40, 30, '#0a8')
})
const newKey = () => `key ${++keys}`

function send(path: string, body: unknown, key: string, as: Reader = 'admin', headers = {}): Promise<Answer> {
  return service.post(path, body, as, { 'Idempotency-Key': key, ...headers })
}

async function keptRows(): Promise<number> {
  return (await service.app.database.read.selectFrom('kept_answers').selectAll().execute()).length
}

function assertReplay(again: Answer, first: Answer): void {
  equal(first.headers.get('idempotency-replayed'), null)
  equal(again.headers.get('idempotency-replayed'), 'true')
  equal(again.status, first.status)
  equal(again.headers.get('location'), first.headers.get('location'))
  deepEqual(again.body, first.body)
}

const CREATES = {
  '/events': { title: 'Once', ...day },
  '/venues': { venue: 'Once' },
  '/organizers': { organizer: 'Once' },
  '/categories': { name: 'Once' },
  '/tags': { name: 'Once' },
  '~/wp-json/wp/v2/tags': { name: 'Once below the platform' },
}

for (const [path, body] of Object.entries(CREATES))
  test(`a create at ${path} sent again with its key makes nothing more and answers the same`, async () => {
    const key = newKey()
    const first = await send(path, body, key)
    equal(first.status, 201, JSON.stringify(first.body))
    assertReplay(await send(path, body, key), first)
    assertReplay(await send(path, body, key), first)
  })

test('an upload that is sent again with its key makes no second image, whatever parts its form', async () => {
  const key = newKey()
  const form = (name = 'a.png') => {
    const data = new FormData()
    data.set('title', 'Once')
    data.set('file', new Blob([image], { type: 'image/png' }), name)
    return data
  }
  const first = await send(MEDIA, form(), key)
  equal(first.status, 201, JSON.stringify(first.body))
  assertReplay(await send(MEDIA, form(), key), first)
  equal((await send(MEDIA, form('b.png'), key)).status, 422)
  const raw = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="c.png"' }
  const whole = newKey()
  const second = await send(MEDIA, image, whole, 'admin', raw)
  equal(second.status, 201, JSON.stringify(second.body))
  assertReplay(await send(MEDIA, image, whole, 'admin', raw), second)
  const { headers } = await service.get(MEDIA, 'admin')
  equal(headers.get('x-wp-total'), '2')
})

test('a key with another body, address or content type is refused and writes nothing', async () => {
  const key = newKey()
  const body = { venue: 'Known by its key' }
  await send('/venues', body, key)
  const rows = await keptRows()
  const others = [
    await send('/venues', { venue: 'Another' }, key),
    await send('/organizers', body, key),
    await send('/venues?status=draft', body, key),
    await send('/venues', new URLSearchParams({ venue: 'Known by its key' }), key),
  ]
  for (const { status, body, headers } of others) {
    deepEqual([status, body.code, body.data.status], [422, 'rest_idempotency_key_reused', 422])
    equal(headers.get('idempotency-replayed'), null)
  }
  equal(await keptRows(), rows)
  equal((await service.get('/venues?search=Another', 'admin')).body.venues.length, 0)
})

test('the key of one user is nothing to another', async () => {
  const key = newKey()
  const body = { title: 'Two of a key', ...day }
  const first = await send('/events', body, key, 'admin')
  const second = await send('/events', body, key, 'editor')
  equal(second.status, 201)
  notEqual(second.body.id, first.body.id)
  equal(second.headers.get('idempotency-replayed'), null)
})

test('nothing is kept for callers who may not create, nor shown to them', async () => {
  const key = newKey()
  const body = { title: 'Not for strangers', ...day }
  await send('/events', body, key)
  const rows = await keptRows()
  equal((await send('/events', body, key, 'anonymous')).status, 401)
  equal((await send('/events', body, key, 'subscriber')).status, 403)
  equal((await send('/events', body, 'x'.repeat(300), 'anonymous')).status, 401)
  equal((await send('/events', {}, key, 'anonymous')).status, 400)
  equal(await keptRows(), rows)
})

async function tokenWith(scopes: CredentialScope[]): Promise<Record<string, string>> {
  const { database } = service.app
  const token = await database.write(async (tx) =>
    addCredential(tx, await getUserByLogin(tx, 'editor'), 'token', 'Test', Date.now(), undefined, { scopes }),
  )
  return { authorization: `Bearer ${token}` }
}

test('who has lost rights since gets no kept answer', async () => {
  const key = newKey()
  const body = { title: 'Rights', ...day }
  equal((await send('/events', body, key, 'editor')).status, 201)
  const statuses: number[] = []
  for (const scopes of [['write-own'], ['media'], ['read-drafts']] as CredentialScope[][])
    statuses.push((await send('/events', body, key, 'anonymous', await tokenWith(scopes))).status)
  deepEqual(statuses, [403, 403, 403])
  equal((await send('/events', body, key, 'editor')).headers.get('idempotency-replayed'), 'true')
})

test('keys that are empty, too long or no ASCII are refused', async () => {
  const longest = 'x'.repeat(255)
  equal((await send('/venues', { venue: 'Longest key' }, longest)).status, 201)
  for (const key of ['', `${longest}x`, 'ä', 'a\tb']) {
    const { status, body } = await send('/venues', { venue: 'Wrong key' }, key)
    deepEqual([status, body.code], [400, 'rest_invalid_param'], key)
    deepEqual(Object.keys(body.data.params), ['Idempotency-Key'])
  }
})

test('an error is not kept: the same key may be tried again', async () => {
  const key = newKey()
  const rows = await keptRows()
  await service.create('/categories', { name: 'Taken' })
  for (const body of [{ name: 'Taken' }, {}]) equal((await send('/categories', body, key)).status, 400)
  equal(await keptRows(), rows)
  equal((await send('/categories', { name: 'Free' }, key)).status, 201)
})

test('requests with one key that are sent at once make one record', async () => {
  for (const [path, body] of Object.entries({
    '/events': { title: 'At once', ...day },
    '/tags': { name: 'At once' },
  })) {
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(path, body, key)))
    const made = answers.filter(({ status }) => status === 201)
    equal(new Set(made.map((answer) => answer.body.id)).size, 1)
    equal(made.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1)
    for (const { status, headers, body } of answers) {
      if (status === 201) continue
      deepEqual([status, body.code], [409, 'rest_idempotency_key_in_use'])
      ok(Number(headers.get('retry-after')) > 0)
    }
  }
  const { body } = await service.get('/events?search=%22At+once%22&start_date=2027-01-01&end_date=2027-12-31')
  equal(body.total, 1)
})

test('requests with one key that are sent to two nodes at once make one record', async (t) => {
  const other = await startApp(service.config)
  t.after(other.stop)
  const bases = [service.base, service.base.replace(/:\d+\//, `:${other.port}/`)]
  for (let round = 0; round < 10; round++)
    for (const [path, body] of Object.entries({
      '/events': { title: `Nodes ${round}`, ...day },
      '/tags': { name: `Nodes ${round}` },
    })) {
      const headers = {
        ...credentialsOf('admin'),
        'content-type': 'application/json',
        'idempotency-key': newKey(),
      }
      const answers = await Promise.all(
        bases.map((base) => fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })),
      )
      deepEqual(pluck(answers, 'status'), [201, 201])
      const ids = await Promise.all(
        answers.map(async (answer) => ((await answer.json()) as { id: number }).id),
      )
      equal(ids[0], ids[1])
      const replayed = answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true')
      equal(replayed.length, 1)
    }
})

test('an answer is kept for 24 hours and then dropped', async () => {
  const { database } = service.app
  const key = newKey()
  const body = { title: 'For a day', ...day }
  const first = await send('/events', body, key)
  await dropOld(database, 0, Date.now() + 23 * HOUR_MS)
  assertReplay(await send('/events', body, key), first)
  await database.write((tx) =>
    tx.updateTable('kept_answers').set({ kept_utc: '2020-01-01 00:00:00' }).execute(),
  )
  const second = await send('/events', body, key)
  equal(second.headers.get('idempotency-replayed'), null)
  notEqual(second.body.id, first.body.id)
  assertReplay(await send('/events', body, key), second)
  await dropOld(database, 0, Date.now() + 25 * HOUR_MS)
  equal(await keptRows(), 0)
})

test('of one user the latest answers are kept', async () => {
  const { database } = service.app
  const kept = { fingerprint: '', rights: '', status: 201, location: '', body: '{}' }
  const rows = Array.from({ length: 10_050 }, (_, i) => ({
    ...kept,
    user: i < 20 ? 98 : 99,
    key: String(i),
    kept_utc: new Date(Date.now() + i * 1000).toISOString().slice(0, 19).replace('T', ' '),
  }))
  for (let i = 0; i < rows.length; i += 1000) {
    const some = rows.slice(i, i + 1000)
    await database.write((tx) => tx.insertInto('kept_answers').values(some).execute())
  }
  await dropOld(database, 0, Date.now())
  const left = await database.read
    .selectFrom('kept_answers')
    .select(['user', 'key'])
    .where('user', '>=', 98)
    .execute()
  equal(left.filter(({ user }) => user === 98).length, 20)
  equal(left.length, 10_020)
  ok(!left.some(({ key }) => key === '20'))
  await dropOld(database, 0, Date.now() + 28 * HOUR_MS)
  equal(await keptRows(), 0)
})

test('kept answers go into no copy or backup', async () => {
  ok((await listTables(service.app.database.read)).every(({ name }) => name !== 'kept_answers'))
})

test('the record of a kept answer may have been changed or removed: the answer stays as it was', async () => {
  const key = newKey()
  const venue = await service.create('/venues', { venue: 'Linked once' })
  const body = { title: 'Stays', ...day, venue: venue.id }
  const first = await send('/events', body, key)
  await service.remove(`/events/${first.body.id}`)
  await service.remove(`/venues/${venue.id}`)
  assertReplay(await send('/events', body, key), first)
})

test('updates pass over a key', async () => {
  const { id } = await service.create('/venues', { venue: 'Updated' })
  const rows = await keptRows()
  for (const city of ['Here', 'There']) {
    const { status, body } = await send(`/venues/${id}`, { city }, 'one')
    deepEqual([status, body.city], [200, city])
  }
  equal(await keptRows(), rows)
})

const MINIMAL = { Prefer: 'return=minimal' }

test('creates and updates that prefer so are answered without a body', async () => {
  const made = await service.post('/events', { title: 'Little', ...day }, 'admin', MINIMAL)
  equal(made.status, 201)
  equal(made.headers.get('preference-applied'), 'return=minimal')
  equal(made.headers.get('content-length'), '0')
  const location = made.headers.get('location') ?? ''
  const path = location.slice(service.base.length)
  const changed = await service.put(path, { title: 'Less' }, 'admin', { Prefer: 'a=b, Return="minimal"; x' })
  equal(changed.status, 200)
  equal(changed.headers.get('location'), location)
  equal(changed.headers.get('content-length'), '0')
  equal((await service.get(path)).body.title, 'Less')
})

test('errors, reads, removals, envelopes and other preferences have their body', async () => {
  const { id } = await service.create('/venues', { venue: 'Whole' })
  const answers = [
    await service.post('/venues', {}, 'admin', MINIMAL),
    await service.get(`/venues/${id}`, 'admin', MINIMAL),
    await service.put(`/venues/${id}?_envelope`, { city: 'Here' }, 'admin', MINIMAL),
    await service.put(`/venues/${id}`, { city: 'There' }, 'admin', {
      Prefer: 'return=representation, return=minimal',
    }),
    await service.remove(`/venues/${id}`, 'admin', MINIMAL),
  ]
  for (const { headers, body } of answers) {
    equal(headers.get('preference-applied'), null)
    equal(typeof body, 'object')
  }
})

test('a key gets the kept answer whole or without its body, as each request prefers', async () => {
  const key = newKey()
  const body = { venue: 'Either way' }
  const first = await send('/venues', body, key, 'admin', MINIMAL)
  const again = await send('/venues', body, key)
  equal(again.headers.get('idempotency-replayed'), 'true')
  equal(again.headers.get('location'), first.headers.get('location'))
  equal(again.body.venue, 'Either way')
  const { headers } = await send('/venues', body, key, 'admin', MINIMAL)
  deepEqual(
    [headers.get('idempotency-replayed'), headers.get('preference-applied')],
    ['true', 'return=minimal'],
  )
})
