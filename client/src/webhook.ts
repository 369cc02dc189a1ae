import { KalendsProblem } from './problem.ts'
import { type Decoded, decode } from './texts.ts'

/** What of a request is looked at: a `Request`, or what a server makes of one. `text` is the body as it came. */
export interface Received {
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** A message of a webhook. */
export interface Message<T extends object = Record<string, unknown>> {
  /** Such as `event.updated`. */
  type: string
  timestamp: string
  calendar: string
  data: { kind: string; id: number; sequence: number; rest_url?: string; record?: T }
}

/** Seconds that a message may be old, or the clocks apart. */
const TOLERANCE = 300
/** Signatures that are looked at: one for each secret that is good. */
const MOST_SIGNATURES = 9

/**
 * The message of a request that a webhook has sent. Throws a problem of the code `webhook` where the signature is not by this secret, or the message older
 * than five minutes; whoever keeps the `webhook-id` of those five minutes sees to it that none is taken in twice.
 * @param secret as it was shown when the webhook was made
 */
export async function verifyWebhook<T extends object = Record<string, unknown>>(
  { headers, text }: Received,
  secret: string,
  now?: number,
): Promise<Decoded<Message<T>>>
export async function verifyWebhook(request: Received, secret: string, now = Date.now()): Promise<unknown> {
  const [id, timestamp, signatures = ''] = ['id', 'timestamp', 'signature'].map(
    (name) => request.headers.get(`webhook-${name}`) ?? '',
  )
  if (Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE) {
    const { subtle } = globalThis.crypto
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await subtle.importKey('raw', bytesOf(secret.replace('whsec_', '')), algorithm, false, ['verify'])
    const text = await request.text()
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
    for (const signature of signatures.split(' ', MOST_SIGNATURES)) {
      const [version, base64 = ''] = signature.split(',')
      if (version === 'v1' && (await subtle.verify('HMAC', key, bytesOf(base64), signed)))
        return decode(JSON.parse(text))
    }
  }
  throw new KalendsProblem(0, 'webhook', 'not signed with this secret, or not now')
}

/** The bytes of base64; none where it is not. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
