import { hash } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import {
  type Cache,
  cacheBudget,
  drop,
  emptyCache,
  entryBytes,
  findCached,
  setCached,
} from '../../base/cache.ts'
import { Problem } from '../../base/problems.ts'
import type { Database } from '../../store/storage/database.ts'
import { anonymous, type Caller } from './caller.ts'
import {
  findPassword,
  findTokenCredential,
  isOurToken,
  noteUses,
  type ShownCredential,
} from './credentials.ts'
import {
  countedName,
  type Guesses,
  inTurn,
  makeGuesses,
  makeTurns,
  noteGuess,
  type TurnLimits,
  type Turns,
} from './turns.ts'
import { findUser, findUserByLogin, isActive, type User } from './users.ts'

export interface Authenticator {
  /**
   * The caller whom an Authorization header names (rule 27.1), else anonymous.
   * @param now in ms
   * @throws Problem incorrect_password, invalid_username (also for an unreadable header, rule 27.2),
   * credential_expired, invalid_token, too_many_attempts
   */
  authenticate: (header: string | undefined, address: string, now: number) => Promise<Caller>
  /** Discards all lookups. Must be called after every change of a user or credential. */
  forget: () => void
  close: () => Promise<void>
}

/** In ms. After this time, a credential is looked up again, even if nothing has changed. */
const BELIEVED_MS = 5000
/** Room for over a thousand callers. Failed attempts are not stored, so strangers evict nobody. */
const CALLER_BYTES = 1_000_000

interface SignedIn {
  /** Credentials valid at their last lookup; the next lookup does not wait for a turn. */
  proven: Cache<string, Proven>
  /** Lookups in progress, which simultaneous requests of one client share. */
  underWay: Map<string, Promise<Caller>>
  /** Counts changes of users and credentials. A row read before a change must not be trusted after it. */
  generation: number
}

/** A caller who needs no lookup in this generation, from `since` until `until`, in ms. */
interface Proven {
  caller: Caller
  since: number
  until: number
  generation: number
}

interface SignInState {
  database: Database
  failures: Guesses
  attempts: Turns
  uses: Uses
  signedIn: SignedIn
  sleep: (ms: number) => Promise<unknown>
  refused: OnRefused
  mayHaveChanged: () => boolean
}

/** Called for wrong or unreadable credentials. The login is empty for a token, and if none was sent. */
export type OnRefused = (address: string, login: string) => void

/**
 * Makes an authenticator with empty caches.
 * @param mayHaveChanged while true, every caller is looked up, since `forget` may not have been called
 */
export function makeAuthenticator(
  database: Database,
  sleep: (ms: number) => Promise<unknown> = sleepFor,
  refused: OnRefused = () => undefined,
  mayHaveChanged = () => false,
): Authenticator {
  const signedIn: SignedIn = {
    proven: emptyCache(cacheBudget(CALLER_BYTES)),
    underWay: new Map(),
    generation: 0,
  }
  const uses: Uses = { database, waiting: new Map(), timer: undefined }
  const signIn: SignInState = {
    database,
    failures: makeGuesses(),
    attempts: makeTurns(ATTEMPTS),
    uses,
    signedIn,
    sleep,
    refused,
    mayHaveChanged,
  }
  return {
    authenticate: (header, address, now) => authenticate(signIn, header, address, now),
    forget: () => {
      signedIn.generation += 1
      signedIn.underWay.clear()
    },
    close: () => writeUses(uses),
  }
}

async function authenticate(
  signIn: SignInState,
  header: string | undefined,
  address: string,
  now: number,
): Promise<Caller> {
  const { scheme, credentials } = readHeader(header ?? '')
  if (header === undefined || (scheme !== 'basic' && scheme !== 'bearer')) return anonymous
  const key = hash('sha256', header, 'base64')
  const { signedIn } = signIn
  const look = `${key} ${address}`
  if (!signIn.mayHaveChanged()) {
    const known = findBelieved(signedIn, key, now) ?? signedIn.underWay.get(look)
    if (known) return known
  }
  const looking = (
    scheme === 'basic'
      ? byPassword(signIn, key, credentials, address, now)
      : byToken(signIn, key, credentials, address, now)
  ).finally(() => {
    if (signedIn.underWay.get(look) === looking) signedIn.underWay.delete(look)
  })
  signedIn.underWay.set(look, looking)
  return looking
}

function findBelieved({ proven, generation }: SignedIn, key: string, now: number): Caller | undefined {
  const known = findCached(proven, key)
  return known?.generation === generation && now >= known.since && now < known.until
    ? known.caller
    : undefined
}

