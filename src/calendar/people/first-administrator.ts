import type { Database } from '../../store/storage/database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { addPendingPassword, settlePendingPassword } from './credentials.ts'
import { findUser, hasUsers, insertUser } from './users.ts'

const FIRST_START = writerBy('first start')

/** The first credential; it cannot be read again. */
export interface FirstAdministrator {
  login: string
  password: string
}

/**
 * Makes the user `admin` when there are no users. The password comes with `giveFirstPassword`, once the service answers.
 * @param now milliseconds since the epoch
 */
export async function createFirstAdministrator(database: Database, now: number): Promise<void> {
  if (await hasUsers(database.read)) return
  try {
    await database.write(async (tx) => {
      if (await hasUsers(tx)) return
      const user = await insertUser(tx, { login: 'admin', name: 'Administrator', role: 'administrator' }, now)
      await addPendingPassword(tx, user, 'First start', now)
    }, FIRST_START)
  } catch (error) {
    // Another process may have been quicker.
    if (!(await hasUsers(database.read))) throw error
  }
}

/**
 * Gives the first administrator a password, if none was given yet: also when the start that made the user failed.
 * @returns undefined when there was one, or another process has just given it
 */
export async function giveFirstPassword(database: Database): Promise<FirstAdministrator | undefined> {
  return database.write(async (tx) => {
    const given = await settlePendingPassword(tx)
    const user = given && (await findUser(tx, given.user))
    return user && { login: user.login, password: given.password }
  }, FIRST_START)
}
