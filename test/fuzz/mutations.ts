import type { Random } from '../../bench/random.ts'
import { USERS } from '../support/service.ts'
import { brokenBody } from './broken-bodies.ts'
import type { DescribedField, Operation, Schema } from './described-operations.ts'
import { FIELD_TRAPS, hostileText, hostileValue, type Room, runText } from './hostile-values.ts'
import {
  type Encoding,
  encodeText,
  type Member,
  type PlannedRequest,
  plainText,
  withHeader,
} from './planned-request.ts'

export interface MutationGround {
  operation: Operation
  operations: readonly Operation[]
  random: Random
}

type Mutation = (planned: PlannedRequest, ground: MutationGround) => PlannedRequest

const nameEndings = [
  ...['', '', '', '[]', '[0]', '[a]', '[a][b]', '[', ']', '[]]', '[[]]', '%5B%5D', '[__proto__]', '.x'],
  ...['[9999999]', '[0][0][0][0][0][0][0][0]'],
]

/** The longest query text. Longer ones are mostly refused before any code reads them. */
const LONGEST_QUERY = 7600

export function mutate(planned: PlannedRequest, ground: MutationGround, times: number): PlannedRequest {
  let changed = planned
  for (let i = 0; i < times; i++) changed = ground.random.pick(MUTATIONS)(changed, ground)
  return changed
}

const hostileMember: Mutation = (planned, { operation, random }) => {
  if (planned.body.kind !== 'members' || operation.body.length === 0) return planned
  const { name, schema } = pickField(operation.body, random)
  const room: Room = random.chance(0.7) ? roomOf(schema) : {}
  // Mostly texts, since most fields take text and most code reads it.
  const isText = schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))
  const value =
    isText && random.chance(0.7) ? hostileText(random, room.characters) : hostileValue(random, room)
  return setMember(planned, [name, value])
}

/** Picks a field, long texts more often, since most can be hidden in them. */
function pickField(fields: Operation['body'], random: Random): DescribedField {
  const long = fields.filter(({ name }) => name === 'description' || name === 'excerpt')
  return long.length > 0 && random.chance(0.3) ? random.pick(long) : random.pick(fields)
}

function roomOf({ anyOf = [], maxLength, maxItems }: Schema): Required<Room> {
  const entries = maxItems ?? anyOf.find((one) => one.maxItems !== undefined)?.maxItems
  return { characters: maxLength ?? 200_000, entries: entries ?? 500 }
}

function setMember(planned: PlannedRequest, member: Member): PlannedRequest {
  if (planned.body.kind !== 'members') return planned
  const others = planned.body.members.filter(([name]) => name !== member[0])
  return { ...planned, body: { ...planned.body, members: [...others, member] } }
}

const trappedMember: Mutation = (planned, { operation, random }) => {
  const traps = FIELD_TRAPS.filter(([field]) => operation.body.some(({ name }) => name === field))
  if (traps.length === 0) return planned
  const [name, value] = random.pick(traps)
  return setMember(planned, [name, value()])
}

const hostileFilter: Mutation = (planned, { operation, random }) => {
  const field = operation.query.length === 0 ? undefined : random.pick(operation.query)
  const name = field?.name ?? random.pick(['page', 'per_page', 'search', 'context'])
  return addQuery(planned, `${name}=${encodeText(hostileText(random, random.pick([20, 200, 2500])))}`)
}

function addQuery(planned: PlannedRequest, ...parts: readonly string[]): PlannedRequest {
  return { ...planned, query: planned.query.concat(parts) }
}

const filtersInBody: Mutation = (planned, { operations, random }) => {
  const list = random.pick(operations.filter(({ method, query }) => method === 'GET' && query.length > 3))
  const count = random.whole(1, 3)
  const members = Array.from(
    { length: count },
    (): Member => [random.pick(list.query).name, hostileValue(random)],
  )
  const encoding: Encoding = random.pick(['json', 'form', 'multipart'])
  const path = list.template.replaceAll(/\{\w+\}/g, '1')
  const moved: PlannedRequest = {
    ...planned,
    method: 'POST',
    path,
    body: { kind: 'members', encoding, members },
  }
  return random.chance(0.7)
    ? addQuery(moved, '_method=GET')
    : withHeader(moved, 'x-http-method-override', 'GET')
}

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND SEARCH LOCK QUERY'.split(' ')
const OVERRIDES = [
  ...METHODS,
  'get',
  'Delete',
  '',
  '__proto__',
  'constructor',
  'GET,POST',
  'CONNECT',
  'X'.repeat(500),
]

const otherMethod: Mutation = (planned, { random }) => ({ ...planned, method: random.pick(METHODS) })

