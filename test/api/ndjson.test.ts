import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { LIMITS } from '../../src/http/admission.ts'
import { onSqlite } from '../support/database.ts'
import { head, type Line, openLine } from '../support/lines.ts'
import { pluck } from '../support/lists.ts'
import { touch } from '../support/recording.ts'
import {
  credentialsOf,
  memoryFilled,
  type Reader,
  serviceForTests,
  startService,
} from '../support/service.ts'
import { until } from '../support/waiting.ts'

const NDJSON = 'application/x-ndjson'
const ON_A_PAGE = 50
const PUBLIC = 60

const service = serviceForTests({ patience_ms: '600000' }, { seesRefusals: true })
let venue = 0
const ids: number[] = []
before(async () => {
  await service.ready
  venue = (await service.post('/venues', { venue: 'Hall' })).body.id
  const hidden = [{ status: 'draft' }, { status: 'private' }, { status: 'publish', hide_from_listings: true }]
  for (let i = 0; i < PUBLIC; i++) {
    const { status, body } = await add({ title: `Event “${i}”\n${'é'.repeat(i % 10)}` }, i)
    equal(status, 201)
    ids.push(body.id)
  }
  for (const more of hidden) equal((await add({ title: 'Not public', ...more }, 0)).status, 201)
  equal(
    (await service.post('/events', { title: 'Own draft', status: 'draft', ...day(0) }, 'contributor')).status,
    201,
  )
  await memoryFilled(service)
})
const day = (i: number) => {
  const date = new Date(Date.UTC(2027, 0, 1 + (i % 60), 10)).toISOString().slice(0, 10)
  return { start_date: `${date} 10:00:00`, end_date: `${date} 12:00:00` }
}
const add = (more: object, i: number) =>
  service.post('/events', {
    categories: [i % 2 === 0 ? 'Even' : 'Odd'],
    tags: ['All'],
    ...(i % 3 === 0 ? { venue } : {}),
    ...day(i),
    ...more,
  })

interface Raw {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  isWhole: boolean
}

function ask(
  path: string,
  as: Reader = 'anonymous',
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      service.base + path,
      { method, headers: { ...credentialsOf(as), ...headers }, agent: false },
      (response) => {
        const pieces: Buffer[] = []
        const done = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
            isWhole: response.complete,
          })
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', done)
        response.on('error', done)
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

const linesOf = ({ body }: Raw) => body.toString('utf8').split('\n').slice(0, -1)
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
const eventsOf = (raw: Raw): any[] => linesOf(raw).map((line) => JSON.parse(line))

async function pagesOf(query: string, as: Reader): Promise<string[]> {
  const pages: string[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await ask(`/events?per_page=${ON_A_PAGE}&page=${page}${query}`, as)
    if (status !== 200) return pages
    pages.push(body.toString('utf8'))
    if (JSON.parse(body.toString('utf8')).total_pages <= page) return pages
  }
}

