import { isRecord, type JsonRecord } from '../../base/foreign-json.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { ROLES, type Role } from '../../calendar/people/caller.ts'

/** People whose claim has the value get the role. */
export interface RoleRow {
  /** A name, or names separated by dots, such as `realm_access.roles`. */
  claim: string
  value: string
  role: Role
}

/** Reads `groups staff=author; hd example.org=contributor`. @throws Error for another form */
export function readRoles(text: string): RoleRow[] {
  const rows = text.split(/[;\n]/).map((row) => row.trim())
  return rows.filter(Boolean).map((row) => {
    const blank = row.indexOf(' ')
    const equals = row.lastIndexOf('=')
    const value = row.slice(blank + 1, equals).trim()
    const role = ROLES.find((known) => known === row.slice(equals + 1).trim())
    if (blank === -1 || equals < blank || value === '' || !role)
      throw new Error(`KALENDS_OIDC_ROLES takes rows such as "groups staff=author", not "${row}".`)
    return { claim: row.slice(0, blank), value, role }
  })
}

export interface Claimed {
  issuer: string
  /** Identifies the account within the issuer for ever. */
  subject: string
  /** Empty if the provider sends none. */
  name: string
  /** Names that a login may be made from, the best first. */
  logins: readonly string[]
  /** E-mail address confirmed by the provider; empty for none. */
  email: string
  role: Role | undefined
}

/** OpenID Connect Core, 2. */
const LONGEST_SUBJECT = 255
const LONGEST_NAME = 250

/** Reads who signs in; undefined for a subject that no provider may send. */
export function readClaims(
  claims: JsonRecord,
  issuer: string,
  roles: readonly RoleRow[],
  defaultRole: Role | undefined,
): Claimed | undefined {
  const subject = textIn(claims, 'sub')
  if (subject === '' || subject.length > LONGEST_SUBJECT || /[^\x20-\x7e]/.test(subject)) return undefined
  const login = shownName(textIn(claims, 'preferred_username'))
  const email = textIn(claims, 'email')
  const full = shownName(`${textIn(claims, 'given_name')} ${textIn(claims, 'family_name')}`)
  const hasEmail = claims.email_verified === true && /^[\x21-\x7e]{3,254}$/.test(email)
  return {
    issuer,
    subject,
    name: shownName(textIn(claims, 'name')) || full || login,
    logins: [login, shownName(email), full].map((text) => text.split('@')[0] ?? '').filter(Boolean),
    email: hasEmail ? email : '',
    role: roleOf(claims, roles) ?? defaultRole,
  }
}

export function roleOf(claims: JsonRecord, roles: readonly RoleRow[]): Role | undefined {
  const given = new Set(
    roles.filter(({ claim, value }) => claimValues(claims, claim).includes(value)).map(({ role }) => role),
  )
  return ROLES.find((role) => given.has(role))
}

export function claimValues(claims: JsonRecord, name: string): string[] {
  const found = Object.hasOwn(claims, name) ? claims[name] : valueAt(claims, name.split('.'))
  return [found].flat().filter(isPlain).map(String)
}

function valueAt(from: unknown, [name, ...inner]: readonly string[]): unknown {
  if (name === undefined) return from
  return isRecord(from) && Object.hasOwn(from, name) ? valueAt(from[name], inner) : undefined
}

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function textIn(claims: JsonRecord, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** Leaves out control characters and those that change the text direction. */
function shownName(text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
  return beginningOf(plain.trim(), LONGEST_NAME)
}
