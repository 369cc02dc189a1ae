import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { findUserByLogin } from '../../src/calendar/people/users.ts'
import { readToken, writeToken } from '../../src/features/sync/sync-token.ts'
import { addWebhook, MOST_WEBHOOKS } from '../../src/features/webhooks/webhook-store.ts'
import { assertNone } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { startServer } from '../support/server.ts'
import { type Answer, credentialsOf, type Reader, serviceForTests } from '../support/service.ts'

const run = promisify(execFile)
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const service = serviceForTests({ body_bytes: '9000' })
let close: () => void
let picture: string
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as its readers do.
let document: any

before(async () => {
  await service.ready
  document = (await service.get('/doc')).body
  const png = await drawPng(400, 300, '#396')
  const pictures = await startServer((_, response) =>
    response.setHeader('content-type', 'image/png').end(png),
  )
  close = pictures.close
  picture = `${pictures.origin}/poster.png`
})

after(() => close())

test('a client generated from the document creates, lists, changes and deletes an event', async (t) => {
  const project = await mkdtemp(join(tmpdir(), 'kalends-client-'))
  t.after(() => rm(project, { recursive: true }))
  await generateClient(project)
  await checkTypes(project)

  const { visit } = await import(pathToFileURL(join(project, 'client.ts')).href)
  const { created, listed, copied, updated, deleted, refused } = await visit(
    service.base,
    credentialsOf('admin').authorization,
  )
  deepEqual(created, {
    id: created.id,
    title: 'Harvest supper',
    venue: 'The Old Mill',
    organizers: ['Ann', 'Ben'],
    tags: ['Open air'],
  })
  deepEqual(listed, { ids: [created.id], total: '1' })
  deepEqual(copied, { title: 'Harvest supper for children', sameVenue: true })
  deepEqual(updated, { title: 'Harvest lunch', sticky: true, venue: 'The Old Mill', image: false })
  deepEqual(deleted, { status: 'trash' })
  deepEqual(refused, { status: 400, code: 'rest_invalid_param', params: ['geo_lng'] })
})

const GENERATORS = [
  {
    name: '@hey-api/openapi-ts',
    output: 'hey-api/index.ts',
    args: (from: string, to: string) => [
      '--input',
      from,
      '--output',
      dirname(to),
      '--no-log-file',
      '--silent',
    ],
  },
  { name: 'oazapfts', output: 'oazapfts.ts', args: (from: string, to: string) => [from, to] },
  {
    name: 'openapi-zod-client',
    output: 'zod.ts',
    args: (from: string, to: string) => [from, '--output', to],
  },
  {
    name: 'orval',
    output: 'orval.ts',
    args: (from: string, to: string) => ['--client', 'fetch', '--input', from, '--output', to],
  },
]

const takeOlderCompiler = () => `import { registerHooks } from 'node:module'
const older = ${JSON.stringify(file('openapi/node_modules/typescript/lib/typescript.js'))}
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? older : name, context) })
`

