import type { IncomingHttpHeaders, IncomingMessage, Agent as PlainAgent } from 'node:http'
import { Agent as AgentPlain, request as requestPlain } from 'node:http'
import { Agent, request as requestSecure } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { lookUpAmong, mayConnect, NoPublicAddress } from '../../store/media/public-addresses.ts'
import { ImportError, type Message, message } from './import-messages.ts'

// Asks other servers, only at allowed addresses.

export interface FetchOptions {
  named: NamedOrigin
  accept: string
  /** True if redirects to other origins are followed, without the login. */
  leavesLogin?: boolean
  /** In ms: the pause before the first retry; it doubles with each further one. */
  backOffMs: number
  attempts?: number
  sending?: Sending
}

/** A write; redirects would turn it into a GET, so they are not followed. */
interface Sending {
  method: 'POST' | 'PUT' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body: string | FormData | undefined
  /** Before a repeated request, finds the result if the last attempt succeeded after all. */
  findDone?: (() => Promise<FetchedAnswer | undefined>) | undefined
}

export interface FetchedAnswer {
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const MOST_ATTEMPTS = 5
const TIMEOUT_MS = 60_000
const MOST_BYTES = 50_000_000
const MOST_REFUSAL_BYTES = 64_000

const LONGEST_WAIT_MS = 120_000

/** A failed request to a source; the message begins with the address. */
export class SourceFailure extends ImportError {
  override name = 'SourceFailure'
  readonly status: number
  readonly body: Buffer
  /** Set if the failure may be temporary; `afterMs` is the wait that the source asks for. */
  readonly passes: { afterMs: number | undefined } | undefined

  constructor(
    url: string,
    reason: Message,
    status = 0,
    body: Buffer = Buffer.alloc(0),
    passes?: SourceFailure['passes'],
  ) {
    super(message('{address} {reason}', { address: url, reason }))
    this.status = status
    this.body = body
    this.passes = passes
  }
}

/**
 * Sends a request. A busy or failing source is retried after `Retry-After` or a doubling pause, at most 120 s
 * each.
 * @throws SourceFailure with the address and the reason
 */
export async function fetchPolitely(url: string, options: FetchOptions): Promise<FetchedAnswer> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await askOnce(url, options)
    } catch (error) {
      const failure = error instanceof SourceFailure ? error : noAnswer(url, error)
      if (!failure.passes || attempts === (options.attempts ?? MOST_ATTEMPTS)) throw failure
      await pause(
        Math.min(failure.passes.afterMs ?? options.backOffMs * 2 ** (attempts - 1), LONGEST_WAIT_MS),
      )
    }
    const done = await options.sending?.findDone?.()
    if (done) return done
  }
}

async function askOnce(url: string, options: FetchOptions): Promise<FetchedAnswer> {
  const target = URL.parse(url)
  if (!target) throw new SourceFailure(url, message('is no address.'))
  const asked = await askNamed(target, options.named, await requestOf(options))
  const { statusCode: status = 0, headers } = asked.answer
  if (status < 200 || status > 299) throw await refusalOf(url, status, asked.answer)
  return { url: asked.url, headers, body: await readBounded(url, asked.answer) }
}

async function requestOf({ accept, sending, leavesLogin = false }: FetchOptions): Promise<NamedRequest> {
  const packed = sending?.body === undefined ? undefined : new Response(sending.body)
  const type = packed?.headers.get('content-type')
  const headers = {
    accept,
    'accept-encoding': 'gzip, br, deflate',
    'user-agent': 'Kalends',
    ...(type ? { 'content-type': type } : {}),
    ...sending?.headers,
  }
  const body = packed && Buffer.from(await packed.arrayBuffer())
  return {
    method: sending?.method ?? 'GET',
    headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    leavesLogin,
  }
}

async function refusalOf(url: string, status: number, answer: IncomingMessage): Promise<SourceFailure> {
  const { location, 'retry-after': wait } = answer.headers
  const body = await readBounded(url, answer, MOST_REFUSAL_BYTES).catch(() => undefined)
  const isLeading = status >= 300 && status < 400
  const told = { status: `${status}`, address: String(location) }
  const reason = isLeading
    ? message('answers with status {status} and leads to {address}.', told)
    : status === 401
      ? message('answers with status 401: it wants a login with its application password.')
      : message('answers with status {status}.', told)
  const mayPass = status === 429 || status >= 500 || (status === 409 && wait !== undefined)
  const passes = mayPass ? { afterMs: waitOf(wait) } : undefined
  return new SourceFailure(url, reason, status, body, passes)
}

function noAnswer(url: string, error: unknown): SourceFailure {
  const reason = message('does not answer: {reason}.', { reason: reasonOf(error) })
  return new SourceFailure(url, reason, 0, undefined, { afterMs: undefined })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error && cause.message !== '') return cause.message
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}

