import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { addSeries } from '../support/sample-calendar.ts'
import { type Answer, type Reader, serviceForTests } from '../support/service.ts'
import {
  ADMINISTRATORS_ROUTES,
  CALLERS,
  KINDS,
  type Kind,
  MAKERS,
  MAY_NAME_AUTHORS,
  MISSING,
  mayChange,
  mayRead,
  OPEN_ROUTES,
  OWNERS,
  type Owner,
  PATHS,
  type RecordCell,
  recordCells,
  STATUSES,
  STORED_STATUS,
  type Status,
  TERM_KINDS,
} from './permission-table.ts'

interface Planted {
  kind: Kind
  owner: Owner
  status: Status
  id: number
  slug: string
}

const DAY = 86_400_000
const inDays = (days: number) =>
  new Date(Date.now() + days * DAY).toISOString().slice(0, 19).replace('T', ' ')
const TOMORROW = inDays(2)

const service = serviceForTests()
let planted: Planted[] = []
let hub: number

before(async () => {
  await service.ready
  for (const kind of ['venue', 'organizer', 'event'] as const) {
    for (const owner of OWNERS) for (const status of STATUSES) planted.push(await plant(kind, owner, status))
  }
  const { body } = await service.post('/events', {
    title: 'Hub',
    start_date: TOMORROW,
    end_date: TOMORROW,
    venue: of('venue', (record) => record.status !== 'trash').map(({ id }) => id),
    organizer: of('organizer', (record) => record.status !== 'trash').map(({ id }) => id),
  })
  hub = body.id
  await addSeries(service)
  planted = Object.freeze(planted) as Planted[]
})
const of = (kind: Kind, where: (record: Planted) => boolean = () => true) =>
  planted.filter((record) => record.kind === kind && where(record))

async function plant(kind: Kind, owner: Owner, status: Status): Promise<Planted> {
  const name = `Secret ${kind} ${status} of ${owner}`
  const dates = status === 'future' ? { date: TOMORROW } : {}
  const own =
    kind === 'event'
      ? { title: name, slug: name, start_date: TOMORROW, end_date: TOMORROW }
      : { [kind]: name }
  const author = service.userIds[owner]
  const { status: answered, body } = await service.post(PATHS[kind], { ...own, ...dates, status, author })
  equal(answered, 201, JSON.stringify(body))
  equal(body.status, status)
  equal(body.author, String(author))
  return { kind, owner, status, id: body.id, slug: body.slug }
}

function addressOf(record: Planted, by: 'id' | 'slug'): string {
  return by === 'id' ? `${PATHS[record.kind]}/${record.id}` : `${PATHS[record.kind]}/by-slug/${record.slug}`
}