async function byPassword(
  signIn: SignInState,
  key: string,
  encoded: string,
  address: string,
  now: number,
): Promise<Caller> {
  const sent = readBasic(encoded)
  const attempt = () => tryPassword(signIn, key, sent, address, now)
  // A client with proven credentials does not wait behind others' attempts at its login.
  if (findCached(signIn.signedIn.proven, key)) return attempt()
  return inTurn(signIn.attempts, countedName(`${address} ${sent?.login ?? ''}`), attempt)
}

async function tryPassword(
  signIn: SignInState,
  key: string,
  sent: { login: string; password: string } | undefined,
  address: string,
  now: number,
): Promise<Caller> {
  const { generation } = signIn.signedIn
  if (!sent) {
    signIn.refused(address, '')
    return refuse(signIn, 'invalid_username', [`address ${address}`], now)
  }
  const { read } = signIn.database
  const user = onlyActive(await findUserByLogin(read, sent.login))
  const shown = await findPassword(read, user, sent.password)
  if (user && shown) return letIn(signIn, key, user, shown, generation, now)
  drop(signIn.signedIn.proven, key)
  signIn.refused(address, sent.login)
  const names = [`address ${address}`, `login ${user?.login ?? sent.login}`]
  return refuse(signIn, user ? 'incorrect_password' : 'invalid_username', names, now)
}

async function byToken(
  signIn: SignInState,
  key: string,
  token: string,
  address: string,
  now: number,
): Promise<Caller> {
  const { generation } = signIn.signedIn
  const { read } = signIn.database
  const shown = await findTokenCredential(read, token)
  const user = shown && onlyActive(await findUser(read, shown.user))
  if (user && shown) return letIn(signIn, key, user, shown, generation, now)
  signIn.refused(address, '')
  if (isOurToken(token)) throw new Problem('invalid_token')
  return anonymous
}

const onlyActive = (user: User | undefined) => (user && isActive(user) ? user : undefined)

function letIn(
  { signedIn, uses }: SignInState,
  key: string,
  user: User,
  { id, scopes, expires = Number.POSITIVE_INFINITY }: ShownCredential,
  generation: number,
  now: number,
): Caller {
  if (now >= expires) throw new Problem('credential_expired')
  const credential = { id, isLasting: expires === Number.POSITIVE_INFINITY }
  const caller: Caller = {
    id: user.id,
    login: user.login,
    role: user.role,
    ...(scopes && { scopes }),
    credential,
  }
  noteUse(uses, id, now)
  const proven = { caller, since: now, until: Math.min(now + BELIEVED_MS, expires), generation }
  setCached(signedIn.proven, key, proven, entryBytes(key, JSON.stringify(proven)))
  return caller
}

/** Refuses a sign-in, with a delay after several failures, which valid credentials never get. */
async function refuse(
  { failures, sleep }: SignInState,
  code: 'incorrect_password' | 'invalid_username',
  names: readonly string[],
  now: number,
): Promise<never> {
  // biome-ignore lint/plugin: the names that one attempt is counted under
  const delay = Math.max(...names.map((name) => noteGuess(failures, name, now)))
  if (delay > 0) await sleep(delay)
  throw new Problem(code)
}

function readHeader(header: string): { scheme: string; credentials: string } {
  const text = header.trim()
  const [scheme = ''] = text.split(' ', 1)
  return { scheme: scheme.toLowerCase(), credentials: text.slice(scheme.length).trim() }
}

/** Reads credentials of Basic authentication (RFC 7617) in UTF-8. */
function readBasic(encoded: string): { login: string; password: string } | undefined {
  if (!/^[a-z0-9+/_-]+=*$/i.test(encoded)) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const login = text.slice(0, Math.max(colon, 0))
  // Control characters occur in no login, and not every database accepts them.
  if (login === '' || /\p{Cc}/u.test(login)) return undefined
  return { login, password: text.slice(colon + 1) }
}

/**
 * Limits attempts for one login from one address. A refused attempt keeps its place during its delay, so
 * parallel guesses gain little.
 */
const ATTEMPTS: TurnLimits = { atOnce: 4, waiting: 50, code: 'too_many_attempts', retryAfter: 4 }

interface Uses {
  database: Database
  /** Times of last uses not yet written, in ms, by id of the credential. */
  waiting: Map<number, number>
  timer: NodeJS.Timeout | undefined
}

/** In ms. All uses within this time are written together. */
const WRITE_EVERY = 60_000

function noteUse(uses: Uses, id: number, now: number): void {
  uses.waiting.set(id, now)
  uses.timer ??= setTimeout(() => void writeUses(uses), WRITE_EVERY).unref()
}

/** Writes the waiting times. If that fails, they are lost: the next use writes a new one. */
async function writeUses(uses: Uses): Promise<void> {
  clearTimeout(uses.timer)
  uses.timer = undefined
  const used = [...uses.waiting]
  uses.waiting.clear()
  if (used.length > 0) await uses.database.write((tx) => noteUses(tx, used)).catch(() => undefined)
}
