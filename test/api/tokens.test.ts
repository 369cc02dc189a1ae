import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { type CredentialScope, SCOPES } from '../../src/calendar/people/caller.ts'
import {
  addCredential,
  type CredentialLimits,
  listCredentials,
} from '../../src/calendar/people/credentials.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { type Answer, type Reader, serviceForTests, startService } from '../support/service.ts'

const SOON = '2027-05-01 10:00:00'
const LOGINS = ['editor', 'author', 'contributor', 'subscriber'] as const
type Login = (typeof LOGINS)[number]

const service = serviceForTests()
const drafts = new Map<Login, number>()
const published = new Map<Login, number>()

const event = (more: object) => ({ title: 'A gathering', start_date: SOON, end_date: SOON, ...more })

async function make(path: string, sent: object): Promise<number> {
  const { status, body } = await service.post(path, sent)
  equal(status, 201, JSON.stringify(body))
  return body.id
}

before(async () => {
  await service.ready
  for (const login of LOGINS) {
    const author = service.userIds[login]
    drafts.set(login, await make('/events', event({ author, status: 'draft' })))
    published.set(login, await make('/events', event({ author })))
  }
})
async function tokenOf(login: Login, limits: CredentialLimits): Promise<string> {
  const { database } = service.app
  return database.write(async (tx) =>
    addCredential(tx, await getUserByLogin(tx, login), 'token', 'Test', Date.now(), undefined, limits),
  )
}

const ask = (token: string, method: string, path: string, body?: unknown) =>
  service.request('anonymous', method, path, body, { authorization: `Bearer ${token}` })

interface Action {
  name: string
  needs: readonly CredentialScope[]
  method: string
  path: (login: Login) => string
  body?: object
}

const other = (login: Login): Login => (login === 'editor' ? 'author' : 'editor')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const reads = ['read-drafts', 'write-own', 'write-all'] as const
const writes = ['write-own', 'write-all'] as const

const ACTIONS: readonly Action[] = [
  {
    name: 'reads its own draft',
    needs: reads,
    method: 'GET',
    path: (login) => `/events/${drafts.get(login)}`,
  },
  {
    name: 'reads the draft of somebody else',
    needs: ['read-drafts', 'write-all'],
    method: 'GET',
    path: (login) => `/events/${drafts.get(other(login))}`,
  },
  { name: 'lists drafts', needs: reads, method: 'GET', path: () => '/events?status=draft' },
  {
    name: 'makes an event',
    needs: writes,
    method: 'POST',
    path: () => '/events',
    body: event({ status: 'draft' }),
  },
  {
    name: 'changes its own draft',
    needs: writes,
    method: 'PATCH',
    path: (login) => `/events/${drafts.get(login)}`,
    body: { title: 'Changed' },
  },
  {
    name: 'changes what it has published',
    needs: writes,
    method: 'PUT',
    path: (login) => `/events/${published.get(login)}`,
    body: { title: 'Changed' },
  },
  {
    name: 'changes what somebody else has published',
    needs: ['write-all'],
    method: 'PATCH',
    path: (login) => `/events/${published.get(other(login))}`,
    body: { title: 'Changed' },
  },
  {
    name: 'makes a category',
    needs: ['write-all'],
    method: 'POST',
    path: () => '/categories',
    body: { name: 'x' },
  },
  { name: 'makes a tag', needs: ['write-all'], method: 'POST', path: () => '/tags', body: { name: 'x' } },
  { name: 'uploads an image', needs: ['media'], method: 'POST', path: () => '~/wp-json/wp/v2/media' },
]

let made = 0

const bodyOf = ({ body, path }: Action, login: Login) =>
  body && 'name' in body ? { name: `${path(login)} ${made++}` } : body

async function does(
  action: Action,
  login: Login,
  send: (method: string, path: string, body?: unknown) => Promise<Answer>,
) {
  const { status, body } = await send(action.method, action.path(login), bodyOf(action, login))
  ok([200, 201, 400, 401, 403].includes(status), `${action.name}: ${status} ${JSON.stringify(body)}`)
  return status < 300
}

async function uploads(authorization: Record<string, string>, as: Reader): Promise<boolean> {
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="dot.png"' }
  const { status } = await service.post('~/wp-json/wp/v2/media', new Uint8Array(PNG), as, {
    ...headers,
    ...authorization,
  })
  return status === 201
}