function recordOf(kind: Kind, { owner, status }: Pick<Planted, 'owner' | 'status'>): Planted {
  const [found] = of(kind, (record) => record.owner === owner && record.status === status)
  ok(found)
  return found
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

function assertError(answer: Answer, expected: { status: number; code?: string }, where: string): void {
  equal(answer.status, expected.status, `${where}: ${JSON.stringify(answer.body)}`)
  equal(answer.body.code, expected.code, where)
  equal(answer.body.data.status, expected.status, where)
  ok(answer.body.message, where)
}

async function assertCell(kind: Kind, cell: RecordCell): Promise<void> {
  const record = recordOf(kind, cell)
  const body = ['POST', 'PUT', 'PATCH'].includes(cell.method)
    ? textOf(kind, `Changed by ${cell.caller}`)
    : undefined
  const answer = await service.request(cell.caller, cell.method, addressOf(record, cell.by), body)
  const where = `${cell.caller} ${cell.method} by ${cell.by}, ${cell.status} of ${cell.owner}`
  equal(answer.status, cell.answer.status, `${where}: ${JSON.stringify(answer.body)}`)
  if (cell.method !== 'DELETE' || answer.status !== 200) equal(answer.headers.get('allow'), cell.allow, where)
  if (cell.method === 'HEAD') return equal(answer.body, undefined)
  if (cell.answer.code !== undefined) return assertError(answer, cell.answer, where)
  if (cell.method === 'OPTIONS') return
  equal(answer.body.id, record.id, where)
  if (cell.method === 'DELETE') return equal(answer.body.status, 'trash', where)
  if (cell.method !== 'GET') match(answer.body.description, new RegExp(`Changed by ${cell.caller}`), where)
  equal(answer.body.status, cell.status, where)
}

const textOf = (kind: Kind, text: string) => ({
  description: text,
  ...(kind === 'event' ? { excerpt: text } : {}),
})

async function snapshot(kind: Kind): Promise<Map<number, unknown>> {
  const bodies = new Map<number, unknown>()
  await inParallel(of(kind), async (record) => {
    const { status, body } = await service.get(addressOf(record, 'id'), 'admin')
    equal(status, 200)
    bodies.set(record.id, body)
  })
  return bodies
}

for (const kind of KINDS) {
  const cells = recordCells(kind)
  const refused = cells.filter(
    ({ answer, method }) => answer.status !== 200 || ['GET', 'HEAD', 'OPTIONS'].includes(method),
  )
  const updates = cells.filter(
    ({ answer, method }) => answer.status === 200 && ['POST', 'PUT', 'PATCH'].includes(method),
  )
  const removals = cells.filter(({ answer, method }) => answer.status === 200 && method === 'DELETE')

  test(`${refused.length} cells: reading ${kind}s follows the table; a refusal changes nothing`, async () => {
    const before = await snapshot(kind)
    await inParallel(refused, (cell) => assertCell(kind, cell))
    deepEqual(await snapshot(kind), before)
  })

  test(`${updates.length} cells: updates of ${kind}s by id and by slug follow the table`, async () => {
    for (const cell of updates) await assertCell(kind, cell)
  })

  test(`${removals.length} cells: removals of ${kind}s by id and by slug follow the table`, async () => {
    for (const cell of removals) {
      await assertCell(kind, cell)
      const record = recordOf(kind, cell)
      const restored = await service.put(addressOf(record, 'id'), { status: record.status })
      deepEqual([restored.body.status, restored.body.slug], [record.status, record.slug])
    }
  })
}

const HIDDEN = ['future', 'draft', 'pending', 'trash'] as const satisfies Status[]

test(`${KINDS.length * HIDDEN.length * 3 * 6} cells: an unannounced slug is as unknown`, async () => {
  for (const kind of KINDS) {
    for (const status of HIDDEN) {
      const record = recordOf(kind, { owner: 'editor', status })
      for (const caller of ['anonymous', 'subscriber', 'author'] as const) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
          const ask = async (slug: string) => {
            const sent = method.startsWith('P') ? textOf(kind, 'Changed') : undefined
            const answer = await service.request(caller, method, `${PATHS[kind]}/by-slug/${slug}`, sent)
            const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
            return { ...answer, headers }
          }
          const where = `${caller} ${method} ${status} ${kind}`
          deepEqual(await ask(record.slug), await ask('nowhere'), where)
        }
      }
    }
  }
})

const listCells = CALLERS.length * KINDS.length * (STATUSES.length + 1)

test(`${listCells} cells: lists show and count what the caller may read, by any filter`, async () => {
  const listings = CALLERS.flatMap((caller) =>
    KINDS.flatMap((kind) => [undefined, ...STATUSES].map((status) => ({ caller, kind, status }))),
  )
  await inParallel(listings, async ({ caller, kind, status }) => {
    const where = `${caller} lists ${kind}s, status ${status}`
    const filter = status === undefined ? '' : `&status=${status}`
    const everything = kind === 'event' ? `&include=${pluck(of(kind), 'id').join(',')}` : ''
    const answers = [
      await service.get(`${PATHS[kind]}?per_page=50${filter}&search=secret`, caller),
      await service.get(`${PATHS[kind]}?per_page=50${filter}${everything}`, caller),
    ]
    for (const answer of answers) {
      if (status !== undefined && status !== 'publish' && !MAKERS.record.includes(caller)) {
        assertError(answer, { status: 400, code: 'rest_invalid_param' }, where)
        deepEqual(Object.keys(answer.body.data.params), ['status'])
        continue
      }
      const covered = (record: Planted) =>
        record.status === (status ?? record.status) && (status === 'trash' || record.status !== 'trash')
      // A subscriber, who may not edit, gets only public records in lists.
      const listed = (record: Planted) =>
        covered(record) &&
        mayRead(caller, kind, record.owner, record.status) &&
        (MAKERS.record.includes(caller) || record.status === 'publish')
      const expected = of(kind, listed).map(({ id }) => id)
      equal(answer.status, 200, `${where}: ${JSON.stringify(answer.body)}`)
      deepEqual(
        idsOf(answer.body[PATHS[kind].slice(1)]),
        expected.sort((a, b) => a - b),
        where,
      )
      equal(answer.body.total, expected.length, where)
      equal(answer.headers.get('x-tec-total'), String(expected.length), where)
    }
  })
})

