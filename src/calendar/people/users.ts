import { sql } from 'kysely'
import { formatUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import { recordChange, type Tx, type WriteAction } from '../../store/storage/recording.ts'
import type { RecordKind, UserColumns } from '../../store/storage/schema.ts'
import { type Caller, type Capability, capabilitiesHeld, ROLES, type Role } from './caller.ts'

// Finds, adds, changes and removes user accounts, and hands their records to another user.

/** A user with an account. */
export type User = Omit<UserColumns, 'role'> & { role: Role }

/** The values of a new account. The shown name is the login unless given. */
export interface NewUser {
  login: string
  email?: string | undefined
  name?: string | undefined
  role: Role
}

/** The caller's own account as `users/me` shows it (rule 29.2). */
export interface Me {
  id: number
  name: string
  slug: string
  roles: Role[]
  /** Each capability held, with true. */
  capabilities: Partial<Record<Capability, true>>
}

/** The largest id either database can hold. */
const LAST_ID = 2 ** 31 - 1

// A login starts with a letter or digit, so that a command line cannot take it for an option.
const LOGIN = /^[a-z0-9][a-z0-9._@-]{0,59}$/
/** A valid e-mail address of the HTML standard. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const LONGEST_EMAIL = 254
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,250}$/u

/** The sentences for changes of users that are refused. */
const REFUSALS = {
  login: 'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.',
  email: '{email} is not an e-mail address.',
  name: 'A name is one line of at most 250 characters.',
  passwords: 'Nobody has more than 100 passwords for programs; take one away first.',
  taken: 'There already is a user with the login or e-mail address {name}.',
  lastAdministrator: '{login} is the last administrator; make another user administrator first.',
  ownHeir: 'The records of {login} cannot go to {login}.',
  ownsRecords: '{login} owns records; name the user who takes them over.',
} as const

export type UserRefusal = keyof typeof REFUSALS
export type UserRefusalText = (typeof REFUSALS)[UserRefusal]

/** A change of a user that is refused, for a reason that can be said in every language. */
export class RefusedUserChange extends Error {
  readonly why: UserRefusal
  readonly text: UserRefusalText
  readonly values: Readonly<Record<string, string>>

  constructor(why: UserRefusal, values: Readonly<Record<string, string>> = {}) {
    super(REFUSALS[why].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''))
    this.why = why
    this.text = REFUSALS[why]
    this.values = values
  }
}

/** Every table whose records have an author, with the kind of these records. */
const OWNED: readonly { table: string; kind: RecordKind }[] = [
  { table: 'events', kind: 'event' },
  { table: 'venues', kind: 'venue' },
  { table: 'organizers', kind: 'organizer' },
  { table: 'images', kind: 'image' },
  { table: 'series', kind: 'series' },
]

export async function findUser(db: Db, id: number): Promise<User | undefined> {
  if (!Number.isSafeInteger(id) || id < 1 || id > LAST_ID) return undefined
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  return row && readUser(row)
}

export async function userExists(db: Db, id: number): Promise<boolean> {
  return (await findUser(db, id)) !== undefined
}

/** Finds the user with this login or e-mail address, in any letter case. */
export async function findUserByLogin(db: Db, loginOrEmail: string): Promise<User | undefined> {
  const text = loginOrEmail.toLowerCase()
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where((user) => user.or([user('login', '=', text), user('email', '=', text)]))
    .executeTakeFirst()
  return row && readUser(row)
}

