import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'

export interface Seal {
  key: Buffer
}

const derive = promisify<string, string, number, object, Buffer>(scrypt)

/** Derives a key, the same on every node; guessing the secret by it is as slow as by a password hash. */
export async function makeSeal(secret: string, issuer: string, client: string): Promise<Seal> {
  return { key: await derive(secret, `kalends ${issuer} ${client}`, 32, { cost: 2 ** 14 }) }
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a value.
 * @param purpose `unseal` refuses texts of another purpose
 */
export function seal({ key }: Seal, purpose: string, value: object): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
  const parts = [nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(parts).toString('base64url')
}

/** Decrypts a text; undefined unless `seal` made it for this purpose. */
export function unseal({ key }: Seal, purpose: string, text: string): unknown {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const opened = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return parsedJson(Buffer.concat([opened, cipher.final()]))
  } catch {
    return undefined
  }
}

export interface Flow {
  state: string
  /** In milliseconds since the epoch. */
  since: number
  /** Where the browser goes after the sign-in. */
  next: string
  /** The token of the sign-in link used; empty for none. */
  token: string
  /** The user who is signed in and connects an account; 0 for nobody. */
  user: number
}

/** In ms, how long a flow and its cookie last. */
const FLOW_MS = 600_000
/** Browsers keep 4096 bytes of a cookie; the oldest flows are dropped. */
const LONGEST_COOKIE = 3800
const MOST_FLOWS = 6

/** Adds a flow to the cookie: one browser may have sign-ins under way in several tabs. */
export function addFlow(by: Seal, cookie: string, flow: Flow): string {
  const flows = [flow, ...flowsIn(by, cookie, flow.since)].slice(0, MOST_FLOWS)
  for (;;) {
    const sealed = seal(by, 'flows', flows)
    if (sealed.length <= LONGEST_COOKIE || flows.length === 1) return sealed
    flows.pop()
  }
}

/** @param now milliseconds since the epoch */
export function findFlow(by: Seal, cookie: string, state: string, now: number): Flow | undefined {
  return state === '' ? undefined : flowsIn(by, cookie, now).find((flow) => flow.state === state)
}

function flowsIn(by: Seal, cookie: string, now: number): Flow[] {
  const flows = unseal(by, 'flows', cookie)
  return Array.isArray(flows) ? flows.filter((flow): flow is Flow => isFlow(flow) && isLive(flow, now)) : []
}

const isFlow = (value: unknown): value is Flow => isRecord(value) && typeof value.since === 'number'
const isLive = ({ since }: Flow, now: number) => now - since < FLOW_MS

export const newState = () => randomBytes(32).toString('base64url')

/** The verifier (RFC 7636) or the nonce of a flow, which only this service can derive. */
export function secretOf({ key }: Seal, of: 'verifier' | 'nonce', { state }: Flow): string {
  return createHmac('sha256', key).update(`${of} ${state}`).digest('base64url')
}

const LEAVE_MS = 3_600_000

/** Seals a text for the link by which a user connects an account; no other site can make it. */
export function sealLeave(by: Seal, session: string, now: number): string {
  return seal(by, 'leave', { session, since: now })
}

export function isLeave(by: Seal, text: string, session: string, now: number): boolean {
  const leave = unseal(by, 'leave', text)
  return isRecord(leave) && leave.session === session && now - Number(leave.since) < LEAVE_MS
}
