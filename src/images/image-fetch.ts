import { lookup as lookUp } from 'node:dns'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

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
  if (!mayAsk(target, limits)) return undefined
  const response = await request(target, limits, signal)
  if (response.statusCode === 200) return response
  response.destroy()
  const next = isRedirect(response) ? URL.parse(response.headers.location ?? '', target.href) : null
  return next && left > 0 ? follow(next, limits, signal, left - 1) : undefined
}

function mayAsk(target: URL, limits: FetchLimits): boolean {
  if (!/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '') return false
  if (limits.hosts.length > 0)
    return limits.hosts.some((entry) => nameOf(URL.parse(`http://${entry}`)) === nameOf(target))
  const name = nameOf(target)
  return isIP(name) === 0 || isPublicAddress(name)
}

/** Host without port, brackets and the root's dot. The URL parser has put it in lower case and undone other spellings of an IPv4 address. */
function nameOf(target: URL | null): string {
  return (target?.hostname ?? '').replace(/^\[|\]$|\.$/g, '')
}

/** Each fetch has its own connection, since a shared one may lead to an address that was not checked. */
function request(target: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  const get = target.protocol === 'https:' ? getSecure : getPlain
  const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Kalends' }
  return new Promise((resolve, reject) => {
    get(target, { agent: false, headers, signal, lookup: lookUpFor(limits) }, resolve).on('error', reject)
  })
}

/** Looks a name up once; the connection goes to one of the addresses that passed the check. */
function lookUpFor(limits: FetchLimits): LookupFunction {
  return (name, options, callback) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => limits.hosts.length > 0 || isPublicAddress(address))
      const [first] = allowed
      if (!first) callback(error ?? new Error(`${name} has no public address`), '')
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
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

/** Ranges of the IANA special-purpose registry that are not public, and the host services of one large cloud. */
const specialV4 = rangesOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
/** The only range of public IPv6 addresses; all others are local, multicast, or carry an IPv4 address. */
const globalV6 = rangesOf('ipv6', ['2000::/3'])
/** Within it: protocol assignments with Teredo, documentation, 6to4. */
const specialV6 = rangesOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** True for an address of the public internet. Forms of IPv6 that carry an IPv4 address are refused, whatever address that is. */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%')) return false
  const version = isIP(ip)
  if (version === 4) return !specialV4.check(ip, 'ipv4')
  return version === 6 && globalV6.check(ip, 'ipv6') && !specialV6.check(ip, 'ipv6')
}

function rangesOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}
