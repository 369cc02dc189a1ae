// Addresses of databases: which file they name, and how they are shown without secrets.

/** The file of a SQLite database, of its address `sqlite:FILE`; undefined for a database on a server. */
export function databaseFile(address: string): string | undefined {
  return address.startsWith('sqlite:') ? address.slice('sqlite:'.length) : undefined
}

/** Parameters whose values are no secret. */
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
 * The address of a database for messages and logs: without the password, in any form, well-formed or not. Of a doubtful address it hides too much
 * rather than too little.
 */
export function withoutPassword(address: string): string {
  if (databaseFile(address) !== undefined) return address
  const slashes = address.indexOf('://')
  return slashes === -1 ? withoutSecretWords(address) : withoutUrlPassword(address, slashes + 3)
}

/** `scheme://user:password@host/name?parameter=value`; the password may have any sign, also `@`, `/` and `?`. */
function withoutUrlPassword(address: string, start: number): string {
  const at = address.lastIndexOf('@')
  const colon = address.indexOf(':', start)
  const hasPassword = at !== -1 && colon !== -1 && colon < at
  const user = address.slice(0, at === -1 ? start : hasPassword ? colon : at)
  const place = address.slice(at === -1 ? start : at)
  const mark = place.indexOf('?')
  return mark === -1 ? user + place : `${user}${place.slice(0, mark)}?${withoutSecretParameters(place.slice(mark + 1))}`
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

/** `host=… password=…`, with values in quotes or not: nothing is shown from the first one on that may be secret. */
function withoutSecretWords(address: string): string {
  const words = address.split(/(\s+)/)
  const secret = words.findIndex(
    (word) => word.trim() !== '' && !SHOWN.has(word.slice(0, Math.max(word.indexOf('='), 0))),
  )
  return secret === -1 ? address : words.slice(0, secret).join('') + HIDDEN
}

/** How the file of a SQLite database begins, and so that of a backup, in ASCII. */
export const DATABASE_FILE_START = 'SQLite format 3\0'
