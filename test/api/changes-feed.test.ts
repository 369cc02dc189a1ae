import { deepEqual, equal, notDeepEqual, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { cacheBudget } from '../../src/base/cache.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { readFeed } from '../../src/features/sync/changes-feed.ts'
import { closeMemory, loadMemory, openEventMemory } from '../../src/store/memory/event-memory.ts'
import { renewEdition } from '../../src/store/storage/edition.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { pluck } from '../support/lists.ts'
import { publicContext } from '../support/public-context.ts'
import { rounds } from '../support/rounds.ts'
import {
  type Body,
  credentialsOf,
  memoryFilled,
  type Reader,
  serviceForTests,
  startService,
  type TestService,
} from '../support/service.ts'

const service = serviceForTests()

const WHEN = { start_date: '2031-05-01 20:00:00', end_date: '2031-05-01 22:00:00' }
const FEED = '~/wp-json/kalends/v1/changes'

interface Follower {
  as: Reader
  query: string
  token: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  records: Map<string, any>
}

const follower = (as: Reader, query = ''): Follower => ({ as, query, token: undefined, records: new Map() })

async function follow(at: TestService, one: Follower, perPage = 7): Promise<number> {
  let told = 0
  for (;;) {
    const since = one.token === undefined ? one.query : `&since=${one.token}`
    const { status, body } = await at.get(`${FEED}?per_page=${perPage}${since}`, one.as)
    equal(status, 200, JSON.stringify(body))
    for (const { action, kind, id, record } of body.changes) {
      if (action === 'upsert') one.records.set(`${kind} ${id}`, record)
      else one.records.delete(`${kind} ${id}`)
    }
    told += body.changes.length
    notEqual(body.next_token === undefined, body.sync_token === undefined, 'either token, and never both')
    one.token = body.sync_token ?? body.next_token
    if (body.sync_token) return told
  }
}

const LISTS = {
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
  event: 'events',
}

async function listAll(
  as: Reader,
  filter = '',
  kinds = Object.keys(LISTS),
  at: TestService = service,
): Promise<Map<string, object>> {
  const all = new Map<string, object>()
  for (const [kind, path] of Object.entries(LISTS)) {
    if (!kinds.includes(kind)) continue
    const window = kind === 'event' ? `&start_date=1970-01-01&end_date=2099-01-01${filter}` : ''
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { body } = await at.get(`/${path}?per_page=50&page=${page}${window}`, as)
      pages = body.total_pages ?? 1
      for (const record of body[path] ?? []) all.set(`${kind} ${record.id}`, record)
    }
  }
  return all
}

function comparable(records: Map<string, object>): Record<string, unknown> {
  const withoutCounts = (name: string, record: object) =>
    JSON.parse(
      JSON.stringify(record, (key, value) =>
        key === 'count' && name.startsWith('event') ? undefined : value,
      ),
    )
  return Object.fromEntries([...records].sort().map(([name, record]) => [name, withoutCounts(name, record)]))
}

async function agrees(one: Follower, filter = '', kinds?: string[]): Promise<void> {
  deepEqual(comparable(one.records), comparable(await listAll(one.as, filter, kinds)))
}

test('the first reading gives everything that lists show, and the next one nothing', async () => {
  await service.event({ ...WHEN, title: 'First', categories: ['Music'], venue: { venue: 'Hall' } })
  await service.event({ ...WHEN, title: 'Draft', status: 'draft' })
  const stranger = follower('anonymous')
  await follow(service, stranger)
  await agrees(stranger)
  equal(await follow(service, stranger), 0)
  const editor = follower('editor')
  await follow(service, editor)
  await agrees(editor)
  ok([...editor.records.values()].some(({ title }) => title === 'Draft'))
})

