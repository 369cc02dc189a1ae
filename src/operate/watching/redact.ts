import { withoutPassword } from '../../store/storage/database-address.ts'

// Hides secrets in addresses and texts for the log.

const HIDDEN = '***'

/** Names of parameters whose values are secrets; the link of a meeting may be one, and where somebody is. */
const SECRET_NAME =
  /^(?:.*(?:password|passwd|passwort|passphrase|token|secret|nonce|signature|credential|api_?key|authorization)|pwd|pw|pass|pin|otp|auth|key|sig|session|online_url|geoloc_l(?:at|ng)|bbox)$/i

/** A quick test for a possible secret in a query; most queries have none. */
const SUSPICIOUS = /pass|pw|pin|otp|token|secret|nonce|sig|session|credential|key|auth|online_url|geoloc_l|bbox|%/i

/** The path of links to the desk, whose token lets its bearer in. */
const LINK = '/set-up/'
const LINK_TOKEN = /(\/set-up\/)[^/?]+/g

/** A path and query for logs: the values of secret parameters are hidden, in every spelling of their names. */
export function shownUrl(sent: string): string {
  const url = sent.includes(LINK) ? sent.replace(LINK_TOKEN, `$1${HIDDEN}`) : sent
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

/** A text for logs and messages: without passwords in addresses, tokens, and the content of Authorization headers. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>\\]+/gi, withoutPassword)
    .replace(/\b(basic|bearer)\s+[a-z0-9+/_.~=-]{4,}/gi, `$1 ${HIDDEN}`)
    .replace(/\bkal_[a-z0-9]+/gi, `kal_${HIDDEN}`)
    .replace(/(password|passwd|passwort|pwd|pw|token|secret|nonce)=[^\s&"'\\,;]+/gi, `$1=${HIDDEN}`)
}
