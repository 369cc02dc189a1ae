import { sql } from 'kysely'
import { formatUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import { recordChange, type Tx, type WriteAction } from '../../store/storage/recording.ts'
import type { RecordKind, UserColumns } from '../../store/storage/schema.ts'
import { type Caller, type Capability, capabilitiesHeld, ROLES, type Role } from './caller.ts'

export type User = Omit<UserColumns, 'role'> & { role: Role }

/** `name` is the login by default. */
export interface NewUser {
  login: string
  email?: string | undefined
  name?: string | undefined
  role: Role
}

/** The answer about the caller (rule 29.2). */
export interface Me {
  id: number
  name: string
  slug: string
  roles: Role[]
  capabilities: Partial<Record<Capability, true>>
}

/** The largest id: the limit of integer columns in PostgreSQL, applied to SQLite too. */
const LAST_ID = 2 ** 31 - 1

// Starts with a letter or digit, so that no command line takes it for an option.
const LOGIN = /^[a-z0-9][a-z0-9._@-]{0,59}$/
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** An e-mail address as the HTML standard defines it. */
const EMAIL = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`)
const LONGEST_EMAIL = 254
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,250}$/u

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

/** Finds a user by login or e-mail address, in any letter case. */
export async function findUserByLogin(db: Db, loginOrEmail: string): Promise<User | undefined> {
  const text = loginOrEmail.toLowerCase()
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where((user) => user.or([user('login', '=', text), user('email', '=', text)]))
    .executeTakeFirst()
  return row && readUser(row)
}

/** @throws Error when there is no such user */
export async function getUserByLogin(db: Db, loginOrEmail: string): Promise<User> {
  const user = await findUserByLogin(db, loginOrEmail)
  if (!user) throw new Error(`There is no user ${loginOrEmail}.`)
  return user
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function listUsers(db: Db): Promise<User[]> {
  const rows = await db.selectFrom('users').selectAll().orderBy('id').execute()
  return rows.map(readUser)
}

/**
 * Inserts a user, whose login and address must differ from every other user's login and address, since a user
 * may sign in with either.
 * @param now in ms
 * @throws RefusedUserChange if a value is invalid or taken
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
    // The column `email` is unique, so without an address it holds the login.
    .values({
      login,
      email: email || login,
      name,
      role: values.role,
      created_utc: formatUtc(now),
      deactivated_utc: '',
      language: '',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordUser(tx, row.id, { action: 'create', name: login })
  return readUser(row)
}

/**
 * Changes the role and ends the user's sessions.
 * @throws Error when there is no such user, RefusedUserChange when no administrator would be left
 */
export async function changeRole(tx: Tx, id: number, role: Role): Promise<void> {
  const user = await getUser(tx, id)
  if (role !== 'administrator') await keepAnAdministrator(tx, user)
  await tx.updateTable('users').set({ role }).where('id', '=', id).execute()
  await endSessions(tx, id)
  recordUser(tx, id, { action: 'role', name: `${user.login}: ${role}` })
}

/**
 * Keeps a user from signing in, and ends sessions and links. Credentials and records stay.
 * @param now in ms
 * @throws Error when there is no such user, RefusedUserChange when no administrator would be left
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

/** @throws Error when there is no such user */
export async function reactivateUser(tx: Tx, id: number): Promise<void> {
  const user = await getUser(tx, id)
  if (isActive(user)) return
  await tx.updateTable('users').set({ deactivated_utc: '' }).where('id', '=', id).execute()
  recordUser(tx, id, { action: 'update', name: `${user.login}: active` })
}

export function isActive({ deactivated_utc }: User): boolean {
  return deactivated_utc === ''
}

export async function endSessions(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('user', '=', id).execute()
}

export async function voidLinks(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('sign_in_links').where('user', '=', id).execute()
}

/** Records a change of a user, which is never public. Only with `act` does the history mention it. */
export function recordUser(tx: Tx, record: number, act?: { action: WriteAction; name: string }): void {
  const change = { kind: 'user', record, wasPublic: false, isPublic: false } as const
  recordChange(tx, { ...change, isDeleted: act?.action === 'delete' }, act)
}

/**
 * Deletes a user, whose records go to `reassignTo`.
 * @throws RefusedUserChange when no administrator would be left, or a record without owner
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

/** The caller (rule 29.2), with the capabilities that the credential allows. */
export function presentMe(user: User, caller: Caller = user): Me {
  return {
    id: user.id,
    name: user.name,
    slug: user.login.replace(/[^a-z0-9_]+/g, '-').replace(/-$/, ''),
    roles: [user.role],
    capabilities: Object.fromEntries(capabilitiesHeld(caller).map((capability) => [capability, true])),
  }
}

export async function getUser(db: Db, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new Error(`There is no user with the id ${id}.`)
  return user
}

/** A role that this release does not know, perhaps of a later one, becomes `subscriber`, without rights. */
function readUser(row: UserColumns): User {
  const role = ROLES.find((known) => known === row.role) ?? 'subscriber'
  return { ...row, role, email: EMAIL.test(row.email) ? row.email : '' }
}

function checkLogin(login: string): void {
  if (LOGIN.test(login)) return
  throw new RefusedUserChange('login')
}

export const isName = (text: string): boolean => NAME.test(text)

export function checkName(name: string): void {
  if (!isName(name)) throw new RefusedUserChange('name')
}

export function checkEmail(email: string): void {
  if (email.length <= LONGEST_EMAIL && EMAIL.test(email)) return
  throw new RefusedUserChange('email', { email })
}

async function keepAnAdministrator(tx: Tx, user: User): Promise<void> {
  if (user.role !== 'administrator' || !isActive(user)) return
  // Locks administrators until the commit, so that two who remove each other at once take turns.
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

export async function reassignRecords(tx: Tx, from: User, to: User): Promise<void> {
  for (const { table, kind } of OWNED) {
    // An image has no status column: it is always public.
    const status = kind === 'image' ? sql.lit('publish') : sql.ref('status')
    const { rows } = await sql<{ id: number; status: string }>`
      update ${sql.table(table)} set author = ${to.id} where author = ${from.id} returning id,
        ${status} as status
    `.execute(tx)
    for (const row of rows) {
      const isPublic = row.status === 'publish'
      recordChange(tx, { kind, record: row.id, wasPublic: isPublic, isPublic })
    }
  }
}