const FEED = '~/wp-json/kalends/v1/changes'
const feedCells = CALLERS.length * KINDS.length * OWNERS.length * STATUSES.length

test(`${feedCells} cells: changes tell callers what their lists show, a token its reader`, async () => {
  const tokens: string[] = []
  for (const caller of CALLERS) {
    const told = new Map<string, number[]>(KINDS.map((kind) => [kind, []]))
    let page = await service.get(`${FEED}?kinds=venue,organizer,event&per_page=50`, caller)
    for (; ; page = await service.get(`${FEED}?since=${page.body.next_token}&per_page=50`, caller)) {
      equal(page.status, 200, caller)
      for (const { kind, id, action } of page.body.changes) {
        equal(action, 'upsert')
        told.get(kind)?.push(id)
      }
      if (page.body.sync_token) break
    }
    for (const kind of KINDS) {
      const planted = new Set(of(kind).map(({ id }) => id))
      const isMaker = MAKERS.record.includes(caller)
      const expected = of(
        kind,
        ({ owner, status }) =>
          status !== 'trash' && mayRead(caller, kind, owner, status) && (isMaker || status === 'publish'),
      )
      const found = (told.get(kind) ?? []).filter((id) => planted.has(id))
      deepEqual(
        found.sort((a, b) => a - b),
        expected.map(({ id }) => id).sort((a, b) => a - b),
        `${caller} ${kind}`,
      )
    }
    for (const other of tokens)
      equal((await service.get(`${FEED}?since=${other}`, caller)).status, 410, caller)
    tokens.push(page.body.sync_token)
    equal((await service.get(`${FEED}?since=nonsense`, caller)).status, 400)
    for (const method of ['POST', 'PUT', 'DELETE'])
      equal((await service.request(caller, method, FEED)).status, 404, `${caller} ${method}`)
  }
})

const HOOKS = '~/wp-json/kalends/v1/webhooks'
const hookCells =
  CALLERS.length * ADMINISTRATORS_ROUTES.flatMap(({ methods }) => [...methods, 'OPTIONS']).length

test(`${hookCells} cells: webhooks are for administrators; nobody else learns which there are`, async () => {
  const { body: webhook } = await service.post(HOOKS, {
    url: 'https://example.org/hook',
    events: 'series.deleted',
  })
  const all = (await service.get(HOOKS, 'admin')).body
  for (const caller of CALLERS) {
    const isAdmin = caller === 'admin'
    const refusal = { status: caller === 'anonymous' ? 401 : 403, code: 'rest_forbidden' }
    for (const { path, methods } of ADMINISTRATORS_ROUTES) {
      for (const id of isAdmin ? [987654] : [webhook.id, 987654]) {
        const target = HOOKS + path.replace('{id}', String(id))
        for (const method of methods) {
          const where = `${caller} ${method} ${target}`
          const answer = await service.request(caller, method, target, method === 'POST' ? {} : undefined)
          equal(answer.headers.get('allow'), isAdmin ? methods.join(', ') : '', where)
          if (!isAdmin) assertError(answer, refusal, where)
          else equal(answer.status, path !== '' ? 404 : method === 'GET' ? 200 : 400, where)
        }
        const options = await service.request(caller, 'OPTIONS', target)
        deepEqual([options.status, options.headers.get('allow')], [200, isAdmin ? methods.join(', ') : ''])
      }
    }
  }
  deepEqual((await service.get(HOOKS, 'admin')).body, all)
  equal((await service.remove(`${HOOKS}/${webhook.id}`)).status, 200)
})

