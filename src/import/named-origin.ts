import type { IncomingMessage, Agent as PlainAgent } from 'node:http'
import { Agent, request as requestSecure } from 'node:https'
import { lookUpAmong, mayConnect, NoPublicAddress } from '../media/public-addresses.ts'
import { Agent as AgentPlain, request as requestPlain } from '../node-http.ts'

/** The origin that the operator named: it alone gets the login, and it alone may be at an address that is not public. */
export interface NamedOrigin {
  origin: string
  /** The header `Authorization`. */
  authorization: string | undefined
  /** Connections that are kept for further requests. */
  agents: { secure: Agent; plain: PlainAgent }
}

/** A request to the named origin, or to where that leads. */
export interface NamedRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | undefined
  signal: AbortSignal
  /** Whether redirects to other origins are followed when there is a login, which stays behind. */
  leavesLogin: boolean
}

/** The source leads to an address that may not be asked; the message is the end of a sentence that begins with that address. */
export class LedAstray extends Error {
  override name = 'LedAstray'
  readonly at: string

  constructor({ href }: URL, reason: string) {
    super(reason)
    this.at = href
  }
}

const MOST_REDIRECTS = 10
/** Milliseconds for a connection. */
const CONNECTS_WITHIN = 10_000

/** Names the origin of an address, for this login there. */
export function nameOrigin(address: string, login?: string, password = ''): NamedOrigin {
  const authorization =
    login === undefined ? undefined : `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  const agents = { secure: new Agent({ keepAlive: true }), plain: new AgentPlain({ keepAlive: true }) }
  return { origin: URL.parse(address)?.origin ?? '', authorization, agents }
}

/**
 * Sends a request, and follows redirects of reads; returns the answer and its address.
 * @throws LedAstray for an address that a source may not lead to
 */
export async function askNamed(
  url: URL,
  named: NamedOrigin,
  asked: NamedRequest,
): Promise<{ url: string; answer: IncomingMessage }> {
  let target = url
  for (let hops = 0; ; hops += 1) {
    requireAllowed(target, named, asked.leavesLogin && hops > 0)
    const answer = await send(target, named, asked)
    const next = asked.method === 'GET' ? redirectOf(answer, target) : undefined
    if (!next) return { url: target.href, answer }
    answer.destroy()
    if (hops === MOST_REDIRECTS) throw new LedAstray(url, `redirects more than ${MOST_REDIRECTS} times.`)
    target = next
  }
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  return URL.parse(headers.location, from.href) ?? undefined
}

function requireAllowed(target: URL, named: NamedOrigin, leavesLogin: boolean): void {
  if (target.origin === named.origin) return
  if (named.authorization !== undefined && !leavesLogin)
    throw new LedAstray(
      target,
      `is not asked: the source leads there, and the login is for ${named.origin} alone. Give this address in its place if it is meant.`,
    )
  if (!isNamed(target, named) && !mayConnect(target, [])) throw astray(target)
}

function astray(target: URL): LedAstray {
  return new LedAstray(
    target,
    `is not asked: the source leads there, and it is at no public address. Give this address in its place if it is meant.`,
  )
}

/** Whether an address is at the named origin, or at the same host by https. */
function isNamed({ origin }: URL, named: NamedOrigin): boolean {
  return origin === named.origin || origin === named.origin.replace(/^http:(\/\/(?:\[[^\]]*\]|[^:]*))$/, 'https:$1')
}

async function send(target: URL, named: NamedOrigin, asked: NamedRequest): Promise<IncomingMessage> {
  const { method, body, signal } = asked
  const isSecure = target.protocol === 'https:'
  const login = target.origin === named.origin && named.authorization ? { authorization: named.authorization } : {}
  const length = body ? { 'content-length': String(body.length) } : {}
  const lookup = isNamed(target, named) ? {} : { lookup: lookUpAmong([]) }
  const agent = isSecure ? named.agents.secure : named.agents.plain
  const options = { method, signal, agent, headers: { ...asked.headers, ...login, ...length }, ...lookup }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestSecure : requestPlain)(target, options, resolve)
    request.on('error', (error) => reject(error instanceof NoPublicAddress ? astray(target) : error))
    request.once('socket', (socket) => {
      if (!socket.connecting) return
      const late = () => request.destroy(new Error(`no connection within ${CONNECTS_WITHIN / 1000} seconds`))
      const waiting = setTimeout(late, CONNECTS_WITHIN)
      socket.once('connect', () => clearTimeout(waiting)).once('close', () => clearTimeout(waiting))
    })
    request.end(body)
  })
}