test('pages of long records end by their bytes, and the longest record has one of its own', async () => {
  await using one = await startService({
    intake_bytes: '1000000',
    body_bytes: '600000',
    text_bytes: '500000',
  })
  const text = (bytes: number) => Array.from({ length: bytes / 8 }, (_, i) => `word ${i % 10} `).join('')
  for (let i = 0; i < 3; i++)
    await one.create('/events', {
      ...WHEN,
      title: `Long ${i}`,
      description: text(240_000),
      tags: [`tag ${i}`],
    })
  const venues = []
  for (let i = 0; i < 3; i++)
    venues.push((await one.create('/venues', { venue: `Hall ${i}`, description: text(400_000) })).id)
  const { id: longest } = await one.create('/events', { ...WHEN, title: 'Longest', venue: venues })
  for (let i = 3; i < 6; i++)
    await one.create('/events', { ...WHEN, title: `Long ${i}`, description: text(240_000) })
  const reader = follower('anonymous')
  const all = await pagesOf(one, reader)
  const names = all.flatMap(({ changes }) => changes.map(({ kind, id }) => `${kind} ${id}`))
  equal(new Set(names).size, names.length, 'each record once')
  deepEqual([...new Set(names)].sort(), [...(await listAll('anonymous', '', undefined, one)).keys()].sort())
  for (const { bytes, changes } of all) ok(bytes < 905_000 || changes.length === 1, `${bytes} bytes`)
  ok(all.some(({ bytes, changes }) => bytes > 1_000_000 && changes[0]?.id === longest))
  await one.update(`/venues/${venues[0]}`, { phone: '1' })
  for (const tag of (await one.get('/tags')).body.tags)
    await one.update(`/tags/${tag.id}`, { name: `${tag.name} now` })
  const later = await pagesOf(one, reader)
  const told = later.flatMap(({ changes }) => changes.map(({ kind, id }) => `${kind} ${id}`))
  ok(later.length > 2 && told.filter((name) => name.startsWith('tag')).length >= 3)
  ok(told.includes(`event ${longest}`) && told.includes(`venue ${venues[0]}`))
})

async function pagesOf(
  at: TestService,
  one: Follower,
): Promise<{ bytes: number; changes: { kind: string; id: number }[] }[]> {
  const pages = []
  for (;;) {
    ok(pages.length < 30, 'the walk ends')
    const since = one.token === undefined ? '' : `&since=${one.token}`
    const { status, body } = await at.get(`${FEED}?per_page=1000${since}`, one.as)
    equal(status, 200, JSON.stringify(body).slice(0, 300))
    pages.push({ bytes: Buffer.byteLength(JSON.stringify(body)), changes: body.changes })
    one.token = body.sync_token ?? body.next_token
    if (body.sync_token) return pages
  }
}

test('a record that stops being public is deleted for strangers, and changed for editors', async () => {
  const stranger = follower('anonymous')
  const editor = follower('editor')
  const { id } = await service.event({ ...WHEN, title: 'Soon private' })
  for (const one of [stranger, editor]) await follow(service, one)
  await service.update(`/events/${id}`, { status: 'private' })
  const { body } = await service.get(`${FEED}?since=${stranger.token}`)
  deepEqual(body.changes, [{ action: 'delete', kind: 'event', id }])
  const seen = await service.get(`${FEED}?since=${editor.token}`, 'editor')
  deepEqual(
    seen.body.changes.map(({ action, record }: { action: string; record: { status: string } }) => [
      action,
      record.status,
    ]),
    [['upsert', 'private']],
  )
})

test('each reader is shown the events of their lists, also those not in memory, no others', async () => {
  await using one = await startService()
  const venue = { venue: 'Club' }
  const made = new Map<string, number>()
  for (const status of ['publish', 'draft', 'private', 'future', 'pending'])
    for (const as of ['admin', 'author'] as const) {
      const title = `${status} of ${as}`
      const fields = {
        title,
        venue,
        categories: ['Music'],
        tags: ['jazz'],
        organizer: [{ organizer: 'Anna' }],
      }
      const date = status === 'future' ? { date: '2031-01-01 00:00:00' } : {}
      const sent = { ...WHEN, ...fields, ...date, status }
      const { status: answer, body } = await one.post('/events', sent, as)
      if (answer === 201) made.set(title, body.id)
    }
  const { id: protectedId } = await one.create('/events', {
    ...WHEN,
    title: 'hidden',
    hide_from_listings: true,
  })
  ok(made.size >= 8, [...made.keys()].join())
  // Events are read from memory once it is filled.
  await memoryFilled(one)
  for (const as of ['anonymous', 'author', 'editor', 'subscriber'] as const) {
    const reader = follower(as)
    await follow(one, reader, 3)
    deepEqual(comparable(reader.records), comparable(await listAll(as, '', undefined, one)), as)
    const titles = [...reader.records.values()].flatMap(({ title }) => title ?? [])
    equal(titles.includes('draft of admin'), as === 'editor', as)
    equal(titles.includes('draft of author'), as === 'editor' || as === 'author', as)
    // Records that are read again after a change are shown in the same way.
    for (const id of [...made.values(), protectedId])
      await one.update(`/events/${id}`, { excerpt: `Seen by ${as}` })
    await follow(one, reader, 4)
    deepEqual(comparable(reader.records), comparable(await listAll(as, '', undefined, one)), as)
  }
})

