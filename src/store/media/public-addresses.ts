import { lookup as lookUp } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

// Decides which addresses the service may connect to on behalf of somebody else.

/**
 * Returns true for an address of http or https that the service may connect to. With `hosts`, only these are
 * allowed, on any port and at any address; without, every host with a public address.
 */
export function mayConnect(target: URL, hosts: readonly string[]): boolean {
  if (!/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '') return false
  if (hosts.length > 0) return hosts.some((entry) => nameOf(URL.parse(`http://${entry}`)) === nameOf(target))
  const name = nameOf(target)
  return isIP(name) === 0 || isPublicAddress(name)
}

/**
 * Returns the host of an address without port, brackets and the root's dot. The URL parser has undone other
 * spellings of an IPv4 address.
 */
export function nameOf(target: URL | null): string {
  return (target?.hostname ?? '').replace(/^\[|\]$|\.$/g, '')
}

/** The error for a host whose addresses are all in private networks. */
export class NoPublicAddress extends Error {
  override name = 'NoPublicAddress'
  readonly host: string

  constructor(host: string) {
    super(`${host} has no public address`)
    this.host = host
  }
}

/**
 * Returns a function that looks a host name up once and gives only addresses that passed the check, so that
 * the connection goes to one of these. Without `hosts` only public addresses pass.
 */
export function lookUpAmong(hosts: readonly string[]): LookupFunction {
  return (name, options, callback) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => hosts.length > 0 || isPublicAddress(address))
      const [first] = allowed
      if (!first) callback(error ?? new NoPublicAddress(name), '')
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * The IPv4 ranges of the IANA special-purpose registry that are not public, and the host services of one
 * large cloud (168.63.129.16).
 */
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
/** The parts of this range that are not public: protocol assignments with Teredo, documentation, 6to4. */
const specialV6 = rangesOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/**
 * Returns true for an address of the public internet. A form of IPv6 that carries an IPv4 address is refused,
 * whatever that address is.
 */
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
