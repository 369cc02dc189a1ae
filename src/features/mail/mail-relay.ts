import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Config } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { onOneLine, type WrittenLetter } from './letter.ts'
import { domainOf, parseMailAddress } from './mail-address.ts'
import type { Outcome } from './outbox.ts'

export interface Relay {
  /** Never rejects: a failure is returned as outcome. `signal` aborts the attempt. */
  send: (message: OutgoingMessage, signal: AbortSignal) => Promise<Outcome & { answer: string }>
  close: () => void
  from: string
  domain: string
}

export interface OutgoingMessage extends WrittenLetter {
  to: string
  fromName: string
  messageId: string
  /** URL for one-click unsubscribe, and List-ID header. */
  list?: { unsubscribe: string; id: string } | undefined
  calendar?: string | undefined
}

/** In ms. `attempt` limits the whole attempt, since `silent` begins anew with each byte of the relay. */
const PATIENCE = { connect: 15_000, silent: 30_000, attempt: 90_000 }

const A_SECOND = 10

/**
 * Opens the connection pool; undefined if no relay is configured.
 * @throws Error with one sentence if the password file cannot be read or the sender address is missing
 */
export async function openRelay(config: Config, patience = PATIENCE): Promise<Relay | undefined> {
  if (config.mail === '') return undefined
  const address = new URL(config.mail)
  const user = decodeURIComponent(address.username)
  const from = senderOf(config, user)
  const isSecure = address.protocol === 'smtps:'
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const pass = passwordOf(config, decodeURIComponent(address.password))
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port: Number(address.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    // A password is sent only over TLS, except to this machine.
    requireTLS: user !== '' && !isSecure && !isLoopback(host),
    ...(user === '' ? {} : { auth: { user, pass } }),
    pool: true,
    maxConnections: 1,
    maxRequeues: 0,
    rateLimit: A_SECOND,
    idleTimeout: patience.silent,
    connectionTimeout: patience.connect,
    greetingTimeout: patience.connect,
    dnsTimeout: patience.connect,
    socketTimeout: patience.silent,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Without a listener, an `error` event would end the process; the message being sent fails as well.
  transport.on('error', () => undefined)
  return {
    from,
    domain: domainOf(from),
    close: () => transport.close(),
    send: async (message, signal) => {
      try {
        const ends = AbortSignal.any([signal, AbortSignal.timeout(patience.attempt)])
        const info = await transport.sendMail({ ...optionsOf(message, from), signal: ends })
        return { kind: 'sent', answer: String(info.response ?? '') }
      } catch (error) {
        return { ...readFailure(error), answer: messageOf(error) }
      }
    },
  }
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** @throws Error with one sentence if the password file cannot be read */
function passwordOf({ mail_password_file: file }: Config, inAddress: string): string {
  if (file === '') return inAddress
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`The file of KALENDS_MAIL_PASSWORD_FILE cannot be read: ${messageOf(error)}`)
  }
}

/** @throws Error with one sentence if `mail_from`, or without it the user name, is not a valid address */
function senderOf({ mail_from }: Config, user: string): string {
  const from = parseMailAddress(mail_from || user)
  if (from !== undefined) return from
  throw new Error('KALENDS_MAIL needs KALENDS_MAIL_FROM: the address that messages come from.')
}

function optionsOf(message: OutgoingMessage, from: string) {
  const { to, fromName, subject, text, html, messageId, list, calendar } = message
  return {
    from: { name: onOneLine(fromName), address: from },
    to: { name: '', address: to },
    envelope: { from, to: [to] },
    subject,
    text,
    html,
    messageId,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(list && {
        Precedence: 'bulk',
        'List-Id': `<${list.id}>`,
        'List-Unsubscribe': `<${list.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    ...(calendar !== undefined && {
      icalEvent: { method: 'PUBLISH', content: calendar, filename: 'event.ics' },
    }),
  }
}

/** SMTP commands whose refusal concerns the message; a refusal of any other is for the operator to fix. */
const OF_MESSAGE = new Set(['RCPT TO', 'DATA'])

function readFailure(error: unknown): Outcome {
  const thrown = isRecord(error) ? error : {}
  const status = typeof thrown.responseCode === 'number' ? thrown.responseCode : 0
  const told = status === 0 ? messageOf(error) : String(thrown.response ?? '')
  const text = told.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, LONGEST_ERROR)
  const isOfMessage = typeof thrown.command === 'string' && OF_MESSAGE.has(thrown.command)
  if (!isOfMessage || status === 0 || status === 421) return { kind: 'relay', status, error: text }
  return { kind: status >= 500 ? 'refused' : 'later', status, error: text }
}

const LONGEST_ERROR = 300
