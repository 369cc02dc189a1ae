import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import qs from 'qs'
import type { Site } from '../base/config.ts'
import { MOST_PAIRS, overShape } from '../base/fields/limits.ts'
import { isRecord } from '../base/foreign-json.ts'
import { Problem } from '../base/problems.ts'
import { storableText } from '../base/text/characters.ts'
import { decodeLeniently } from '../base/text/urls.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Fields } from '../calendar/declare/resource.ts'
import type { Repeatable } from '../calendar/editing/idempotency.ts'
import type { Caller } from '../calendar/people/caller.ts'
import type { Reply } from './format.ts'
import type { Match, MatchedRequest } from './routes.ts'

// Describes a request on its way in, and reads its address, its client, and its parameters from query, form
// or body.

/** A file that came with a request. It is on disk until the request ends, or in memory if it is JSON. */
export interface Upload {
  /** The field of the form that it came in, if it came in one. */
  field?: string
  fileName: string
  mimeType: string
  /** The size in bytes. */
  size: number
  /** Reads the whole file into memory: call it only when the bytes are needed. */
  read: () => Promise<Buffer>
}

/** The body of a request: bytes, a multipart form, or a file. */
export interface Body {
  /** The bytes of a body that was read into memory; empty for a multipart form and for a file on disk. */
  bytes: Buffer
  /** The fields, the keys sent more than once, and the files of a multipart form. */
  form?: { fields: RawValues; repeated: Set<string>; files: Upload[] }
  /** The body itself as a file, for a request that may upload one. */
  file?: Upload
}

export const NO_BODY: Body = { bytes: Buffer.alloc(0) }

/** The limits for reading a body. */
export interface BodyRoom {
  /**
   * Whether the sender may write at all. From others a little is read, to report the other faults of the
   * request.
   */
  isTrusted: boolean
  /** Whether the body may be a file or hold one. */
  takesFile: boolean
  /** The most bytes of the body; without it, as many as the sender may send. */
  most?: number
  /**
   * The most bytes of files in a form whose head says its length; without it, as many as an image may have.
   */
  mostFiles?: number
}

/** A request on its way to its answer. */
export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  url: RequestUrl
  requestId: string
  /** When the request arrived: milliseconds on the clock of `performance.now`. */
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
  /** The address of the client. */
  address: string
  /** The id in the answer and in the log. */
  requestId: string
  /** The login of the sender, once it is known, for the log. */
  user?: string
  /** The key that makes the request idempotent, in place of its header `Idempotency-Key`. */
  repeatable?: Repeatable
  /**
   * True for a request of a batch that does not wait for a turn of its own, since the batch has waited for
   * all of its requests.
   */
  hasTurn?: true
  /** Returns true once the client has gone. */
  isGone: () => boolean
  /** Reads the body, once; no part of it is held in memory before. @throws Problem */
  readBody: (room: BodyRoom) => Promise<Body>
}

/** The method of a request after overrides (rule 1.6), and the parameters of its query. */
export interface Target {
  method: string
  query: RawValues
}

/**
 * Answers a matched request, with the caller's methods in `Allow`: OPTIONS by itself, any other method with
 * the result of `work`.
 */
export type RouteReply = (
  matched: Match,
  incoming: Incoming,
  target: Target,
  context: Context,
  work: (asked: MatchedRequest, body: Body) => Promise<Reply>,
) => Promise<Reply>

/** The most characters of an address; longer ones are refused with 414. */
export const LONGEST_URL = 8000

/**
 * The address of a request in its parts, which are split once. A request that is answered under another
 * address gets a new one.
 */
export interface RequestUrl {
  /** Path and query. */
  text: string
  path: string
  /** Without the question mark. */
  query: string
}

/** Splits a path with a query into its parts. */
export function splitUrl(text: string): RequestUrl {
  const mark = text.indexOf('?')
  return mark === -1
    ? { text, path: text, query: '' }
    : { text, path: text.slice(0, mark), query: text.slice(mark + 1) }
}

/** Returns the address under which a request is answered, from the target in its first line. */
export function readUrl({ restRoot }: Pick<Site, 'restRoot'>, sent = '/'): RequestUrl {
  return splitUrl(namedRoute(restRoot, withPath(sent)))
}

/** The beginning of an absolute address, as it is sent to proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[^/]*(?=\/)/i

/** Returns the address from its path on. A target without a path becomes a path that is not there. */
function withPath(sent: string): string {
  if (sent.startsWith('/')) return sent
  const url = sent.replace(ABSOLUTE, '')
  return url.startsWith('/') ? url : `/${url}`
}

/**
 * The name `rest_route`, its underscore plain or percent-encoded. Names are compared undecoded: decoding may
 * take a thousand times as long.
 */
const NAME = /^rest(?:_|%5[fF])route$/

/**
 * Returns the address that a query names: `/?rest_route=/x&a=b`, and the same below `/index.php`, name the
 * route `x` below the REST root, as clients of sites without permalinks write it (rule 29.7). Of several
 * `rest_route` the last counts. Any other address is returned as it is.
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

/** Escapes a path for an address; a question mark in it begins no query. */
function escapedPath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23')
}

/** The addresses of trusted proxies. */
export type Trusted = BlockList

/** The names of ranges of addresses that a setting may have. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Makes the list of proxies from a validated setting: addresses, and networks such as `10.0.0.0/8`,
 * `10.0.0.0/255.0.0.0` or `loopback`.
 */
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

function bitsOf(length: string): number {
  if (isIP(length) !== 4) return Number(length)
  return length
    .split('.')
    .reduce((bits, byte) => bits + (Number(byte).toString(2).match(/1/g)?.length ?? 0), 0)
}

