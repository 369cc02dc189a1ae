import { setTimeout as sleepFor } from 'node:timers/promises'
import { Problem } from '../../base/problems.ts'
import { clientOf } from '../../base/text/client-of.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Writer } from '../../store/storage/recording.ts'
import type { OnRefused } from './authenticate.ts'
import {
  findRightHash,
  type Hashing,
  hashDeskPassword,
  holdsHash,
  makeHashing,
  setDeskPassword,
} from './desk-passwords.ts'
import { countedName, type Guesses, guessesOf, makeGuesses, noteGuess } from './guesses.ts'
import { endSession, findSession, listSessions, noteSeen, type SessionOrigin, startSession } from './sessions.ts'
import { findSignInLink, useSignInLink } from './sign-in-links.ts'
import { inTurn, makeTurns, type TurnLimits, type Turns } from './turns.ts'
import { findUserByLogin, type User } from './users.ts'

/** How people get in to the desk. */
export interface DeskGate {
  /**
   * Signs somebody in who knows a login or e-mail address and its password; undefined for wrong ones, after a delay that grows with the guesses of the
   * client and at the login. The right password is never delayed by others' guesses, and a client where the user has a session is never turned away
   * for those of others there.
   * @param now milliseconds since the epoch
   * @throws Problem too_many_attempts for a client that guesses on, rest_unavailable when too many sign in at once
   */
  signIn: (sent: SentSignIn, origin: SessionOrigin, now: number) => Promise<SignedInAtDesk | undefined>
  /**
   * Gives the user of a link the password that they have chosen, and signs them in; undefined for a link that was used, has expired, or never was.
   * @param password an acceptable one; undefined to look around by a link of the demo
   * @param now milliseconds since the epoch
   * @throws Problem rest_unavailable when too many passwords are being hashed
   */
  signInByLink: (
    token: string,
    password: string | undefined,
    origin: SessionOrigin,
    now: number,
  ) => Promise<SignedInAtDesk | undefined>
  /** The session with this id and its user, as `findSession` says; its use is noted, for which nobody waits. */
  sessionOf: (cookieId: string, now: number) => ReturnType<typeof findSession>
  /** Ends the session with this id. */
  signOut: (cookieId: string) => Promise<void>
}

/** What all sign-ins of a process share. */
interface Gate {
  database: Database
  hashing: Hashing
  guesses: Guesses
  /** Sign-ins under way by client, or by client and login where the login has a session there. */
  attempts: Turns
  refused: OnRefused
  /** Waits this many milliseconds. */
  sleep: (ms: number) => Promise<unknown>
}

/** Somebody who has signed in, and the id of their new session for the cookie. */
export interface SignedInAtDesk {
  user: User
  cookieId: string
}

/** What the form for signing in has sent. */
export interface SentSignIn {
  login: string
  password: string
  /** The id of the session that the browser had, which ends: nobody else may have put it there and go on with it. */
  formerId: string | undefined
}

/** A refusal keeps its place while it waits, so parallel guesses gain nothing. */
const ATTEMPTS_OF_CLIENT: TurnLimits = { atOnce: 2, waiting: 20, code: 'too_many_attempts', retryAfter: 4 }
/** Wrong passwords of a client within a minute; further ones are not looked at. */
const MOST_GUESSES = 10
const LONGEST_LOGIN = 254

/**
 * @param refused hears of each sign-in that fails
 * @param sleep waits this many milliseconds
 */
export function makeDeskGate(
  database: Database,
  refused: OnRefused = () => undefined,
  sleep: Gate['sleep'] = sleepFor,
): DeskGate {
  const attempts = makeTurns(ATTEMPTS_OF_CLIENT)
  const gate: Gate = { database, hashing: makeHashing(), guesses: makeGuesses(), attempts, refused, sleep }
  return {
    signIn: (sent, origin, now) => signInAtDesk(gate, sent, origin, now),
    signInByLink: (token, password, origin, now) => signInByLink(gate, token, password, origin, now),
    sessionOf: async (cookieId, now) => {
      const found = await findSession(database.read, cookieId, now)
      if (found) void noteSeen(database, found.session, now)
      return found
    },
    signOut: (cookieId) => database.write((tx) => endSession(tx, cookieId)),
  }
}

async function signInAtDesk(
  gate: Gate,
  sent: SentSignIn,
  origin: SessionOrigin,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const { read } = gate.database
  const user = isLogin(sent.login) ? await findUserByLogin(read, sent.login) : undefined
  const client = clientOf(origin.address)
  const isKnown = user !== undefined && (await hasSessionAt(read, user, client, now))
  const name = isKnown ? `${client} ${user.login}` : client
  return inTurn(gate.attempts, name, () => {
    const { failures, msLeft } = guessesOf(gate.guesses, `client ${name}`, now)
    if (!isKnown && failures >= MOST_GUESSES)
      throw new Problem('too_many_attempts', { retryAfter: Math.ceil(msLeft / 1000) })
    return tryDeskPassword(gate, sent, user, origin, `client ${name}`, now)
  })
}

/** No login has control characters, and not every database takes them. */
const isLogin = (text: string) => text !== '' && text.length <= LONGEST_LOGIN && !/\p{Cc}/u.test(text)

async function hasSessionAt(db: Db, user: User, client: string, now: number): Promise<boolean> {
  return (await listSessions(db, user, now)).some(({ address }) => clientOf(address) === client)
}

async function tryDeskPassword(
  gate: Gate,
  { login, password, formerId }: SentSignIn,
  user: User | undefined,
  origin: SessionOrigin,
  client: string,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const { database, hashing, guesses, refused, sleep } = gate
  const hash = await findRightHash(database, hashing, user, password)
  if (user && hash !== undefined) {
    const cookieId = await database.write(async (tx) => {
      // The password may have been changed meanwhile, which ends all sessions.
      if (!(await holdsHash(tx, user, hash))) return undefined
      if (formerId !== undefined) await endSession(tx, formerId)
      return startSession(tx, user, now, origin)
    })
    if (cookieId !== undefined) return { user, cookieId }
  }
  refused(origin.address, login)
  const names = [client, `login ${countedName(user?.login ?? login)}`]
  const delay = Math.max(...names.map((name) => noteGuess(guesses, name, now)))
  if (delay > 0) await sleep(delay)
  return undefined
}

async function signInByLink(
  { database, hashing }: Gate,
  token: string,
  password: string | undefined,
  origin: SessionOrigin,
  now: number,
): Promise<SignedInAtDesk | undefined> {
  const link = await findSignInLink(database.read, token, now)
  if (!link || (password === undefined && link.purpose !== 'demo')) return undefined
  const { user } = link
  const hash = password === undefined ? undefined : await hashDeskPassword(hashing, password)
  const by: Writer = { user: user.id, login: user.login, address: origin.address, client: origin.client, request: '' }
  return database.write(async (tx) => {
    if (!(await useSignInLink(tx, token))) return undefined
    if (hash !== undefined) await setDeskPassword(tx, user, hash, now)
    return { user, cookieId: await startSession(tx, user, now, origin) }
  }, by)
}
