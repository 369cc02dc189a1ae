import { KalendsProblem } from './problem.ts'
import { type Decoded, decode } from './texts.ts'

/**
 * The part of a request that is read: a `Request`, or one made from that of a server. `text` is the unchanged
 * body.
 */
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

/** The most seconds that a message may be old, or that clocks may differ. */
const TOLERANCE = 300
/** The most signatures to check; there is one for each valid secret. */
const MOST_SIGNATURES = 9

/**
 * Returns the message of a webhook request. Throws a problem with the code `webhook` if no signature is by
 * this secret, or the message is older than five minutes. To accept no message twice, keep each `webhook-id`
 * for these five minutes.
 * @param secret the secret that was shown when the webhook was created
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
    const key = await subtle.importKey('raw', bytesOf(secret.replace('whsec_', '')), algorithm, false, [
      'verify',
    ])
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

/** Decodes base64. Returns no bytes if it is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