function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** @throws SourceFailure for too many bytes, before or after decoding, and for an undecodable body */
async function readBounded(url: string, answer: IncomingMessage, most = MOST_BYTES): Promise<Buffer> {
  const tooLong = () =>
    new SourceFailure(url, message('answers with more than {most} bytes.', { most: `${most}` }))
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of answer) {
      size += part.length
      if (size > most) throw tooLong()
      parts.push(part)
    }
  } finally {
    if (!answer.readableEnded) answer.destroy()
  }
  const body = Buffer.concat(parts)
  const decode = DECODERS.get(answer.headers['content-encoding']?.trim().toLowerCase() ?? '')
  if (!decode || size === 0) return body
  return decode(body, { maxOutputLength: most }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLong()
    const reason = error.message
    throw new SourceFailure(url, message('answers with a body that cannot be decoded: {reason}.', { reason }))
  })
}

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** Some programs omit the zlib header (RFC 1950, 2.2). */
const deflated: Decode = (body, options) => {
  const hasHeader = body.length > 1 && ((body[0] ?? 0) & 15) === 8 && body.readUInt16BE(0) % 31 === 0
  return promisify<Buffer, typeof options, Buffer>(hasHeader ? inflate : inflateRaw)(body, options)
}

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
  ['deflate', deflated],
])

/** The origin that the operator named: only this one receives the login, and it need not be public. */
interface NamedOrigin {
  origin: string
  authorization: string | undefined
  agents: { secure: Agent; plain: PlainAgent }
  /** Set if the importer does not operate the service: the origin must be public or at one of these hosts. */
  guest?: readonly string[] | undefined
}

interface NamedRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | undefined
  signal: AbortSignal
  leavesLogin: boolean
}

const MOST_REDIRECTS = 10
const CONNECTS_WITHIN = 10_000

export function nameOrigin(
  address: string,
  login?: string,
  password = '',
  guest?: readonly string[],
): NamedOrigin {
  const authorization =
    login === undefined ? undefined : `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  const agents = { secure: new Agent({ keepAlive: true }), plain: new AgentPlain({ keepAlive: true }) }
  return { origin: URL.parse(address)?.origin ?? '', authorization, agents, guest }
}

/**
 * Sends the request; follows redirects of a GET.
 * @throws SourceFailure for an address that a source must not lead to
 */
async function askNamed(
  url: URL,
  named: NamedOrigin,
  asked: NamedRequest,
): Promise<{ url: string; answer: IncomingMessage }> {
  let target = url
  for (let hops = 0; ; hops += 1) {
    requireAllowed(target, named, asked.leavesLogin && hops > 0)
    const answer = await sendRequest(target, named, asked)
    const next = asked.method === 'GET' ? redirectOf(answer, target) : undefined
    if (!next) return { url: target.href, answer }
    answer.destroy()
    if (hops === MOST_REDIRECTS)
      throw new SourceFailure(
        url.href,
        message('redirects more than {most} times.', { most: `${MOST_REDIRECTS}` }),
      )
    target = next
  }
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  return URL.parse(headers.location, from.href) ?? undefined
}

function requireAllowed(target: URL, named: NamedOrigin, leavesLogin: boolean): void {
  if (named.guest && !mayConnect(target, []) && !isAtHost(target, named.guest))
    throw new SourceFailure(target.href, message('is not asked: {why}.', { why: NOT_PUBLIC }))
  if (target.origin === named.origin) return
  if (named.authorization !== undefined && !leavesLogin)
    throw astray(target, message('the login is for {origin} alone', { origin: named.origin }))
  if (!isNamed(target, named) && !mayConnect(target, [])) throw astray(target, NOT_PUBLIC)
}

const isAtHost = (target: URL, hosts: readonly string[]) => hosts.length > 0 && mayConnect(target, hosts)

const NOT_PUBLIC = message('it is at no public address')

function astray({ href }: URL, why: Message): SourceFailure {
  return new SourceFailure(href, [
    message('is not asked: the source leads there, and {why}.', { why }),
    message('Give this address in its place if it is meant.'),
  ])
}

function isNamed({ origin }: URL, named: NamedOrigin): boolean {
  return (
    origin === named.origin ||
    origin === named.origin.replace(/^http:(\/\/(?:\[[^\]]*\]|[^:]*))$/, 'https:$1')
  )
}

async function sendRequest(target: URL, named: NamedOrigin, asked: NamedRequest): Promise<IncomingMessage> {
  const { method, body, signal } = asked
  const isSecure = target.protocol === 'https:'
  const login =
    target.origin === named.origin && named.authorization ? { authorization: named.authorization } : {}
  const length = body ? { 'content-length': String(body.length) } : {}
  const { guest } = named
  const isTrusted = guest ? isAtHost(target, guest) : isNamed(target, named)
  const lookup = isTrusted ? {} : { lookup: lookUpAmong([]) }
  const agent = isSecure ? named.agents.secure : named.agents.plain
  const options = { method, signal, agent, headers: { ...asked.headers, ...login, ...length }, ...lookup }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestSecure : requestPlain)(target, options, resolve)
    request.on('error', (error) =>
      reject(error instanceof NoPublicAddress ? astray(target, NOT_PUBLIC) : error),
    )
    request.once('socket', (socket) => {
      if (!socket.connecting) return
      const late = () => request.destroy(new Error(`no connection within ${CONNECTS_WITHIN / 1000} seconds`))
      const waiting = setTimeout(late, CONNECTS_WITHIN)
      socket.once('connect', () => clearTimeout(waiting)).once('close', () => clearTimeout(waiting))
    })
    request.end(body)
  })
}