describe('all events as NDJSON', () => {
  const queries = (
    '|&categories=even|&categories=even,odd&tags=all|&search=Event|' +
    '&start_date=2027-01-10&end_date=2027-01-20|&starts_after=2027-02-01|&status=publish|' +
    '&featured=true|&search=nothing-like-it'
  ).split('|')
  for (const as of ['anonymous', 'editor'] as const)
    test(`are those of the JSON list, byte for byte and in its order, for ${as}`, async () => {
      const byVenue = [`&venue=${venue}`, `&post_parent=${ids[0]}`, `&include=${ids.slice(3, 57)}`]
      const byStatus = as === 'anonymous' ? [] : ['&status=draft', '&status=publish,draft,private']
      for (const query of [...queries, ...byVenue, ...byStatus]) {
        const pages = await pagesOf(query, as)
        const all = await ask(`/events?format=ndjson${query}`, as)
        equal(all.status, 200, query)
        equal(all.headers['content-type'], 'application/x-ndjson; charset=UTF-8')
        const listed = pages.flatMap((page) => JSON.parse(page).events)
        deepEqual(pluck(eventsOf(all), 'id'), pluck(listed, 'id'), query)
        equal(all.headers['x-tec-total'], String(listed.length))
        const text = pages.join('')
        for (const line of linesOf(all)) ok(text.includes(line), `${query}: ${line.slice(0, 200)}`)
      }
    })

  test('are those that the caller may see', async () => {
    const titles = async (as: Reader, query = '&status=publish,draft,private') =>
      new Set(eventsOf(await ask(`/events?format=ndjson${query}`, as)).map(({ title }) => title))
    ok(!(await titles('anonymous', '')).has('Not public'))
    equal((await ask('/events?format=ndjson&status=draft')).status, 400)
    ok((await titles('editor')).has('Not public'))
    ok((await titles('editor')).has('Own draft'))
    ok((await titles('contributor')).has('Own draft'))
    ok(!(await titles('contributor')).has('Not public'))
  })

  test('are chosen by Accept where it prefers them, but an address that names a format wins', async () => {
    const typeFor = async (accept: string, query = '') =>
      (await ask(`/events${query}`, 'anonymous', { accept })).headers['content-type']
    for (const accept of [
      NDJSON,
      'Application/X-NDJSON',
      `${NDJSON}, */*`,
      `${NDJSON}, application/json;q=0.5`,
      `text/html, ${NDJSON};q=0.1`,
    ])
      match((await typeFor(accept)) ?? '', /x-ndjson/, accept)
    for (const accept of [
      '*/*',
      'application/json',
      'text/html',
      `application/json, ${NDJSON}`,
      `${NDJSON};q=0`,
      `${NDJSON};q=0.1, application/json`,
      `${NDJSON};q=none`,
    ])
      match((await typeFor(accept)) ?? '', /application\/json/, accept)
    match((await typeFor(NDJSON, '?format=json')) ?? '', /application\/json/)
    match((await typeFor('application/json', '?format=ndjson')) ?? '', /x-ndjson/)
    // Both are requested again, so that a cached answer of one type given for the other is noticed.
    match((await typeFor('application/json')) ?? '', /application\/json/)
    match((await typeFor(NDJSON)) ?? '', /x-ndjson/)
  })

  test('are told from JSON by caches on the way', async () => {
    for (const query of ['', '?format=ndjson', '?format=json', '?per_page=3', '?format=none'])
      for (const as of ['anonymous', 'editor'] as const)
        match(String((await ask(`/events${query}`, as)).headers.vary), /\bAccept\b(?!-)/, query)
    doesNotMatch(String((await ask('/venues')).headers.vary), /\bAccept\b(?!-)/)
  })

  test('have an ETag of their own, by which a client that has them gets 304', async () => {
    const { headers, body } = await ask('/events?format=ndjson')
    const tag = String(headers.etag)
    notEqual(tag, (await ask('/events')).headers.etag)
    for (const [path, more] of [
      ['/events?format=ndjson', {}],
      ['/events', { accept: NDJSON }],
    ] as const) {
      const again = await ask(path, 'anonymous', { ...more, 'if-none-match': tag })
      deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, tag])
    }
    equal((await ask('/events', 'anonymous', { 'if-none-match': tag })).status, 200)
    equal((await ask('/events?format=ndjson&page=2', 'anonymous', { 'if-none-match': '*' })).status, 400)
    const changed = await add({ title: 'One more' }, 1)
    const after = await ask('/events?format=ndjson', 'anonymous', { 'if-none-match': tag })
    equal(after.status, 200)
    equal(after.body.toString().split('\n').length, body.toString().split('\n').length + 1)
    await service.remove(`/events/${changed.body.id}`)
    // Lists that depend on the time, and lists for users, have no ETag.
    equal((await ask('/events?format=ndjson&starts_after=now')).headers.etag, undefined)
    equal((await ask('/events?format=ndjson', 'editor')).headers.etag, undefined)
  })

  test('are compressed as they are made', async () => {
    const plain = await ask('/events?format=ndjson')
    for (const [encoding, open] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const { headers, body } = await ask('/events?format=ndjson', 'anonymous', {
        'accept-encoding': encoding,
      })
      equal(headers['content-encoding'], encoding)
      ok(body.length < plain.body.length / 4)
      ok(open(body).equals(plain.body))
    }
  })

  test('have a head that can be asked for alone', async () => {
    for (const as of ['anonymous', 'editor'] as const) {
      const { status, headers, body } = await ask('/events?format=ndjson', as, {}, 'HEAD')
      deepEqual([status, body.length], [200, 0])
      match(String(headers['content-type']), /x-ndjson/)
      ok(Number(headers['x-tec-total']) >= PUBLIC)
    }
  })

  test('have no pages', async () => {
    for (const name of ['page', 'per_page'])
      for (const headers of [{}, { accept: NDJSON }]) {
        const format = 'accept' in headers ? '' : '&format=ndjson'
        const { status, body } = await ask(`/events?${name}=1${format}`, 'anonymous', headers)
        const { code, data } = JSON.parse(body.toString())
        deepEqual([status, code, Object.keys(data.params)], [400, 'rest_invalid_param', [name]])
      }
  })

  test('are nothing for a name that is no format, nor for a wrong filter', async () => {
    for (const [query, name] of [
      ['format=xml', 'format'],
      ['format=NDJSON', 'format'],
      ['format=', 'format'],
      ['format[]=ndjson', 'format'],
      ['format=ndjson&start_date=x', 'start_date'],
      ['format=ndjson&categories=unknown-one', 'categories'],
    ])
      for (const as of ['anonymous', 'editor'] as const) {
        const { status, headers, body } = await ask(`/events?${query}`, as)
        const { code, data } = JSON.parse(body.toString())
        deepEqual([status, code, Object.keys(data.params)], [400, 'rest_invalid_param', [name]], query)
        match(String(headers['content-type']), /application\/json/)
      }
  })

  test('ignore what shapes JSON alone', async () => {
    const plain = await ask('/events?format=ndjson')
    const shaped = await ask('/events?format=ndjson&_fields=id&_envelope&_pretty')
    ok(shaped.body.equals(plain.body))
  })

  test('are offered of events alone, and by the description of the interface', async () => {
    match(String((await ask('/venues?format=ndjson')).headers['content-type']), /application\/json/)
    const { body } = await service.get('/doc')
    const { parameters } = body.paths['/events'].get
    deepEqual(
      parameters.find(({ name }: { name: string }) => name === 'format').schema.enum,
      'json ndjson ics rss atom jsonfeed csv jsonld geojson'.split(' '),
    )
    equal((await service.get('/')).body.routes['/tribe/events/v1/events'].endpoints[0].args.format, undefined)
  })

  test('may be asked for under a name that is written another way', async () => {
    for (const query of ['%66ormat=ndjson', 'format=%6Edjson', 'format=json&format=ndjson'])
      match(String((await ask(`/events?${query}`)).headers['content-type']), /x-ndjson/, query)
  })
})

