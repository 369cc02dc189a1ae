import { equal, ifError, ok } from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { before } from 'node:test'
import { pino } from 'pino'
import { findUserByLogin } from '../../src/calendar/people/users.ts'
import { DESK_PAGES } from '../../src/features/desk/desk.ts'
import { listDeskParts } from '../../src/features/desk/desk-part.ts'
import {
  hashDeskPassword,
  makeHashing,
  setDeskPassword,
} from '../../src/features/desk/sign-in/password-hashes.ts'
import { startSession } from '../../src/features/desk/sign-in/session-store.ts'
import { features } from '../../src/features.ts'
import { type Answer, type TestService, testConfig } from './service.ts'

export const DESK_PASSWORD = 'correct horse battery'

let hash: Promise<string> | undefined

export async function giveDeskPassword({ app }: Pick<TestService, 'app'>, login: string): Promise<void> {
  hash ??= hashDeskPassword(makeHashing(), DESK_PASSWORD)
  const kept = await hash
  await app.database.write(async (tx) => {
    const user = await findUserByLogin(tx, login)
    ok(user, login)
    await setDeskPassword(tx, user, kept, Date.now())
  })
}

export interface AtDesk {
  cookie: string
  get: (path: string) => Promise<Answer>
  post: (
    path: string,
    fields: Record<string, string | readonly string[]>,
    headers?: Record<string, string>,
  ) => Promise<Answer>
  /** Posts a form that must be saved. Returns the number in the address that it leads to. */
  save: (path: string, fields: Record<string, string | readonly string[]>) => Promise<number>
}

export async function sitAtDesk(service: TestService, login: string): Promise<AtDesk> {
  const cookieId = await service.app.database.write(async (tx) => {
    const user = await findUserByLogin(tx, login)
    ok(user, login)
    return startSession(tx, user, Date.now(), { client: 'test', address: '127.0.0.1' })
  })
  const cookie = `kalends=${cookieId}`
  const origin = new URL(service.origin).origin
  const post: AtDesk['post'] = (path, fields, headers = {}) => {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(fields))
      if (typeof value === 'string') form.append(name, value)
      else for (const one of value) form.append(`${name}[]`, one)
    return service.request('anonymous', 'POST', `~${path}`, form, {
      cookie,
      origin,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    })
  }
  return {
    cookie,
    get: (path) => service.page(path, { cookie }),
    post,
    save: async (path, fields) => {
      const { status, body, headers } = await post(path, fields)
      equal(status, 303, `${path}: ${body}`)
      return Number(/\/(\d+)(?:\?|$)/.exec(headers.get('location') ?? '')?.[1])
    },
  }
}

/** Somebody at the desk for the tests of this file or suite, once their first `before` has run. */
export function deskHere(service: TestService, login: string): AtDesk {
  let desk: AtDesk
  before(async () => {
    desk = await sitAtDesk(service, login)
  })
  return new Proxy({} as AtDesk, { get: (_, name) => Reflect.get(desk, name) })
}

interface DeskAddress {
  at: string
  methods: ('GET' | 'POST')[]
}

/** With those of other features. */
export async function deskAddresses(): Promise<DeskAddress[]> {
  const logger = pino({ level: 'silent' })
  const tell = () => undefined
  const start = { config: testConfig(tmpdir()), features, logger, report: ifError, tell }
  const parts = await listDeskParts({ ...start, settingWords: undefined })
  return [...DESK_PAGES, ...parts.flatMap(({ pages }) => pages)].map(({ at, get, post }) => ({
    at,
    methods: [...(get ? ['GET' as const] : []), ...(post ? ['POST' as const] : [])],
  }))
}
