import { findUserByLogin, insertUser } from '../../src/calendar/people/users.ts'
import { startSession } from '../../src/features/desk/sign-in/session-store.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { USERS } from '../support/service.ts'
import type { SeededRecord } from './calendar-seed.ts'

export interface DeskSessions {
  of: Readonly<Record<(typeof USERS)[number], string>>
  void: readonly string[]
  people: readonly SeededRecord[]
  renew: () => Promise<unknown>
}

const PEOPLE = 6
const YEAR_MS = 365 * 86_400_000

export async function openSessions({ write, read }: Database): Promise<DeskSessions> {
  const origin = { client: 'fuzz', address: '192.0.2.1' }
  const start = (login: string, at: number) =>
    write(async (tx) => {
      const user = await findUserByLogin(tx, login)
      if (!user) throw new Error(`there is no ${login}`)
      return `kalends=${await startSession(tx, user, at, origin)}`
    })
  const now = Date.now()
  const old = await start('editor', now - YEAR_MS)
  const live = await Promise.all(USERS.map(async (login) => [login, await start(login, now)] as const))
  const rows = await read.selectFrom('sessions').selectAll().execute()
  const people: SeededRecord[] = []
  for (let i = 0; i < PEOPLE; i++) {
    const login = `somebody${i}`
    const { id } = await write((tx) => insertUser(tx, { login, name: login, role: 'author' }, now))
    people.push({ path: `/desk/people/${id}`, id, slug: login })
  }
  return {
    of: Object.fromEntries(live) as DeskSessions['of'],
    void: [
      old,
      `kalends=${'A'.repeat(43)}`,
      'kalends=',
      'kalends=../../x',
      `__Host-${live[0]?.[1]}`,
      'kalends=%00',
    ],
    people,
    renew: () =>
      write((tx) =>
        tx
          .insertInto('sessions')
          .values(rows)
          .onConflict((on) => on.doNothing())
          .execute(),
      ),
  }
}
