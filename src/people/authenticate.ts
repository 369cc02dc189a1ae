import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Problem } from '../problems.ts'
import type { Database } from '../storage/database.ts'
import { anonymous, type Caller } from './caller.ts'
import { findTokenUser, isPasswordOf } from './credentials.ts'
import { findUser, findUserByLogin, type User } from './users.ts'

/** Tells who makes a request. */
export interface Authenticator {
  /**
   * The caller behind an `Authorization` header: Basic with login or e-mail address and application password, or Bearer with a token.
   * Without a header, with a token nobody has, and with any other scheme it is an anonymous one (contract 8.1).
   * @param address the client's
   * @param now milliseconds since the epoch
   * @throws Problem incorrect_password for a known login, invalid_username for an unknown one and for what cannot be read (contract 8.3)
   */
  authenticate: (header: string | undefined, address: string, now: number) => Promise<Caller>
  /** Looks everybody up again; to be called after every change of a user or credential. */
  forget: () => void
}

/** How long a caller is believed without a look at the database, in which another process may have revoked the credential. */
const BELIEVED_MS = 5000
const MOST_CALLERS = 1000

/**
 * Wires up authentication with its memory of callers and of failures.
 * @param sleep waits this many milliseconds
 */
export function makeAuthenticator(
  database: Database,
  sleep: (ms: number) => Promise<unknown> = setTimeout,
): Authenticator {
  const callers = new Map<string, { caller: Caller; since: number }>()
  const failures = countFailures()
  let generation = 0

  const findBelieved = (key: string, now: number) => {
    const known = callers.get(key)
    if (known && now >= known.since && now - known.since < BELIEVED_MS) return known.caller
    callers.delete(key)
    return undefined
  }
  const remember = (key: string, caller: Caller, since: number) => {
    if (callers.size >= MOST_CALLERS) dropOldest(callers)
    callers.set(key, { caller, since })
  }
  /** Waits before a refusal, and only then: whoever has a good credential is let in at once, whatever others try with their login. */
  const refuse = async (
    code: 'incorrect_password' | 'invalid_username',
    names: string[],
    now: number,
  ): Promise<never> => {
    const delay = Math.max(...names.map((name) => failures.note(name, now)))
    if (delay > 0) await sleep(delay)
    throw new Problem(code)
  }
  const byPassword = async (encoded: string, address: string, now: number): Promise<Caller> => {
    const sent = readBasic(encoded)
    if (!sent) return refuse('invalid_username', [`address ${address}`], now)
    const user = await findUserByLogin(database.read, sent.login)
    const right = await isPasswordOf(database.read, user, sent.password)
    if (user && right) return asCaller(user)
    const names = [`address ${address}`, `login ${user?.login ?? sent.login}`]
    return refuse(user ? 'incorrect_password' : 'invalid_username', names, now)
  }
  const byToken = async (token: string): Promise<Caller> => {
    const id = await findTokenUser(database.read, token)
    const user = id === undefined ? undefined : await findUser(database.read, id)
    return user ? asCaller(user) : anonymous
  }

  return {
    authenticate: async (header, address, now) => {
      const { scheme, credentials } = readHeader(header ?? '')
      if (header === undefined || (scheme !== 'basic' && scheme !== 'bearer')) return anonymous
      const key = hash('sha256', header, 'base64')
      const known = findBelieved(key, now)
      if (known) return known
      const started = generation
      const caller = scheme === 'basic' ? await byPassword(credentials, address, now) : await byToken(credentials)
      // What was read before a change must not be believed after it.
      if (caller !== anonymous && started === generation) remember(key, caller, now)
      return caller
    },
    forget: () => {
      generation += 1
      callers.clear()
    },
  }
}

function asCaller(user: User): Caller {
  return { id: user.id, login: user.login, role: user.role }
}

function readHeader(header: string): { scheme: string; credentials: string } {
  const text = header.trim()
  const [scheme = ''] = text.split(' ', 1)
  return { scheme: scheme.toLowerCase(), credentials: text.slice(scheme.length).trim() }
}

/** Login and password of a Basic header (RFC 7617, as UTF-8); undefined when it holds none. */
function readBasic(encoded: string): { login: string; password: string } | undefined {
  if (!/^[a-z0-9+/_-]+=*$/i.test(encoded)) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const login = text.slice(0, Math.max(colon, 0))
  // No login has control characters, and not every database takes them.
  if (login === '' || /\p{Cc}/u.test(login)) return undefined
  return { login, password: text.slice(colon + 1) }
}

const WINDOW_MS = 60_000
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 4000
const MOST_COUNTED = 10_000
/** A longer name is counted with all that start alike, so that memory is bounded. */
const LONGEST_COUNTED = 100

/** Counts failures per name within a minute. `note` adds one and says how long its refusal waits: 0 for the first five, then 250 ms doubling to 4 s. */
function countFailures() {
  const counted = new Map<string, { failures: number; since: number }>()
  return {
    note: (name: string, now: number): number => {
      const key = name.slice(0, LONGEST_COUNTED).toLowerCase()
      const before = counted.get(key)
      const entry = before && now - before.since < WINDOW_MS ? before : { failures: 0, since: now }
      entry.failures += 1
      counted.delete(key)
      if (counted.size >= MOST_COUNTED) dropOldest(counted)
      counted.set(key, entry)
      const late = entry.failures - FREE_FAILURES - 1
      return late < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** late, LONGEST_DELAY_MS)
    },
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
