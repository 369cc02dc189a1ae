import type { IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { messageOf } from '../../base/errors.ts'
import { get as getPlain } from '../../base/node-http.ts'
import { lookUpAmong, mayConnect, NoPublicAddress, nameOf } from '../../store/media/public-addresses.ts'

// Fetches images from addresses that clients have named.

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

/** Why there is no image, as the end of a sentence for the operator. It is not told to clients, whom it would tell what this machine can reach. */
export interface ImageLack {
  lack: string
}

class NotFetched extends Error {
  override name = 'NotFetched'
}

const MAX_REDIRECTS = 5

/**
 * Fetches an image that a client named (rule 23.2). None for other schemes, addresses that are not public, statuses but 200, other content
 * types, and fetches over the limits of bytes, redirects or time. Never throws for a request of a client.
 */
export async function fetchImage(url: string, limits: FetchLimits): Promise<FetchedImage | ImageLack> {
  const target = URL.parse(url)
  if (!target) return { lack: 'it is no address' }
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    const response = await follow(target, limits, signal, MAX_REDIRECTS)
    try {
      const mimeType = imageType(response)
      return { bytes: await readAtMost(response, limits.maxBytes), mimeType, fileName: lastSegment(target) }
    } finally {
      response.destroy()
    }
  } catch (error) {
    return { lack: lackOf(error, signal, limits) }
  }
}

function lackOf(error: unknown, { aborted }: AbortSignal, { timeoutMs }: FetchLimits): string {
  if (aborted) return `it did not come within ${timeoutMs / 1000} seconds`
  if (error instanceof NotFetched) return error.message
  if (error instanceof NoPublicAddress) return notPublic(error.host)
  return `its server does not answer as it should (${messageOf(error)})`
}

const notPublic = (host: string) =>
  `${host} has no public address, and is asked only when KALENDS_IMAGE_HOSTS names it, which then has to name every host of images`

/** @throws NotFetched for an address that is not asked */
function requireAllowed(target: URL, hosts: readonly string[]): void {
  if (mayConnect(target, hosts)) return
  const isPlain = /^https?:$/.test(target.protocol) && target.username === '' && target.password === ''
  if (!isPlain) throw new NotFetched('only http and https addresses without a login are asked')
  throw new NotFetched(
    hosts.length > 0 ? `${nameOf(target)} is not among the hosts of KALENDS_IMAGE_HOSTS` : notPublic(nameOf(target)),
  )
}

/** The answer after all redirects; each address is checked like the first. */
async function follow(target: URL, limits: FetchLimits, signal: AbortSignal, left: number): Promise<IncomingMessage> {
  requireAllowed(target, limits.hosts)
  const response = await request(target, limits, signal)
  if (response.statusCode === 200) return response
  response.destroy()
  const next = isRedirect(response) ? URL.parse(response.headers.location ?? '', target.href) : null
  if (!next) throw new NotFetched(`the answer was ${response.statusCode}`)
  if (left === 0) throw new NotFetched(`it was redirected more than ${MAX_REDIRECTS} times`)
  return follow(next, limits, signal, left - 1)
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

/** Characters of a content type that are repeated. */
const MOST_OF_TYPE = 100

/** @throws NotFetched for an answer that is no image by its type */
function imageType(response: IncomingMessage): string {
  const [sent = ''] = (response.headers['content-type'] ?? '').split(';', 1)
  const type = sent.trim()
  if (/^image\/./i.test(type)) return type.toLowerCase()
  throw new NotFetched(`the answer is no image but ${type.slice(0, MOST_OF_TYPE) || 'of no type'}`)
}

async function readAtMost(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new NotFetched(`it has more than ${maxBytes} bytes, the most of KALENDS_IMAGE_BYTES`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
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