const idsOf = (records: { id: number }[]) => records.map(({ id }) => id).sort((a, b) => a - b)

test(`${CALLERS.length * 4} cells: an event shows venues that the caller may read`, async () => {
  for (const caller of CALLERS) {
    const list = await service.get(`/events?include=${hub}`, caller)
    const alone = await service.get(`/events/${hub}`, caller)
    const { json_ld } = alone.body
    for (const shown of [list.body.events[0], alone.body]) {
      for (const kind of ['venue', 'organizer'] as const) {
        const readable = of(
          kind,
          ({ owner, status }) => status !== 'trash' && mayRead(caller, kind, owner, status),
        )
        deepEqual(idsOf([shown[kind]].flat()), idsOf(readable), `${caller}: ${kind}s of the event`)
      }
    }
    const names = [json_ld.location, json_ld.organizer].flat().map(({ name }) => name)
    const readable = planted.filter(({ kind, owner, status }) => mayRead(caller, kind, owner, status))
    ok(names.length > 1)
    for (const name of names)
      ok(
        readable.some((record) => name === nameOf(record)),
        `${caller}: ${name}`,
      )
  }
})

const nameOf = ({ kind, owner, status }: Planted) => `Secret ${kind} ${status} of ${owner}`

test('filters by a venue or organizer the caller may not read find no events', async () => {
  const hidden = KINDS.filter((kind) => kind !== 'event').map((kind) =>
    recordOf(kind, { owner: 'editor', status: 'draft' }),
  )
  for (const { kind, id } of hidden) {
    for (const caller of CALLERS) {
      const { status, body } = await service.get(`/events?${kind}=${id}`, caller)
      equal(status, 200)
      equal(body.total, ['editor', 'admin'].includes(caller) ? 1 : 0, `${caller}, ${kind}`)
    }
  }
})

test('filters of linked records by an event reveal nothing of events the caller may not read', async () => {
  const { body: draft } = await service.post(
    '/events',
    {
      title: 'Unannounced',
      start_date: TOMORROW,
      end_date: TOMORROW,
      status: 'private',
      venue: { venue: 'Open House' },
      organizer: { organizer: 'Open Society' },
      categories: ['Rumours'],
      tags: ['hush'],
    },
    'editor',
  )
  const { body: known } = await service.get(`/events/${draft.id}`, 'admin')
  await service.put(`/events/${hub}`, { categories: ['Rumours'], tags: ['hush'] })
  const asked = [
    ['venues', `event=${draft.id}`],
    ['organizers', `event=${draft.id}`],
    ['venues', 'has_events=true&search=open'],
    ['organizers', 'has_events=true&search=open'],
    ['venues', 'only_with_upcoming=true&search=open'],
    ['organizers', 'only_with_upcoming=true&search=open'],
    ['categories', `event=${draft.id}`],
    ['categories', `post=${draft.id}&hide_empty=false`],
    ['tags', `event=${draft.id}`],
    ['tags', `post=${draft.id}&hide_empty=false`],
  ] as const
  equal(known.venue.venue, 'Open House')
  for (const [path, query] of asked) {
    for (const caller of CALLERS) {
      const { body } = await service.get(`/${path}?${query}`, caller)
      const expected = ['editor', 'admin'].includes(caller) ? 1 : 0
      deepEqual([body[path].length, body.total], [expected, expected], `${caller}: ${path}?${query}`)
    }
  }
})

