import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { formatUtc, utcToMs } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { CredentialColumns } from '../../store/storage/schema.ts'
import { type CredentialScope, SCOPES } from './caller.ts'
import { RefusedUserChange, recordUser, type User } from './users.ts'

export type CredentialKind = CredentialColumns['kind']
/** A credential as lists show it, without its hash. The secret itself is stored nowhere. */
export interface Credential extends Omit<CredentialColumns, 'hash' | 'user'> {
  /** The id by which other programs know the credential. */
  uuid: string
}

export interface CredentialLimits {
  /** What the credential allows; undefined for everything that the role does. */
  scopes?: readonly CredentialScope[] | undefined
  /** In ms since the epoch; undefined for never. */
  expires?: number | undefined
}

export interface ShownCredential extends CredentialLimits {
  id: number
  user: number
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const PASSWORD_LENGTH = 24
const TOKEN_LENGTH = 40
/** The most passwords of a user, since a wrong one is compared with all of them. */
const MOST_PASSWORDS = 100
/** The prefix by which leaked tokens are found, and tokens of other systems are told apart. */
const TOKEN_PREFIX = 'kal_'

export const isCredentialName = (text: string): boolean => /^\P{Cc}{1,250}$/u.test(text)

const NOBODY = 0

/**
 * Adds an application password or token. Returns the secret, which cannot be read again: 24 letters and
 * digits in groups of four, or `kal_` and 40 characters.
 * @param now in ms
 * @param secret replaces the random one
 * @param limits `program` is the UUID of the program that asked
 * @throws Error whose message is one sentence; RefusedUserChange if the user has too many passwords
 */
export async function addCredential(
  tx: Tx,
  user: User,
  kind: CredentialKind,
  name: string,
  now: number,
  secret = randomSecret(kind),
  limits: CredentialLimits & { program?: string } = {},
): Promise<string> {
  if (!isCredentialName(name))
    throw new Error('The name of a credential is one line of at most 250 characters.')
  if (kind === 'token' && !/^kal_\S+$/.test(secret))
    throw new Error(`A token starts with ${TOKEN_PREFIX} and has no blanks.`)
  if (withoutBlanks(secret) === '') throw new Error('An application password is not empty.')
  const { scopes, expires, program = '' } = limits
  if (scopes?.length === 0) throw new Error(`A scope is one or more of ${SCOPES.join(', ')}.`)
  if (expires !== undefined && expires <= now) throw new Error('A credential expires in the future.')
  if (kind === 'password') await requireRoom(tx, user)
  const hashed = kind === 'token' ? hashToken(secret) : hashPassword(user.id, secret)
  await tx
    .insertInto('credentials')
    .values({
      user: user.id,
      kind,
      name,
      hash: hashed,
      created_utc: formatUtc(now),
      scope: (scopes ?? []).join(),
      expires_utc: expires === undefined ? '' : formatUtc(expires),
      used_utc: '',
      app_id: program,
    })
    .execute()
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: ${name}` })
  return secret
}

async function requireRoom(tx: Tx, { id }: User): Promise<void> {
  await holdName(tx, `passwords of ${id}`)
  const theirs = tx.selectFrom('credentials').where('user', '=', id).where('kind', '=', 'password')
  const { count } = await theirs.select((those) => those.fn.countAll().as('count')).executeTakeFirstOrThrow()
  if (Number(count) >= MOST_PASSWORDS) throw new RefusedUserChange('passwords')
}

const PENDING = 'pending'

/** Adds a password with which nobody can sign in until `settlePendingPassword` gives it a secret. */
export async function addPendingPassword(tx: Tx, user: User, name: string, now: number): Promise<void> {
  const unlimited = { scope: '', expires_utc: '', used_utc: '', app_id: '' }
  await tx
    .insertInto('credentials')
    .values({
      user: user.id,
      kind: 'password',
      name,
      hash: PENDING,
      created_utc: formatUtc(now),
      ...unlimited,
    })
    .execute()
  recordUser(tx, user.id)
}

/**
 * Gives the pending password a secret and returns the secret, which cannot be read again. Undefined when none
 * is pending.
 */
export async function settlePendingPassword(tx: Tx): Promise<{ user: number; password: string } | undefined> {
  const pending = await tx
    .selectFrom('credentials')
    .innerJoin('users', 'users.id', 'credentials.user')
    .select(['user', 'login', 'credentials.name'])
    .where('hash', '=', PENDING)
    .executeTakeFirst()
  if (!pending) return undefined
  const password = randomSecret('password')
  const hash = hashPassword(pending.user, password)
  const given = await tx
    .updateTable('credentials')
    .set({ hash })
    .where('hash', '=', PENDING)
    .executeTakeFirst()
  // Another process has given the secret meanwhile.
  if (given.numUpdatedRows === 0n) return undefined
  recordUser(tx, pending.user, { action: 'grant', name: `${pending.login}: ${pending.name}` })
  return { user: pending.user, password }
}

export async function listCredentials(db: Db, user: User): Promise<Credential[]> {
  const rows = await db
    .selectFrom('credentials')
    .select(['id', 'kind', 'name', 'created_utc', 'scope', 'expires_utc', 'used_utc', 'app_id'])
    .where('user', '=', user.id)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, uuid: uuidOf(user, row) }))
}

/** The UUID namespace of URLs (RFC 9562, 6.6). */
const ADDRESSES = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

/** The UUID, computed from values that never change (version 5, RFC 9562, 5.5). */
function uuidOf(user: User, { id, created_utc }: Pick<CredentialColumns, 'id' | 'created_utc'>): string {
  const name = `kalends:credentials/${user.id}/${id}/${created_utc}`
  const bytes = hash('sha1', Buffer.concat([ADDRESSES, Buffer.from(name)]), 'buffer')
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export async function renameCredential(tx: Tx, user: User, id: number, name: string): Promise<boolean> {
  const theirs = tx.updateTable('credentials').set({ name }).where('user', '=', user.id).where('id', '=', id)
  const { numUpdatedRows } = await theirs.executeTakeFirst()
  if (numUpdatedRows > 0n) recordUser(tx, user.id, { action: 'update', name: `${user.login}: ${name}` })
  return numUpdatedRows > 0n
}

export async function revokeCredentials(
  tx: Tx,
  user: User,
  which: number | CredentialKind | 'all',
): Promise<number> {
  const theirs = tx.deleteFrom('credentials').where('user', '=', user.id)
  const those =
    which === 'all'
      ? theirs
      : typeof which === 'number'
        ? theirs.where('id', '=', which)
        : theirs.where('kind', '=', which)
  const { numDeletedRows } = await those.executeTakeFirst()
  if (numDeletedRows > 0n) recordUser(tx, user.id, { action: 'revoke', name: user.login })
  return Number(numDeletedRows)
}

/** Finds a user's password. Without a user, does similar work, so that the time reveals little. */
export async function findPassword(
  db: Db,
  user: User | undefined,
  password: string,
): Promise<ShownCredential | undefined> {
  const id = user?.id ?? NOBODY
  const sent = hashPassword(id, password)
  const rows = await shownOf(db, 'password').where('user', '=', id).execute()
  let found: ShownCredential | undefined
  for (const row of rows) found = isSameHash(row.hash, sent) ? readShown(row) : found
  return found
}

export const isOurToken = (text: string): boolean => text.startsWith(TOKEN_PREFIX)

export async function findTokenCredential(db: Db, token: string): Promise<ShownCredential | undefined> {
  if (!isOurToken(token)) return undefined
  const sent = hashToken(token)
  const row = await shownOf(db, 'token').where('hash', '=', sent).executeTakeFirst()
  return row && isSameHash(row.hash, sent) ? readShown(row) : undefined
}

/** Writes times of last use. Nothing caches these times, so no change is recorded. */
export async function noteUses(tx: Tx, uses: Iterable<readonly [id: number, ms: number]>): Promise<void> {
  for (const [id, ms] of uses) {
    const used_utc = formatUtc(ms)
    await tx
      .updateTable('credentials')
      .set({ used_utc })
      .where('id', '=', id)
      .where('used_utc', '<', used_utc)
      .execute()
  }
}

const SHOWN = ['id', 'user', 'hash', 'scope', 'expires_utc'] as const

function shownOf(db: Db, kind: CredentialKind) {
  return db.selectFrom('credentials').select(SHOWN).where('kind', '=', kind)
}

/** A scope that this release does not know, perhaps of a later one, allows nothing. */
function readShown(row: Pick<CredentialColumns, (typeof SHOWN)[number]>): ShownCredential {
  const named = row.scope === '' ? undefined : row.scope.split(',')
  return {
    id: row.id,
    user: row.user,
    scopes: named && SCOPES.filter((scope) => named.includes(scope)),
    expires: row.expires_utc === '' ? undefined : utcToMs(row.expires_utc),
  }
}

function randomSecret(kind: CredentialKind): string {
  if (kind === 'token') return TOKEN_PREFIX + randomText(TOKEN_LENGTH)
  return randomText(PASSWORD_LENGTH).replace(/.{4}(?=.)/g, '$& ')
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

// A fast hash is enough: our secrets have 142 random bits or more, too many to try, while argon2 would slow
// down each lookup. The user's id makes hashes of equal passwords differ.
function hashPassword(user: number, password: string): string {
  return hash('sha256', `${user}:${withoutBlanks(password)}`)
}

function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Removes blanks, which only make a password easier to read (rule 27.1). */
function withoutBlanks(password: string): string {
  return password.replace(/\s+/g, '')
}

/** Compares in constant time, so that answers reveal nothing of a hash. */
function isSameHash(kept: string, sent: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(sent)]
  return a.length === b.length && timingSafeEqual(a, b)
}