describe('a stream that its reader is slow to take', onSqlite, () => {
  const LARGE = 120
  const from = '/tribe/events/v1/events?format=ndjson&start_date=2028-01-01&end_date=2029-01-01'
  const large: number[] = []
  before(async () => {
    // More than the buffers of a connection hold.
    const description = `${'w'.repeat(74)} `.repeat(2400)
    for (let i = 0; i < LARGE; i++) {
      const at = `2028-02-${String(1 + (i % 28)).padStart(2, '0')} 10:00:00`
      const { status, body } = await service.post('/events', {
        title: `Large ${i}`,
        start_date: at,
        end_date: at,
      })
      equal(status, 201)
      large.push(body.id)
    }
    await service.app.database.write(async (tx) => {
      await tx.updateTable('events').set({ description }).where('id', 'in', large).execute()
      for (const id of large) await touch(tx, 'event', id)
    })
  })

  async function paused(as: Reader = 'anonymous', base = service.base): Promise<Line> {
    const line = openLine(base)
    line.socket.once('data', () => line.socket.pause())
    line.socket.write(head('GET', from, as, { connection: 'close' }))
    await line.status()
    return line
  }

  async function rest(line: Line): Promise<string> {
    line.socket.resume()
    await line.closed
    return line.received()
  }

  const isWhole = (answer: string) => answer.endsWith('\r\n0\r\n\r\n')

  for (const as of ['anonymous', 'editor'] as const)
    test(`shows ${as} each event as it is when its turn comes, and none that is gone by then`, async () => {
      const line = await paused(as)
      const { body } = await service.get('/events?start_date=2028-02-27&end_date=2028-12-31', as)
      const [trashed, hidden, renamed, kept] = body.events.map(({ id }: { id: number }) => id)
      await service.remove(`/events/${trashed}`)
      await service.put(`/events/${hidden}`, { hide_from_listings: true })
      await service.put(`/events/${renamed}`, { title: `Renamed for ${as}` })
      const answer = await rest(line)
      ok(isWhole(answer))
      ok(answer.includes(`Renamed for ${as}`))
      ok(answer.includes(`{"id":${kept},`))
      for (const id of [trashed, hidden])
        ok(!answer.includes(`{"id":${id},`), 'an event that is gone is shown')
    })

  test('is one of a few, the last kept for another client: others come back once one ends', async () => {
    const lines = await Promise.all(Array.from({ length: LIMITS.streams.running - 1 }, () => paused()))
    const refused = await ask(`/events?format=ndjson`)
    deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
    equal(JSON.parse(refused.body.toString()).code, 'rest_unavailable')
    equal((await ask(`/events?format=ndjson`, 'anonymous', {}, 'HEAD')).status, 200)
    equal((await ask('/events')).status, 200)
    const [first, ...others] = lines
    ok(first)
    first.socket.destroy()
    await until(async () => (await ask('/events?format=ndjson')).status === 200, 'no place was given back')
    for (const { socket } of others) socket.destroy()
  })

  test('ends with its reader, however many come and go', async () => {
    for (let i = 0; i <= LIMITS.streams.running; i++) {
      const line = await paused(i % 2 === 0 ? 'anonymous' : 'editor')
      line.socket.destroy()
      await until(
        async () =>
          (await ask('/events?format=ndjson&start_date=2027-01-01&end_date=2027-01-02')).status === 200,
        'no place was given back',
      )
    }
  })

  test('is dropped when nothing of it is taken for as long as readers are waited for', async () => {
    await using impatient = await startService({ database: service.config.database, patience_ms: '1000' })
    const dropped = new Promise((resolve) =>
      impatient.app.server.once('connection', (socket: Socket) => socket.once('close', resolve)),
    )
    const line = await paused('anonymous', impatient.base)
    await dropped
    ok(!isWhole(await rest(line)))
  })

  test('ends the connection where it cannot go on, so that nobody takes it for whole', async () => {
    const line = await paused('editor')
    await service.app.database.migrate(async (tx) => {
      await sql`alter table event_terms rename to lost_terms`.execute(tx)
    })
    try {
      ok(!isWhole(await rest(line)))
    } finally {
      await service.app.database.migrate(async (tx) => {
        await sql`alter table lost_terms rename to event_terms`.execute(tx)
      })
    }
    equal((await ask('/events?format=ndjson', 'editor')).status, 200)
  })

  test('leaves out a record that cannot be shown, and goes on', async () => {
    const broken = large[0] as number
    await service.app.database.write((tx) =>
      sql`update events set cost = 'no list' where id = ${broken}`.execute(tx),
    )
    const shown = eventsOf(
      await ask('/events?format=ndjson&start_date=2028-01-01&end_date=2029-01-01', 'editor'),
    )
    ok(!shown.some(({ id }) => id === broken))
    ok(shown.length > LARGE / 2)
  })
})
