import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database, Db } from '../../store/storage/database.ts'

/** Minimum age in ms: nobody fills in the form faster. */
export const LEAST_AGE = 4000
const MOST_AGE = 86_400_000
/** Clocks of nodes may differ by this many ms. */
const SKEW = 2000

const KEY_BYTES = 32
const LINK_BYTES = 32

/** The key of all nodes, from the database; created at the first call. */
export async function readKey({ read, write }: Pick<Database, 'read' | 'write'>): Promise<string> {
  const known = await findKey(read)
  if (known !== undefined) return known
  const value = randomBytes(KEY_BYTES).toString('base64url')
  await write((tx) =>
    tx
      .insertInto('submission_keys')
      .values({ name: 'seal', value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute(),
  )
  return (await findKey(read)) ?? value
}

async function findKey(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('submission_keys')
    .select('value')
    .where('name', '=', 'seal')
    .executeTakeFirst()
  return row?.value
}

const MAC_LENGTH = 22

/**
 * A plain hash over key and text authenticates: SHA-512/256 resists length extension. `createHmac` is slower.
 */
const macOf = (key: string, text: string) => hash('sha512-256', key + text, 'base64url')

/** Random part shared by many nonces: drawing it costs more than the MAC, which alone guards tokens. */
let drawn = { text: '', left: 0 }

function nextNonce(): string {
  if (drawn.left === 0) drawn = { text: randomBytes(12).toString('base64url'), left: 1_000_000 }
  drawn.left -= 1
  return drawn.text + drawn.left.toString(36).padStart(6, '0')
}

/** @param now ms since the epoch */
export function sealForm(key: string, now: number): string {
  const body = `${now.toString(36)}.${nextNonce()}`
  return `${body}.${macOf(key, body).slice(0, MAC_LENGTH)}`
}

/**
 * `early`: sooner than a person could; `old`: expired, or from the future because the clock was set back;
 * `none`: not a token of this calendar.
 */
export type FormAge = 'good' | 'early' | 'old' | 'none'

/** When the token was issued, in ms since the epoch. */
export const issuedAt = (token: string): number => Number.parseInt(token.slice(0, token.indexOf('.')), 36)

const TOKEN = /^[0-9a-z]{1,11}\.[\w-]{22}\.[\w-]{22}$/

export function ageOfForm(key: string, token: string, now: number): FormAge {
  if (!TOKEN.test(token)) return 'none'
  const end = token.lastIndexOf('.')
  const own = macOf(key, token.slice(0, end)).slice(0, MAC_LENGTH)
  if (!timingSafeEqual(Buffer.from(token.slice(end + 1)), Buffer.from(own))) return 'none'
  const age = now - issuedAt(token)
  if (age > MOST_AGE || age < -SKEW) return 'old'
  return age < LEAST_AGE ? 'early' : 'good'
}

/** The hash stored in place of a secret. */
export const hashOfSecret = (text: string): string => hash('sha256', text, 'base64url')

export const newSecret = (): string => randomBytes(LINK_BYTES).toString('base64url')

/** The secret of the sender's page, derived from the token: sending a form twice leads to the same page. */
export const secretOfForm = (key: string, token: string): string => macOf(key, `link ${token}`)

const SECRET = /^[\w-]{43}/

/** The secret at the beginning of the text: mail programs may append characters to links. */
export const readSecret = (text: string): string | undefined => SECRET.exec(text)?.[0]

/** Zero bits that a proof of work needs. A phone takes about a second for 16. */
export const PROOF_BITS = 16

export function isProof(token: string, proof: string): boolean {
  if (!/^\d{1,12}$/.test(proof)) return false
  const bits = hash('sha256', `${token}:${proof}`, 'buffer').readUInt32BE(0)
  return bits >>> (32 - PROOF_BITS) === 0
}
