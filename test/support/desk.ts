import assert from 'node:assert/strict'
import { hashDeskPassword, makeHashing, setDeskPassword } from '../../src/calendar/people/desk-passwords.ts'
import { startSession } from '../../src/calendar/people/sessions.ts'
import { findUserByLogin } from '../../src/calendar/people/users.ts'
import { DESK_PAGES } from '../../src/serve/desk/desk.ts'
import type { Answer, TestService } from './service.ts'

/** A password for the desk that anybody may have. */
export const DESK_PASSWORD = 'correct horse battery'

let hash: Promise<string> | undefined

/** Gives a user `DESK_PASSWORD`, as a link would; it is hashed once for all of them, since that is much work. */
export async function giveDeskPassword({ app }: Pick<TestService, 'app'>, login: string): Promise<void> {
  hash ??= hashDeskPassword(makeHashing(), DESK_PASSWORD)
  const kept = await hash
  await app.database.write(async (tx) => {
    const user = await findUserByLogin(tx, login)
    assert.ok(user, login)
    await setDeskPassword(tx, user, kept, Date.now())
  })
}

/** Somebody at the desk, in a browser without a script. */
export interface AtDesk {
  cookie: string
  get: (path: string) => Promise<Answer>
  /** Posts a form; entries with several values are repeated with brackets. */
  post: (
    path: string,
    fields: Record<string, string | readonly string[]>,
    headers?: Record<string, string>,
  ) => Promise<Answer>
}

/** Sits a user of the test service at the desk, without the work of a password. */
export async function sitAtDesk(service: TestService, login: string): Promise<AtDesk> {
  const cookieId = await service.app.database.write(async (tx) => {
    const user = await findUserByLogin(tx, login)
    assert.ok(user, login)
    return startSession(tx, user, Date.now(), { client: 'test', address: '127.0.0.1' })
  })
  const cookie = `kalends=${cookieId}`
  const origin = new URL(service.origin).origin
  return {
    cookie,
    get: (path) => service.request('anonymous', 'GET', `~${path}`, undefined, { cookie, accept: 'text/html' }),
    post: (path, fields, headers = {}) => {
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
    },
  }
}

/** The addresses below the desk with the methods that each answers; a part with a colon, such as `:id`, is a variable. */
export function deskAddresses(): { at: string; methods: ('GET' | 'POST')[] }[] {
  return DESK_PAGES.map(({ at, get, post }) => ({
    at,
    methods: [...(get ? ['GET' as const] : []), ...(post ? ['POST' as const] : [])],
  }))
}
