import { lookup as lookUp } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

// Which addresses the service may connect to on behalf of somebody else.

/** Http or https. With `hosts` only these, on any port and address; else every host with a public address. */
export function mayConnect(target: URL, hosts: readonly string[]): boolean {
  if (!/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '') return false
  if (hosts.length > 0) return hosts.some((entry) => nameOf(URL.parse(`http://${entry}`)) === nameOf(target))
  const name = nameOf(target)
  return isIP(name) === 0 || isPublicAddress(name)
}

/** Without port, brackets and the root's dot; the URL parser has undone other spellings of IPv4. */
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
 * Looks a name up once and gives only checked addresses, so that the connection goes to one of these. Without
 * `hosts` only public ones pass.
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

/** Of the IANA special-purpose registry, and the host services of one large cloud (168.63.129.16). */
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
/** All others are local, multicast, or carry an IPv4 address. */
const globalV6 = rangesOf('ipv6', ['2000::/3'])
/** Not public: protocol assignments with Teredo, documentation, 6to4. */
const specialV6 = rangesOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** IPv6 that carries an IPv4 address is refused, whatever that is. */
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
