import { hash, randomBytes } from 'node:crypto'
import { formatUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SignInLinkColumns } from '../../store/storage/schema.ts'
import { hasDeskPassword, hasDeskPasswords } from './desk-passwords.ts'
import { findUser, isActive, recordUser, type User, voidLinks } from './users.ts'

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