const override: Mutation = (planned, { random }) => {
  const method = random.pick(OVERRIDES)
  const posted = random.chance(0.8) ? { ...planned, method: 'POST' } : planned
  return random.chance(0.6)
    ? addQuery(
        posted,
        random.pick([`_method=${method}`, `_method[]=${method}`, `_method=${method}&_method=PUT`]),
      )
    : withHeader(posted, 'x-http-method-override', method)
}

const prototypeKeys: Mutation = (planned, { random }) => {
  const key = random.pick(
    '__proto__ constructor constructor[prototype] __proto__[polluted] toString hasOwnProperty'.split(' '),
  )
  const added = addQuery(planned, `${key}=${random.pick(['1', 'polluted', ''])}`)
  const { body } = planned
  if (body.kind !== 'members') return added
  const member: Member = [
    key,
    random.pick<unknown>([1, { polluted: 1 }, { prototype: { polluted: 1 } }, 'x', [1]]),
  ]
  return { ...planned, body: { ...body, members: [...body.members, member] } }
}

const repeated: Mutation = (planned, { operation, random }) => {
  const known = [...operation.query, ...operation.body].map(({ name }) => name)
  const name = known.length === 0 ? 'page' : random.pick(known)
  const suffix = random.pick(nameEndings)
  const value = encodeText(random.chance(0.5) ? String(random.whole(0, 20)) : hostileText(random, 200))
  const escaped = random.chance(0.2) ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name
  return addQuery(planned, `${escaped}${suffix}=${value}`, ...(random.chance(0.5) ? [`${name}=1`] : []))
}

const manyParameters: Mutation = (planned, { operation, random }) => {
  const known = [...operation.query, ...operation.body].map(({ name }) => name)
  const name = random.pick(['a', 'k', '__proto__', ...known])
  const unit = random.pick([
    `${name}&`,
    `${name}=1&`,
    `${name}[]=1&`,
    `${name}[a]=1&`,
    '&',
    '=&',
    '[]&',
    '%&',
    '+&',
    `${name};`,
  ])
  const nested = `${name}${random.pick(['[a]', '[]', '[', ']', '%5B', '[0]'])}`
  const size = random.pick([100, 2000, 100_000, 1_900_000])
  const room = planned.method === 'GET' ? LONGEST_QUERY : size
  const text = random.chance(0.6) ? unit.repeat(room / unit.length) : nested.repeat(room / nested.length)
  if (planned.method === 'GET') return addQuery(planned, text)
  return {
    ...planned,
    body: { kind: 'bytes', type: 'application/x-www-form-urlencoded', bytes: Buffer.from(text) },
  }
}

const otherType: Mutation = (planned, { random }) =>
  withHeader(planned, 'content-type', random.pick(CONTENT_TYPES))
const CONTENT_TYPES = [
  ...(
    'application/json|application/json; charset=utf-16|application/vnd.x+json|text/plain|text/html|' +
    'application/xml'
  ).split('|'),
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=x',
  ],
  ...'image/png|image/svg+xml|application/octet-stream||;|/|a/b/c|application/json,text/plain|json'.split(
    '|',
  ),
]

const PATH_TRICKS: readonly ((path: string, random: Random) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path}/..`,
  (path) => `${path}/../../events`,
  (path) => `${path}%2f..%2f..`,
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '%252f'),
  (path) => path.replaceAll('/', '\\'),
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%zz%80%ff`,
  (path) => `${path};x=1`,
  (path) => `${path}.json`,
  (path) => path.replace(/\d+$/, random0x),
  (path) => path.replace(/\d+$/, '99999999999999999999'),
  (path) => path.replace(/\d+$/, '9223372036854775808'),
  (path) => path.replace(/\d+$/, '0'),
  (path) => path.replace(/\d+$/, '-1'),
  (path) => path.replace(/\d+$/, '1e3'),
  (path) => path.replace(/\d+$/, '%31'),
  (path) => path.replace(/\/[^/]*$/, '/__proto__'),
  (path, random) => path.replace(/\/[^/]*$/, `/${encodeText(hostileText(random, 2000))}`),
  (path, random) => `${path}/${encodeText(runText(random, 2000))}`,
  (path) => `http://evil.example${path}`,
]
const random0x = '0000000000000000000000001'

const pathTrick: Mutation = (planned, { random }) => ({
  ...planned,
  path: random.pick(PATH_TRICKS)(planned.path, random),
})

const restRoute: Mutation = (planned, { random }) =>
  addQuery(
    { ...planned, path: random.pick(['/', '/index.php']) },
    `rest_route=${encodeText(
      random.pick([planned.path.replace(/^\/wp-json/, ''), '/', '', '//', hostileText(random, 500)]),
    )}`,
  )

