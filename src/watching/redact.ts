import { withoutPassword } from '../storage/database-address.ts'

const HIDDEN = '***'

/** Names of parameters whose values are secrets. */
const SECRET_NAME =
  /^(?:.*(?:password|passwd|token|secret|nonce|signature|credential|api_?key|authorization)|pwd|pass|auth|key)$/i

/** What a query with a secret in it has at the least; most have none of it. */
const SUSPICIOUS = /pass|pwd|token|secret|nonce|signature|credential|key|auth|%/i

/** A path and query as logs may show it: values of parameters that are secrets are hidden, however their names are written. */
export function shownUrl(url: string): string {
  const mark = url.indexOf('?')
  if (mark === -1 || !SUSPICIOUS.test(url)) return url
  const pairs = url.slice(mark + 1).split('&')
  return `${url.slice(0, mark)}?${pairs.map(shownPair).join('&')}`
}

function shownPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1) return pair
  const name = pair.slice(0, equals)
  // `data[password]` is a password, too, and names may be escaped twice, as inside another address.
  return isSecretName(decoded(decoded(name))) || holdsAddress(pair.slice(equals + 1)) ? `${name}=${HIDDEN}` : pair
}

function isSecretName(name: string): boolean {
  const [inner = ''] = name.split('[').slice(-1)
  return SECRET_NAME.test(inner.split(']', 1)[0] ?? '')
}

/** An address inside an address may have a secret in its own query, or a password. */
function holdsAddress(sent: string): boolean {
  const value = decoded(decoded(sent))
  if (/:\/\/[^/]*@/.test(value)) return true
  const [, ...pairs] = value.split(/[?&]/)
  return pairs.some((pair) => pair.includes('=') && isSecretName(pair.slice(0, pair.indexOf('='))))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A text as logs and messages may show it: without passwords in addresses, tokens, and the content of Authorization headers. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>\\]+/gi, withoutPassword)
    .replace(/\b(basic|bearer)\s+[a-z0-9+/_.~=-]{4,}/gi, `$1 ${HIDDEN}`)
    .replace(/\bkal_[a-z0-9]+/gi, `kal_${HIDDEN}`)
    .replace(/(password|passwd|pwd|token|secret|nonce)=[^\s&"'\\,;]+/gi, `$1=${HIDDEN}`)
}
