import { setTimeout as sleepFor } from 'node:timers/promises'
import { Problem } from '../../../base/problems.ts'
import { clientOf } from '../../../base/text/urls.ts'
import type { OnRefused } from '../../../calendar/people/authenticate.ts'
import { hasDeskPassword } from '../../../calendar/people/desk-passwords.ts'
import { listSessions } from '../../../calendar/people/sessions.ts'
import {
  countedName,
  type Guesses,
  inTurn,
  makeGuesses,
  makeTurns,
  noteGuess,
  type TurnLimits,
  type Turns,
  WINDOW_MS,
} from '../../../calendar/people/turns.ts'
import { findUserByLogin, type User } from '../../../calendar/people/users.ts'
import type { Database, Db } from '../../../store/storage/database.ts'
import { type Tx, type Writer, writerBy } from '../../../store/storage/recording.ts'
import { lackBehind } from '../../../store/storage/unavailable.ts'
import {
  findRightHash,
  type Hashing,
  hashDeskPassword,
  holdsHash,
  makeHashing,
  type SentPassword,
  setDeskPassword,
} from './password-hashes.ts'
import {
  endSession,
  findSession,
  noteSeen,
  type SessionOrigin,
  sessionExists,
  startSession,
} from './session-store.ts'
import { findSignInLink, type SignInLink, useSignInLink } from './sign-in-links.ts'

/** Checks sign-ins to the desk. Failed ones are counted per process. */
export interface DeskGate {
  /**
   * Checks login and password, and begins a session. Undefined for a wrong password, after a delay that grows
   * with the failures. Failures of other clients never delay a right password, and a client where the user
   * already has a session is not refused for too many attempts.
   * @throws Problem too_many_attempts, or rest_unavailable if too many sign in at once
   */
  signIn: (sent: SentSignIn, origin: SessionOrigin, now: number) => Promise<SignedInAtDesk | undefined>
  /**
   * Begins a session by a sign-in link, and sets the password if one is sent; undefined if the link is not
   * valid.
   * @throws Problem rest_unavailable if too many passwords are being hashed
   */
  signInByLink: (sent: SentByLink, origin: SessionOrigin, now: number) => Promise<SignedInAtDesk | undefined>
  /**
   * Sets the password, ends all sessions of the user and returns the id of a new one. Undefined if the
   * current password is wrong or was changed meanwhile.
   * @param sent `current` is ignored for a user without a password
   * @throws Problem too_many_attempts, rest_unavailable
   */
  changePassword: (
    user: User,
    sent: { current: string; next: string },
    origin: SessionOrigin,
    now: number,
  ) => Promise<string | undefined>
  /** Calls `settle` in a transaction and begins a session there for its user, unless `isRefused`. */
  signInAs: (
    settle: (tx: Tx) => Promise<{ user: User; isRefused: boolean } | undefined>,
    formerId: string | undefined,
    origin: SessionOrigin,
    now: number,
  ) => Promise<SignedInAtDesk | undefined>
  linkOf: (token: string, now: number) => Promise<SignInLink | undefined>
  /** False while the database refuses writes: then no session can begin. */
  canWrite: () => Promise<boolean>
  sessionOf: (cookieId: string, now: number) => ReturnType<typeof findSession>
  /** True while the session is stored: until it is ended, or unused for 90 days. */
  wasSession: (cookieId: string) => Promise<boolean>
  signOut: (cookieId: string) => Promise<void>
}

interface Gate {
  database: Database
  hashing: Hashing
  guesses: Guesses
  attempts: Turns
  lookUps: Turns
  refused: OnRefused
  sleep: (ms: number) => Promise<unknown>
}

export interface SignedInAtDesk {
  user: User
  cookieId: string
}

export interface SentSignIn {
  login: string
  password: string
  /** Session id in the form's cookie. Signing in ends it, since an attacker may have planted the cookie. */
  formerId: string | undefined
}

