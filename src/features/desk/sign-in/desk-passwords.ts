import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { formatUtc } from '../../../base/text/zones.ts'
import { inTurn, makeTurns, type Rank, type Turns } from '../../../calendar/people/turns.ts'
import {
  endSessions,
  findUser,
  isActive,
  recordUser,
  type User,
  voidLinks,
} from '../../../calendar/people/users.ts'
import type { Database, Db } from '../../../store/storage/database.ts'
import { lockedRows } from '../../../store/storage/locks.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import type { SignInLinkColumns } from '../../../store/storage/schema.ts'

// Passwords for the desk, hashed by argon2id, and the links by which somebody chooses one: makes, sets and
// checks them.

/** The least and the most characters of a password for the desk. */
export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 256

/** The parameters of argon2id. Each stored hash has its own beside it, so that `COST` can change. */
interface Cost {
  /** KiB of memory. */
  memory: number
  passes: number
  lanes: number
}

/**
 * The cost that OWASP advises: 19 MiB, two passes. One hash takes some forty milliseconds of another thread.
 */
const COST: Cost = { memory: 19_456, passes: 2, lanes: 1 }
/** Bytes of a salt, and of a hash. */
const SALT_BYTES = 16
const TAG_BYTES = 32

/** The most passwords that are hashed at once, since each takes 19 MiB and a core, and the most that wait. */
const AT_ONCE = 2
const WAITING = 20
/** Seconds after which a client that found no place may try again. */
const RETRY_AFTER = 2

/** The turns in which this process hashes passwords. */
export type Hashing = Turns

export function makeHashing(): Hashing {
  return makeTurns({ atOnce: AT_ONCE, waiting: WAITING, code: 'rest_unavailable', retryAfter: RETRY_AFTER })
}

/** A password as it was sent. */
export interface SentPassword {
  password: string
  /** True where its client has sent wrong ones lately: it waits behind all others. */
  isGuessing: boolean
  /** True where its user has a session at the client: it waits for no others. */
  isKnown?: boolean
}

/** Returns the rule that a password breaks; undefined for an acceptable one. */
export function faultOfPassword(password: string): 'too short' | 'too long' | undefined {
  // Bounds the work of composing. A character has at most two UTF-16 units; composing joins characters, or
  // makes at most eighteen of one.
  if (password.length > LONGEST_PASSWORD * 4) return 'too long'
  const characters = [...composed(password)].length
  if (characters < SHORTEST_PASSWORD) return 'too short'
  return characters > LONGEST_PASSWORD ? 'too long' : undefined
}

/** Composes a password (NFKC), since keyboards write the same letters in different ways. */
const composed = (password: string) => password.normalize('NFKC')

/** Hashes a password for storing. @throws Problem rest_unavailable when too many are being hashed */
export async function hashDeskPassword(hashing: Hashing, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return hashText(COST, salt, await derive(hashing, password, 0, salt, COST))
}

/**
 * Gives a user the password with this hash, and ends all their sessions and links.
 * @param now milliseconds since the epoch
 */
export async function setDeskPassword(tx: Tx, user: User, hash: string, now: number): Promise<void> {
  await keepHash(tx, user, hash, now)
  await endSessions(tx, user.id)
  await voidLinks(tx, user.id)
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: password` })
}

/** Returns true where a user who may sign in has a password for the desk. */
export async function hasDeskPasswords(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('desk_passwords')
    .innerJoin('users', 'users.id', 'desk_passwords.user')
    .select('users.id')
    .where('deactivated_utc', '=', '')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns true for a user with a password for the desk. */
export async function hasDeskPassword(db: Db, user: User): Promise<boolean> {
  return (await findHash(db, user)) !== undefined
}

/**
 * Checks a password of a user. Returns the stored hash where it is right, and undefined where it is wrong or
 * the user may not sign in. An unknown user, and one without a password, take the same work. A hash of other
 * parameters than `COST` is replaced, and the new hash returned.
 * @throws Problem rest_unavailable when too many are being hashed
 */
export async function findRightHash(
  { read, write }: Pick<Database, 'read' | 'write'>,
  hashing: Hashing,
  user: User | undefined,
  { password, isGuessing, isKnown = false }: SentPassword,
): Promise<string | undefined> {
  const hash = user && (await findHash(read, user))
  const { cost, salt, tag } = (hash !== undefined && readHash(hash)) || nobodys()
  const isTooLong = faultOfPassword(password) === 'too long'
  const rank = isKnown ? 0 : user && !isGuessing ? 1 : 2
  const sent = await derive(hashing, isTooLong ? '' : password, rank, salt, cost)
  const isRight = !isTooLong && timingSafeEqual(sent, tag)
  if (!user || hash === undefined || !isRight || !isActive(user)) return undefined
  if (isToday(cost)) return hash
  const renewed = await hashDeskPassword(hashing, password)
  await write((tx) => replaceHash(tx, user, hash, renewed))
  return renewed
}

/**
 * Returns true where the password of the user still has this hash, and keeps it so until the end of the
 * transaction.
 */
export async function holdsHash(tx: Tx, user: User, hash: string): Promise<boolean> {
  const query = tx
    .selectFrom('desk_passwords')
    .select('user')
    .where('user', '=', user.id)
    .where('hash', '=', hash)
  return (await lockedRows(tx, query).executeTakeFirst()) !== undefined
}

async function findHash(db: Db, user: User): Promise<string | undefined> {
  const row = await db
    .selectFrom('desk_passwords')
    .select('hash')
    .where('user', '=', user.id)
    .executeTakeFirst()
  return row?.hash
}

async function keepHash(tx: Tx, user: User, hash: string, now: number): Promise<void> {
  const changed_utc = formatUtc(now)
  await tx
    .insertInto('desk_passwords')
    .values({ user: user.id, hash, changed_utc })
    .onConflict((conflict) => conflict.column('user').doUpdateSet({ hash, changed_utc }))
    .execute()
}

/**
 * Replaces the hash of a password that stays the same, which is no change to record. A password that was
 * changed meanwhile keeps its new hash.
 */
async function replaceHash(tx: Tx, user: User, from: string, to: string): Promise<void> {
  const { id } = user
  await tx
    .updateTable('desk_passwords')
    .set({ hash: to })
    .where('user', '=', id)
    .where('hash', '=', from)
    .execute()
}

const run = promisify(argon2)

async function derive(
  hashing: Hashing,
  password: string,
  rank: Rank,
  salt: Buffer,
  cost: Cost,
): Promise<Buffer> {
  const { memory, passes, lanes: parallelism } = cost
  const message = composed(password)
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: TAG_BYTES }
  return inTurn(hashing, 'password', () => run('argon2id', parameters), rank)
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Writes a hash in the form that other programs use: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
function hashText({ memory, passes, lanes }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`
}