test('the count of a term is of published events, whoever asks', async () => {
  const event = (status: string, title: string) =>
    service.post('/events', {
      title,
      status,
      start_date: TOMORROW,
      end_date: TOMORROW,
      categories: 'Counted',
      tags: 'counted',
    })
  const made = await Promise.all(STATUSES.map((status) => event(status, `Counted ${status}`)))
  for (const [kind, path] of [
    ['category', 'categories'],
    ['tag', 'tags'],
  ] as const) {
    const [term] = made[0]?.body[path] ?? []
    for (const caller of CALLERS) {
      const { body } = await service.get(`${PATHS[kind]}/${term.id}`, caller)
      equal(body.count, 2, `${caller}: ${kind}`)
      const { body: list } = await service.get(`${PATHS[kind]}?slug=counted`, caller)
      deepEqual([list.total, list[path][0].count], [1, 2])
    }
  }
  const unpublished = await service.post('/events', {
    title: 'Quiet',
    status: 'draft',
    start_date: TOMORROW,
    end_date: TOMORROW,
    tags: 'only in a draft',
  })
  const { id } = unpublished.body.tags[0]
  const { body } = await service.get(`/tags?include=${id}`)
  deepEqual([body.total, body.tags], [0, []])
})

test('a term of unpublished events alone is listed for those who make terms and its author', async () => {
  const dates = { start_date: TOMORROW, end_date: TOMORROW }
  const sent = {
    title: 'Secret plan',
    status: 'draft',
    ...dates,
    categories: 'Secret merger',
    tags: 'secret-merger',
  }
  const { body: event } = await service.post('/events', sent)
  const used = { category: event.categories[0].id, tag: event.tags[0].id }
  const free = {
    category: (await service.post('/categories', { name: 'Free for all' })).body.id,
    tag: (await service.post('/tags', { name: 'free-for-all' })).body.id,
  }
  await service.put(`/events/${event.id}`, { author: service.userIds.contributor })
  const knows = { category: ['contributor', ...MAKERS.category], tag: ['contributor', ...MAKERS.tag] }
  const look = async (caller: Reader, kind: 'category' | 'tag', id: number) => {
    const path = PATHS[kind]
    const list = await service.get(`${path}?hide_empty=0&include=${id}`, caller)
    const search = await service.get(`${path}?hide_empty=0&search=merger`, caller)
    const beside = await service.get(
      `~/wp-json/wp/v2${kind === 'tag' ? '/tags' : '/tribe_events_cat'}?include=${id}`,
      caller,
    )
    return [list.body.total, search.body.total, beside.body.length]
  }
  for (const kind of ['category', 'tag'] as const) {
    for (const caller of CALLERS) {
      const times = knows[kind].some((each) => each === caller) ? 1 : 0
      deepEqual(await look(caller, kind, used[kind]), [times, times, times], `${caller}: ${kind}`)
      deepEqual(
        (await look(caller, kind, free[kind])).slice(0, 1),
        [1],
        `${caller}: ${kind} that no event has`,
      )
    }
  }
  await service.put(`/events/${event.id}`, { status: 'publish' })
  for (const kind of ['category', 'tag'] as const)
    equal((await service.get(`${PATHS[kind]}/${used[kind]}`)).body.count, 1)
})

const creates = CALLERS.length * (KINDS.length + TERM_KINDS.length)

test(`${creates} cells: who may make what, and nothing is left of what was refused`, async () => {
  for (const kind of [...KINDS, ...TERM_KINDS]) {
    const makers = kind === 'category' || kind === 'tag' ? MAKERS[kind] : MAKERS.record
    for (const caller of CALLERS) {
      const name = `New ${kind} by ${caller}`
      const sent = {
        event: {
          title: name,
          start_date: TOMORROW,
          end_date: TOMORROW,
          venue: { venue: `Place for ${name}` },
        },
        venue: { venue: name },
        organizer: { organizer: name },
        category: { name },
        tag: { name },
      }[kind]
      const answer = await service.post(PATHS[kind], sent, caller)
      const where = `${caller} makes a ${kind}`
      if (makers.includes(caller)) {
        equal(answer.status, 201, where)
        equal(answer.headers.get('location'), `${service.base}${PATHS[kind]}/${answer.body.id}`)
        equal(answer.headers.get('allow'), 'GET, POST', where)
      } else {
        assertError(answer, { status: caller === 'anonymous' ? 401 : 403, code: 'rest_forbidden' }, where)
        equal(answer.headers.get('allow'), 'GET', where)
        const query = `search=${encodeURIComponent(name)}${kind in MAKERS ? '&hide_empty=false' : ''}`
        equal((await service.get(`${PATHS[kind]}?${query}`, 'admin')).body.total, 0, where)
      }
    }
  }
  equal((await service.get('/venues?search=place+for+new', 'admin')).body.total, MAKERS.record.length)
})

