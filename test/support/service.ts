import { equal, fail } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, startApp } from '../../src/app.ts'
import { type Config, readConfig, type SettingName } from '../../src/base/config.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { createFirstAdministrator } from '../../src/calendar/people/first-administrator.ts'
import { findUserByLogin, insertUser, listUsers } from '../../src/calendar/people/users.ts'
import { features } from '../../src/features.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { patient, scratchDatabase, type Template } from './database.ts'
import { featureTables } from './feature-tables.ts'
import { send } from './send.ts'
import { PATIENCE_MS, until } from './waiting.ts'

export type Reader = 'anonymous' | 'admin' | 'editor' | 'author' | 'contributor' | 'subscriber'

export const USERS = ['admin', 'editor', 'author', 'contributor', 'subscriber'] as const
const roleOf = (login: (typeof USERS)[number]) => (login === 'admin' ? 'administrator' : login)

export const PASSWORD = 'abcd EFGH 1234 ijkl MNOP 5678'

export type Settings = Partial<Record<SettingName, string>>

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Body = any

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

export interface TestService {
  app: App
  base: string
  origin: string
  config: Config
  request: (
    as: Reader,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>
  get: (path: string, as?: Reader, headers?: Record<string, string>) => Promise<Answer>
  /** Gets and returns the body. Fails unless the status is 200. */
  read: (path: string, as?: Reader) => Promise<Body>
  post: (path: string, body: unknown, as?: Reader, headers?: Record<string, string>) => Promise<Answer>
  put: (path: string, body: unknown, as?: Reader, headers?: Record<string, string>) => Promise<Answer>
  remove: (path: string, as?: Reader, headers?: Record<string, string>) => Promise<Answer>
  create: (path: string, body: object, as?: Reader) => Promise<Body>
  event: (body: object, as?: Reader) => Promise<Body>
  update: (path: string, body: object, as?: Reader) => Promise<Body>
  /** Asks as a browser does. */
  page: (path: string, headers?: Record<string, string>) => Promise<Answer>
  /** The body of a page, whose status must be 200. */
  shown: (path: string, headers?: Record<string, string>) => Promise<string>
  userIds: Readonly<Record<string, number>>
  close: () => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** An empty zone stands for none. */
export function testConfig(folder: string, settings: Settings = {}): Config {
  const { timezone = 'America/New_York', ...others } = settings
  return readConfig(
    {
      ...(timezone !== '' && { timezone }),
      port: '0',
      log_level: 'silent',
      drain_ms: '0',
      image_hosts: '127.0.0.1',
      data: folder,
      ...others,
    },
    {},
    features,
  )
}

export async function addUsers({ database }: Pick<App, 'database'>): Promise<Record<string, number>> {
  const now = Date.now()
  const ids: Record<string, number> = {}
  for (const { login, id } of await listUsers(database.read)) ids[login] = id
  if (USERS.every((login) => login in ids)) return ids
  await database.write(async (tx) => {
    for (const login of USERS) {
      const known = await findUserByLogin(tx, login)
      const user =
        known ??
        (await insertUser(
          tx,
          { login, email: `${login}@example.org`, name: login, role: roleOf(login) },
          now,
        ))
      await addCredential(tx, user, 'password', 'test', now, PASSWORD)
      ids[login] = user.id
    }
  })
  return ids
}

export async function makeCalendar(address: string): Promise<void> {
  const database = await openDatabase(address)
  try {
    await migrate(database, await featureTables())
    await addUsers({ database })
  } finally {
    await database.close()
  }
}

/** Fills a template as the first start of a service would. */
export async function fillTemplate(address: string, content: Template): Promise<void> {
  const database = await openDatabase(address)
  try {
    await migrate(database, await featureTables())
    if (content !== 'users') return
    await createFirstAdministrator(database, Date.now())
    await addUsers({ database })
  } finally {
    await database.close()
  }
}

export function credentialsOf(as: Reader): Record<string, string> {
  return as === 'anonymous'
    ? {}
    : { authorization: `Basic ${Buffer.from(`${as}:${PASSWORD}`).toString('base64')}` }
}

export const day = { start_date: '2027-04-01 10:00:00', end_date: '2027-04-01 12:00:00' }

export const onDay = (day: string, from: string, to = from) => ({
  start_date: `${day} ${from}`,
  end_date: `${day} ${to}`,
})

const AGAIN_AFTER = 50

export async function startService(
  settings: Settings = {},
  { seesRefusals = false } = {},
): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  const scratch = settings.database === undefined ? await scratchDatabase('users') : undefined
  const config = testConfig(folder, { ...(scratch && { database: patient(scratch.address) }), ...settings })
  const app = await startApp(config)
  const userIds = await addUsers(app)
  const { base, url: origin } = app.site
  const agent = new Agent({ keepAlive: true })
  const request: TestService['request'] = async (as, method, path, body, headers = {}) => {
    const isText =
      typeof body === 'string' ||
      body instanceof FormData ||
      body instanceof URLSearchParams ||
      body instanceof Uint8Array
    const typed = body === undefined || isText ? {} : { 'content-type': 'application/json' }
    const url = path.startsWith('~') ? origin + path.slice(1) : base + path
    const sending = {
      headers: { ...credentialsOf(as), ...typed, ...headers },
      body: body === undefined || isText ? body : JSON.stringify(body),
    }
    for (const start = performance.now(); ; await sleep(AGAIN_AFTER)) {
      const { text, ...sent } = await send(agent, method, url, sending)
      const answer: Answer = { ...sent, body: parsed(text) }
      if (seesRefusals || !isRefused(answer) || performance.now() - start > PATIENCE_MS) return answer
    }
  }
  const page: TestService['page'] = (path, headers) =>
    request('anonymous', 'GET', `~${path}`, undefined, { accept: 'text/html', ...headers })
  const close = async () => {
    await app.stop()
    agent.destroy()
    await scratch?.remove()
    await rm(folder, { recursive: true, force: true })
  }
  const create: TestService['create'] = async (path, body, as = 'admin') =>
    bodyOf(await request(as, 'POST', path, body), 201)
  return {
    app,
    base,
    origin,
    config,
    request,
    page,
    shown: async (path, headers) => String(bodyOf(await page(path, headers), 200)),
    get: (path, as = 'anonymous', headers) => request(as, 'GET', path, undefined, headers),
    post: (path, body, as = 'admin', headers) => request(as, 'POST', path, body, headers),
    put: (path, body, as = 'admin', headers) => request(as, 'PUT', path, body, headers),
    remove: (path, as = 'admin', headers) => request(as, 'DELETE', path, undefined, headers),
    read: async (path, as = 'anonymous') => bodyOf(await request(as, 'GET', path), 200),
    create,
    event: (body, as) => create('/events', body, as),
    update: async (path, body, as = 'admin') => bodyOf(await request(as, 'PUT', path, body), 200),
    userIds,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * A service for the tests of this file or suite, once their first `before` has run. `fill` goes with its
 * start,
 * since hooks outside suites do not wait for each other.
 */
export function serviceForTests(
  settings?: Settings,
  { fill, ...options }: { seesRefusals?: boolean; fill?: () => Promise<unknown> } = {},
): TestService & { ready: Promise<void> } {
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let started: TestService | undefined
  before(async () => {
    started = await startService(settings, options)
    await fill?.()
    resolve()
  })
  after(() => started?.close())
  // Until the start only functions are asked for, as by `const { create } = service`.
  const running = () => started ?? fail('the service has not started')
  return new Proxy({ ready } as TestService & { ready: Promise<void> }, {
    get: (own, name) => {
      const ask = (...sent: unknown[]) => Reflect.get(running(), name)(...sent)
      return name === 'ready' ? own.ready : started ? Reflect.get(started, name) : ask
    },
  })
}

export const memoryFilled = ({ get }: Pick<TestService, 'get'>): Promise<number> =>
  until(async () => (await get('~/readyz')).body.memory === 'filled', 'the memory was not filled', 20)

function isRefused({ status, headers, body }: Answer): boolean {
  if (status !== 503 || headers.get('retry-after') !== '1') return false
  return typeof body === 'string' || body.code === 'rest_unavailable'
}

function bodyOf({ status, body }: Answer, expected: number): Body {
  equal(status, expected, JSON.stringify(body))
  return body
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}
