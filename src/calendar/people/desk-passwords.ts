import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { formatUtc } from '../../base/text/zones.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { lockedRows } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SignInLinkColumns } from '../../store/storage/schema.ts'
import { inTurn, makeTurns, type Turns } from './turns.ts'
import { endSessions, findUser, isActive, recordUser, type User, voidLinks } from './users.ts'

// Passwords for the desk: hashed by argon2id, set and checked.

/** Characters of a password for the desk. */
export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 256

/** The parameters of argon2id. They are kept beside each hash, so that they can change. */
interface Cost {
  /** kB */
  memory: number
  passes: number
  lanes: number
}

/** As OWASP advises: 19 MiB, two passes. That takes some forty milliseconds of another thread. */
const COST: Cost = { memory: 19_456, passes: 2, lanes: 1 }
/** Bytes of a salt, and of a hash. */
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Passwords hashed at once, since each takes 19 MiB and a core. */
const AT_ONCE = 2
const WAITING = 20
/** Seconds after which a client may try again that found no place. */
const RETRY_AFTER = 2

/** The places where passwords are hashed, those of the process. */
export type Hashing = Turns

export function makeHashing(): Hashing {
  return makeTurns({ atOnce: AT_ONCE, waiting: WAITING, code: 'rest_unavailable', retryAfter: RETRY_AFTER })
}

/** A password that somebody sends, and whether their client has sent wrong ones lately: then it waits behind all others. */
export interface SentPassword {
  password: string
  isGuessing: boolean
}

/** The rule for passwords that a text breaks; undefined for a text that may be one. */
export function faultOfPassword(password: string): 'too short' | 'too long' | undefined {
  // A character has at most two parts here, and composing makes fewer of them, or at most eighteen of one.
  if (password.length > LONGEST_PASSWORD * 4) return 'too long'
  const characters = [...composed(password)].length
  if (characters < SHORTEST_PASSWORD) return 'too short'
  return characters > LONGEST_PASSWORD ? 'too long' : undefined
}

/** Keyboards write the same letters in different ways. */
const composed = (password: string) => password.normalize('NFKC')

/** Hashes a password for storing.
@throws Problem rest_unavailable when too many are being hashed */
export async function hashDeskPassword(hashing: Hashing, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return hashText(COST, salt, await derive(hashing, { password, isGuessing: false }, salt, COST))
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

/** Whether any user who may sign in has a password for the desk. */
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

/** Whether the user has a password for the desk. */
export async function hasDeskPassword(db: Db, user: User): Promise<boolean> {
  return (await findHash(db, user)) !== undefined
}

/**
 * The hash that is kept, where this is the password of the user. An unknown user, and one without a password, take the same work. A hash of other parameters
 * than today's is replaced.
 * @throws Problem rest_unavailable when too many are being hashed
 */
export async function findRightHash(
  { read, write }: Pick<Database, 'read' | 'write'>,
  hashing: Hashing,
  user: User | undefined,
  { password, isGuessing }: SentPassword,
): Promise<string | undefined> {
  const hash = user && (await findHash(read, user))
  const { cost, salt, tag } = (hash !== undefined && readHash(hash)) || nobodys()
  const isTooLong = faultOfPassword(password) === 'too long'
  const sent = await derive(hashing, { password: isTooLong ? '' : password, isGuessing }, salt, cost)
  const isRight = !isTooLong && timingSafeEqual(sent, tag)
  if (!user || hash === undefined || !isRight || !isActive(user)) return undefined
  if (isToday(cost)) return hash
  const renewed = await hashDeskPassword(hashing, password)
  await write((tx) => replaceHash(tx, user, hash, renewed))
  return renewed
}

/** Whether the password of the user is still the one with this hash. It stays so until the end of the transaction. */
export async function holdsHash(tx: Tx, user: User, hash: string): Promise<boolean> {
  const query = tx.selectFrom('desk_passwords').select('user').where('user', '=', user.id).where('hash', '=', hash)
  return (await lockedRows(tx, query).executeTakeFirst()) !== undefined
}

async function findHash(db: Db, user: User): Promise<string | undefined> {
  const row = await db.selectFrom('desk_passwords').select('hash').where('user', '=', user.id).executeTakeFirst()
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

/** The password stays the same, so this is no change; one that was changed meanwhile stays. */
async function replaceHash(tx: Tx, user: User, from: string, to: string): Promise<void> {
  const { id } = user
  await tx.updateTable('desk_passwords').set({ hash: to }).where('user', '=', id).where('hash', '=', from).execute()
}

const run = promisify(argon2)

async function derive(
  hashing: Hashing,
  { password, isGuessing }: SentPassword,
  salt: Buffer,
  cost: Cost,
): Promise<Buffer> {
  const { memory, passes, lanes: parallelism } = cost
  const message = composed(password)
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: TAG_BYTES }
  return inTurn(hashing, 'password', () => run('argon2id', parameters), !isGuessing)
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** In the form that other programs write: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
function hashText({ memory, passes, lanes }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`
}

interface Kept {
  cost: Cost
  salt: Buffer
  tag: Buffer
}

const WRITTEN = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{43})$/

/** Undefined for what this version did not write, which no password has. */
function readHash(text: string): Kept | undefined {
  const [, memory, passes, lanes, salt = '', tag = ''] = WRITTEN.exec(text) ?? []
  if (memory === undefined) return undefined
  return {
    cost: { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** The hash of somebody without a password. It is random each time, so no password has it. */
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
  /** Whether an administrator sets up a calendar that has no events, and that nobody has a password for. */
  isFirst: boolean
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

const hashOfToken = (token: string) => hash('sha256', token, 'base64url')

/**
 * Makes a link that lets its bearer choose the password of a user, once, within half an hour. Earlier links of the user are void from now on.
 * @param purpose `demo` for one that signs in without a password as well; else what the user has a password or none for
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

/** The address of a link. */
export function linkTo(siteUrl: string, token: string): string {
  return `${siteUrl}/desk/set-up/${token}`
}

/** Finds a link; undefined for one that was used, has expired, or never was. */
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

/** Uses up a link that `findSignInLink` has found. Of two who do so at once one is told true. */
export async function useSignInLink(tx: Tx, token: string): Promise<boolean> {
  const used = await tx.deleteFrom('sign_in_links').where('hash', '=', hashOfToken(token)).executeTakeFirst()
  return used.numDeletedRows > 0n
}
