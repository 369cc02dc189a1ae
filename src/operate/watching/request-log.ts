import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { withoutPaths } from '../../base/text/urls.ts'
import type { Answered } from '../../serve/http/front.ts'
import { clientAddress, type Trusted } from '../../serve/http/incoming.ts'
import type { SettledMessage } from '../../serve/webhooks/send-webhooks.ts'
import { describeReason } from '../../serve/webhooks/webhook-store.ts'
import { withoutPassword } from '../../store/storage/database-address.ts'

// The lines of the log about answers and webhooks, without secrets.

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

/** Waiting lines of the request log: one for each answer, written many at once. */
export interface RequestLog {
  /** Takes whole lines. */
  write: (text: string) => void
  /** Which answers have a line. */
  kept: 'all' | 'writes'
  /** The proxies whose word on the address of a client is taken. */
  trusted: Trusted | undefined
  lines: string
  timer: NodeJS.Timeout | undefined
}

/** Lines wait for this many characters, or for this time. */
const MOST_WAITING = 16_000
const LONGEST_WAIT_MS = 100

/** The members that all lines share, in the form of the rest of the log. */
const BOUND = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`
const INFO = 30

/** Characters of the name of a program in a line. */
const LONGEST_AGENT = 200

export function makeRequestLog(
  write: RequestLog['write'],
  kept: RequestLog['kept'],
  trusted: Trusted | undefined,
): RequestLog {
  return { write, kept, trusted, lines: '', timer: undefined }
}

/** Adds the line of an answer. The line is built by hand, since every answer passes here; the address is without secrets. */
export function logAnswer(log: RequestLog, answered: Answered): void {
  const { method, url, route, status, ms, bytes, requestId, request, user } = answered
  if (log.kept === 'writes' && (method === 'GET' || method === 'HEAD')) return
  log.lines += `{"level":${INFO},"time":${Date.now()},${BOUND},"requestId":"${requestId}",${whoAsks(log, request, user)},"method":${quoted(method)},"url":${quoted(shownUrl(url))},"route":${quoted(route)},"status":${status},"ms":${Math.round(ms * 100) / 100},"bytes":${bytes},"msg":"answered"}\n`
  if (log.lines.length >= MOST_WAITING) writeLines(log)
  else log.timer ??= setTimeout(() => writeLines(log), LONGEST_WAIT_MS).unref()
}

/** The address as far as proxies are trusted, the user and the program. */
function whoAsks({ trusted }: RequestLog, request: IncomingMessage, user: string): string {
  const agent = (request.headers['user-agent'] ?? '').slice(0, LONGEST_AGENT)
  return `"address":${quoted(clientAddress(request, trusted))},"user":${quoted(user)},"agent":${quoted(agent)}`
}

/** Writes the waiting lines. */
export function writeLines(log: RequestLog): void {
  clearTimeout(log.timer)
  log.timer = undefined
  const { lines } = log
  log.lines = ''
  if (lines !== '') log.write(lines)
}

const quoted = (text: string) => JSON.stringify(text)

/** Writes a line when a webhook begins to fail, a message is given up, or a webhook is disabled; further failures have none. */
export function logSettled(logger: Logger, settled: SettledMessage): void {
  const { webhook, message, outcome, posted, begins, disabled, waiting } = settled
  const { status, error } = posted
  const reason = describeReason('en', error)
  const line = { webhook: webhook.id, address: withoutPaths(webhook.url), status, reason }
  if (outcome === 'given_up') logger.error({ ...line, message: message.message, waiting }, 'webhook message given up')
  if (disabled !== undefined)
    logger.error({ ...line, reason: describeReason('en', disabled), waiting }, 'webhook disabled')
  else if (begins) logger.warn({ ...line, waiting }, 'webhook fails')
}
