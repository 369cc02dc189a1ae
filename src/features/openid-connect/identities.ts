import { hash } from 'node:crypto'
import { formatUtc } from '../../base/text/zones.ts'
import {
  changeRole,
  endSessions,
  findUser,
  findUserByLogin,
  insertUser,
  isActive,
  RefusedUserChange,
  recordUser,
  type User,
} from '../../calendar/people/users.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { renameUser } from '../desk/people-store.ts'
import { findSignInLink, useSignInLink } from '../desk/sign-in/sign-in-links.ts'
import type { Claimed } from './claims.ts'
import type { IdentityColumns } from './openid-tables.ts'

// A user is found by issuer and subject of an account, never by its e-mail address.

export async function findIdentity(db: Db, user: number): Promise<IdentityColumns | undefined> {
  return db.selectFrom('openid_identities').selectAll().where('user', '=', user).executeTakeFirst()
}

export async function listConnected(db: Db): Promise<Set<number>> {
  const rows = await db.selectFrom('openid_identities').select('user').execute()
  return new Set(rows.map(({ user }) => user))
}

export interface Purpose {
  /** The token of the sign-in link used; empty for none. */
  token: string
  /** The user who connects an account; 0 for nobody. */
  user: number
}

export type Refusal = 'deactivated' | 'no role' | 'elsewhere' | 'gone'

/** In a refusal, `user` is undefined for somebody unknown here. */
export type Settled = { user: User; refusal?: undefined } | { user: User | undefined; refusal: Refusal }

/**
 * Finds the user, or makes one if the claims give a role. A link, or a user who is signed in, connects the
 * account. Name and role follow the claims, but the last administrator stays one.
 * @param followsRoles the provider decides who has which role
 * @param now milliseconds since the epoch
 */
export async function settleUser(
  tx: Tx,
  claimed: Claimed,
  purpose: Purpose,
  followsRoles: boolean,
  now: number,
): Promise<Settled> {
  await holdName(tx, `openid ${claimed.issuer} ${claimed.subject}`)
  const known = await findConnected(tx, claimed)
  const chosen = await chosenUser(tx, purpose, now)
  if (chosen === 'gone') return { user: undefined, refusal: 'gone' }
  if (known && chosen && known.id !== chosen.id) return { user: chosen, refusal: 'elsewhere' }
  const user = known ?? chosen
  if (user && !isActive(user)) return { user, refusal: 'deactivated' }
  if (claimed.role === undefined && (followsRoles || !user)) {
    if (known) await loseRole(tx, known)
    return { user, refusal: 'no role' }
  }
  if (!user) return { user: await makeUser(tx, claimed, now) }
  if (purpose.token !== '' && !(await useSignInLink(tx, purpose.token)))
    return { user: undefined, refusal: 'gone' }
  const followed = followsRoles ? claimed : { ...claimed, role: undefined }
  if (!known) await connect(tx, followed, user, now)
  return { user: await follow(tx, user, followed, now) }
}

async function findConnected(tx: Tx, { issuer, subject }: Claimed): Promise<User | undefined> {
  const row = await tx
    .selectFrom('openid_identities')
    .select('user')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && findUser(tx, row.user)
}

async function chosenUser(tx: Tx, { token, user }: Purpose, now: number): Promise<User | 'gone' | undefined> {
  if (token !== '') return (await findSignInLink(tx, token, now))?.user ?? 'gone'
  return user === 0 ? undefined : ((await findUser(tx, user)) ?? 'gone')
}

/** Takes away a role that the provider no longer gives, and ends the user's sessions. */
async function loseRole(tx: Tx, user: User): Promise<void> {
  if (user.role !== 'subscriber') await setRole(tx, user, 'subscriber')
  await endSessions(tx, user.id)
}

async function setRole(tx: Tx, user: User, role: User['role']): Promise<void> {
  try {
    await changeRole(tx, user.id, role)
  } catch (error) {
    if (!(error instanceof RefusedUserChange) || error.why !== 'lastAdministrator') throw error
  }
}

async function follow(tx: Tx, user: User, claimed: Claimed, now: number): Promise<User> {
  const { issuer, subject, name, role } = claimed
  if (role !== undefined && role !== user.role) await setRole(tx, user, role)
  if (name !== '' && name !== user.name) await renameUser(tx, user.id, name)
  await tx
    .updateTable('openid_identities')
    .set({ name: accountName(claimed), seen_utc: formatUtc(now) })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
  return (await findUser(tx, user.id)) ?? user
}

/** Connects an account, in place of the one that the user had. */
async function connect(tx: Tx, claimed: Claimed, user: User, now: number): Promise<void> {
  const { issuer, subject } = claimed
  const utc = formatUtc(now)
  await tx.deleteFrom('openid_identities').where('user', '=', user.id).execute()
  const row = {
    issuer,
    subject,
    user: user.id,
    name: accountName(claimed),
    connected_utc: utc,
    seen_utc: utc,
  }
  await tx.insertInto('openid_identities').values(row).execute()
  // The history has one act per record, so this one tells of the role as well.
  const role = claimed.role === undefined || claimed.role === user.role ? '' : `, ${claimed.role}`
  recordUser(tx, user.id, { action: 'grant', name: `${user.login}: OpenID Connect${role}` })
}

export async function disconnect(tx: Tx, user: User): Promise<void> {
  const removed = await tx.deleteFrom('openid_identities').where('user', '=', user.id).executeTakeFirst()
  if (removed.numDeletedRows === 0n) return
  await endSessions(tx, user.id)
  recordUser(tx, user.id, { action: 'revoke', name: `${user.login}: OpenID Connect` })
}

const accountName = ({ name, logins, subject }: Claimed) => name || logins[0] || subject

const MOST_TRIED = 50
const LONGEST_LOGIN = 50

/** Makes a user; adds a number to a login that somebody else has. */
async function makeUser(tx: Tx, claimed: Claimed, now: number): Promise<User> {
  const { name, email, role = 'subscriber' } = claimed
  await holdName(tx, 'users')
  const login = await freeLogin(tx, claimed)
  const isFree = email !== '' && !(await findUserByLogin(tx, email))
  const values = { login, name: name || login, role }
  const user = await insertWith(tx, { ...values, ...(isFree && { email }) }, values, now)
  await connect(tx, claimed, user, now)
  return user
}

/** Inserts `values`, or `plain` if their e-mail address or name is refused. */
async function insertWith(
  tx: Tx,
  values: Parameters<typeof insertUser>[1],
  plain: Parameters<typeof insertUser>[1],
  now: number,
): Promise<User> {
  try {
    return await insertUser(tx, values, now)
  } catch (error) {
    if (!(error instanceof RefusedUserChange)) throw error
    return insertUser(tx, plain, now)
  }
}

async function freeLogin(tx: Tx, { logins, issuer, subject }: Claimed): Promise<string> {
  const stem = logins.map(asLogin).find((login) => login !== '') ?? 'user'
  for (let number = 1; number <= MOST_TRIED; number++) {
    const login = number === 1 ? stem : `${stem}-${number}`
    if (!(await findUserByLogin(tx, login))) return login
  }
  return `${stem}-${hash('sha256', `${issuer} ${subject}`).slice(0, 9)}`
}

function asLogin(text: string): string {
  const plain = text.slice(0, 250).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const login = plain.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '')
  return login.slice(0, LONGEST_LOGIN).replace(/(?<!-)-+$/, '')
}