interface Kept {
  cost: Cost
  salt: Buffer
  tag: Buffer
}

const WRITTEN = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{43})$/

/**
 * Reads a stored hash; undefined for a text that `hashText` does not write, which no password has as its
 * hash.
 */
function readHash(text: string): Kept | undefined {
  const [, memory, passes, lanes, salt = '', tag = ''] = WRITTEN.exec(text) ?? []
  if (memory === undefined) return undefined
  return {
    cost: { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/**
 * Makes a hash to compare with for somebody without a password. It is random each time, so no password has
 * it.
 */
const nobodys = (): Kept => ({ cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) })

function isToday({ memory, passes, lanes }: Cost): boolean {
  return memory === COST.memory && passes === COST.passes && lanes === COST.lanes
}

// Links by which somebody chooses a password for the desk, once.

/** Minutes that a link is good for. */
export const LINK_MINUTES = 30

export type LinkPurpose = SignInLinkColumns['purpose']

/** The user of a link, and the purpose of the link. */
export interface SignInLink {
  user: User
  purpose: LinkPurpose
  /**
   * True where an administrator sets up a calendar that has no events, and that nobody has a password for.
   */
  isFirst: boolean
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

const hashOfToken = (token: string) => hash('sha256', token, 'base64url')

/**
 * Makes a link that lets its bearer choose the password of a user, once, within half an hour. Earlier links
 * of the user are void from now on.
 * @param purpose `demo` for a link that may also sign in without a password; unless given, `reset` for a user
 * with a password and `set-up` for one without
 * @param now milliseconds since the epoch
 * @returns the token in the address, which cannot be read again
 * @throws Error for a user who was deactivated
 */
export async function addSignInLink(tx: Tx, user: User, now: number, purpose?: 'demo'): Promise<string> {
  if (!isActive(user)) throw new Error(`${user.login} was deactivated and signs in nowhere.`)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await voidLinks(tx, user.id)
  await tx
    .insertInto('sign_in_links')
    .values({
      hash: hashOfToken(token),
      user: user.id,
      purpose: purpose ?? ((await hasDeskPassword(tx, user)) ? 'reset' : 'set-up'),
      expires_utc: formatUtc(now + LINK_MINUTES * 60_000),
    })
    .execute()
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: link` })
  return token
}

/** Returns the address at which a link opens. */
export function linkTo(siteUrl: string, token: string): string {
  return `${siteUrl}/desk/set-up/${token}`
}

/**
 * Finds the link with a token, and its user; undefined for one that was used, has expired or never was, and
 * for a deactivated user.
 */
export async function findSignInLink(db: Db, token: string, now: number): Promise<SignInLink | undefined> {
  if (!TOKEN.test(token)) return undefined
  const row = await db
    .selectFrom('sign_in_links')
    .select(['user', 'purpose'])
    .where('hash', '=', hashOfToken(token))
    .where('expires_utc', '>', formatUtc(now))
    .executeTakeFirst()
  const user = row && (await findUser(db, row.user))
  if (!user || !isActive(user)) return undefined
  const { purpose } = row
  const mayBeFirst = purpose === 'set-up' && user.role === 'administrator'
  return { user, purpose, isFirst: mayBeFirst && (await isNewCalendar(db)) }
}

async function isNewCalendar(db: Db): Promise<boolean> {
  if (await hasDeskPasswords(db)) return false
  return (await db.selectFrom('events').select('id').limit(1).executeTakeFirst()) === undefined
}

/**
 * Uses up a link that `findSignInLink` has found. Returns true to one caller only, when several do so at
 * once.
 */
export async function useSignInLink(tx: Tx, token: string): Promise<boolean> {
  const used = await tx.deleteFrom('sign_in_links').where('hash', '=', hashOfToken(token)).executeTakeFirst()
  return used.numDeletedRows > 0n
}
