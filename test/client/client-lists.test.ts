// Lists, changes and texts of the client, with a `fetch` that plays the service.
import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Temporal } from 'temporal-polyfill'
import type { Kept, Options } from '../../client/src/connection.ts'
import { createKalends } from '../../client/src/kalends.ts'
import { moments, type Timed } from '../../client/src/moments.ts'
import { etagOf } from '../../client/src/records.ts'
import { textOf } from '../../client/src/texts.ts'
import type { Client } from './client-shapes.ts'

const url = 'https://calendar.example/wp-json/tribe/events/v1'
const json = (body: unknown, init: ResponseInit = {}) => Response.json(body, init)
const failure = (status: number, code: string) => json({ code, message: 'No.', data: { status } }, { status })

const calendarOf = (
  answer: (query: URLSearchParams, init: RequestInit) => Response,
  options: Partial<Options> = {},
) =>
  createKalends({
    url,
    fetch: async (address, init) => answer(new URL(address).searchParams, init),
    ...options,
  }) as Client

async function idsOf(records: AsyncIterable<{ id: number }>): Promise<number[]> {
  const ids: number[] = []
  for await (const { id } of records) ids.push(id)
  return ids
}

const recordsOf = (ids: readonly number[]) => ids.map((id) => ({ id, title: `Event ${id}` }))

describe('all records of a list', () => {
  test('come as a stream where the service has one, however it is cut', async () => {
    const text = `${recordsOf([1, 2, 3])
      .map((record) => JSON.stringify({ ...record, title: 'Ü &amp; 😀' }))
      .join('\n')}\n`
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 7, bytes.length]) {
      const asked: string[] = []
      const { events } = calendarOf((query) => {
        asked.push(String(query))
        const body = new ReadableStream<Uint8Array>({
          start: (stream) => {
            for (let at = 0; at < bytes.length; at += size) stream.enqueue(bytes.slice(at, at + size))
            stream.close()
          },
        })
        return new Response(body, { headers: { 'content-type': 'application/x-ndjson; charset=UTF-8' } })
      })
      const titles: string[] = []
      for await (const { title } of events.all({ when: 'week' })) titles.push(title)
      deepEqual(titles, Array(3).fill('Ü & 😀'))
      deepEqual(asked, ['when=week&format=ndjson'])
    }
  })

  test('come page by page where the service has no stream', async () => {
    const asked: string[] = []
    const { events } = calendarOf((query) => {
      asked.push(String(query))
      const page = Number(query.get('page') ?? 1)
      return json({ events: recordsOf([page * 10, page * 10 + 1]), total_pages: 3 })
    })
    deepEqual(await idsOf(events.all({ search: 'x' })), [10, 11, 20, 21, 30, 31])
    deepEqual(asked, [
      'search=x&format=ndjson',
      ...[1, 2, 3].map((page) => `per_page=50&search=x&page=${page}`),
    ])
  })

  test('are told once when they move to a later page, and end where the list is shorter', async () => {
    const lists = [
      [1, 2],
      [2, 3],
      [3, 4],
    ]
    const { venues } = calendarOf((query) => {
      const ids = lists[Number(query.get('page')) - 1]
      return ids
        ? json({ venues: recordsOf(ids), total_pages: 9 })
        : failure(404, 'venue-archive-page-not-found')
    })
    deepEqual(await idsOf(venues.all()), [1, 2, 3, 4])
  })

  test('that are missing from the first page on are a problem', async () => {
    const { venues } = calendarOf(() => failure(404, 'rest_no_route'))
    await rejects(idsOf(venues.all()), { code: 'rest_no_route' })
  })

  test('come without ids and totals, too, when only some members are wanted', async () => {
    const pages = [[{ title: 'A' }, { title: 'A' }], [{ title: 'B' }], []]
    const { events } = calendarOf((query) => json({ events: pages[Number(query.get('page')) - 1] }))
    const titles: string[] = []
    for await (const { title } of events.all({ _fields: 'events.title' })) titles.push(title)
    deepEqual(titles, ['A', 'A', 'B'])
  })

  test('of a service without an end stop after 10,000 pages', async () => {
    let asked = 0
    const { tags } = calendarOf(() => json({ tags: [{ id: ++asked, name: 'x' }], total_pages: 1e9 }))
    await rejects(idsOf(tags.all()), { code: 'unreadable' })
    equal(asked, 10_000)
  })

  test('of a stream that breaks off are told as far as they came, and then the failure', async () => {
    const { events } = calendarOf(() => {
      const body = '{"id":1,"title":"A"}\n{"id":2,"ti'
      return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
    })
    const stream = events.all()
    equal((await stream.next()).value?.id, 1)
    await rejects(stream.next(), { code: 'unreadable' })
  })
})

