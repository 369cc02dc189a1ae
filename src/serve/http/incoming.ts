import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Site } from '../../base/config.ts'
import { decodeLeniently } from '../../base/text/urls.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import type { Repeatable } from '../../calendar/editing/idempotency.ts'
import type { Caller } from '../../calendar/people/caller.ts'
import type { Reply } from '../formats/format.ts'
import type { Match, MatchedRequest } from './routes.ts'

// A request on its way in: its address, the client it comes from, and its body before and after it is read.

/** A file that came with a request. It is on disk until the request ends. */
export interface Upload {
  /** The field of the form that it came in, if it came in one. */
  field?: string
  fileName: string
  mimeType: string
  /** bytes */
  size: number
  /** Reads the whole file into memory: call it only when the bytes are needed. */
  read: () => Promise<Buffer>
}

/** The body of a request: bytes, a form of several parts, or a file. */
export interface Body {
  /** Of a body that is neither a form of several parts nor a file. */
  bytes: Buffer
  /** The fields, the keys that stand more than once, and the files of a multipart form. */
  form?: { fields: RawValues; repeated: Set<string>; files: Upload[] }
  /** A body that is a file by itself. */
  file?: Upload
}

export const NO_BODY: Body = { bytes: Buffer.alloc(0) }

/** The limits for reading a body. */
export interface BodyRoom {
  /** Whether the sender may write at all; for others a little is read, to report the other faults of the request. */
  isTrusted: boolean
  /** Whether it may be or hold a file. */
  takesFile: boolean
  /** The most bytes; without it, those that the sender may send. */
  most?: number
  /** The most bytes of files in a form that says how long it is; without it, those of an image. */
  mostFiles?: number
}

/** A request on its way to its answer. */
export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  url: RequestUrl
  requestId: string
  /** Milliseconds, on the clock of `performance.now`. */
  arrived: number
  /** The login of the sender, once it is known. */
  user?: string | undefined
}

/** Finds out who sent a request. @throws Problem for wrong credentials */
export type SignIn = (incoming: Incoming) => Promise<Caller>

/** A request whose body has not been read yet. */
export interface Incoming {
  method: string
  url: RequestUrl
  headers: IncomingHttpHeaders
  /** Address of the client. */
  address: string
  /** The id in the answer and in the log. */
  requestId: string
  /** The login of the sender, once it is known, for the log. */
  user?: string
  /** The key that makes it idempotent, in place of its header `Idempotency-Key`. */
  repeatable?: Repeatable
  /** True for a request of a batch that has waited for all of its requests together. */
  hasTurn?: true
  /** True when the client has gone. */
  isGone: () => boolean
  /** Reads the body, once; no part of it is held in memory before. @throws Problem */
  readBody: (room: BodyRoom) => Promise<Body>
}

/** The method of a request after overrides (rule 1.6), and the parameters of its query. */
export interface Target {
  method: string
  query: RawValues
}

/** Answers a matched request: OPTIONS by itself, any other method with the result of `work` and the caller's methods. */
export type RouteReply = (
  matched: Match,
  incoming: Incoming,
  target: Target,
  context: Context,
  work: (asked: MatchedRequest, body: Body) => Promise<Reply>,
) => Promise<Reply>

/** Longer addresses are refused with 414. */
export const LONGEST_URL = 8000

/** The address of a request in its parts. It is read once; a request that is answered as another one is given another address. */
export interface RequestUrl {
  /** Path and query. */
  text: string
  path: string
  /** Without the question mark. */
  query: string
}

/** The parts of a path with a query. */
export function splitUrl(text: string): RequestUrl {
  const mark = text.indexOf('?')
  return mark === -1
    ? { text, path: text, query: '' }
    : { text, path: text.slice(0, mark), query: text.slice(mark + 1) }
}

/** The address that a request is answered under, as its first line has it. */
export function readUrl({ restRoot }: Pick<Site, 'restRoot'>, sent = '/'): RequestUrl {
  return splitUrl(namedRoute(restRoot, withPath(sent)))
}

/** The beginning of an absolute address, as it is sent to proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[^/]*(?=\/)/i

/** The address from its path on; one that is no path at all is a path that is not there. */
function withPath(sent: string): string {
  if (sent.startsWith('/')) return sent
  const url = sent.replace(ABSOLUTE, '')
  return url.startsWith('/') ? url : `/${url}`
}

/** As it is sent; names are not decoded to be compared, since one that cannot be takes a thousand times as long. */
const NAME = /^rest(?:_|%5[fF])route$/

/**
 * The address that names a route in its query: `/?rest_route=/x&a=b`, and the same below `/index.php`, name the route `x` below the REST root,
 * as clients of sites without permalinks write it (rule 29.7). Of several `rest_route` the last counts. Any other address stays as it is.
 */
function namedRoute(restRoot: string, url: string): string {
  if (!(url.startsWith('/?') || url.startsWith('/index.php?')) || !/rest(_|%5f)route/i.test(url)) return url
  const others: string[] = []
  let named = ''
  for (const pair of url.slice(url.indexOf('?') + 1).split('&')) {
    const [name = ''] = pair.split('=', 1)
    if (NAME.test(name)) named = decodeLeniently(pair.slice(name.length + 1).replaceAll('+', ' '))
    else if (pair !== '') others.push(pair)
  }
  if (named === '') return url
  const path = restRoot + (named.startsWith('/') ? '' : '/') + escapedPath(named)
  return others.length === 0 ? path : `${path}?${others.join('&')}`
}

/** A path as it stands in an address; a question mark in it begins no query. */
function escapedPath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23')
}

/** The addresses of trusted proxies. */
export type Trusted = BlockList

/** Names of ranges of addresses. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** The proxies of a validated setting: addresses, and networks such as `10.0.0.0/8`, `10.0.0.0/255.0.0.0` or `loopback`. */
export function trustedProxies(entries: readonly string[]): Trusted {
  const trusted = new BlockList()
  for (const entry of entries.flatMap((name) => RANGES[name] ?? [name])) {
    const [address = '', length] = entry.split('/')
    const type = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (length === undefined) trusted.addAddress(address, type)
    else trusted.addSubnet(address, bitsOf(length), type)
  }
  return trusted
}

/** The bits of a network, given as a number or as a mask. */
function bitsOf(length: string): number {
  if (isIP(length) !== 4) return Number(length)
  return length.split('.').reduce((bits, byte) => bits + (Number(byte).toString(2).match(/1/g)?.length ?? 0), 0)
}

/** The address of the client: the address of the connection, or the last one in `X-Forwarded-For` that is no trusted proxy. */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: Trusted | undefined): string {
  const own = plain(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (!trusted || forwarded === undefined || !isTrusted(own, trusted)) return own
  const hops = String(forwarded)
    .split(',')
    .map((hop) => plain(hop.trim()))
  let client = own
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) return client
    client = hop
    if (!isTrusted(hop, trusted)) return client
  }
  return client
}

function isTrusted(address: string, trusted: Trusted): boolean {
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv4 address, also if written as an IPv6 one. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}