test('what other generators make of the document compiles, strictly', async (t) => {
  const project = await mkdtemp(join(tmpdir(), 'kalends-generators-'))
  t.after(() => rm(project, { recursive: true }))
  const from = join(project, 'doc.json')
  await writeFile(from, JSON.stringify(document))
  await symlink(file('node_modules'), join(project, 'node_modules'))
  const hook = join(project, 'older-compiler.mjs')
  await writeFile(hook, takeOlderCompiler())
  const env = { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` }
  await Promise.all(
    GENERATORS.map(({ name, output, args }) =>
      run(process.execPath, [programOf(name), ...args(from, join(project, output))], { cwd: project, env }),
    ),
  )
  const compilerOptions = {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const files = GENERATORS.map(({ output }) => output)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  await checkTypes(project)
})

async function checkTypes(project: string): Promise<void> {
  const words = [file('node_modules/typescript/bin/tsc'), '--singleThreaded', '-p', project]
  // GOGC: the checker ends before collecting its garbage, a fifth of its time, would pay.
  const env = { ...process.env, GOGC: 'off' }
  await run(process.execPath, words, { env }).catch((error) => fail(error.stdout))
}

function programOf(name: string): string {
  const require = createRequire(file('openapi/package.json'))
  const folder = require.resolve
    .paths(name)
    ?.map((modules) => join(modules, name))
    .find((candidate) => existsSync(join(candidate, 'package.json')))
  ok(folder, `${name} is not installed`)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[Object.keys(bin)[0] ?? ''])
}

test('every component of the document is named by an identifier; no enumeration is empty', () => {
  const names = Object.values<object>(document.components).flatMap((section) => Object.keys(section))
  assertNone(names, (name) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name))
  JSON.stringify(document, (key, value) => {
    if (key === 'enum' && Array.isArray(value))
      ok(
        value.every((entry) => typeof entry === 'string' && entry !== ''),
        JSON.stringify(value),
      )
    return value
  })
})

async function generateClient(project: string): Promise<void> {
  const compilerOptions = {
    target: 'ES2024',
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  await writeFile(join(project, 'doc.json'), JSON.stringify(document))
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))
  await copyFile(file('openapi/client.ts'), join(project, 'client.ts'))
  await symlink(file('node_modules'), join(project, 'node_modules'))
  const generator = file('openapi/node_modules/openapi-typescript/bin/cli.js')
  await run(process.execPath, [generator, join(project, 'doc.json'), '--output', join(project, 'service.ts')])
}

interface Sent {
  as?: Reader
  address?: Record<string, string | number>
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

const seen = new Set<string>()
const seenCodes = new Set<string>()

async function see(operation: string, sent: Sent, status: number): Promise<Answer> {
  return check(operation, sent, await ask(operation, sent), status)
}

function ask(operation: string, sent: Sent): Promise<Answer> {
  const [method = '', template = ''] = operation.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(sent.address?.[name])))
  const url = addressOf(template, path) + (sent.query ?? '')
  return service.request(sent.as ?? 'admin', method, url, sent.body, sent.headers)
}

function check(operation: string, sent: Sent, answer: Answer, status: number): Answer {
  const [method = '', template = ''] = operation.split(' ')
  const what = `${operation} ${answer.status}: ${JSON.stringify(answer.body)}`
  equal(answer.status, status, what)
  const { requestBody, responses } = document.paths[template][method.toLowerCase()]
  const described = resolve(responses[answer.status])
  ok(described, `not described: ${what}`)
  checkHeaders(answer.headers, described.headers, what)
  if (described.content) {
    match(answer.headers.get('content-type') ?? '', /^application\/json\b/, what)
    checkValue(answer.body, 'answer', described, what)
  } else equal(answer.body, undefined, what)
  if (status < 300 && isRecord(sent.body))
    checkValue(sent.body, 'sent', requestBody, `sent: ${JSON.stringify(sent.body)}`)
  seen.add(`${operation} ${status}`)
  if (status >= 400) seenCodes.add(answer.body.code)
  return answer
}

function addressOf(template: string, path: string): string {
  const [server] = document.paths[template].servers ?? []
  return server ? `~${new URL(server.url).pathname}${path}` : path
}

const isRecord = (body: unknown) =>
  body !== null && typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype

// biome-ignore lint/suspicious/noExplicitAny: parts of the document.
function resolve(part: any): any {
  const [, name, key] = /^#\/components\/(\w+)\/(.+)$/.exec(part?.$ref ?? '') ?? []
  return name && key ? document.components[name][key] : part
}

type DescribedHeaders = ReadonlyMap<string, { required: boolean; schema: { type: string } }>

let headersOfAll: DescribedHeaders | undefined

function knownHeaders(): DescribedHeaders {
  headersOfAll ??= findHeaders()
  return headersOfAll
}

function findHeaders(): DescribedHeaders {
  const known = new Map<string, { required: boolean; schema: { type: string } }>()
  JSON.stringify(document, (key, value) => {
    if (key === 'headers' && value !== document.components.headers)
      for (const [name, ref] of Object.entries(value ?? {})) known.set(name, resolve(ref))
    return value
  })
  return known
}

function checkHeaders(headers: Headers, described: Record<string, unknown>, what: string): void {
  for (const [name, { required, schema }] of knownHeaders()) {
    const value = headers.get(name)
    if (value === null) ok(!(name in described && required), `no ${name}: ${what}`)
    else ok(name in described, `undescribed ${name}: ${what}`)
    if (value !== null && schema.type === 'integer') match(value, /^\d+$/, `${name}: ${what}`)
  }
}

type Direction = 'sent' | 'answer'

// biome-ignore lint/suspicious/noExplicitAny: parts of the document.
function checkValue(value: unknown, direction: Direction, described: any, what: string): void {
  const validate = validatorOf(described.content['application/json'].schema, direction)
  const isValid = validate(value)
  ok(isValid, `${JSON.stringify(validate.errors, null, 1)} ${what}`)
}

const validators = new Map<string, ValidateFunction>()
const checkers = new Map<Direction, Ajv2020>()

function validatorOf(schema: object, direction: Direction): ValidateFunction {
  const key = direction + JSON.stringify(schema)
  const known = validators.get(key)
  if (known) return known
  const named = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
  const validate = checkerOf(direction).compile(direction === 'answer' ? closed(named) : named)
  validators.set(key, validate)
  return validate
}

function checkerOf(direction: Direction): Ajv2020 {
  const known = checkers.get(direction)
  if (known) return known
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
  addFormats.default(ajv)
  ajv.addKeyword('components')
  const { components } = document
  ajv.addSchema({ $id: 'document', components: direction === 'answer' ? closed(components) : components })
  checkers.set(direction, ajv)
  return ajv
}

function closed<T>(part: T): T {
  return JSON.parse(JSON.stringify(part), (_key, value) => {
    const isOpen = value?.type === 'object' && value.properties && value.additionalProperties === undefined
    return isOpen ? { ...value, additionalProperties: false } : value
  })
}

async function seeTwice(operation: string, sent: Sent): Promise<Answer> {
  const answer = await see(operation, sent, 200)
  const tag = answer.headers.get('etag') ?? ''
  await see(operation, { ...sent, headers: { 'If-None-Match': tag } }, 304)
  return answer
}

const UPDATES = ['POST', 'PUT', 'PATCH']
const NOWHERE = 999_999
const times = { start_date: '2027-05-04 19:30:00', end_date: '2027-05-04 21:00:00' }
const records = [
  { path: 'events', name: 'event', fields: { title: 'May concert', ...times } },
  { path: 'venues', name: 'venue', fields: { venue: 'Hall' } },
  { path: 'organizers', name: 'organizer', fields: { organizer: 'Ann' } },
]
const terms = [
  { path: 'categories', extra: { parent: 0 } },
  { path: 'tags', extra: {} },
]

test('the description itself is as described', async () => {
  await seeTwice('GET /doc', { as: 'anonymous' })
})

test('events in all their forms are as described', async () => {
  const category = await see(
    'POST /categories',
    { body: { name: 'Music', description: 'Loud & clear' } },
    201,
  )
  const venue = {
    venue: 'Arena',
    address: '1 Main St',
    city: 'Oslo',
    geo_lat: 59.9,
    geo_lng: 10.7,
    image: picture,
  }
  const whole = {
    title: 'Fish & chips',
    description: 'One\n\nTwo',
    excerpt: 'Short',
    ...times,
    timezone: 'Europe/Oslo',
    cost: '€10 - €25',
    website: 'https://example.org/?a=1&b=2',
    image: picture,
    show_map: true,
    categories: [category.body.id, 'Folk'],
    tags: 'open air,free entry',
    venue,
    organizer: [
      { organizer: 'Ben', email: 'ben@example.org', phone: '1', website: 'https://example.org' },
      { organizer: 'Cy' },
    ],
  }
  const event = await see('POST /events', { body: whole }, 201)
  const { id } = event.body
  const read = await see('GET /events/{id}', { as: 'anonymous', address: { id } }, 200)
  ok(read.body.json_ld.offers && read.body.image.sizes.medium && read.body.venue.image)
  const copied = await see('POST /events', { body: { ...read.body, title: 'Copy' } }, 201)
  equal(copied.body.venue.id, read.body.venue.id)

  const several = await see(
    'PATCH /events/{id}',
    { address: { id }, body: { venue: [venue, { venue: 'Annex' }] } },
    200,
  )
  equal(several.body.venue.length, 2)
  const none = await see(
    'PATCH /events/{id}',
    { address: { id }, body: { venue: [], organizer: '', image: '', tags: [], cost: '' } },
    200,
  )
  deepEqual([none.body.venue, none.body.organizer, none.body.image], [[], [], false])
  await see('POST /events', { body: { title: 'Idea', ...times, status: 'draft', all_day: true } }, 201)
  const form = new URLSearchParams({
    title: 'By form',
    ...times,
    'venue[venue]': 'Barn',
    'venue[city]': 'Bergen',
  })
  form.append('tags', 'one')
  form.append('tags', 'two')
  const sent = await see('POST /events', { body: form }, 201)
  deepEqual([sent.body.venue.city, sent.body.tags.length], ['Bergen', 2])
  const parts = new FormData()
  for (const [name, value] of form) parts.append(name, value)
  const again = await see('POST /events', { body: parts }, 201)
  deepEqual([again.body.venue.city, again.body.tags.length], ['Bergen', 2])

  const window = 'start_date=2027-05-01&end_date=2027-05-31'
  await see('GET /events', { query: `?${window}&categories=music,folk&featured=false&per_page=50` }, 200)
  const page = await see('GET /events', { query: `?${window}&per_page=2&page=2` }, 200)
  ok(page.body.next_rest_url && page.body.previous_rest_url && page.headers.get('link'))
})

const json = { 'content-type': 'application/json' }

for (const { path, name, fields } of records) {
  test(`what ${path} answer is as described`, async () => {
    await seeCollection(path, fields, { missing: {}, past: 404 })
    const other = await see(
      `POST /${path === 'venues' ? 'organizers' : 'venues'}`,
      { body: { venue: 'Elsewhere', organizer: 'Else' } },
      201,
    )
    const lost = await see(
      `POST /${path}`,
      { body: { ...fields, [Object.keys(fields)[0] ?? '']: 'Lost', status: 'draft' } },
      201,
    )
    await see(`GET /${path}/{id}`, { as: 'anonymous', address: { id: lost.body.id } }, 403)
    await see(`GET /${path}`, { query: '?status=publish,draft' }, 200)

    for (const by of ['id', 'slug']) {
      const item = by === 'id' ? `/${path}/{id}` : `/${path}/by-slug/{slug}`
      const made = await see(`POST /${path}`, { body: { ...fields, description: `By ${by}` } }, 201)
      const address = { [by]: made.body[by] }
      const unknown = by === 'id' ? { id: NOWHERE } : { slug: 'nowhere' }
      const ifUnknown = name === 'event' && by === 'id' ? 404 : 400
      await seeTwice(`GET ${item}`, { as: 'anonymous', address })
      await see(`GET ${item}`, { address: unknown }, ifUnknown)
      if (by === 'id') await see(`GET ${item}`, { address: { id: other.body.id } }, 400)

      for (const method of UPDATES) {
        const update = `${method} ${item}`
        await see(update, { address, body: { description: `By ${method}` } }, 200)
        await see(update, { address, body: { author: NOWHERE, status: 'gone' } }, 400)
        await see(update, { address: unknown, body: {} }, name === 'event' ? 404 : 400)
        await seeRefusals(update, address)
      }
      await see(`DELETE ${item}`, { address: unknown }, ifUnknown)
      if (by === 'id') await see(`DELETE ${item}`, { address: { id: other.body.id } }, 400)
      await seeRefusals(`DELETE ${item}`, address)
      const removed = await see(`DELETE ${item}`, { address }, 200)
      const gone = { [by]: removed.body[by] }
      await see(`DELETE ${item}`, { address: gone }, 410)
      // By slug, a trashed record that anonymous callers may not see is answered like one that does not
      // exist.
      await see(`GET ${item}`, { as: 'anonymous', address: gone }, by === 'id' ? 403 : 400)
    }
    const hidden = await see(
      `POST /${path}`,
      { body: { ...fields, description: 'Hidden', status: 'private' } },
      201,
    )
    await see(`GET /${path}/by-slug/{slug}`, { as: 'anonymous', address: { slug: hidden.body.slug } }, 403)
    if (name !== 'event') {
      await see(`POST /${path}`, { body: { [name]: '  ' } }, 400)
      await see(`PATCH /${path}/{id}`, { address: { id: lost.body.id }, body: { [name]: '  ' } }, 400)
    }
  })
}

for (const { path, extra } of terms) {
  test(`what ${path} answer is as described`, async () => {
    await seeCollection(path, { name: `Of ${path}`, ...extra }, { missing: { name: '' }, past: 200 })
    const item = `/${path}/{id}`
    const made = await see(`POST /${path}`, { body: { name: 'Blue', description: 'x' } }, 201)
    await see(`POST /${path}`, { body: { name: 'Blue' } }, 400)
    const child = await see(`POST /${path}`, { body: { name: 'Pale blue', parent: made.body.id } }, 201)
    const address = { id: child.body.id }
    await seeTwice(`GET ${item}`, { as: 'anonymous', address })
    await see(`GET ${item}`, { address: { id: NOWHERE } }, 400)
    for (const method of UPDATES) {
      await see(`${method} ${item}`, { address, body: { description: method } }, 200)
      await see(`${method} ${item}`, { address, body: { slug: made.body.slug } }, 400)
      await seeRefusals(`${method} ${item}`, address)
    }
    await seeRefusals(`DELETE ${item}`, address)
    await see(`DELETE ${item}`, { address }, 200)
    await see(`DELETE ${item}`, { address }, 400)
  })
}

test('what series answer is as described', async () => {
  const repeating = { title: 'Weekly', ...times, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3' }
  const make = async (more: object = {}) =>
    (await see('POST /events', { body: { ...repeating, ...more } }, 201)).body.post_parent
  const item = '/series/{id}'
  const address = { id: await make() }
  await seeTwice('GET /series', { as: 'anonymous' })
  await see('GET /series', { query: '?per_page=0' }, 400)
  await seeTwice(`GET ${item}`, { as: 'anonymous', address })
  await see(`GET ${item}`, { address: { id: NOWHERE } }, 404)
  await see(`GET ${item}`, { as: 'anonymous', address: { id: await make({ status: 'draft' }) } }, 403)
  for (const method of UPDATES) {
    await see(`${method} ${item}`, { address, body: { description: method } }, 200)
    await see(`${method} ${item}`, { address, body: { author: NOWHERE, status: 'gone' } }, 400)
    await see(`${method} ${item}`, { address: { id: NOWHERE }, body: {} }, 404)
    await seeRefusals(`${method} ${item}`, address)
  }
  await seeRefusals(`DELETE ${item}`, address)
  await see(`DELETE ${item}`, { address: { id: NOWHERE } }, 404)
  await see(`DELETE ${item}`, { address }, 200)
  await see(`DELETE ${item}`, { address }, 410)
})

test('changes by what is in the trash are answered as described', async () => {
  const repeating = { title: 'Gone', ...times, recurrence: 'RRULE:FREQ=DAILY;COUNT=2' }
  const { body: first } = await see('POST /events', { body: repeating }, 201)
  const { body: gone } = await see('DELETE /events/{id}', { address: { id: first.id } }, 200)
  const ended = { recurrence: '', recurrence_scope: 'all' }
  const { body: only } = await see(
    'POST /events',
    { body: { ...repeating, recurrence: 'RRULE:FREQ=DAILY;COUNT=1' } },
    201,
  )
  await see('PUT /events/{id}', { address: { id: only.id }, body: ended }, 200)
  for (const method of UPDATES) {
    const body = { title: 'All of them', recurrence_scope: 'all' }
    await see(`${method} /events/{id}`, { address: { id: gone.id }, body }, 410)
    await see(`${method} /events/by-slug/{slug}`, { address: { slug: gone.slug }, body }, 410)
    await see(
      `${method} /series/{id}`,
      { address: { id: only.post_parent }, body: { status: 'publish' } },
      410,
    )
  }
})

test('changes of one series by several people at once are answered as described', async () => {
  const body = { recurrence_scope: 'all' }
  const query = '?recurrence_scope=all'
  for (const method of [...UPDATES, 'DELETE']) {
    const sent = method === 'DELETE' ? { query } : { body }
    await seeConflict(`${method} /series/{id}`, {}, ({ post_parent: id }) => ({ id }))
    await seeConflict(`${method} /events/{id}`, sent, ({ id }) => ({ id }))
    await seeConflict(`${method} /events/by-slug/{slug}`, sent, ({ slug }) => ({ slug }))
  }
})

interface Occurrence {
  id: number
  slug: string
  post_parent: number
}

async function seeConflict(
  operation: string,
  sent: Sent,
  addressOf: (first: Occurrence) => Record<string, string | number>,
): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const repeating = { title: 'Ours', ...times, recurrence: 'RRULE:FREQ=DAILY;COUNT=20' }
    const { body } = await see('POST /events', { body: repeating }, 201)
    const asked = { ...sent, address: addressOf(body) }
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(operation, asked)))
    const late = answers.find(({ status }) => status === 409)
    if (late) return void check(operation, asked, late, 409)
  }
  fail(`nobody came too late for ${operation}`)
}

test('the feed of changes is as described', async () => {
  const { body } = await seeTwice('GET /changes', { query: '?per_page=1' })
  await see('GET /changes', { query: '?since=nonsense' }, 400)
  const { edition: _edition, ...token } = readToken(body.next_token) ?? fail('no token')
  const elsewhere = encodeURIComponent(writeToken({ ...token, edition: 'another' }))
  await see('GET /changes', { query: `?since=${elsewhere}` }, 410)
})

const histories = [
  { path: 'events', fields: { title: 'Of old', ...times } },
  { path: 'series', fields: { title: 'Of old', ...times, recurrence: 'RRULE:FREQ=YEARLY;COUNT=2' } },
  { path: 'venues', fields: { venue: 'Hall of old' } },
  { path: 'organizers', fields: { organizer: 'Ann of old' } },
  { path: 'categories', fields: { name: 'Of old' } },
  { path: 'tags', fields: { name: 'Of old' } },
]

for (const { path, fields } of histories) {
  test(`histories of ${path} are as described`, async () => {
    const made = (await see(`POST /${path === 'series' ? 'events' : path}`, { body: fields }, 201)).body
    const id = path === 'series' ? made.post_parent : made.id
    const list = `/kalends/v1/${path}/{id}/history`
    const one = `${list}/{version}`
    const restore = `POST ${one}/restore`
    const { body: first } = await see(`GET ${list}`, { address: { id } }, 200)
    const address = { id, version: first.version }
    await see(`PUT /${path}/{id}`, { address, body: { description: 'Anew' } }, 200)
    const { body } = await seeTwice(`GET ${list}`, { address, query: '?per_page=1' })
    equal(body.history[0].changes[0].member, 'description')
    await see(`GET ${list}`, { address, query: '?per_page=0' }, 400)
    await seeTwice(`GET ${one}`, { address })
    await see(restore, { address, body: {}, headers: { 'If-Match': '"of an earlier version"' } }, 412)
    await see(restore, { address, body: { members: ['nothing'] } }, 400)
    const { body: restored } = await see(restore, { address, body: { members: ['description'] } }, 200)
    deepEqual(restored.members, ['description'])
    const ifUnknown = path === 'events' || path === 'series' ? 404 : 400
    for (const operation of [`GET ${list}`, `GET ${one}`, restore]) {
      await see(operation, { as: 'anonymous', address }, 401)
      await see(operation, { as: 'subscriber', address }, 403)
      await see(operation, { address: { ...address, id: NOWHERE } }, ifUnknown)
      await see(operation, { address: { ...address, id: 'x' } }, 404)
      if (operation !== `GET ${list}`)
        await see(operation, { address: { id, version: body.version + 1e9 } }, 404)
    }
  })
}

test('versions that cannot be put back are answered as described', async () => {
  for (const { path } of terms) {
    const { body: term } = await see(
      `POST /${path}`,
      { body: { name: 'Before', slug: `slug-of-${path}` } },
      201,
    )
    const history = `/kalends/v1/${path}/{id}/history`
    const { body } = await see(`GET ${history}`, { address: { id: term.id } }, 200)
    await see(`PUT /${path}/{id}`, { address: { id: term.id }, body: { slug: `other-${path}` } }, 200)
    await see(`POST /${path}`, { body: { name: 'Taker', slug: `slug-of-${path}` } }, 201)
    const address = { id: term.id, version: body.version }
    await see(`POST ${history}/{version}/restore`, { address, body: { members: ['nothing'] } }, 400)
    const { body: restored } = await see(`POST ${history}/{version}/restore`, { address, body: {} }, 200)
    deepEqual(restored.left, [{ member: 'slug', value: `slug-of-${path}` }])
  }
  const history = '/kalends/v1/series/{id}/history'
  const restore = `POST ${history}/{version}/restore`
  for (let attempt = 0; attempt < 20; attempt++) {
    const repeating = { title: 'Theirs', ...times, recurrence: 'RRULE:FREQ=DAILY;COUNT=20' }
    const id = (await see('POST /events', { body: repeating }, 201)).body.post_parent
    const { version } = (await see(`GET ${history}`, { address: { id } }, 200)).body
    await see('PUT /series/{id}', { address: { id }, body: { title: 'Ours' } }, 200)
    const asked = { address: { id, version }, body: {} }
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(restore, asked)))
    const late = answers.find(({ status }) => status === 412)
    if (late) return void check(restore, asked, late, 412)
  }
  fail('nobody came too late')
})

test('settings are as described', async () => {
  await seeTwice('GET /settings', {})
  await see('GET /settings', { as: 'anonymous' }, 401)
  await see('GET /settings', { as: 'subscriber' }, 403)
  for (const method of UPDATES) {
    await see(`${method} /settings`, { body: { site_name: `By ${method}`, week_start: 'monday' } }, 200)
    await see(`${method} /settings`, { body: { pages_accent: 'red' } }, 400)
    await seeRefusals(`${method} /settings`, {})
    await see(`${method} /settings`, { body: { site_name: '', week_start: '' } }, 200)
  }
})

test('webhooks are as described', async () => {
  const url = 'https://webhooks.invalid/hook'
  const { body: webhook } = await see(
    'POST /webhooks',
    { body: { url, events: ['event.*'], private: true } },
    201,
  )
  const [address, nowhere] = [{ id: webhook.id }, { id: NOWHERE }]
  await see('POST /webhooks', { body: { url: 'http://localhost/' } }, 400)
  await see('POST /webhooks', { body: {} }, 400)
  await seeTwice('GET /webhooks', {})
  await seeTwice('GET /webhooks/{id}', { address })
  for (const method of ['PUT', 'PATCH']) {
    const update = `${method} /webhooks/{id}`
    await see(update, { address, body: { events: ['venue.*', '*'], enabled: false } }, 200)
    await see(update, { address, body: { events: 'nothing' } }, 400)
  }
  await see('POST /webhooks/{id}/test', { address }, 200)
  await see('POST /webhooks/{id}/rotate', { address }, 200)
  const { body } = await seeTwice('GET /webhooks/{id}/deliveries', { address })
  await see('GET /webhooks/{id}/deliveries', { address, query: '?per_page=0' }, 400)
  const resend = 'POST /webhooks/{id}/deliveries/{delivery}/resend'
  await see(resend, { address: { ...address, delivery: body.deliveries[0].id } }, 200)
  await see('POST /webhooks/{id}/deliveries/resend', { address }, 200)
  await see(resend, { address: { ...address, delivery: NOWHERE } }, 404)
  for (const operation of operations().filter((each) => each.includes('/webhooks'))) {
    for (const [as, status] of [
      ['anonymous', 401],
      ['subscriber', 403],
    ] as const)
      await see(operation, { as, address: { ...address, delivery: 1 } }, status)
    if (operation.includes('{id}')) await see(operation, { address: { ...nowhere, delivery: 1 } }, 404)
  }
  const added = { url, events: 'series.deleted', is_private: 0 }
  await service.app.database.write(async (tx) => {
    for (let i = 1; i < MOST_WEBHOOKS; i++) await addWebhook(tx, added, Date.now())
  })
  await see('POST /webhooks', { body: { url } }, 409)
  const headers = { ...json, 'idempotency-key': 'webhook' }
  await see('DELETE /webhooks/{id}', { address }, 200)
  const { body: keyed } = await see('POST /webhooks', { body: { url }, headers }, 201)
  await see('POST /webhooks', { body: { url, events: ['event.*'] }, headers }, 422)
  await see('DELETE /webhooks/{id}', { address: { id: keyed.id } }, 200)
})

test('batches are as described', async () => {
  const BATCH = 'POST /batch/v1'
  const batch = (name: string) => ({ requests: [{ path: '/tribe/events/v1/venues', body: { venue: name } }] })
  await see(BATCH, { body: batch('In a batch') }, 207)
  await see(BATCH, { body: { validation: 'require-all-validate', ...batch('All or none') } }, 207)
  await see(BATCH, { as: 'anonymous', body: batch('y'.repeat(70_000)) }, 401)
  await seeKeys(BATCH, 207, batch)
})

async function seeKeys(operation: string, status: number, bodyOf: (name: string) => object): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const body = bodyOf(`Keyed ${attempt}`)
    const headers = { ...json, 'idempotency-key': `${operation} ${attempt}` }
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(operation, { body, headers })))
    const early = answers.find((answer) => answer.status === 409)
    if (!early) continue
    check(operation, { body, headers }, early, 409)
    await see(operation, { body, headers }, status)
    await see(operation, { body: { ...body, slug: 'other' }, headers }, 422)
    return
  }
  fail(`nobody came too early for ${operation}`)
}

async function seeCollection(
  path: string,
  fields: object,
  { missing, past }: { missing: object; past: number },
): Promise<void> {
  await see(`POST /${path}`, { body: fields }, 201)
  await see(`POST /${path}`, { body: missing }, 400)
  await see(`POST /${path}`, { body: {} }, 400)
  await see(`POST /${path}`, { body: '{', headers: json }, 400)
  const [title = ''] = Object.keys(fields)
  await seeKeys(`POST /${path}`, 201, (name) => ({ ...fields, [title]: name }))
  await see(`POST /${path}`, { as: 'anonymous', body: { ...fields } }, 401)
  await see(`POST /${path}`, { as: 'subscriber', body: { ...fields } }, 403)
  await seeTwice(`GET /${path}`, { as: 'anonymous', query: '?hide_empty=false' })
  await see(`GET /${path}`, { query: '?per_page=0' }, 400)
  await see(`GET /${path}`, { query: '?page=9&hide_empty=false' }, past)
}

async function seeRefusals(operation: string, address: Record<string, string | number>): Promise<void> {
  const sent = operation.startsWith('DELETE') ? { address } : { address, body: {} }
  await see(operation, { ...sent, as: 'anonymous' }, 401)
  await see(operation, { ...sent, as: 'subscriber' }, 403)
  await see(operation, { ...sent, headers: { 'If-Match': '"of an earlier version"' } }, 412)
}

test('what is refused before it is looked at is as described', async () => {
  for (const operation of operations()) {
    const address = { id: 1, slug: 'x', delivery: 1, version: 1 }
    const [method = ''] = operation.split(' ')
    await see(operation, { address, query: `?x=${'y'.repeat(9000)}` }, 414)
    await see(operation, { address, query: `?${'x&'.repeat(2001)}` }, 400)
    if (operation.endsWith('{id}')) await see(operation, { address: { id: 'x' } }, 404)
    if (!UPDATES.includes(method)) continue
    await see(operation, { address, body: { description: 'y'.repeat(10_000) } }, 413)
    await see(operation, { address, body: 'x', headers: { 'content-type': 'nonsense' } }, 415)
    await see(
      operation,
      { address, body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      400,
    )
  }
})

test('credentials that are wrong are answered as described', async () => {
  const basic = (login: string) => ({
    authorization: `Basic ${Buffer.from(`${login}:wrong`).toString('base64')}`,
  })
  await see('GET /events', { headers: basic('admin') }, 401)
  await see('GET /tags', { headers: basic('nobody-at-all') }, 401)
  const expired = { authorization: `Bearer ${await expiredToken()}` }
  await see('GET /tags', { as: 'anonymous', headers: expired }, 401)
  const unknown = { authorization: expired.authorization.replace(/.{4}$/, 'AAAA') }
  await see('GET /tags', { as: 'anonymous', headers: unknown }, 401)
})

async function expiredToken(): Promise<string> {
  const { database } = service.app
  const now = Date.now()
  return database.write(async (tx) => {
    const author = await findUserByLogin(tx, 'author')
    ok(author)
    return addCredential(tx, author, 'token', 'expired', now - 2000, undefined, { expires: now - 1000 })
  })
}

test('every operation was seen with every status described, but for those no request can bring about', () => {
  const unseen = operations().flatMap((operation) => {
    const [method = '', template = ''] = operation.split(' ')
    const statuses = Object.keys(document.paths[template][method.toLowerCase()].responses)
    return statuses
      .filter((status) => !isOutOfReach(status, method))
      .map((status) => `${operation} ${status}`)
  })
  assertNone(unseen, (answer) => !seen.has(answer))
})

function isOutOfReach(status: string, method: string): boolean {
  return ['429', '500', '503', '507'].includes(status) || (status === '401' && method === 'GET')
}

test('every code described was seen', () => {
  // biome-ignore lint/suspicious/noExplicitAny: parts of the document.
  const responses: any[] = Object.values(document.components.responses)
  const codes = new Set<string>(
    responses.flatMap(
      (response) => response.content['application/json'].schema.allOf[1].properties.code.enum,
    ),
  )
  const ofTheService = [
    'rest_insufficient_storage',
    'rest_internal_error',
    'rest_read_only',
    'rest_unavailable',
    'too_many_attempts',
  ]
  deepEqual([...codes].filter((code) => !seenCodes.has(code)).sort(), ofTheService)
})

function operations(): string[] {
  return Object.entries<object>(document.paths).flatMap(([template, path]) => {
    const methods = Object.keys(path).filter((key) => key !== 'parameters' && key !== 'servers')
    return methods.map((method) => `${method.toUpperCase()} ${template}`)
  })
}