const openCells = OPEN_ROUTES.length * CALLERS.length * 6

test(`${openCells} cells: index, description and lists are open, Allow tells who may create`, async () => {
  for (const { path, makers } of OPEN_ROUTES) {
    for (const caller of CALLERS) {
      const allow = makers.includes(caller) ? 'GET, POST' : 'GET'
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const { status, headers } = await service.request(caller, method, path)
        deepEqual([status, headers.get('allow')], [200, allow], `${caller} ${method} ${path}`)
      }
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await service.request(caller, method, path)
        assertError(answer, { status: 404, code: 'rest_no_route' }, `${caller} ${method} ${path}`)
        equal(answer.headers.get('allow'), null)
      }
    }
  }
})

const termCells = CALLERS.length * TERM_KINDS.length * 7

test(`${termCells} cells: terms are read by all, changed and removed by those who may`, async () => {
  for (const kind of TERM_KINDS) {
    for (const caller of CALLERS) {
      const may = MAKERS[kind].includes(caller)
      const refusal = { status: caller === 'anonymous' ? 401 : 403, code: 'rest_forbidden' }
      const { body: term } = await service.post(PATHS[kind], { name: `${kind} for ${caller}` })
      const path = `${PATHS[kind]}/${term.id}`
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const where = `${caller} ${method} ${kind}`
        const sent = ['POST', 'PUT', 'PATCH'].includes(method) ? { description: method } : undefined
        const answer = await service.request(caller, method, path, sent)
        if (may || ['GET', 'HEAD', 'OPTIONS'].includes(method)) equal(answer.status, 200, where)
        else assertError(answer, refusal, where)
        const allow = may ? 'GET, POST, PUT, PATCH, DELETE' : 'GET'
        if (method !== 'DELETE') equal(answer.headers.get('allow'), allow, where)
        if (sent && may) equal(answer.body.description, method)
      }
      const left = await service.get(path)
      equal(left.status, may ? 400 : 200)
      if (!may) equal(left.body.description, '')
    }
  }
})

const missingCells = MISSING.flatMap(({ paths, methods }) =>
  paths.flatMap((path) => methods.map((method) => [path, method])),
)

test(`${missingCells.length * CALLERS.length} cells: what is missing is answered by rule 25.4`, async () => {
  const others = { '/events': 'venue', '/venues': 'event', '/organizers': 'venue' } as const
  for (const { paths, methods, answer: expected, refused } of MISSING) {
    for (const path of paths) {
      const [collection = ''] = path.match(/^\/\w+/) ?? []
      const kind = others[collection as keyof typeof others]
      // For terms, a term of the other taxonomy, since ids of terms and records are counted separately.
      const other = kind
        ? recordOf(kind, { owner: 'editor', status: 'publish' }).id
        : await termOfOtherKind(collection)
      for (const method of methods) {
        for (const caller of CALLERS) {
          const target = path.replace('{other}', String(other))
          const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { description: 'x' } : undefined
          const answer = await service.request(caller, method, target, body)
          const where = `${caller} ${method} ${target}`
          const denied = refused?.[caller as keyof typeof refused]
          const status = denied ?? expected.status
          equal(answer.status, status, `${where}: ${JSON.stringify(answer.body)}`)
          if (method === 'HEAD') continue
          assertError(
            answer,
            { status, code: denied === undefined ? expected.code : 'rest_forbidden' },
            where,
          )
          if (expected.param && denied === undefined)
            deepEqual(Object.keys(answer.body.data.params), [expected.param])
        }
      }
    }
  }
})

async function termOfOtherKind(collection: string): Promise<number> {
  const path = collection === '/tags' ? '/categories' : '/tags'
  const { body } = await service.post(path, { name: `Other ${crypto.randomUUID()}` })
  return body.id
}

const statusCells = Object.keys(STORED_STATUS).length * MAKERS.record.length * KINDS.length

