import { copyFileSync, existsSync, readFileSync } from 'node:fs'

export function databaseFile(address: string): string | undefined {
  return address.startsWith('sqlite:') ? address.slice('sqlite:'.length) : undefined
}

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

/** Returns the address for messages and logs, without passwords and other parts that may be secret. */
export function withoutPassword(address: string): string {
  if (databaseFile(address) !== undefined) return address
  const slashes = address.indexOf('://')
  return slashes === -1 ? withoutSecretWords(address) : withoutUrlPassword(address, slashes + 3)
}

/** Drops the password, which may contain any character, even `@`, `/` and `?`, and secret parameters. */
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

/** For addresses such as `host=… password=…`: hides everything from the first word that may be secret. */
function withoutSecretWords(address: string): string {
  const words = address.split(/(\s+)/)
  const secret = words.findIndex(
    (word) => word.trim() !== '' && !SHOWN.has(word.slice(0, Math.max(word.indexOf('='), 0))),
  )
  return secret === -1 ? address : words.slice(0, secret).join('') + HIDDEN
}

/** The first 16 bytes of every SQLite file, and so of every backup. */
export const DATABASE_FILE_START = 'SQLite format 3\0'

// When a calendar has been copied to another database, a note beside its old file keeps services from using
// it.

export const NOTE_END = '-moved'

export function placeAt(address: string): { file: string; note: string } | undefined {
  const file = databaseFile(address)
  return file === undefined ? undefined : { file, note: file + NOTE_END }
}

/** Copies the note beside `from`, if any, to `to`; true if there is a note. */
export function copyNote(from: string, to: string): boolean {
  const isThere = existsSync(from + NOTE_END)
  if (isThere) copyFileSync(from + NOTE_END, to + NOTE_END)
  return isThere
}

/** For the operator: `told` says where the calendar was copied to, `todo` what to do now. */
export interface Move {
  told: string
  todo: string
}

export function findMove(address: string): Move | undefined {
  const place = placeAt(address)
  if (!place || !existsSync(place.note)) return undefined
  const { file, note } = place
  const todo = [
    'Set KALENDS_DATABASE to that address;',
    `to go on with ${file}, without what has been written there since, remove ${note}.`,
  ].join(' ')
  return { told: readFileSync(note, 'utf8').trim(), todo }
}

/** @throws Error if the calendar was copied away; its message says where to, and how to use the file again */
export function refuseMoved(address: string): void {
  const move = findMove(address)
  if (move) throw new Error(`${move.told} ${move.todo}`)
}