describe('changes', () => {
  const upsert = (id: number) => ({
    action: 'upsert',
    kind: 'event',
    id,
    record: { id, title: 'A &#038; B' },
  })
  const follow = async (calendar: Client, since?: string) => {
    const told: unknown[] = []
    for await (const change of calendar.changes(since, { kinds: ['event'], search: 'x' })) told.push(change)
    return told
  }
  const decoded = (id: number) => ({ ...upsert(id), record: { id, title: 'A & B', titleHtml: 'A &#038; B' } })

  test('are read to their end, with a token after each page', async () => {
    const asked: string[] = []
    const calendar = calendarOf((query) => {
      asked.push(String(query))
      if (!query.has('since')) return json({ changes: [upsert(1)], next_token: 'a' })
      return json({ changes: [{ action: 'delete', kind: 'event', id: 2 }], sync_token: 'b' })
    })
    deepEqual(await follow(calendar), [
      decoded(1),
      { action: 'token', token: 'a' },
      { action: 'delete', kind: 'event', id: 2 },
      { action: 'token', token: 'b' },
    ])
    deepEqual(asked, ['kinds%5B%5D=event&search=x', 'since=a'])
  })

  test('begin anew with a reset when the token is of no use any more', async () => {
    const calendar = calendarOf((query) =>
      query.has('since')
        ? failure(410, 'rest_sync_token_expired')
        : json({ changes: [upsert(1)], sync_token: query.get('search') }),
    )
    deepEqual(await follow(calendar, 'old'), [
      { action: 'reset' },
      decoded(1),
      { action: 'token', token: 'x' },
    ])
  })

  test('are a problem where the service tells none, refuses without a token, or never ends', async () => {
    await rejects(follow(calendarOf(() => failure(404, 'rest_no_route'))), { code: 'rest_no_route' })
    await rejects(follow(calendarOf(() => failure(410, 'rest_gone'))), { status: 410 })
    await rejects(follow(calendarOf(() => json({ changes: [] }))), { code: 'unreadable' })
    let asked = 0
    const endless = calendarOf(() => json({ changes: [], next_token: `${++asked}` }))
    await rejects(follow(endless), { code: 'unreadable' })
    equal(asked, 10_000)
  })
})

describe('answers that are kept', () => {
  test('are asked for with their ETag, and a 304 is answered by what is there, whole and anew', async () => {
    const store = new Map<string, Kept>()
    const tags: (string | null)[] = []
    const { events } = calendarOf(
      (_query, { headers }) => {
        tags.push(new Headers(headers).get('if-none-match'))
        if (tags.at(-1) === '"1"') return new Response(null, { status: 304, headers: { etag: '"1"' } })
        return json({ id: 12, title: 'A &amp; B' }, { headers: { etag: '"1"' } })
      },
      { store },
    )
    const first = await events.get(12)
    first.title = 'Changed by the caller'
    const second = await events.get(12)
    equal(second.title, 'A & B')
    equal(etagOf(second), '"1"')
    deepEqual(tags, [null, '"1"'])
    deepEqual([...store.keys()], [`${url}/events/12`])
  })

  test('may wait for their store', async () => {
    const kept = new Map<string, Kept>()
    const store = {
      get: async (name: string) => kept.get(name),
      set: async (name: string, one: Kept) => kept.set(name, one),
    }
    const { venues } = calendarOf(() => json({ venues: [] }, { headers: { etag: 'W/"1"' } }), { store })
    await venues.list({ page: 1 })
    equal(kept.get(`${url}/venues?page=1`)?.etag, 'W/"1"')
  })

  test('do not tell an ETag that the service has not told', async () => {
    const { events } = calendarOf(() => json({ id: 12, title: 'A' }))
    const record = await events.get(12)
    throws(() => etagOf(record), TypeError)
  })
})