test(`${statusCells} cells: the status asked for is stored as far as the caller may set it`, async () => {
  const callers = ['contributor', 'author', 'editor', 'admin'] as const satisfies Reader[]
  for (const [asked, stored] of Object.entries(STORED_STATUS)) {
    const [status] = asked.split(' ')
    const sent = {
      ...(asked === 'absent' ? {} : { status }),
      ...(asked.endsWith('to come') ? { date: TOMORROW } : {}),
    }
    for (const kind of KINDS) {
      for (const caller of callers) {
        const name = `${asked} ${kind} of ${caller}`
        const own =
          kind === 'event' ? { title: name, start_date: TOMORROW, end_date: TOMORROW } : { [kind]: name }
        const { status: answered, body } = await service.post(PATHS[kind], { ...own, ...sent }, caller)
        equal(answered, 201, name)
        equal(body.status, caller === 'contributor' ? stored.contributor : stored.publisher, name)
      }
    }
  }
})

test('a contributor can neither publish a draft nor unpublish, trash or hide others’', async () => {
  for (const kind of KINDS) {
    const own = await plant(kind, 'contributor', 'draft')
    for (const status of ['publish', 'future', 'private', 'trash']) {
      const { body } = await service.put(addressOf(own, 'id'), { status }, 'contributor')
      equal(body.status, 'pending', `${kind} asked to be ${status}`)
      await service.put(addressOf(own, 'id'), { status: 'draft' })
    }
  }
})

test(`${CALLERS.length * KINDS.length * 2} cells: only editors set another author`, async () => {
  for (const kind of KINDS) {
    for (const caller of CALLERS.filter((each) => MAKERS.record.includes(each))) {
      const name = `${kind} for another by ${caller}`
      const own =
        kind === 'event' ? { title: name, start_date: TOMORROW, end_date: TOMORROW } : { [kind]: name }
      const other = service.userIds.subscriber
      const created = await service.post(PATHS[kind], { ...own, author: other }, caller)
      const { body } = await service.post(PATHS[kind], { ...own, status: 'draft' }, caller)
      const updated = await service.put(`${PATHS[kind]}/${body.id}`, { author: other }, caller)
      const same = await service.put(
        `${PATHS[kind]}/${body.id}`,
        { author: updated.body.author ?? body.author },
        caller,
      )
      const allowed = MAY_NAME_AUTHORS.includes(caller)
      deepEqual([created.status, updated.status], allowed ? [201, 200] : [403, 403], name)
      equal(same.status, 200, name)
      if (allowed) equal(updated.body.author, String(other))
    }
  }
})

test('a new venue or organizer inside an event is the caller’s and follows the status rules', async () => {
  const event = { title: 'With company', start_date: TOMORROW, end_date: TOMORROW }
  const author = service.userIds.admin
  const nested = {
    venue: { venue: 'Nested Hall', status: 'private', author },
    organizer: [{ organizer: 'Nested Club', author: String(author) }],
  }
  const { status, body } = await service.post('/events', { ...event, ...nested }, 'contributor')
  equal(status, 201)
  deepEqual([body.venue.status, body.organizer[0].status], ['pending', 'draft'])
  equal(body.venue.author, String(service.userIds.contributor))
  equal(body.organizer[0].author, String(service.userIds.contributor))
})

test('a venue another wrote and has not published is not taken over by its name', async () => {
  const hidden = await service.post(
    '/venues',
    { venue: 'Backroom', phone: '555 0100', status: 'private' },
    'editor',
  )
  const { status, body } = await service.post('/venues', { venue: 'Backroom' }, 'author')
  equal(status, 201)
  notEqual(body.id, hidden.body.id)
  equal(body.phone, undefined)
})

test('a refused update of a record by one caller shows nothing of it', async () => {
  const record = recordOf('event', { owner: 'editor', status: 'private' })
  for (const caller of CALLERS.filter((each) => !mayChange(each, record.owner, record.status))) {
    const { body } = await service.put(addressOf(record, 'slug'), { title: 'Mine' }, caller)
    doesNotMatch(JSON.stringify(body), /secret/i)
  }
})
