import { hash, randomBytes } from 'node:crypto'
import { DAY_MS, formatUtc, MINUTE_MS } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { isActive, recordUser, type User, voidLinks } from './users.ts'

// Passwords for the desk (hashed with argon2id), and links by which somebody chooses one.

/** True if a user who may sign in has a password for the desk. */
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

export async function hasDeskPassword(db: Db, user: User): Promise<boolean> {
  return (await findHash(db, user)) !== undefined
}

export async function findHash(db: Db, user: User): Promise<string | undefined> {
  const row = await db
    .selectFrom('desk_passwords')
    .select('hash')
    .where('user', '=', user.id)
    .executeTakeFirst()
  return row?.hash
}

/** Validity of all links but invitations, for which `INVITATION_DAYS` holds. */
export const LINK_MINUTES = 30
export const INVITATION_DAYS = 7

const TOKEN_BYTES = 32
export const hashOfToken = (token: string) => hash('sha256', token, 'base64url')

/**
 * Adds a link by which the user chooses a password, and ends earlier ones. Returns its token, which cannot be
 * read again.
 * @param purpose `demo`: the link may also sign in without a password; by default `reset` if the user has a
 * password, else `set-up`
 * @param inviter id of the user who invites; 0 for the command line and the first start
 * @param now in ms
 * @throws Error for a deactivated user
 */
export async function addSignInLink(
  tx: Tx,
  user: User,
  now: number,
  { purpose: wanted, inviter = 0 }: { purpose?: 'demo' | undefined; inviter?: number } = {},
): Promise<string> {
  if (!isActive(user)) throw new Error(`${user.login} was deactivated and signs in nowhere.`)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const purpose = wanted ?? ((await hasDeskPassword(tx, user)) ? 'reset' : 'set-up')
  // While nobody has a password, a link found in a log gives the whole calendar, so it is valid only for
  // minutes.
  const isInvitation = purpose === 'set-up' && (inviter !== 0 || (await hasDeskPasswords(tx)))
  const life = isInvitation ? INVITATION_DAYS * DAY_MS : LINK_MINUTES * MINUTE_MS
  await voidLinks(tx, user.id)
  await tx
    .insertInto('sign_in_links')
    .values({ hash: hashOfToken(token), user: user.id, purpose, expires_utc: formatUtc(now + life), inviter })
    .execute()
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: link` })
  return token
}

export function linkTo(siteUrl: string, token: string): string {
  return `${siteUrl}/desk/set-up/${token}`
}