/**
 * Returns the address of the client: that of the connection, or behind a trusted proxy, the last one in
 * `X-Forwarded-For` that is no trusted proxy.
 */
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

/** Returns an IPv4 address that is written as an IPv6 one in its own form, and any other address as it is. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}

// Reads parameters from queries, forms and bodies.

const NESTING = {
  depth: 6,
  parameterLimit: MOST_PAIRS,
  arrayLimit: 1000,
  allowPrototypes: false,
  plainObjects: true,
} as const

/**
 * Parses a query string or an urlencoded body, with `a[]`, `a[0]` and `a[b]` nested; a repeated plain key
 * becomes a list.
 * @throws Problem rest_too_many_parameters
 */
export function parseForm(text: string): RawValues {
  if (hasMorePairs(text, MOST_PAIRS))
    throw new Problem('rest_too_many_parameters', { data: { limit: MOST_PAIRS } })
  return qs.parse(text, { ...NESTING, duplicates: 'combine' })
}

/** The most pairs of a query that `parsePlainQuery` reads. */
const MOST_PLAIN_PAIRS = 100

/**
 * Reads the parameters among `names` of a query string without nesting and repetition. Undefined for any
 * other query, and for invalid escapes or NUL. It is quicker than `parseForm`, and most requests need no
 * more.
 */
export function parsePlainQuery(
  text: string,
  names: ReadonlySet<string>,
): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  // Brackets nest, escaped or not.
  if (text.includes('[') || text.includes('%5')) return undefined
  let pairs = 0
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('&', at)
    const end = next === -1 ? text.length : next
    const mark = text.indexOf('=', at)
    if (end > at) {
      if (mark === -1 || mark > end || ++pairs > MOST_PLAIN_PAIRS) return undefined
      const name = text.slice(at, mark)
      const value = decoded(text.slice(mark + 1, end))
      if (value === undefined) return undefined
      const isKnown = names.has(name)
      if (isKnown ? values[name] !== undefined : name.includes('%') || name.includes('+')) return undefined
      if (isKnown) values[name] = value
    }
    at = end + 1
  }
  return values
}

/** A date and time as most programs escape it. No other text that has to be escaped is sent as often. */
const ESCAPED_TIME = /^[\d-]{10}\+\d\d%3A\d\d%3A\d\d$/

function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  if (ESCAPED_TIME.test(text))
    return `${text.slice(0, 10)} ${text.slice(11, 13)}:${text.slice(16, 18)}:${text.slice(21)}`
  if (text.includes('%00')) return undefined
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * Writes the fields of a multipart form as an urlencoded one, so that they nest and repeat keys by the same
 * rules. Half a character, which a form in UTF-16 may have, becomes U+FFFD.
 */
export function formText(pairs: readonly (readonly [name: string, value: string])[]): string {
  const escaped = (text: string) => encodeURIComponent(text.toWellFormed())
  return pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')
}

/** Returns the media type of a body without its parameters, in lower case. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * Parses the parameters of a body that arrived whole: JSON or urlencoded. Any other content type, and JSON
 * that is no record, gives none (rule 1.3).
 * @throws Problem rest_invalid_json
 */
export function parseBody(type: string, body: Buffer): RawValues {
  if (body.length === 0) return {}
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(body)
  if (type === 'application/x-www-form-urlencoded' || type === '')
    return parseForm(withBlanks(body).toString('utf8'))
  return {}
}

const PLUS = 0x2b
const BLANK = 0x20

/**
 * Returns a form with blanks in place of `+`. Replacing bytes takes a tenth of the time of replacing text.
 */
function withBlanks(form: Buffer): Buffer {
  if (!form.includes(PLUS)) return form
  const blank = Buffer.from(form)
  for (let i = 0; i < blank.length; i++) if (blank[i] === PLUS) blank[i] = BLANK
  return blank
}

function parseJson(body: Buffer): RawValues {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : {}
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    throw new Problem('rest_invalid_json', { data: { json_error_code: 4, json_error_message: message } })
  }
}

/**
 * Returns the declared parameters of a request, from the body before the query (rules 1.3 and 1.7). A key
 * repeated without brackets gives a list to a parameter that is a list, and its last value to any other.
 */
export function declaredValues(
  fields: Fields,
  body: RawValues,
  query: RawValues,
  repeated: ReadonlySet<string>,
): RawValues {
  const values: Record<string, unknown> = {}
  // Most requests send few of the parameters.
  for (const name in fields) {
    const value = body[name] ?? query[name]
    const field = fields[name]
    if (value === undefined || field === undefined) continue
    values[name] = storable(
      Array.isArray(value) && repeated.has(name) && !field.kind.list ? value.at(-1) : value,
    )
  }
  return values
}

/**
 * Returns a value with its texts as the databases store them. A value over the limits of depth and size stays
 * as it is, since it is refused later.
 */
function storable(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return storableText(value)
  return overShape(value) ? value : storableMembers(value)
}

function storableMembers(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return storableText(value)
  if (Array.isArray(value)) return value.map(storableMembers)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, storableMembers(member)]))
}

function hasMorePairs(text: string, most: number): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) if (++count > most) return true
  return false
}

/**
 * Returns the keys that stand more than once, without brackets, in a query string or urlencoded body that
 * `parseForm` has taken.
 */
export function repeatedKeys(text: string): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const pair of text.split('&', MOST_PAIRS)) {
    const key = parameterName(pair)
    if (seen.has(key)) repeated.add(key)
    seen.add(key)
  }
  return repeated
}

function parameterName(pair: string): string {
  const mark = pair.indexOf('=')
  const key = mark === -1 ? pair : pair.slice(0, mark)
  if (!key.includes('%') && !key.includes('+')) return key
  const [name = key] = new URLSearchParams(`${key}=`).keys()
  return name
}
