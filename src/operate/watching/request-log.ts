import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { withoutPaths } from '../../base/text/urls.ts'
import type { Answered } from '../../serve/http/front.ts'
import { clientAddress, type Trusted } from '../../serve/http/incoming.ts'
import type { SettledMessage } from '../../serve/webhooks/send-webhooks.ts'
import { describeReason } from '../../serve/webhooks/webhook-store.ts'
import { shownUrl } from './redact.ts'

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
