import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

// The address of a client behind trusted proxies.

/** The addresses of trusted proxies. */
export type Trusted = BlockList

/** Names of ranges of addresses. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** The proxies of a validated setting: addresses, and networks such as `10.0.0.0/8`, `10.0.0.0/255.0.0.0` or `loopback`. */
export function trustedProxies(entries: readonly string[]): Trusted {
  const trusted = new BlockList()
  for (const entry of entries.flatMap((name) => RANGES[name] ?? [name])) {
    const [address = '', length] = entry.split('/')
    const type = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (length === undefined) trusted.addAddress(address, type)
    else trusted.addSubnet(address, bitsOf(length), type)
  }
  return trusted
}

/** The bits of a network, given as a number or as a mask. */
function bitsOf(length: string): number {
  if (isIP(length) !== 4) return Number(length)
  return length.split('.').reduce((bits, byte) => bits + (Number(byte).toString(2).match(/1/g)?.length ?? 0), 0)
}

/** The address of the client: the address of the connection, or the last one in `X-Forwarded-For` that is no trusted proxy. */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: Trusted | undefined): string {
  const own = plain(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (!trusted || forwarded === undefined || !isTrusted(own, trusted)) return own
  const hops = String(forwarded)
    .split(',')
    .map((hop) => plain(hop.trim()))
  let client = own
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) return client
    client = hop
    if (!isTrusted(hop, trusted)) return client
  }
  return client
}

function isTrusted(address: string, trusted: Trusted): boolean {
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv4 address, also if written as an IPv6 one. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}
