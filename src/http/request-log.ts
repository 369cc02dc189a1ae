import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { withoutPassword } from '../store/storage/database-address.ts'
import type { Answered } from './entrance.ts'
import { clientAddress, type Trusted } from './incoming.ts'

const HIDDEN = '***'

/** Parameters whose values are hidden; meeting links and positions of people are secrets, too. */
const SECRET_NAME = new RegExp(
  '^(?:.*(?:password|passwd|passwort|passphrase|token|secret|nonce|signature|credential|api_?key' +
    '|authorization)|pwd|pw|pass|pin|otp|auth|key|sig|session|online_url|geoloc_l(?:at|ng)|bbox)$',
  'i',
)

const SUSPICIOUS =
  /pass|pw|pin|otp|token|secret|nonce|sig|session|credential|key|auth|online_url|geoloc_l|bbox|%/i

/** The token of a sign-in link, however it is spelled. */
const LINK_TOKEN = /(set.up[^\w-]+)[\w-]+/gi
/** The parameters that a sign-in provider sends back; they are hidden. */
const SIGN_IN_ANSWER = /(\/openid\/return\?).*/s
const MOST_DECODED = 4

export function shownUrl(sent: string): string {
  const url = withoutLink(sent).replace(SIGN_IN_ANSWER, `$1${HIDDEN}`)
  const mark = url.indexOf('?')
  if (mark === -1 || !SUSPICIOUS.test(url)) return url
  const pairs = url.slice(mark + 1).split('&')
  return `${url.slice(0, mark)}?${pairs.map(shownPair).join('&')}`
}

/** Hides a `LINK_TOKEN`; the address is then returned decoded. */
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
  // A name may be `data[password]`, or encoded twice, as in a URL within another.
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

export function withoutSecrets(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>\\]+/gi, withoutPassword)
    .replace(/\b(basic|bearer)\s+[a-z0-9+/_.~=-]{4,}/gi, `$1 ${HIDDEN}`)
    .replace(/\bkal_[a-z0-9]+/gi, `kal_${HIDDEN}`)
    .replace(/(password|passwd|passwort|pwd|pw|token|secret|nonce)=[^\s&"'\\,;]+/gi, `$1=${HIDDEN}`)
}

/** Collects lines and writes many at once. */
export interface RequestLog {
  write: (text: string) => void
  kept: 'all' | 'writes'
  trusted: Trusted | undefined
  lines: string
  timer: NodeJS.Timeout | undefined
}

const MOST_WAITING = 16_000
const LONGEST_WAIT_MS = 100

/** Members of every line, as pino writes them. */
const BOUND = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`
const INFO = 30

const LONGEST_AGENT = 200

export function makeRequestLog(
  write: RequestLog['write'],
  kept: RequestLog['kept'],
  trusted: Trusted | undefined,
): RequestLog {
  return { write, kept, trusted, lines: '', timer: undefined }
}

/** Builds the line by hand, which is faster: every answer passes here. */
export function logAnswer(log: RequestLog, answered: Answered): void {
  const { method, url, route, status, ms, bytes, requestId, request, user } = answered
  if (log.kept === 'writes' && (method === 'GET' || method === 'HEAD')) return
  log.lines +=
    `{"level":${INFO},"time":${Date.now()},${BOUND},"requestId":"${requestId}",` +
    `${whoAsks(log, request, user)},"method":${quoted(method)},"url":${quoted(shownUrl(url))}` +
    `,"route":${quoted(route)},"status":${status},"ms":` +
    `${Math.round(ms * 100) / 100},"bytes":${bytes},"msg":"answered"}\n`
  if (log.lines.length >= MOST_WAITING) writeLines(log)
  else log.timer ??= setTimeout(() => writeLines(log), LONGEST_WAIT_MS).unref()
}

function whoAsks({ trusted }: RequestLog, request: IncomingMessage, user: string): string {
  const agent = (request.headers['user-agent'] ?? '').slice(0, LONGEST_AGENT)
  return (
    `"address":${quoted(clientAddress(request, trusted))}` +
    `,"user":${quoted(user)},"agent":${quoted(agent)}`
  )
}

export function writeLines(log: RequestLog): void {
  clearTimeout(log.timer)
  log.timer = undefined
  const { lines } = log
  log.lines = ''
  if (lines !== '') log.write(lines)
}

const quoted = (text: string) => JSON.stringify(text)
