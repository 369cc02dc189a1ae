import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'

// Standard Webhooks 1.0: a signature is an HMAC over the id of the message, the time of the attempt and the body, parted by dots.

const PREFIX = 'whsec_'
const KEY_BYTES = 32

/** A new secret, as receivers are told it. */
export function makeSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64')
}

/** The headers that tell a receiver what a message is, and that it is ours; for a while after a new secret was made both sign. */
export function signedHeaders(
  { secret, old_secret, old_secret_until_utc }: Pick<WebhookColumns, 'secret' | 'old_secret' | 'old_secret_until_utc'>,
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
