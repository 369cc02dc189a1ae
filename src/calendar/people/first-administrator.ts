import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../base/files.ts'
import type { Database } from '../../store/storage/database.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { addPendingPassword, settlePendingPassword } from './credentials.ts'
import { addSignInLink, hasDeskPasswords, LINK_MINUTES, linkTo } from './desk-passwords.ts'
import { findUser, hasUsers, insertUser, isActive, listUsers } from './users.ts'

const FIRST_START = writerBy('first start')

/** The first administrator's password is stored only as a hash, so it can be shown only once. */
export interface FirstAdministrator {
  login: string
  password: string
}

/**
 * Creates the user `admin` if there are no users. `giveFirstPassword` sets its password once the server
 * answers requests.
 * @param now in ms
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
    // Not a failure if another process has created the user meanwhile.
    if (!(await hasUsers(database.read))) throw error
  }
}

/**
 * Gives the first administrator's pending password a secret; undefined if none is pending. A failed start may
 * have left it pending.
 */
export async function giveFirstPassword(database: Database): Promise<FirstAdministrator | undefined> {
  return database.write(async (tx) => {
    const given = await settlePendingPassword(tx)
    const user = given && (await findUser(tx, given.user))
    return user && { login: user.login, password: given.password }
  }, FIRST_START)
}

export interface DeskEntry {
  login: string
  /** The token of a link to the desk; undefined if the operator is only told how to create one. */
  token: string | undefined
  /** True if the link also signs in without a password. */
  isDemo: boolean
}

/**
 * The administrator's login and, on a first start or with `--demo`, the token of a new link to the desk.
 * Undefined once somebody has a password, and without an active administrator.
 * @param now in ms
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
  const token = await database.write((tx) => addSignInLink(tx, administrator, now, { purpose }), FIRST_START)
  return { login, token, isDemo }
}

const PASSWORD_FILE = 'first-password.txt'
const LINK_FILE = 'desk-link.txt'

interface Told {
  folder: string
  isTerminal: boolean
  siteUrl: string
}

/**
 * Tells the operator how to sign in. If the output is no terminal, others may read the log: then password and
 * link go to a file that only its owner can read.
 * @param administrator is defined if the database was empty
 */
export function tellFirstSteps(
  administrator: FirstAdministrator | undefined,
  entry: DeskEntry | undefined,
  told: Told,
): string[] {
  const link = entry?.token === undefined ? undefined : linkTo(told.siteUrl, entry.token)
  if (administrator) return tellFirstPassword(administrator, link, told)
  const reminder = remindOfPassword(told.folder)
  if (entry && link !== undefined) return [...reminder, ...tellLink(link, told)]
  if (!entry) return reminder
  return [
    ...reminder,
    `Nobody has a password for the desk yet; kalends user link ${entry.login} prints a link to it.`,
  ]
}

const LINK_LIFE = `once and for ${LINK_MINUTES} minutes`

function tellFirstPassword(
  { login, password }: FirstAdministrator,
  link: string | undefined,
  { folder, isTerminal }: Told,
): string[] {
  if (isTerminal) {
    return [
      `A new database. Its administrator is ${login} with the application password ${password}`,
      'This password is shown once; kalends password add makes others.',
      ...(link === undefined ? [] : [sayLink(link)]),
    ]
  }
  const file = join(folder, PASSWORD_FILE)
  const failure = writeSecret(folder, file, [login, password, ...(link === undefined ? [] : [link])])
  if (failure !== undefined) {
    return [
      `A new database. Its administrator is ${login}, whose ` +
        `password could not be written into a file (${failure}).`,
      `kalends password add ${login} makes another.`,
    ]
  }
  const also = link === undefined ? '' : `, below it a link to the desk that is good ${LINK_LIFE}`
  return [
    `A new database. Its administrator is ${login}; the application ` +
      `password is in ${file}, which only this user can read${also}.`,
    'Delete the file once you have kept the password; kalends password add makes others.',
  ]
}

const sayLink = (link: string) => `The desk, where the calendar is kept, opens ${LINK_LIFE} at ${link}`

function tellLink(link: string, { folder, isTerminal }: Told): string[] {
  if (isTerminal) return [sayLink(link)]
  const file = join(folder, LINK_FILE)
  const failure = writeSecret(folder, file, [link])
  if (failure !== undefined) return [`A link to the desk could not be written into a file (${failure}).`]
  return [`A link to the desk that is good ${LINK_LIFE} is in ${file}, which only this user can read.`]
}

function writeSecret(folder: string, file: string, lines: readonly string[]): string | undefined {
  try {
    makeFolder(folder)
    // Overwriting a file would keep its permissions.
    rmSync(file, { force: true })
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function remindOfPassword(folder: string): string[] {
  const file = join(folder, PASSWORD_FILE)
  return existsSync(file)
    ? [`The first application password is still in ${file}; delete the file once you have kept it.`]
    : []
}