const META = '_fields _envelope _pretty _embed context _locale _jsonp password _wpnonce rest_route'.split(' ')
const META_VALUES =
  '|1|0|true|id|id,title|events.id,events.venue|events.__proto__|a.b.c.d.e.f|.|,|edit'.split('|')

const metaParameter: Mutation = (planned, { random }) => {
  const name = random.pick(META)
  const value = random.chance(0.7) ? random.pick(META_VALUES) : hostileText(random, 2000)
  return addQuery(planned, `${name}${random.pick(['', '', '[]', '[a]'])}=${encodeText(value)}`)
}

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'if-none-match': [
    '*',
    '"x"',
    'W/"x"',
    'W/"',
    '"'.repeat(5000),
    'W/"a",'.repeat(3000),
    ',',
    ' '.repeat(5000),
  ],
  'if-modified-since': ['Sat, 21 Nov 2026 00:00:00 GMT', 'x', '-1'],
  range: [
    'bytes=0-1',
    'bytes=-1',
    'bytes=99999999999-',
    'bytes=0-0,1-1,2-2',
    'bytes=x',
    `bytes=${'0-1,'.repeat(3000)}`,
  ],
  'accept-encoding': [
    'gzip',
    'br',
    'zstd',
    'deflate',
    'gzip;q=0, br;q=1',
    '*',
    'identity;q=0',
    'gzip;q=x',
    `${'gzip,'.repeat(5000)}br`,
    ';q='.repeat(5000),
  ],
  authorization: [
    'Basic',
    'Bearer',
    'Bearer x',
    `Bearer ${'a'.repeat(20_000)}`,
    'Digest x',
    'Bearer \u00e9',
    ' ',
    'Token abc',
    'Bearer  a  b ',
  ],
  origin: ['null', 'https://evil.example', '*', 'x'.repeat(5000), 'http://\u00e9'],
  accept: ['*/*', 'text/html', 'application/xml;q=1', `${'a/b,'.repeat(5000)}c/d`],
  expect: ['100-continue', 'x'],
  'content-encoding': ['gzip', 'br', 'identity', 'x'],
  'x-forwarded-for': ['1.2.3.4', 'x', '1.2.3.4,'.repeat(3000)],
  'x-forwarded-proto': ['https', 'x'],
  host: ['', 'evil.example', '[::1', 'x'.repeat(5000), 'a:b:c'],
  'x-request-id': ['x', 'a\tb', 'x'.repeat(8000)],
  cookie: ['a=b', 'x'.repeat(8000)],
  'x-wp-nonce': ['x'],
  connection: ['close', 'upgrade', 'x'],
  upgrade: ['websocket', 'h2c'],
  'access-control-request-method': ['POST', 'x'],
}

const header: Mutation = (planned, { random }) => {
  const [name, values] = random.pick(Object.entries(HEADERS))
  return withHeader(planned, name, random.pick(values))
}

/** Sends a wrong password. This is rare, since the answer is slow on purpose. */
const wrongPassword: Mutation = (planned, { random }) =>
  random.chance(0.01)
    ? withHeader(planned, 'authorization', random.pick(['Basic %%%', 'Basic YTpi', 'Basic OjpkOg==']))
    : planned

const otherCaller: Mutation = (planned, { random }) => ({
  ...planned,
  as: random.pick([...USERS, 'anonymous']),
})

const bodyInQuery: Mutation = (planned) => {
  if (planned.body.kind !== 'members') return planned
  const parts = planned.body.members.map(
    ([name, value]) => `${encodeText(name)}=${encodeText(plainText(value).slice(0, 1000))}`,
  )
  return { ...addQuery(planned, ...parts), body: { kind: 'none' } }
}

const broken: Mutation = (planned, { random }) => ({ ...planned, body: brokenBody(planned.body, random) })

const upload: Mutation = (planned, { operations, random }) => {
  const media = operations.filter(({ template }) => template.endsWith('/media'))
  const path = media.length === 0 ? planned.path : random.pick(media).template
  return { ...planned, method: 'POST', path, body: brokenBody({ kind: 'none' }, random) }
}

const MUTATIONS: readonly Mutation[] = [
  ...[
    hostileMember,
    hostileMember,
    hostileMember,
    hostileMember,
    hostileMember,
    hostileMember,
    hostileMember,
  ],
  ...[
    hostileFilter,
    hostileFilter,
    hostileFilter,
    hostileFilter,
    filtersInBody,
    filtersInBody,
    otherMethod,
    override,
  ],
  ...[
    prototypeKeys,
    repeated,
    repeated,
    manyParameters,
    otherType,
    pathTrick,
    pathTrick,
    restRoute,
    metaParameter,
    metaParameter,
  ],
  ...[header, header, trappedMember, wrongPassword, otherCaller, bodyInQuery, broken, upload],
]
