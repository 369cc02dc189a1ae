import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { type Db, recordChange } from '../storage/database.ts'
import type { CredentialColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/zones.ts'
import type { User } from './users.ts'

export type CredentialKind = CredentialColumns['kind']
/** What may be shown of a credential; the secret is nowhere. */
export type Credential = Omit<CredentialColumns, 'hash' | 'user'>

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const PASSWORD_LENGTH = 24
const TOKEN_LENGTH = 40
/** What every token starts with, so that leaked ones can be found and foreign ones passed over. */
const TOKEN_PREFIX = 'kal_'

/** Stands for the user nobody is. */
const NOBODY = 0

/**
 * Gives a user an application password (24 letters and digits in groups of four) or a token (`kal_` and 40 characters).
 * @param now milliseconds since the epoch
 * @param secret one to use instead of a random one, for set-ups that must know it beforehand
 * @returns the secret, which cannot be read again
 * @throws Error with one sentence when name or secret is not acceptable.
 */
export async function addCredential(
  tx: Db,
  user: User,
  kind: CredentialKind,
  name: string,
  now: number,
  secret = randomSecret(kind),
): Promise<string> {
  if (!/^\P{Cc}{1,250}$/u.test(name)) throw new Error('The name of a credential is one line of at most 250 characters.')
  if (kind === 'token' && !/^kal_\S+$/.test(secret))
    throw new Error(`A token starts with ${TOKEN_PREFIX} and has no blanks.`)
  if (withoutBlanks(secret) === '') throw new Error('An application password is not empty.')
  const hashed = kind === 'token' ? hashToken(secret) : hashPassword(user.id, secret)
  await tx
    .insertInto('credentials')
    .values({ user: user.id, kind, name, hash: hashed, created_utc: formatUtc(now) })
    .execute()
  await recordChange(tx, 'user', user.id)
  return secret
}

/** The credentials of a user, the oldest first. */
export async function listCredentials(db: Db, user: User): Promise<Credential[]> {
  return db
    .selectFrom('credentials')
    .select(['id', 'kind', 'name', 'created_utc'])
    .where('user', '=', user.id)
    .orderBy('id')
    .execute()
}

/**
 * Takes one credential, or all of them, away from a user.
 * @returns how many there were
 * @throws Error when the user has no credential with this id.
 */
export async function revokeCredential(tx: Db, user: User, id: number | 'all'): Promise<number> {
  const theirs = tx.deleteFrom('credentials').where('user', '=', user.id)
  const { numDeletedRows } = await (id === 'all' ? theirs : theirs.where('id', '=', id)).executeTakeFirst()
  if (id !== 'all' && numDeletedRows === 0n) throw new Error(`${user.login} has no credential with the id ${id}.`)
  await recordChange(tx, 'user', user.id)
  return Number(numDeletedRows)
}

/** True when this is one of the user's application passwords. For nobody the same work is done, and the answer is false. */
export async function isPasswordOf(db: Db, user: User | undefined, password: string): Promise<boolean> {
  const id = user?.id ?? NOBODY
  const sent = hashPassword(id, password)
  const rows = await db
    .selectFrom('credentials')
    .select('hash')
    .where('user', '=', id)
    .where('kind', '=', 'password')
    .execute()
  let found = false
  for (const { hash: kept } of rows) found = isSameHash(kept, sent) || found
  return found
}

/** The id of the user a token belongs to. */
export async function findTokenUser(db: Db, token: string): Promise<number | undefined> {
  if (!token.startsWith(TOKEN_PREFIX)) return undefined
  const sent = hashToken(token)
  const row = await db
    .selectFrom('credentials')
    .select(['user', 'hash'])
    .where('hash', '=', sent)
    .where('kind', '=', 'token')
    .executeTakeFirst()
  return row && isSameHash(row.hash, sent) ? row.user : undefined
}

function randomSecret(kind: CredentialKind): string {
  if (kind === 'token') return TOKEN_PREFIX + randomText(TOKEN_LENGTH)
  return randomText(PASSWORD_LENGTH).replace(/.{4}(?=.)/g, '$& ')
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

// Secrets are random, with 142 bits and more: nobody can try them all, however fast the hash is. A slow, salted one such as argon2
// protects what people think up; here it would only make each request cost a hundred milliseconds and memory to match.
// The user's id keeps equal passwords that were given to several users apart.
function hashPassword(user: number, password: string): string {
  return hash('sha256', `${user}:${withoutBlanks(password)}`)
}

function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Blanks are there for reading only (contract 8.1). */
function withoutBlanks(password: string): string {
  return password.replace(/\s+/g, '')
}

/** Compares in constant time, so that answers do not tell how much of a hash was right. */
function isSameHash(kept: string, sent: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(sent)]
  return a.length === b.length && timingSafeEqual(a, b)
}