test('an event that becomes public while a feed is read, not in memory yet, is whole', async (t) => {
  await using one = await startService()
  const { database } = one.app
  const linked = { venue: { venue: 'Club' }, categories: ['Music'], tags: ['jazz'] }
  await one.create('/events', { ...WHEN, title: 'Evening', ...linked })
  const { id } = await one.create('/events', { ...WHEN, title: 'Evening later', ...linked, status: 'draft' })
  let isPublished = false
  const publish = async () => {
    isPublished = true
    await one.update(`/events/${id}`, { status: 'publish' })
  }
  let isAsked = false
  const readChanges: typeof database.readChanges = async (since) => {
    const read = await database.readChanges(since)
    // The event becomes public after memory has read the changes and before it reads the events.
    if (isAsked && !isPublished) await publish()
    return read
  }
  const memory = openEventMemory({ ...database, readChanges }, cacheBudget(1_000_000))
  t.after(() => closeMemory(memory))
  await loadMemory(memory)
  isAsked = true
  const context: Context = { ...(await publicContext(one.app)), memory }
  const scope = { kinds: ['event'], filters: {}, reader: '' } as const
  const query = { scope, filters: {}, since: undefined, perPage: 10 }
  const { changes } = await readFeed(context, { edition: 'any', cursor: database.cursor }, query)
  const told = JSON.parse(JSON.stringify(changes))
  const seen = told.find((change: { id: number }) => change.id === id)
  ok(isPublished && seen)
  const { body } = await one.get(`/events/${id}`)
  deepEqual(
    [seen.record.venue.venue, seen.record.categories.length, seen.record.tags.length],
    [body.venue.venue, 1, 1],
  )
})

test('a venue, a category and their removal change the events that show them', async () => {
  const { id, venue, categories } = await service.event({
    ...WHEN,
    title: 'Shown',
    categories: ['Shown in'],
    venue: { venue: 'Shown at' },
  })
  const stranger = follower('anonymous', '&kinds=event')
  await follow(service, stranger)
  await service.update(`/venues/${venue.id}`, { venue: 'Renamed' })
  await follow(service, stranger)
  equal(stranger.records.get(`event ${id}`).venue.venue, 'Renamed')
  await service.update(`/categories/${categories[0].id}`, { name: 'Another' })
  await follow(service, stranger)
  equal(stranger.records.get(`event ${id}`).categories[0].name, 'Another')
  await service.remove(`/categories/${categories[0].id}`)
  await follow(service, stranger)
  deepEqual(stranger.records.get(`event ${id}`).categories, [])
})

test('an event that leaves the filters of a feed is deleted there', async () => {
  const { id } = await service.event({ ...WHEN, title: 'In and out', tags: ['jazz'] })
  const stranger = follower('anonymous', '&kinds=event&tags=jazz')
  await follow(service, stranger)
  await agrees(stranger, '&tags=jazz', ['event'])
  await service.update(`/events/${id}`, { tags: ['folk'] })
  await follow(service, stranger)
  equal(stranger.records.size, 0)
  await service.update(`/events/${id}`, { tags: ['jazz'] })
  await follow(service, stranger)
  ok(stranger.records.has(`event ${id}`))
})

test('a token goes with its reader, its kinds and its filters alone', async () => {
  const { body } = await service.get(`${FEED}?kinds=event&tags=jazz&per_page=1000`)
  const token = body.sync_token
  const statusOf = async (query: string, as: Reader = 'anonymous') => {
    const answer = await service.get(`${FEED}?${query}`, as)
    return [answer.status, answer.body.code]
  }
  deepEqual(await statusOf(`since=${token}`), [200, undefined])
  deepEqual(await statusOf(`since=${token}&tags=jazz&kinds=event`), [200, undefined])
  const gone = [410, 'rest_sync_token_expired']
  deepEqual(await statusOf(`since=${token}`, 'editor'), gone)
  deepEqual(await statusOf(`since=${token}&kinds=venue`), gone)
  deepEqual(await statusOf(`since=${token}&tags=folk`), gone)
  for (const text of ['nonsense', '', 'W10', Buffer.from('[1,2]').toString('base64url'), '%00'])
    deepEqual(await statusOf(`since=${text}`), [400, 'rest_invalid_param'], text)
  deepEqual(await statusOf('kinds=picture'), [400, 'rest_invalid_param'])
  const parts = JSON.parse(Buffer.from(token, 'base64url').toString())
  const forged = (...changed: unknown[]) => Buffer.from(JSON.stringify(changed)).toString('base64url')
  const [edition, ...others] = parts
  deepEqual(await statusOf(`since=${forged('other', ...others)}`), gone)
  const [kinds, filters, reader, , to] = others
  deepEqual(
    await statusOf(`since=${forged(edition, kinds, filters, reader, '999999999999', to, 0, 0)}`),
    gone,
  )
  for (const wrong of ['5-7', '9-4-2', '1e3', "0'"])
    deepEqual(await statusOf(`since=${forged(edition, kinds, filters, reader, wrong, to, 0, 0)}`), [
      400,
      'rest_invalid_param',
    ])
})

