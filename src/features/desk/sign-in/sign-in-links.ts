import { formatUtc } from '../../../base/text/zones.ts'
import { hasDeskPasswords, hashOfToken } from '../../../calendar/people/desk-passwords.ts'
import {
  findUser,
  isActive,
  listUsers,
  recordUser,
  type User,
  voidLinks,
} from '../../../calendar/people/users.ts'
import type { Db } from '../../../store/storage/database.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import type { SignInLinkColumns } from '../../../store/storage/schema.ts'

export type LinkPurpose = SignInLinkColumns['purpose']

export interface SignInLink {
  user: User
  purpose: LinkPurpose
  /** True if no user has a password yet: the link also sets up the calendar. */
  isFirst: boolean
}

const TOKEN = /^[\w-]{43}$/

/** Finds the link; undefined if it is unknown, used or expired, or its user is deactivated. */
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
  return { user, purpose, isFirst: mayBeFirst && !(await hasDeskPasswords(db)) }
}

/** An unused sign-in link, which may have expired. */
export interface Invitation {
  user: number
  inviter: number
  expires_utc: string
}

export function listInvitations(db: Db): Promise<Invitation[]> {
  return db
    .selectFrom('sign_in_links')
    .select(['user', 'inviter', 'expires_utc'])
    .where('purpose', '=', 'set-up')
    .execute()
}

/** Revokes the user's links; their page then says no more than that of an unknown link. */
export async function revokeInvitation(tx: Tx, user: User): Promise<void> {
  await voidLinks(tx, user.id)
  recordUser(tx, user.id, { action: 'revoke', name: `${user.login}: link` })
}

/** Finds an expired invitation's inviter, or else the first administrator; undefined for other tokens. */
export async function findInviter(db: Db, token: string, now: number): Promise<User | undefined> {
  if (!TOKEN.test(token)) return undefined
  const row = await db
    .selectFrom('sign_in_links')
    .select(['user', 'inviter'])
    .where('hash', '=', hashOfToken(token))
    .where('purpose', '=', 'set-up')
    .where('expires_utc', '<=', formatUtc(now))
    .executeTakeFirst()
  const invited = row && (await findUser(db, row.user))
  if (!row || !invited || !isActive(invited)) return undefined
  const administrators = (await listUsers(db)).filter(
    (user) => user.role === 'administrator' && isActive(user) && user.id !== invited.id,
  )
  return administrators.find(({ id }) => id === row.inviter) ?? administrators[0]
}

/** Deletes the link; of several simultaneous callers, only one gets true. */
export async function useSignInLink(tx: Tx, token: string): Promise<boolean> {
  const used = await tx.deleteFrom('sign_in_links').where('hash', '=', hashOfToken(token)).executeTakeFirst()
  return used.numDeletedRows > 0n
}