export interface SentByLink {
  token: string
  /** Undefined for a demo link, by which visitors look around without a password. */
  password: string | undefined
  also?: ((tx: Tx) => Promise<void>) | undefined
}

/** A refused attempt keeps its place during its delay, so that parallel guesses gain nothing. */
const ATTEMPTS_OF_CLIENT: TurnLimits = { atOnce: 2, waiting: 20, code: 'too_many_attempts', retryAfter: 4 }
/** Limits for looking up logins: higher, since many people may sign in at once from one office. */
const LOOK_UPS_OF_CLIENT: TurnLimits = { atOnce: 4, waiting: 60, code: 'too_many_attempts', retryAfter: 4 }
/** Wrong passwords per client and minute, after which it is refused, unless the user has a session there. */
const MOST_GUESSES = 10
const LONGEST_LOGIN = 254

export function makeDeskGate(
  database: Database,
  refused: OnRefused = () => undefined,
  sleep: Gate['sleep'] = sleepFor,
): DeskGate {
  const attempts = makeTurns(ATTEMPTS_OF_CLIENT)
  const lookUps = makeTurns(LOOK_UPS_OF_CLIENT)
  const gate: Gate = {
    database,
    hashing: makeHashing(),
    guesses: makeGuesses(),
    attempts,
    lookUps,
    refused,
    sleep,
  }
  return {
    signIn: (sent, origin, now) => signInAtDesk(gate, sent, origin, now),
    signInByLink: (sent, origin, now) => signInByLink(gate, sent, origin, now),
    changePassword: (user, sent, origin, now) => changePassword(gate, user, sent, origin, now),
    signInAs: (settle, formerId, origin, now) =>
      database.write(
        async (tx) => {
          const found = await settle(tx)
          if (!found) return undefined
          const { user, isRefused } = found
          tx.recording.writer = writerFrom(user, origin)
          if (isRefused) return undefined
          if (formerId !== undefined) await endSession(tx, formerId)
          return { user, cookieId: await startSession(tx, user, now, origin) }
        },
        { ...writerBy(origin.client), address: origin.address },
      ),
    linkOf: (token, now) => findSignInLink(database.read, token, now),
    canWrite: () => canWrite(database),
    sessionOf: async (cookieId, now) => {
      const found = await findSession(database.read, cookieId, now)
      if (found) void noteSeen(database, found.session, now)
      return found
    },
    wasSession: (cookieId) => sessionExists(database.read, cookieId),
    signOut: (cookieId) => database.write((tx) => endSession(tx, cookieId)),
  }
}

async function signInAtDesk(
  gate: Gate,
  sent: SentSignIn,
  origin: SessionOrigin,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const client = clientOf(origin.address)
  const { user, isKnown } = await inTurn(gate.lookUps, client, () =>
    whoSignsIn(gate.database.read, sent.login, client, now),
  )
  const name = isKnown && user ? `${client} ${user.login}` : client
  return inTurn(gate.attempts, name, () => {
    const { failures, msLeft } = guessesOf(gate.guesses, `client ${name}`, now)
    if (!isKnown && failures >= MOST_GUESSES)
      throw new Problem('too_many_attempts', { retryAfter: Math.ceil(msLeft / 1000) })
    return tryDeskPassword(
      gate,
      { ...sent, isGuessing: failures > 0, isKnown },
      user,
      origin,
      `client ${name}`,
      now,
    )
  })
}

async function whoSignsIn(
  db: Db,
  login: string,
  client: string,
  now: number,
): Promise<{ user: User | undefined; isKnown: boolean }> {
  const user = isLogin(login) ? await findUserByLogin(db, login) : undefined
  return { user, isKnown: user !== undefined && (await hasSessionAt(db, user, client, now)) }
}

/** True for a possible login. None has control characters, which some databases do not accept. */
const isLogin = (text: string) => text !== '' && text.length <= LONGEST_LOGIN && !/\p{Cc}/u.test(text)

