import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { withoutPaths } from '../base/text/urls.ts'
import type { SettledMessage } from '../features/webhooks/send-webhooks.ts'
import { describeReason } from '../features/webhooks/webhook-store.ts'
import { withoutPassword } from '../store/storage/database-address.ts'
import type { Answered } from './front.ts'
import { clientAddress, type Trusted } from './incoming.ts'

// Writes the lines of the log about answers and webhooks, and hides secrets in texts of the log.

const HIDDEN = '***'

/** Names of parameters whose values are secrets, among them meeting links and the place where somebody is. */
const SECRET_NAME =
  /^(?:.*(?:password|passwd|passwort|passphrase|token|secret|nonce|signature|credential|api_?key|authorization)|pwd|pw|pass|pin|otp|auth|key|sig|session|online_url|geoloc_l(?:at|ng)|bbox)$/i

/** A quick test for a query that may have a secret. Most queries have none. */
const SUSPICIOUS =
  /pass|pw|pin|otp|token|secret|nonce|sig|session|credential|key|auth|online_url|geoloc_l|bbox|%/i

/** The end of a link to the desk, however it is spelled. Its token signs in whoever has it. */
const LINK_TOKEN = /(set.up[^\w-]+)[\w-]+/gi
const MOST_DECODED = 4

/**
 * Returns a path and query as logs show them: with the values of secret parameters hidden, however their
 * names are spelled.
 */
export function shownUrl(sent: string): string {
  const url = withoutLink(sent)
  const mark = url.indexOf('?')
  if (mark === -1 || !SUSPICIOUS.test(url)) return url
  const pairs = url.slice(mark + 1).split('&')
  return `${url.slice(0, mark)}?${pairs.map(shownPair).join('&')}`
}

/** Hides the token of a link; an address that has one is written with its visible characters decoded. */
function withoutLink(sent: string): string {
  let url = sent
  for (let i = 0; i < MOST_DECODED && url.includes('%'); i++)
    url = url.replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const hidden = url.replace(LINK_TOKEN, `$1${HIDDEN}`)
  return hidden === url ? sent : hidden
}

function shownPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1) return pair
  const name = pair.slice(0, equals)
  // `data[password]` is a password as well, and a name may be percent-encoded twice, as within another
  // address.
  return isSecretName(decoded(decoded(name))) || holdsAddress(pair.slice(equals + 1))
    ? `${name}=${HIDDEN}`
    : pair
}

function isSecretName(name: string): boolean {
  const [inner = ''] = name.split('[').slice(-1)
  return SECRET_NAME.test(inner.split(']', 1)[0] ?? '')
}

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

/**
 * Returns a text as logs and messages show it: without passwords in addresses, tokens, and the content of
 * Authorization headers.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>\\]+/gi, withoutPassword)
    .replace(/\b(basic|bearer)\s+[a-z0-9+/_.~=-]{4,}/gi, `$1 ${HIDDEN}`)
    .replace(/\bkal_[a-z0-9]+/gi, `kal_${HIDDEN}`)
    .replace(/(password|passwd|passwort|pwd|pw|token|secret|nonce)=[^\s&"'\\,;]+/gi, `$1=${HIDDEN}`)
}

/** The log of requests, with a line for each answer. Many lines are written at once. */
export interface RequestLog {
  /** Writes whole lines into the log. */
  write: (text: string) => void
  /** Which requests have a line: all, or only those that are no reads. */
  kept: 'all' | 'writes'
  /** The proxies that are believed when they name the address of a client. */
  trusted: Trusted | undefined
  /** The lines that wait to be written. */
  lines: string
  timer: NodeJS.Timeout | undefined
}

/** Lines are written once they have this many characters, or after this many milliseconds. */
const MOST_WAITING = 16_000
const LONGEST_WAIT_MS = 100

/** The members that all lines share, in the form in which pino writes them into the rest of the log. */
const BOUND = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`
const INFO = 30

/** The most characters of the name of a client program in a line. */
const LONGEST_AGENT = 200

export function makeRequestLog(
  write: RequestLog['write'],
  kept: RequestLog['kept'],
  trusted: Trusted | undefined,
): RequestLog {
  return { write, kept, trusted, lines: '', timer: undefined }
}

/**
 * Adds the line of an answer, with its URL without secrets. The JSON is built by hand, which is faster: every
 * answer passes here.
 */
export function logAnswer(log: RequestLog, answered: Answered): void {
  const { method, url, route, status, ms, bytes, requestId, request, user } = answered
  if (log.kept === 'writes' && (method === 'GET' || method === 'HEAD')) return
  log.lines += `{"level":${INFO},"time":${Date.now()},${BOUND},"requestId":"${requestId}",${whoAsks(log, request, user)},"method":${quoted(method)},"url":${quoted(shownUrl(url))},"route":${quoted(route)},"status":${status},"ms":${Math.round(ms * 100) / 100},"bytes":${bytes},"msg":"answered"}\n`
  if (log.lines.length >= MOST_WAITING) writeLines(log)
  else log.timer ??= setTimeout(() => writeLines(log), LONGEST_WAIT_MS).unref()
}

/**
 * Returns the members that tell who asks: the address of the client, as far as proxies are trusted, the user
 * and the client program.
 */
function whoAsks({ trusted }: RequestLog, request: IncomingMessage, user: string): string {
  const agent = (request.headers['user-agent'] ?? '').slice(0, LONGEST_AGENT)
  return `"address":${quoted(clientAddress(request, trusted))},"user":${quoted(user)},"agent":${quoted(agent)}`
}

/** Writes the lines that wait. */
export function writeLines(log: RequestLog): void {
  clearTimeout(log.timer)
  log.timer = undefined
  const { lines } = log
  log.lines = ''
  if (lines !== '') log.write(lines)
}

const quoted = (text: string) => JSON.stringify(text)

/**
 * Logs that a webhook begins to fail, that a message is given up, or that a webhook is disabled. Further
 * failures are not logged.
 */
export function logSettled(logger: Logger, settled: SettledMessage): void {
  const { webhook, message, outcome, posted, begins, disabled, waiting } = settled
  const { status, error } = posted
  const reason = describeReason('en', error)
  const line = { webhook: webhook.id, address: withoutPaths(webhook.url), status, reason }
  if (outcome === 'given_up')
    logger.error({ ...line, message: message.message, waiting }, 'webhook message given up')
  if (disabled !== undefined)
    logger.error({ ...line, reason: describeReason('en', disabled), waiting }, 'webhook disabled')
  else if (begins) logger.warn({ ...line, waiting }, 'webhook fails')
}
