import { domainToASCII } from 'node:url'

/** Maximum length before the `@` (RFC 5321, 4.5.3.1). */
const LONGEST_LOCAL = 64
const LONGEST = 254

/** The part before the `@` (RFC 5322), without quoted strings: it holds no header, name or second address. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The address with its domain in lower case and Punycode. Undefined if invalid, or not ASCII before the `@`,
 * which few relays accept.
 */
export function parseMailAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 1 || at > LONGEST_LOCAL || trimmed.length > LONGEST) return undefined
  const local = trimmed.slice(0, at)
  const domain = domainToASCII(trimmed.slice(at + 1))
  if (!LOCAL.test(local) || !isMailDomain(domain)) return undefined
  const address = `${local}@${domain}`
  return address.length <= LONGEST ? address : undefined
}

/** A domain whose last label is a number would be an IP address. */
function isMailDomain(domain: string): boolean {
  const labels = domain.split('.')
  return labels.length > 0 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
