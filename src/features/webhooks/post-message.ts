import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { formatUtc } from '../../base/text/moments.ts'
import { lookUpAmong, mayConnect, nameOf } from '../../store/media/public-addresses.ts'
import type { WebhookColumns } from './webhook-tables.ts'
import type { WebhookReason } from './webhook-texts.ts'

export interface Posted {
  /** The HTTP status; 0 without an answer. */
  status: number
  /** Empty when the message arrived. */
  error: WebhookReason | ''
  /** Seconds to wait, as the receiver asks. */
  retryAfter?: number
}

export interface PostLimits {
  hosts: readonly string[]
  timeoutMs: number
  signal: AbortSignal
}

/** Reading an answer, which lets the receiver finish sending, ends after this many bytes. */
const MOST_READ = 16_384

/** True for public https URLs, and for URLs of `hosts`. */
export function mayPost(url: string, hosts: readonly string[]): boolean {
  const target = URL.parse(url)
  if (!target || !mayConnect(target, hosts)) return false
  return (
    target.protocol === 'https:' ||
    hosts.some((host) => nameOf(URL.parse(`http://${host}`)) === nameOf(target))
  )
}

/** Posts without following redirects, to the checked address alone. Never throws. */
export async function postMessage(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  limits: PostLimits,
): Promise<Posted> {
  if (!mayPost(url, limits.hosts)) return { status: 0, error: 'forbidden' }
  try {
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.timeoutMs)])
    const response = await postBody(new URL(url), headers, Buffer.from(body), limits.hosts, signal)
    const { statusCode: status = 0 } = response
    await readSome(response)
    if (status >= 200 && status < 300) return { status, error: '' }
    const wait = Number(response.headers['retry-after'])
    return { status, error: `answered ${status}`, ...(wait > 0 ? { retryAfter: wait } : {}) }
  } catch (error) {
    return { status: 0, error: reasonOf(error) }
  }
}

/** Posts over a connection of its own: a shared one might lead to an unchecked address. */
function postBody(
  target: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestSecure : requestPlain
  const described = {
    'content-type': 'application/json',
    'content-length': body.length,
    'user-agent': 'Kalends',
  }
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent: false, headers: { ...headers, ...described }, signal }
    request(target, { ...options, lookup: lookUpAmong(hosts) }, resolve)
      .on('error', reject)
      .end(body)
  })
}

async function readSome(response: IncomingMessage): Promise<void> {
  let read = 0
  for await (const chunk of response) {
    read += chunk.length
    if (read > MOST_READ) break
  }
  response.destroy()
}

function reasonOf(error: unknown): WebhookReason {
  if (!(error instanceof Error)) return 'unreachable'
  if (error.name === 'TimeoutError' || error.cause instanceof Error) return 'late'
  return 'code' in error ? `failed ${String(error.code)}` : 'unreachable'
}

// Standard Webhooks 1.0: HMAC over id, time and body, separated by dots.

const PREFIX = 'whsec_'
const KEY_BYTES = 32

export function makeSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64')
}

/** Returns headers with the signature; for a day after a change of secret, also one by the former secret. */
export function signedHeaders(
  {
    secret,
    old_secret,
    old_secret_until_utc,
  }: Pick<WebhookColumns, 'secret' | 'old_secret' | 'old_secret_until_utc'>,
  message: string,
  body: string,
  now: number,
): Record<string, string> {
  const seconds = String(Math.floor(now / 1000))
  const secrets = old_secret_until_utc > formatUtc(now) ? [secret, old_secret] : [secret]
  const signatures = secrets.map((each) => `v1,${sign(each, `${message}.${seconds}.${body}`)}`)
  return { 'webhook-id': message, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

function sign(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')
}