async function hasSessionAt(db: Db, user: User, client: string, now: number): Promise<boolean> {
  return (await listSessions(db, user, now)).some(({ address }) => clientOf(address) === client)
}

async function tryDeskPassword(
  gate: Gate,
  { login, formerId, ...sent }: SentSignIn & SentPassword,
  user: User | undefined,
  origin: SessionOrigin,
  client: string,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const { database, hashing, guesses, refused, sleep } = gate
  const hash = await findRightHash(database, hashing, user, sent)
  if (user && hash !== undefined) {
    const cookieId = await database.write(async (tx) => {
      // A password change meanwhile has ended all sessions, so none may begin.
      if (!(await holdsHash(tx, user, hash))) return undefined
      if (formerId !== undefined) await endSession(tx, formerId)
      return startSession(tx, user, now, origin)
    })
    if (cookieId !== undefined) return { user, cookieId }
  }
  refused(origin.address, login)
  const names = [client, `login ${countedName(user?.login ?? login)}`]
  // biome-ignore lint/plugin: the names that one attempt is counted under
  const delay = Math.max(...names.map((name) => noteGuess(guesses, name, now)))
  if (delay > 0) await sleep(delay)
  return undefined
}

async function signInByLink(
  { database, hashing }: Gate,
  { token, password, also }: SentByLink,
  origin: SessionOrigin,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const link = await findSignInLink(database.read, token, now)
  if (!link || (password === undefined && link.purpose !== 'demo')) return undefined
  const { user } = link
  const hash = password === undefined ? undefined : await hashDeskPassword(hashing, password)
  return database.write(
    async (tx) => {
      if (!(await useSignInLink(tx, token))) return undefined
      if (hash !== undefined) await setDeskPassword(tx, user, hash, now)
      await also?.(tx)
      return { user, cookieId: await startSession(tx, user, now, origin) }
    },
    writerFrom(user, origin),
  )
}

function writerFrom({ id, login }: User, { address, client }: SessionOrigin): Writer {
  return { user: id, login, address, client, request: '' }
}

async function changePassword(
  { database, hashing, guesses }: Gate,
  user: User,
  { current, next }: { current: string; next: string },
  origin: SessionOrigin,
  now: number,
): Promise<string | undefined> {
  const name = `user ${user.id}`
  const { failures, msLeft } = guessesOf(guesses, name, now)
  if (failures >= MOST_GUESSES)
    throw new Problem('too_many_attempts', { retryAfter: Math.ceil(msLeft / 1000) })
  const has = await hasDeskPassword(database.read, user)
  const known = has
    ? await findRightHash(database, hashing, user, {
        password: current,
        isGuessing: failures > 0,
        isKnown: true,
      })
    : undefined
  if (has && known === undefined) {
    noteGuess(guesses, name, now)
    return undefined
  }
  const hash = await hashDeskPassword(hashing, next)
  return database.write(
    async (tx) => {
      const isSame =
        known === undefined ? !(await hasDeskPassword(tx, user)) : await holdsHash(tx, user, known)
      if (!isSame) return undefined
      await setDeskPassword(tx, user, hash, now)
      return startSession(tx, user, now, origin)
    },
    writerFrom(user, origin),
  )
}

async function canWrite({ ping }: Database): Promise<boolean> {
  try {
    await ping()
    return true
  } catch (error) {
    return lackBehind(error) === 'answer'
  }
}

/** Returns the failures under `name` in the current minute, and the ms until they are forgotten. */
export function guessesOf(guesses: Guesses, name: string, now: number): { failures: number; msLeft: number } {
  const known = guesses.get(countedName(name))
  const msLeft = known ? known.since + WINDOW_MS - now : 0
  return known && msLeft > 0 ? { failures: known.failures, msLeft } : { failures: 0, msLeft: 0 }
}
