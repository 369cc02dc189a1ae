import {
  checkEmail,
  checkName,
  findUserByLogin,
  getUser,
  listUsers,
  RefusedUserChange,
  reassignRecords,
  recordUser,
  type User,
} from '../../calendar/people/users.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'

export interface Person {
  user: User
  hasPassword: boolean
  seen_utc: string
}

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

/** @throws Error if there is no such user, or the name is invalid */
export async function renameUser(tx: Tx, id: number, name: string): Promise<void> {
  const user = await getUser(tx, id)
  const trimmed = name.trim()
  checkName(trimmed)
  await tx.updateTable('users').set({ name: trimmed }).where('id', '=', id).execute()
  recordUser(tx, id, { action: 'update', name: user.login })
}

/**
 * Changes the user's language; `""` means the calendar's.
 * @throws Error if there is no such user
 */
export async function changeLanguage(tx: Tx, id: number, language: string): Promise<void> {
  const user = await getUser(tx, id)
  await tx.updateTable('users').set({ language }).where('id', '=', id).execute()
  recordUser(tx, id, { action: 'update', name: user.login })
}

/**
 * Changes the e-mail address, by which the user can also sign in; `""` removes it.
 * @throws RefusedUserChange for an invalid address or another user's; Error if there is no such user
 */
export async function changeEmail(tx: Tx, id: number, email: string): Promise<void> {
  const user = await getUser(tx, id)
  const wanted = email.trim().toLowerCase()
  if (wanted !== '') checkEmail(wanted)
  await holdName(tx, 'users')
  const other = wanted === '' ? undefined : await findUserByLogin(tx, wanted)
  if (other && other.id !== id) throw new RefusedUserChange('taken', { name: wanted })
  await tx
    .updateTable('users')
    .set({ email: wanted || user.login })
    .where('id', '=', id)
    .execute()
  recordUser(tx, id, { action: 'update', name: user.login })
}

/**
 * Makes another user the author of all the user's records.
 * @throws RefusedUserChange if both are the same; Error if there is no such user
 */
export async function handOverRecords(tx: Tx, id: number, heirId: number): Promise<void> {
  const [user, heir] = [await getUser(tx, id), await getUser(tx, heirId)]
  if (user.id === heir.id) throw new RefusedUserChange('ownHeir', { login: user.login })
  await reassignRecords(tx, user, heir)
  recordUser(tx, id, { action: 'update', name: `${user.login}: records to ${heir.login}` })
}
