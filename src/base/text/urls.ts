import { isIPv6 } from 'node:net'

// Addresses: which ones are taken, shown and put together.

const MAIL_URL = /^mailto:[^\s@]+@[^\s@]+$/i
const HOST_URL = /^(?:https?|ftp):\/\/[^\s/?#]+([/?#][^\s]*)?$/i

/**
 * True for the absolute URL of a web page or of a file to fetch, with an ASCII host, and for a mail address (rule 2.8). Other schemes
 * act on the machine of the person who follows them: `file:`, `javascript:`, `intent:`.
 */
export function isUrl(text: string): boolean {
  if (MAIL_URL.test(text)) return true
  if (!HOST_URL.test(text)) return false
  const authority = text.slice(text.indexOf('://') + 3).split(/[/?#]/, 1)[0] ?? ''
  return URL.canParse(text) && /^[\x21-\x7e]+$/.test(authority)
}

const UNSAFE = /["<>\0-\x20\x7f]/g

/** A URL with the signs encoded that would end the attribute or the script that a page puts it in. */
export function encodeUrl(url: string): string {
  return url.replace(UNSAFE, encodeURIComponent)
}

/** A stored URL as answers show it; `''` for a scheme that would be refused today. */
export function presentUrl(url: string): string {
  return HOST_URL.test(url) || MAIL_URL.test(url) ? encodeUrl(url) : ''
}

const HOST = /\b(https?:\/\/)(?:[^\s/?#]*@)?([^\s/?#]+)([/?#]\S*)?/gi

/** Cuts the web addresses in a text off behind their host, for logs and messages: what follows may be a secret. */
export function withoutPaths(text: string): string {
  return text.replace(HOST, (_, scheme: string, host: string, path = '') =>
    path.length > 1 ? `${scheme}${host}/***` : scheme + host + path,
  )
}

/** A parameter for the end of a query string, with its ampersand; empty when there is no value. Lists are joined by commas. */
export function parameter(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  return `&${name}=${encoded(String(value))}`
}

/** The parameters of a record, in its order. */
export function parametersOf(values: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const name in values) text += parameter(name, values[name])
  return text
}

function encoded(text: string): string {
  if (text.length === WALL_LENGTH && WALL_TIME.test(text))
    return `${text.slice(0, 10)}+${text.slice(11, 13)}%3A${text.slice(14, 16)}%3A${text.slice(17)}`
  if (/^[\w.-]*$/.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+')
}

const WALL_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const WALL_LENGTH = 19

/** A percent-encoded text decoded, or as it stands where it cannot be. */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
