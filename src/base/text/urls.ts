import { isIPv6 } from 'node:net'

const MAIL_URL = /^mailto:[^\s@]+@[^\s@]+$/i
const HOST_URL = /^(?:https?|ftp):\/\/[^\s/?#]+([/?#][^\s]*)?$/i

/**
 * True for http, https and ftp URLs with an ASCII host, and for `mailto:` addresses (rule 2.8). Others, such
 * as `javascript:` and `intent:`, would act on the device of a reader who follows them.
 */
export function isUrl(text: string): boolean {
  if (MAIL_URL.test(text)) return true
  if (!HOST_URL.test(text)) return false
  const authority = text.slice(text.indexOf('://') + 3).split(/[/?#]/, 1)[0] ?? ''
  return URL.canParse(text) && /^[\x21-\x7e]+$/.test(authority)
}

const UNSAFE = /["<>\0-\x20\x7f]/g

/** Percent-encodes characters that could end the attribute or script around the URL. */
export function encodeUrl(url: string): string {
  return url.replace(UNSAFE, encodeURIComponent)
}

/** Returns the URL as responses show it; '' for a stored one that is no longer allowed. */
export function presentUrl(url: string): string {
  return HOST_URL.test(url) || MAIL_URL.test(url) ? encodeUrl(url) : ''
}

const HOST = /\b(https?:\/\/)(?:[^\s/?#]*@)?([^\s/?#]+)([/?#]\S*)?/gi

/** Removes login, path and query from URLs for logs and messages, since they may be secret. */
export function withoutPaths(text: string): string {
  return text.replace(HOST, (_, scheme: string, host: string, path = '') =>
    path.length > 1 ? `${scheme}${host}/***` : scheme + host + path,
  )
}

/** Returns `&name=value`, percent-encoded; '' for undefined and null. Commas join the entries of an array. */
export function parameter(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  return `&${name}=${encoded(String(value))}`
}

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

export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The key by which requests of one client are counted: the address, or for IPv6 its /64 network, since a
 * client usually has all addresses of one.
 */
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