test(`${LOGINS.length * ACTIONS.length * 6} cells: a scope narrows what its owner may`, async () => {
  const limits: readonly (readonly CredentialScope[] | undefined)[] = [
    undefined,
    ...SCOPES.map((scope) => [scope]),
    ['read-drafts', 'media'],
  ]
  for (const login of LOGINS) {
    for (const scopes of limits) {
      const token = await tokenOf(login, { scopes })
      for (const action of ACTIONS) {
        const isUpload = action.name.startsWith('uploads')
        const mayOwner = isUpload
          ? await uploads({}, login)
          : await does(action, login, (...words) => service.request(login, ...words))
        const mayToken = isUpload
          ? await uploads({ authorization: `Bearer ${token}` }, 'anonymous')
          : await does(action, login, (...words) => ask(token, ...words))
        const isInScope = scopes === undefined || scopes.some((scope) => action.needs.includes(scope))
        equal(mayToken, mayOwner && isInScope, `${login} with ${scopes} ${action.name}`)
      }
    }
  }
})

test('any token reads what is published, and users/me tells what the token may do', async () => {
  const token = await tokenOf('editor', { scopes: ['media'] })
  equal((await ask(token, 'GET', `/events/${published.get('author')}`)).status, 200)
  equal((await ask(token, 'GET', '/events')).status, 200)
  const { body } = await ask(token, 'GET', '~/wp-json/wp/v2/users/me')
  deepEqual([body.roles, body.capabilities], [['editor'], { upload: true }])
})

test('lists, totals and Allow follow the scope', async () => {
  const [media, drafting, writing] = await Promise.all(
    (['media', 'read-drafts', 'write-own'] as const).map((scope) => tokenOf('editor', { scopes: [scope] })),
  )
  const listed = async (token = '') => {
    const { body } = await ask(token, 'GET', `/events?include=${[...drafts.values()].join()}`)
    return [body.total, body.events.length]
  }
  deepEqual(await listed(media), [0, 0])
  deepEqual(await listed(drafting), [4, 4])
  deepEqual(await listed(writing), [1, 1])
  const allowed = async (token = '', id: number | undefined) =>
    (await ask(token, 'GET', `/events/${id}`)).headers.get('allow')
  equal(await allowed(drafting, drafts.get('editor')), 'GET')
  equal(await allowed(writing, drafts.get('editor')), 'GET, DELETE, POST, PUT, PATCH')
  equal(await allowed(writing, published.get('author')), 'GET')
})

test('a token that may only write makes no terms through an event and imports no image', async () => {
  const token = await tokenOf('editor', { scopes: ['write-own'] })
  const { status, body } = await ask(
    token,
    'POST',
    '/events',
    event({ tags: 'made-by-a-token', categories: 'Made by a token' }),
  )
  equal(status, 201)
  deepEqual([body.tags, body.categories], [[], []])
})

test('an expired token is 401 for reads and writes, and one without a scope is the owner', async (t) => {
  const expires = Date.now() + 600_000
  const token = await tokenOf('author', { expires })
  equal((await ask(token, 'GET', `/events/${drafts.get('author')}`)).status, 200)
  t.mock.timers.enable({ apis: ['Date'], now: expires })
  for (const [method, path] of [
    ['GET', '/events'],
    ['POST', '/events'],
    ['GET', '~/wp-json/wp/v2/users/me'],
  ] as const) {
    const { status, body } = await ask(token, method, path, method === 'POST' ? event({}) : undefined)
    deepEqual(
      [status, body.code, body.data],
      [401, 'credential_expired', { status: 401 }],
      `${method} ${path}`,
    )
    match(body.message, /expired/)
  }
})

test('which credentials were used is known once the service has stopped', async () => {
  const own = await startService()
  const { database } = own.app
  const used = await database.write(async (tx) =>
    addCredential(tx, await getUserByLogin(tx, 'author'), 'token', 'Used', Date.now()),
  )
  await own.get('/events', 'anonymous', { authorization: `Bearer ${used}` })
  const author = await getUserByLogin(database.read, 'author')
  let kept: string[] = []
  const close = database.close
  database.close = async () => {
    kept = (await listCredentials(database.read, author)).map(
      ({ name, used_utc }) => `${name} ${used_utc.slice(0, 4)}`,
    )
    await close()
  }
  await own.close()
  deepEqual(kept, ['test ', `Used ${new Date().getUTCFullYear()}`])
})
