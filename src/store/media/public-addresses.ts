import { lookup as lookUp } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * True for an http or https URL without login whose host is in `hosts`, on any port. If `hosts` is empty, the
 * host must be a name or a public address.
 */
export function mayConnect(target: URL, hosts: readonly string[]): boolean {
  if (!/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '') return false
  if (hosts.length > 0) return hosts.some((entry) => nameOf(URL.parse(`http://${entry}`)) === nameOf(target))
  const name = nameOf(target)
  return isIP(name) === 0 || isPublicAddress(name)
}

/** Returns the host without port, brackets and last dot; URL parsing has normalized the spellings of IPv4. */
export function nameOf(target: URL | null): string {
  return (target?.hostname ?? '').replace(/^\[|\]$|\.$/g, '')
}

export class NoPublicAddress extends Error {
  override name = 'NoPublicAddress'
  readonly host: string

  constructor(host: string) {
    super(`${host} has no public address`)
    this.host = host
  }
}

/**
 * Returns a lookup of checked addresses, so that the connection goes to one of them. If `hosts` is empty,
 * only public addresses pass.
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

/** The IANA special-purpose ranges, and the host services of one large cloud (168.63.129.16). */
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
/** All IPv6 ranges outside this one are local or multicast, or hold IPv4 addresses. */
const globalV6 = rangesOf('ipv6', ['2000::/3'])
const specialV6 = rangesOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** True for a public address; false for every IPv6 address that contains an IPv4 address. */
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