test('a token from before a restore, or from before what is still known, is of no use', async (t) => {
  await using one = await startService()
  const { id } = await one.create('/events', { ...WHEN, title: 'Gone' })
  const stranger = follower('anonymous')
  await follow(one, stranger)
  await one.create('/tags', { name: 'doomed' })
  const tags = await one.get('/tags?hide_empty=false', 'admin')
  await one.remove(`/tags/${tags.body.tags[0].id}`)
  await one.update(`/events/${id}`, { title: 'Later' })
  await dropOld(one.app.database, 0, Date.now() + 91 * 86_400_000)
  equal((await one.get(`${FEED}?since=${stranger.token}`)).status, 410)
  const fresh = follower('anonymous')
  await follow(one, fresh)
  await one.app.database.write(renewEdition)
  const again = await startApp(one.config)
  t.after(again.stop)
  const { status } = await fetch(
    `http://127.0.0.1:${again.port}/wp-json/kalends/v1/changes?since=${fresh.token}`,
  )
  equal(status, 410)
})

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test('lists and changes agree whatever many writers on two nodes do meanwhile', async (t) => {
  const other = await startApp(service.config)
  t.after(other.stop)
  const bases = [service.base, service.base.replace(/:\d+\//, `:${other.port}/`)]
  const followers = [
    { one: follower('anonymous'), filter: '', kinds: undefined },
    { one: follower('editor'), filter: '', kinds: undefined },
    { one: follower('author'), filter: '', kinds: undefined },
    { one: follower('anonymous', '&kinds=event&categories=c1'), filter: '&categories=c1', kinds: ['event'] },
  ]
  for (const name of ['c1', 'c2', 'c3']) await service.create('/categories', { name, slug: name })
  for (const { one } of followers) await follow(service, one)
  const writer = async (number: number) => {
    const next = random(100 + number)
    const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T
    const send = async (method: string, path: string, body?: object) => {
      const response = await fetch(pick(bases) + path, {
        method,
        headers: { ...credentialsOf(pick(['admin', 'author'])), 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      ok(response.status < 500, await response.clone().text())
      // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
      return response.json() as Promise<any>
    }
    const ids: number[] = []
    for (let round = 0; round < rounds(5); round++) {
      const name = `${number}.${round}`
      const body = {
        title: name,
        status: pick(['publish', 'publish', 'draft', 'private', 'trash']),
        categories: [pick(['c1', 'c2', `own ${number}`])],
        tags: [pick(['t1', 't2', 't3'])],
        venue: { venue: pick(['v1', 'v2', 'v3']) },
        organizer: { organizer: pick(['o1', 'o2']) },
        hide_from_listings: next() < 0.1,
      }
      const chance = next()
      if (chance < 0.4 || ids.length === 0) ids.push((await send('POST', '/events', { ...WHEN, ...body })).id)
      else if (chance < 0.7) await send('PUT', `/events/${pick(ids)}`, body)
      else if (chance < 0.8) await send('DELETE', `/events/${pick(ids)}`)
      else if (chance < 0.9) {
        const { venues } = await send('GET', '/venues')
        const venue = pick<{ id: number } | undefined>(venues ?? [])
        if (venue)
          await send('PUT', `/venues/${venue.id}`, { address: name, status: pick(['publish', 'draft']) })
      } else {
        const { categories } = await send('GET', '/categories?per_page=50&hide_empty=false')
        const one = pick<{ id: number; slug: string } | undefined>(categories ?? [])
        const parent = pick<{ id: number } | undefined>(categories ?? [])
        if (one && one.slug !== 'c1' && next() < 0.3) await send('DELETE', `/categories/${one.id}`)
        else if (one)
          await send('PUT', `/categories/${one.id}`, {
            description: name,
            parent: pick([0, parent?.id ?? 0]),
          })
      }
    }
  }
  let isWriting = true
  const writing = Promise.all([1, 2, 3, 4, 5].map(writer)).finally(() => {
    isWriting = false
  })
  while (isWriting) for (const { one } of followers) await follow(service, one, 5)
  await writing
  for (const { one, filter, kinds } of followers) {
    await follow(service, one)
    await agrees(one, filter, kinds)
  }
})

test('lists narrow to what was changed after a time', async () => {
  const { id } = await service.event({ ...WHEN, title: 'Changed now' })
  const idsAfter = async (path: string, when: string) =>
    (
      await service.get(
        `/${path}?per_page=50&start_date=1970-01-01&end_date=2099-01-01&modified_after=${when}`,
      )
    ).body[path].map((record: { id: number }) => record.id)
  ok((await idsAfter('events', '2020-01-01')).includes(id))
  deepEqual(await idsAfter('events', '2099-01-01T00:00:00Z'), [])
  notDeepEqual(await idsAfter('venues', '-1 day'), [])
  deepEqual(await idsAfter('organizers', '%2B1 day'), [])
  equal((await service.get('/events?modified_after=soon-ish')).status, 400)
})

test('what was changed in the hour that comes twice is told to whoever asks by a moment', async () => {
  await using berlin = await startService({ timezone: 'Europe/Berlin' })
  const changed = {
    date: '2025-10-25 12:00:00',
    modified: '2025-10-26 02:00:05',
    modified_utc: '2025-10-26 01:00:05',
  }
  const { id: venue } = await berlin.create('/venues', { venue: 'Hall', date: changed.date })
  const { id } = await berlin.create('/events', {
    ...WHEN,
    title: 'Twice',
    venue,
    date: '2025-10-26T02:30:00+01:00',
  })
  const { database } = berlin.app
  for (const table of ['events', 'venues'] as const)
    await database.write((tx) =>
      tx
        .updateTable(table)
        .set({ ...changed, date: '2025-10-26 02:30:00' })
        .execute(),
    )
  const found = async (path: string, when: string, as: 'anonymous' | 'editor' = 'anonymous') => {
    const { body } = await berlin.get(`${path}${when.replace('+', '%2B')}`, as)
    const list: { id: number }[] = Array.isArray(body) ? body : (body.events ?? body.venues)
    return list.map((record) => record.id)
  }
  const all = 'start_date=1970-01-01&end_date=2099-01-01&modified_after='
  for (const path of [
    `/events?${all}`,
    '/venues?modified_after=',
    '~/wp-json/wp/v2/tribe_events?modified_after=',
  ]) {
    const here = path.startsWith('/venues') ? venue : id
    for (const when of [
      '2025-10-26T00:59:58Z',
      '2025-10-26T02:59:58+02:00',
      '1761440398',
      '2025-10-26 01:59:00',
    ])
      deepEqual(await found(path, when), [here], `${path}${when}`)
    deepEqual(await found(path, '2025-10-26T01:00:05Z'), [], path)
    deepEqual(await found(path, '2025-10-26T00:59:58Z', 'editor'), [here], path)
  }
  const posts = '~/wp-json/wp/v2/tribe_events?'
  deepEqual(await found(posts, 'modified_before=2025-10-26T01:00:04Z'), [])
  deepEqual(await found(posts, 'after=2025-10-26T01:00:00Z'), [id])
  deepEqual(await found(posts, 'before=2025-10-26T00:50:00Z'), [])
})

for (const events of [3, 12])
  test(`a page of ${events} events says the same to all, indented, trimmed, enveloped`, async () => {
    const venue = await service.create('/venues', { venue: `Hall of ${events}` })
    const write = { ...WHEN, venue: venue.id, categories: [`Of ${events}`], description: '<b>“ä”</b>' }
    for (let at = 0; at < events; at++) await service.event({ ...write, title: `Of ${events}: ${at}` })
    const feed = `${FEED}?kinds=event&venue=${venue.id}`
    const { changes } = (await service.get(feed)).body
    equal(changes.length, events)
    deepEqual((await service.get(feed, 'subscriber')).body.changes, changes)
    deepEqual((await service.get(`${feed}&_pretty`)).body.changes, changes)
    deepEqual((await service.get(`${feed}&_envelope`)).body.body.changes, changes)
    const titles = changes.map(({ record: { title } }: Body) => ({ record: { title } }))
    deepEqual((await service.get(`${feed}&_fields=changes.record.title`)).body, { changes: titles })
    const list = `/events?venue=${venue.id}&start_date=2030-01-01&end_date=2040-01-01&per_page=50`
    const byId = (records: Body[]) => records.toSorted((one, other) => one.id - other.id)
    deepEqual(byId(pluck(changes, 'record')), byId((await service.get(list)).body.events))
  })
