import type { Database } from '../../store/storage/database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { addPendingPassword, settlePendingPassword } from './credentials.ts'
import { hasDeskPasswords } from './desk-passwords.ts'
import { addSignInLink } from './sign-in-links.ts'
import { findUser, hasUsers, insertUser, isActive, listUsers } from './users.ts'

// Makes the first administrator of a new calendar.

const FIRST_START = writerBy('first start')

/** The login and the application password of the first administrator. The password is stored only as a hash, so it is shown once. */
export interface FirstAdministrator {
  login: string
  password: string
}

/**
 * Makes the user `admin` when there are no users. `giveFirstPassword` gives it a password later, once the service answers.
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
 * Gives the first administrator a password, unless it has one. It has none yet where the start that made the user failed.
 * @returns undefined when it had a password, or another process has just given it one
 */
export async function giveFirstPassword(database: Database): Promise<FirstAdministrator | undefined> {
  return database.write(async (tx) => {
    const given = await settlePendingPassword(tx)
    const user = given && (await findUser(tx, given.user))
    return user && { login: user.login, password: given.password }
  }, FIRST_START)
}

/** The way in to the desk, as the operator is told it at the start. */
export interface DeskEntry {
  login: string
  /** The token of a link; undefined where nobody has a password for the desk and the operator is told how to make a link. */
  token: string | undefined
  /** Whether the link signs in without a password as well, to look around. */
  isDemo: boolean
}

/**
 * The way in to the desk while nobody has a password for it: a link at the first start and with `--demo`, and else how to make one.
 * @param now milliseconds since the epoch
 */
export async function findDeskEntry(
  database: Database,
  { isFirst, isDemo }: { isFirst: boolean; isDemo: boolean },
  now: number,
): Promise<DeskEntry | undefined> {
  const users = await listUsers(database.read)
  const administrator = users.find((user) => user.role === 'administrator' && isActive(user))
  if (!administrator) return undefined
  const { login } = administrator
  if (await hasDeskPasswords(database.read)) return undefined
  if (!isFirst && !isDemo) return { login, token: undefined, isDemo }
  const purpose = isDemo ? 'demo' : undefined
  const token = await database.write((tx) => addSignInLink(tx, administrator, now, purpose), FIRST_START)
  return { login, token, isDemo }
}
