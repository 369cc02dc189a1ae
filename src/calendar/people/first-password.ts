import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../base/files.ts'
import type { FirstAdministrator } from './first-administrator.ts'

const FILE = 'first-password.txt'

/**
 * Sentences that tell the operator how to sign in first. Output that is no terminal is a log, which others read and which is stored: then the
 * password goes into a file of the data folder that only its owner can read, and not into the sentences.
 */
export function tellFirstPassword(
  { login, password }: FirstAdministrator,
  folder: string,
  isTerminal: boolean,
): string[] {
  if (isTerminal) {
    return [
      `A new database. Its administrator is ${login} with the application password ${password}`,
      'This password is shown once; kalends password add makes others.',
    ]
  }
  const file = join(folder, FILE)
  try {
    makeFolder(folder)
    // An existing file would keep its mode.
    rmSync(file, { force: true })
    writeFileSync(file, `${login}\n${password}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      `A new database. Its administrator is ${login}, whose password could not be written into a file (${reason}).`,
      `kalends password add ${login} makes another.`,
    ]
  }
  return [
    `A new database. Its administrator is ${login}; the application password is in ${file}, which only this user can read.`,
    'Delete the file once you have kept the password; kalends password add makes others.',
  ]
}

/** A sentence about the password file of an earlier start; undefined when it was removed. */
export function remindOfPassword(folder: string): string[] {
  const file = join(folder, FILE)
  return existsSync(file)
    ? [`The first application password is still in ${file}; delete the file once you have kept it.`]
    : []
}