describe('texts', () => {
  test('have their entities decoded once, and no tags', () => {
    const cases = {
      'Fish &amp; Chips': 'Fish & Chips',
      '&amp;lt;b&amp;gt;': '&lt;b&gt;',
      '&#038;amp;': '&amp;',
      '&#8217;&#x2019;&#X2019;': '’’’',
      '<em>A</em> &lt;B&gt;': 'A <B>',
      '&eacute;&Uuml;&ntilde;&ccedil;&Scaron;&aring;&szlig;&oslash;': 'éÜñçŠåßø',
      '&nbsp;&ndash;&hellip;&euro;': '\u00a0–…€',
      'R&D &; & &# &#; &#x; &unknown; &valueOf; &#0; &#1114112; &#9999999;':
        'R&D &; & &# &#; &#x; &unknown; &valueOf; &#0; &#1114112; &#9999999;',
      'a < b': 'a < b',
    }
    for (const [html, text] of Object.entries(cases)) equal(textOf(html), text)
  })

  test('are names alone: descriptions, linked data, own fields and parameters stay as they are', async () => {
    const record = {
      id: 1,
      title: '&amp;',
      description: '&amp;',
      venue: [{ venue: '&amp;', address: '&amp;' }],
      categories: [{ name: '&amp;' }],
      json_ld: { name: '&amp;' },
      custom_fields: { _x: { name: '&amp;' } },
    }
    const { events } = calendarOf(() => json(record))
    deepEqual(await events.get(1), {
      ...record,
      title: '&',
      titleHtml: '&amp;',
      venue: [{ venue: '&', venueHtml: '&amp;', address: '&amp;' }],
      categories: [{ name: '&', nameHtml: '&amp;' }],
    })
  })

  test('of names that objects have anyway do no harm', async () => {
    const hostile =
      '{"id":1,"title":"A","__proto__":{"title":"&amp;","admin":true},"constructor":{"name":"x"}}'
    const { events } = calendarOf(() => new Response(hostile))
    const record = await events.get(1)
    equal(Object.getPrototypeOf(record), Object.prototype)
    equal(Object({}).admin, undefined)
  })
})

describe('moments', () => {
  const event = (zone: string, start: string, utc: string): Timed => ({
    start_date: start,
    end_date: start,
    utc_start_date: utc,
    utc_end_date: utc,
    timezone: zone,
  })

  test('are of the zone of the event, and of its offset where the zone has no name', () => {
    const cases = [
      [
        event('Europe/Oslo', '2027-06-01 10:00:00', '2027-06-01 08:00:00'),
        '2027-06-01T10:00:00+02:00[Europe/Oslo]',
      ],
      // This hour occurs twice on this day; the event is in the second one.
      [
        event('Europe/Oslo', '2027-10-31 02:30:00', '2027-10-31 01:30:00'),
        '2027-10-31T02:30:00+01:00[Europe/Oslo]',
      ],
      [event('UTC-3.5', '2027-06-01 10:00:00', '2027-06-01 13:30:00'), '2027-06-01T10:00:00-03:30[-03:30]'],
      [event('UTC+5:45', '2027-06-01 10:00:00', '2027-06-01 04:15:00'), '2027-06-01T10:00:00+05:45[+05:45]'],
      [event('UTC+0', '2027-06-01 10:00:00', '2027-06-01 10:00:00'), '2027-06-01T10:00:00+00:00[+00:00]'],
    ] as const
    for (const [timed, text] of cases) {
      const { start, end } = moments(timed, Temporal)
      equal(start.toString(), text)
      equal(end.epochMilliseconds, start.epochMilliseconds)
    }
  })

  test('are those of the runtime unless given, and without either there are none', (t) => {
    const timed = event('Europe/Oslo', '2027-06-01 10:00:00', '2027-06-01 08:00:00')
    const own = Object.getOwnPropertyDescriptor(globalThis, 'Temporal')
    t.after(() => own && Object.defineProperty(globalThis, 'Temporal', own))
    Reflect.deleteProperty(globalThis, 'Temporal')
    throws(() => moments(timed), /There is no Temporal/)
    Object.defineProperty(globalThis, 'Temporal', { value: Temporal, configurable: true, writable: true })
    equal(String(moments(timed).start), '2027-06-01T10:00:00+02:00[Europe/Oslo]')
    Reflect.deleteProperty(globalThis, 'Temporal')
  })
})
