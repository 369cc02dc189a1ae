import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { formatUtc } from '../../../base/text/zones.ts'
import { findHash } from '../../../calendar/people/desk-passwords.ts'
import { inTurn, makeTurns, type Rank, type Turns } from '../../../calendar/people/turns.ts'
import { endSessions, isActive, recordUser, type User, voidLinks } from '../../../calendar/people/users.ts'
import type { Database } from '../../../store/storage/database.ts'
import { lockedRows } from '../../../store/storage/locks.ts'
import type { Tx } from '../../../store/storage/recording.ts'

/** In characters. */
export const SHORTEST_PASSWORD = 12

export const LONGEST_PASSWORD = 256

/** Parameters of Argon2id. They are stored with each hash, so that `COST` can change. */
interface Cost {
  /** In KiB. */
  memory: number
  passes: number
  lanes: number
}

/** As OWASP recommends: 19 MiB, two passes. */
const COST: Cost = { memory: 19_456, passes: 2, lanes: 1 }

const SALT_BYTES = 16

const TAG_BYTES = 32

/** Passwords hashed at the same time; each takes 19 MiB and a CPU core. */
const AT_ONCE = 2

const WAITING = 20

/** In seconds. */
const RETRY_AFTER = 2

export type Hashing = Turns

export function makeHashing(): Hashing {
  return makeTurns({ atOnce: AT_ONCE, waiting: WAITING, code: 'rest_unavailable', retryAfter: RETRY_AFTER })
}

export interface SentPassword {
  password: string
  /** True if the client has recently sent wrong passwords: its attempt is queued last. */
  isGuessing: boolean
  /** True if the client has a session of the user: its attempt is queued first. */
  isKnown?: boolean
}

export function faultOfPassword(password: string): 'too short' | 'too long' | undefined {
  // Even NFKC composition cannot shorten such a text to `LONGEST_PASSWORD` characters.
  if (password.length > LONGEST_PASSWORD * 4) return 'too long'
  const characters = [...composed(password)].length
  if (characters < SHORTEST_PASSWORD) return 'too short'
  return characters > LONGEST_PASSWORD ? 'too long' : undefined
}

/** Keyboards encode the same letter in different ways. */
const composed = (password: string) => password.normalize('NFKC')

/**
 * Hashes a password with a new salt.
 * @throws Problem rest_unavailable if too many passwords are being hashed
 */
export async function hashDeskPassword(hashing: Hashing, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return hashText(COST, salt, await derive(hashing, password, 0, salt, COST))
}

/**
 * Stores a new password's hash, and ends the user's sessions and sign-in links.
 * @param now in ms
 */
export async function setDeskPassword(tx: Tx, user: User, hash: string, now: number): Promise<void> {
  await keepHash(tx, user, hash, now)
  await endSessions(tx, user.id)
  await voidLinks(tx, user.id)
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: password` })
}

/**
 * Returns the user's stored hash if the password is right and the user may sign in; a hash of outdated cost
 * is replaced first. Otherwise undefined, after the same amount of work.
 * @throws Problem rest_unavailable if too many passwords are being hashed
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

/** True if `hash` is still the user's; its row is then locked until the transaction ends. */
export async function holdsHash(tx: Tx, user: User, hash: string): Promise<boolean> {
  const query = tx
    .selectFrom('desk_passwords')
    .select('user')
    .where('user', '=', user.id)
    .where('hash', '=', hash)
  return (await lockedRows(tx, query).executeTakeFirst()) !== undefined
}

async function keepHash(tx: Tx, user: User, hash: string, now: number): Promise<void> {
  const changed_utc = formatUtc(now)
  await tx
    .insertInto('desk_passwords')
    .values({ user: user.id, hash, changed_utc })
    .onConflict((conflict) => conflict.column('user').doUpdateSet({ hash, changed_utc }))
    .execute()
}

/** Replaces the hash `from` if still stored; records no change, since the password stays the same. */
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

/** The hash in PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
function hashText({ memory, passes, lanes }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`
}

interface Kept {
  cost: Cost
  salt: Buffer
  tag: Buffer
}

const WRITTEN = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{43})$/

function readHash(text: string): Kept | undefined {
  const [, memory, passes, lanes, salt = '', tag = ''] = WRITTEN.exec(text) ?? []
  if (memory === undefined) return undefined
  return {
    cost: { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** Stands in for the hash of an unknown user; random, so that no password matches. */
const nobodys = (): Kept => ({ cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) })

function isToday({ memory, passes, lanes }: Cost): boolean {
  return memory === COST.memory && passes === COST.passes && lanes === COST.lanes
}
