import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { lookUpAmong, mayConnect } from '../media/public-addresses.ts'

/** The allowed hosts of a fetch, and its limits of size and time. */
export interface FetchLimits {
  /** The only hosts to fetch from, on any port and at any address; empty: every host with a public address. */
  hosts: readonly string[]
  maxBytes: number
  /** For the whole fetch, redirects and body included. */
  timeoutMs: number
}

/** The answer of an address: an image by its content type; its bytes are verified later. */
export interface FetchedImage {
  bytes: Buffer
  mimeType: string
  /** The last part of the address's path, unescaped; may be empty. */
  fileName: string
}

const MAX_REDIRECTS = 5

/**
 * Fetches an image that a client named (rule 23.2). Undefined for other schemes, addresses that are not public, statuses but 200, other content
 * types, and fetches over the limits of bytes, redirects or time. Never throws for a request of a client.
 */
export async function fetchImage(url: string, limits: FetchLimits): Promise<FetchedImage | undefined> {
  const target = URL.parse(url)
  if (!target) return undefined
  try {
    const response = await follow(target, limits, AbortSignal.timeout(limits.timeoutMs), MAX_REDIRECTS)
    const mimeType = response && imageType(response)
    const bytes = mimeType && (await readAtMost(response, limits.maxBytes))
    response?.destroy()
    return mimeType && bytes ? { bytes, mimeType, fileName: lastSegment(target) } : undefined
  } catch {
    return undefined
  }
}

/** The answer after all redirects; each address is checked like the first. */
async function follow(
  target: URL,
  limits: FetchLimits,
  signal: AbortSignal,
  left: number,
): Promise<IncomingMessage | undefined> {
  if (!mayConnect(target, limits.hosts)) return undefined
  const response = await request(target, limits, signal)
  if (response.statusCode === 200) return response
  response.destroy()
  const next = isRedirect(response) ? URL.parse(response.headers.location ?? '', target.href) : null
  return next && left > 0 ? follow(next, limits, signal, left - 1) : undefined
}

/** Each fetch has its own connection, since a shared one may lead to an address that was not checked. */
function request(target: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  const get = target.protocol === 'https:' ? getSecure : getPlain
  const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Kalends' }
  return new Promise((resolve, reject) => {
    get(target, { agent: false, headers, signal, lookup: lookUpAmong(limits.hosts) }, resolve).on('error', reject)
  })
}

function isRedirect(response: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(response.statusCode ?? 0)
}

function imageType(response: IncomingMessage): string | undefined {
  const [type = ''] = (response.headers['content-type'] ?? '').split(';', 1)
  return /^image\/./i.test(type.trim()) ? type.trim().toLowerCase() : undefined
}

async function readAtMost(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function lastSegment(target: URL): string {
  const segment = target.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
