import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { giveTo, ownerAt } from '../../base/files.ts'
import { formatUtc } from '../../base/text/moments.ts'

// Reads addresses of databases: finds the file that one names, hides the secrets in it, and keeps the note of
// a calendar that was copied elsewhere.

/** Returns the file of the address `sqlite:FILE`; undefined for a database on a server. */
export function databaseFile(address: string): string | undefined {
  return address.startsWith('sqlite:') ? address.slice('sqlite:'.length) : undefined
}

/** The parameters whose values are no secret. */
const SHOWN = new Set([
  'host',
  'hostaddr',
  'port',
  'dbname',
  'user',
  'sslmode',
  'application_name',
  'connections',
  'connect_ms',
  'statement_ms',
  'lock_ms',
  'listen',
])

const HIDDEN = '***'

/**
 * Returns the address of a database as messages and logs may show it: without the password, whatever its
 * form, well-formed or not. Of a doubtful address it hides too much rather than too little.
 */
export function withoutPassword(address: string): string {
  if (databaseFile(address) !== undefined) return address
  const slashes = address.indexOf('://')
  return slashes === -1 ? withoutSecretWords(address) : withoutUrlPassword(address, slashes + 3)
}

/**
 * Hides the password in `scheme://user:password@host/name?parameter=value`. The password may contain any
 * character, even `@`, `/` and `?`.
 */
function withoutUrlPassword(address: string, start: number): string {
  const at = address.lastIndexOf('@')
  const colon = address.indexOf(':', start)
  const hasPassword = at !== -1 && colon !== -1 && colon < at
  const user = address.slice(0, at === -1 ? start : hasPassword ? colon : at)
  const place = address.slice(at === -1 ? start : at)
  const mark = place.indexOf('?')
  return mark === -1
    ? user + place
    : `${user}${place.slice(0, mark)}?${withoutSecretParameters(place.slice(mark + 1))}`
}

function withoutSecretParameters(query: string): string {
  const shown = query.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    if (equals === -1) return pair === '' ? '' : HIDDEN
    const name = pair.slice(0, equals)
    return SHOWN.has(name) ? pair : `${name}=${HIDDEN}`
  })
  return shown.join('&')
}

/**
 * Hides the secrets in `host=… password=…`, with values in quotes or not: everything from the first word on
 * that may be secret.
 */
function withoutSecretWords(address: string): string {
  const words = address.split(/(\s+)/)
  const secret = words.findIndex(
    (word) => word.trim() !== '' && !SHOWN.has(word.slice(0, Math.max(word.indexOf('='), 0))),
  )
  return secret === -1 ? address : words.slice(0, secret).join('') + HIDDEN
}

/** The first 16 characters, in ASCII, of every file of a SQLite database, and so of every backup. */
export const DATABASE_FILE_START = 'SQLite format 3\0'

// When the calendar of a file is copied into another database, it goes on there. A note beside the file then
// keeps services from being started on the file by mistake.

/** The note's name is that of the file with this end. */
export const NOTE_END = '-moved'

function placeAt(address: string): { file: string; note: string } | undefined {
  const file = databaseFile(address)
  return file === undefined ? undefined : { file, note: file + NOTE_END }
}

/**
 * Writes the note that a calendar was copied to another address. Returns a sentence for the operator, even
 * where the note cannot be written; undefined where the calendar has no file.
 * @param now milliseconds since the epoch
 */
export function noteMove(from: string, to: string, now: number): string | undefined {
  const place = placeAt(from)
  if (!place) return undefined
  const { file, note } = place
  try {
    writeFileSync(
      note,
      `The calendar in ${file} was copied to ${withoutPassword(to)} at ${formatUtc(now)} UTC.\n`,
    )
    giveTo(note, ownerAt(file))
    return `The service is not started on ${file} any more, unless ${note} is removed.`
  } catch (error) {
    return `Let no service be started on ${file} any more; that cannot be noted there: ${messageOf(error)}.`
  }
}

/** Removes the note at an address that another calendar has come to. */
export function forgetMove(address: string): void {
  const place = placeAt(address)
  if (place) rmSync(place.note, { force: true })
}

/** Copies the note of a file beside another file. Returns false if there is no note. */
export function copyNote(from: string, to: string): boolean {
  const isThere = existsSync(from + NOTE_END)
  if (isThere) copyFileSync(from + NOTE_END, to + NOTE_END)
  return isThere
}

/** The text of the note, which says where the calendar was copied to, and a sentence on what to do. */
export interface Move {
  told: string
  todo: string
}

/** Reads the note beside the file at an address; undefined where there is none. */
export function findMove(address: string): Move | undefined {
  const place = placeAt(address)
  if (!place || !existsSync(place.note)) return undefined
  const { file, note } = place
  const todo = `Set KALENDS_DATABASE to that address; to go on with ${file}, without what has been written there since, remove ${note}.`
  return { told: readFileSync(note, 'utf8').trim(), todo }
}

/** Warns on standard error that the calendar that is read was copied elsewhere. Returns whether it was. */
export function warnOfMove(address: string): boolean {
  const move = findMove(address)
  if (move) console.error(`Warning: this is an old calendar. ${move.told} ${move.todo}`)
  return move !== undefined
}

/**
 * Refuses a file whose calendar was copied to another address.
 * @throws Error that says where it is, and how the file is taken back
 */
export function refuseMoved(address: string): void {
  const move = findMove(address)
  if (move) throw new Error(`${move.told} ${move.todo}`)
}