/** Finds the user with this login or e-mail address, in any letter case. @throws Error when nobody has it */
export async function getUserByLogin(db: Db, loginOrEmail: string): Promise<User> {
  const user = await findUserByLogin(db, loginOrEmail)
  if (!user) throw new Error(`There is no user ${loginOrEmail}.`)
  return user
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * A user in the list of all people, with the time when the desk was last used in one of their stored
 * sessions; empty without one.
 */
export interface Person {
  user: User
  hasPassword: boolean
  seen_utc: string
}

/** Returns all users as the list of people shows them, the oldest account first. */
export async function listPeople(db: Db): Promise<Person[]> {
  const users = await listUsers(db)
  const having = await db.selectFrom('desk_passwords').select('user').execute()
  const seen = await db
    .selectFrom('sessions')
    .select(({ fn }) => ['user', fn.max('seen_utc').as('seen_utc')])
    .groupBy('user')
    .execute()
  const passwords = new Set(having.map(({ user }) => user))
  const seenBy = new Map(seen.map(({ user, seen_utc }) => [user, seen_utc]))
  return users.map((user) => ({
    user,
    hasPassword: passwords.has(user.id),
    seen_utc: seenBy.get(user.id) ?? '',
  }))
}

/** Returns all users, the oldest account first. */
export async function listUsers(db: Db): Promise<User[]> {
  const rows = await db.selectFrom('users').selectAll().orderBy('id').execute()
  return rows.map(readUser)
}

/**
 * Adds a user. Login and e-mail share one space of names, since either signs in.
 * @param now milliseconds since the epoch
 * @throws RefusedUserChange when a value is not acceptable or taken.
 */
export async function insertUser(tx: Tx, values: NewUser, now: number): Promise<User> {
  const login = values.login.toLowerCase()
  const email = values.email?.toLowerCase() ?? ''
  const name = values.name?.trim() || values.login
  checkLogin(login)
  if (email !== '') checkEmail(email)
  checkName(name)
  await holdName(tx, 'users')
  for (const wanted of [login, email].filter(Boolean)) {
    if (await findUserByLogin(tx, wanted)) throw new RefusedUserChange('taken', { name: wanted })
  }
  const row = await tx
    .insertInto('users')
    // The column is unique, so a user without an address has the login there.
    .values({
      login,
      email: email || login,
      name,
      role: values.role,
      created_utc: formatUtc(now),
      deactivated_utc: '',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordUser(tx, row.id, { action: 'create', name: login })
  return readUser(row)
}

/**
 * Gives a user another role, and ends their sessions.
 * @throws Error when there is no such user, or when no administrator would be left.
 */
export async function changeRole(tx: Tx, id: number, role: Role): Promise<void> {
  const user = await getUser(tx, id)
  if (role !== 'administrator') await keepAnAdministrator(tx, user)
  await tx.updateTable('users').set({ role }).where('id', '=', id).execute()
  await endSessions(tx, id)
  recordUser(tx, id, { action: 'role', name: `${user.login}: ${role}` })
}

/**
 * Keeps a user from signing in anywhere; ends their sessions and voids their links. Their credentials and
 * records stay, in case they are let in again.
 * @param now milliseconds since the epoch
 * @throws Error when there is no such user, or when no administrator would be left.
 */
export async function deactivateUser(tx: Tx, id: number, now: number): Promise<void> {
  const user = await getUser(tx, id)
  if (!isActive(user)) return
  await keepAnAdministrator(tx, user)
  await tx
    .updateTable('users')
    .set({ deactivated_utc: formatUtc(now) })
    .where('id', '=', id)
    .execute()
  await endSessions(tx, id)
  await voidLinks(tx, id)
  recordUser(tx, id, { action: 'update', name: `${user.login}: deactivated` })
}

/** Lets a deactivated user sign in again. @throws Error when there is no such user */
export async function reactivateUser(tx: Tx, id: number): Promise<void> {
  const user = await getUser(tx, id)
  if (isActive(user)) return
  await tx.updateTable('users').set({ deactivated_utc: '' }).where('id', '=', id).execute()
  recordUser(tx, id, { action: 'update', name: `${user.login}: active` })
}

/**
 * Changes the shown name of a user.
 * @throws Error when there is no such user, or the name is not acceptable
 */
export async function renameUser(tx: Tx, id: number, name: string): Promise<void> {
  const user = await getUser(tx, id)
  const trimmed = name.trim()
  checkName(trimmed)
  await tx.updateTable('users').set({ name: trimmed }).where('id', '=', id).execute()
  recordUser(tx, id, { action: 'update', name: user.login })
}

/**
 * Changes the e-mail address of a user, which signs in as their login does; an empty one removes it.
 * @throws RefusedUserChange for a text that is no e-mail address, or for the login or address of somebody
 * else; Error when there is no such user
 */
export async function changeEmail(tx: Tx, id: number, email: string): Promise<void> {
  const user = await getUser(tx, id)
  const wanted = email.trim().toLowerCase()
  if (wanted !== '') checkEmail(wanted)
  await holdName(tx, 'users')
  const other = wanted === '' ? undefined : await findUserByLogin(tx, wanted)
  if (other && other.id !== id) throw new RefusedUserChange('taken', { name: wanted })
  // The column is unique, so a user without an address has the login there.
  await tx
    .updateTable('users')
    .set({ email: wanted || user.login })
    .where('id', '=', id)
    .execute()
  recordUser(tx, id, { action: 'update', name: user.login })
}

/** True for a user who may sign in. */
export function isActive({ deactivated_utc }: User): boolean {
  return deactivated_utc === ''
}

/** Ends the sessions of a user at the desk. */
export async function endSessions(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('user', '=', id).execute()
}

/** Voids the links that were made for a user to choose a password. */
export async function voidLinks(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('sign_in_links').where('user', '=', id).execute()
}

/**
 * Records a change of a user or of their credentials, which the public cannot see. With `act`, the history
 * tells of the change.
 */
export function recordUser(tx: Tx, record: number, act?: { action: WriteAction; name: string }): void {
  const change = { kind: 'user', record, wasPublic: false, isPublic: false } as const
  recordChange(tx, { ...change, isDeleted: act?.action === 'delete' }, act)
}

/**
 * Removes a user with all their credentials; all records that they own go to `reassignTo`.
 * @throws Error when no administrator would be left, or when records would be left without an owner.
 */
export async function removeUser(tx: Tx, id: number, reassignTo?: number): Promise<void> {
  const user = await getUser(tx, id)
  await keepAnAdministrator(tx, user)
  if (reassignTo === id) throw new RefusedUserChange('ownHeir', { login: user.login })
  if (reassignTo !== undefined) await reassignRecords(tx, user, await getUser(tx, reassignTo))
  else if (await ownsRecords(tx, user)) throw new RefusedUserChange('ownsRecords', { login: user.login })
  await tx.deleteFrom('users').where('id', '=', id).execute()
  recordUser(tx, id, { action: 'delete', name: user.login })
}

/**
 * Gives all records that one user owns to another.
 * @throws Error when there is no such user, or both are the same
 */
export async function handOverRecords(tx: Tx, id: number, heirId: number): Promise<void> {
  const [user, heir] = [await getUser(tx, id), await getUser(tx, heirId)]
  if (user.id === heir.id) throw new RefusedUserChange('ownHeir', { login: user.login })
  await reassignRecords(tx, user, heir)
  recordUser(tx, id, { action: 'update', name: `${user.login}: records to ${heir.login}` })
}

/**
 * Returns the account as `users/me` shows it (rule 29.2), with the capabilities that the credential of the
 * caller may use.
 */
export function presentMe(user: User, caller: Caller = user): Me {
  return {
    id: user.id,
    name: user.name,
    slug: user.login.replace(/[^a-z0-9_]+/g, '-').replace(/-$/, ''),
    roles: [user.role],
    capabilities: Object.fromEntries(capabilitiesHeld(caller).map((capability) => [capability, true])),
  }
}

async function getUser(db: Db, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new Error(`There is no user with the id ${id}.`)
  return user
}

/**
 * Reads the row of a user. A role that is not known here, such as one of a later release, is read as
 * `subscriber`, which grants nothing.
 */
function readUser(row: UserColumns): User {
  const role = ROLES.find((known) => known === row.role) ?? 'subscriber'
  return { ...row, role, email: EMAIL.test(row.email) ? row.email : '' }
}

function checkLogin(login: string): void {
  if (LOGIN.test(login)) return
  throw new RefusedUserChange('login')
}

function checkName(name: string): void {
  if (!NAME.test(name)) throw new RefusedUserChange('name')
}

function checkEmail(email: string): void {
  if (email.length <= LONGEST_EMAIL && EMAIL.test(email)) return
  throw new RefusedUserChange('email', { email })
}

/** Refuses a change that would leave the site without an administrator. @throws RefusedUserChange */
async function keepAnAdministrator(tx: Tx, user: User): Promise<void> {
  if (user.role !== 'administrator' || !isActive(user)) return
  // Changes nothing, but holds the administrators' rows until the commit: two who remove each other at once
  // take turns.
  await tx.updateTable('users').set({ role: 'administrator' }).where('role', '=', 'administrator').execute()
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'administrator')
    .where('deactivated_utc', '=', '')
    .where('id', '!=', user.id)
    .limit(1)
    .executeTakeFirst()
  if (!other) throw new RefusedUserChange('lastAdministrator', { login: user.login })
}

async function ownsRecords(tx: Db, user: User): Promise<boolean> {
  for (const { table } of OWNED) {
    const { rows } = await sql`select id from ${sql.table(table)} where author = ${user.id} limit 1`.execute(
      tx,
    )
    if (rows.length > 0) return true
  }
  return false
}

async function reassignRecords(tx: Tx, from: User, to: User): Promise<void> {
  for (const { table, kind } of OWNED) {
    // An image has no status: it is public.
    const status = kind === 'image' ? sql.lit('publish') : sql.ref('status')
    const { rows } = await sql<{ id: number; status: string }>`
      update ${sql.table(table)} set author = ${to.id} where author = ${from.id} returning id, ${status} as status
    `.execute(tx)
    for (const row of rows) {
      const isPublic = row.status === 'publish'
      recordChange(tx, { kind, record: row.id, wasPublic: isPublic, isPublic })
    }
  }
}
