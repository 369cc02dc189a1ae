import { isIPv6 } from 'node:net'

/** The name of the client at an address: of an IPv6 address the network (/64), since a client has all of its addresses. */
export function clientOf(address: string): string {
  if (!isIPv6(address)) return address
  const [start = '', end = ''] = address.split('%', 1)[0]?.split('::') ?? []
  const before = start.split(':').filter(Boolean)
  const after = end.split(':').filter(Boolean)
  const zeros = address.includes('::')
    ? Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
    : []
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
