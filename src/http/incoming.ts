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
import type { Answer } from './format.ts'
import type { MatchedRequest, MatchedRoute } from './routes.ts'

// Incoming requests: address, client, parameters from query string, form or body. Each is at first an
// Exchange, then an IncomingRequest (also one of a batch), a ParsedRequest and a MatchedRequest.

/** An uploaded file: on disk until the request ends, or JSON in memory. */
export interface Upload {
  field?: string
  fileName: string
  mimeType: string
  /** In bytes. */
  size: number
  read: () => Promise<Buffer>
}

export interface Body {
  bytes: Buffer
  /** `repeated` are keys that were sent more than once. */
  form?: { fields: RawValues; repeated: Set<string>; files: Upload[] }
  file?: Upload
}

export const NO_BODY: Body = { bytes: Buffer.alloc(0) }

export interface BodyLimits {
  /** If false, only a little is read: enough to report invalid parameters. */
  isTrusted: boolean
  takesFile: boolean
  /** In bytes; the default is what the sender is allowed. */
  most?: number
  /** In bytes: the maximum of all files of a form with `Content-Length`; by default that of an image. */
  mostFiles?: number
}

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  url: RequestUrl
  requestId: string
  /** When the request arrived, by `performance.now`. */
  arrived: number
  user?: string | undefined
}

/** Finds who sends a request. @throws Problem for wrong credentials */
export type SignIn = (incoming: IncomingRequest) => Caller | Promise<Caller>

/** A request whose body has not been read yet. */
export interface IncomingRequest {
  method: string
  url: RequestUrl
  headers: IncomingHttpHeaders
  address: string
  requestId: string
  user?: string
  repeatable?: Repeatable
  /** Set for requests of a batch that share one place in a queue. */
  hasTurn?: true
  found?: MatchedRoute
  isGone: () => boolean
  /** Reads the body; may be called once. @throws Problem */
  readBody: (limits: BodyLimits) => Promise<Body>
}

/** A request with its query string parsed; `method` is the one after overrides (rule 1.6). */
export interface ParsedRequest extends IncomingRequest {
  query: RawValues
}

/** Answers OPTIONS itself, and runs `work` for other methods. `Allow` has the methods open to the caller. */
export type AnswerRoute = (
  matched: MatchedRoute,
  parsed: ParsedRequest,
  context: Context,
  work: (request: MatchedRequest, body: Body) => Answer | Promise<Answer>,
) => Promise<Answer>

/** Longer URLs are answered by 414. */
export const LONGEST_URL = 8000

export interface RequestUrl {
  text: string
  path: string
  query: string
}

export function splitUrl(text: string): RequestUrl {
  const mark = text.indexOf('?')
  return mark === -1
    ? { text, path: text, query: '' }
    : { text, path: text.slice(0, mark), query: text.slice(mark + 1) }
}

export function readUrl({ restRoot }: Pick<Site, 'restRoot'>, sent = '/'): RequestUrl {
  return splitUrl(namedRoute(restRoot, withPath(sent)))
}

/** The origin that clients send to proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/[^/]*(?=\/)/i

/** Drops the origin; an address without a path becomes a path that no route has. */
function withPath(sent: string): string {
  if (sent.startsWith('/')) return sent
  const url = sent.replace(ABSOLUTE, '')
  return url.startsWith('/') ? url : `/${url}`
}

/** The underscore may be percent-encoded. Decoding all names would take far longer. */
const NAME = /^rest(?:_|%5[fF])route$/

/**
 * Turns `/?rest_route=/x&a=b`, also below `/index.php`, into the path of `/x`; the last counts (rule 29.7).
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

/** Percent-encodes question marks too, since none in the path begins a query string. */
function escapedPath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23')
}

export type Trusted = BlockList

const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Reads ranges of addresses: `10.0.0.0/8`, `10.0.0.0/255.0.0.0` or `loopback`. */
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

/** Returns the client's address: behind trusted proxies, the last in `X-Forwarded-For` that is none. */
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

function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}

const NESTING = {
  depth: 6,
  parameterLimit: MOST_PAIRS,
  arrayLimit: 1000,
  allowPrototypes: false,
  plainObjects: true,
} as const

/**
 * Parses a query string or form: `a[]`, `a[0]` and `a[b]` nest; a repeated plain key becomes a list.
 * @throws Problem rest_too_many_parameters
 */
export function parseForm(text: string): RawValues {
  if (hasMorePairs(text, MOST_PAIRS))
    throw new Problem('rest_too_many_parameters', { data: { limit: MOST_PAIRS } })
  return parsePlain(text) ?? qs.parse(text, { ...NESTING, duplicates: 'combine' })
}

const MOST_PLAIN_PAIRS = 100

/** Parses most texts, without nesting or repetition, faster than `qs` does; returns undefined for others. */
function parsePlain(text: string): RawValues | undefined {
  // Brackets nest, escaped or not, and `qs` has its own ways with invalid escapes and reserved names.
  if (text.includes('[') || text.includes('%5')) return undefined
  const values: Record<string, string> = Object.create(null)
  let pairs = 0
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('&', at)
    const end = next === -1 ? text.length : next
    const mark = text.indexOf('=', at)
    if (end > at) {
      if (mark === -1 || mark > end || mark === at || ++pairs > MOST_PLAIN_PAIRS) return undefined
      const name = text.slice(at, mark)
      const value = decoded(text.slice(mark + 1, end))
      if (value === undefined || name in values || !PLAIN_NAME.test(name)) return undefined
      values[name] = value
    }
    at = end + 1
  }
  return values
}

const PLAIN_NAME = /^(?!__)\w+$/

/** A date and time as most programs encode it. */
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
 * Makes a query string of form fields, so that their keys nest and repeat by the rules of query strings. Lone
 * surrogates become U+FFFD.
 */
export function formText(pairs: readonly (readonly [name: string, value: string])[]): string {
  const escaped = (text: string) => encodeURIComponent(text.toWellFormed())
  return pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&')
}

export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * Parses JSON or a form. Returns no values for any other type, or for JSON that is no object (rule 1.3).
 * @throws Problem rest_invalid_json
 */
export function parseBody(type: string, body: Buffer): RawValues {
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(body)
  if (type === 'application/x-www-form-urlencoded' || type === '')
    return parseForm(withBlanks(body).toString('utf8'))
  return {}
}

const PLUS = 0x2b
const BLANK = 0x20

/** Replacing plus signs in bytes is far quicker than in text. */
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
 * Returns the sent values of `fields`; the body wins over the query string (rules 1.3 and 1.7). A key
 * repeated without brackets is a list for a list field, else its last value.
 */
export function declaredValues(
  fields: Fields,
  body: RawValues,
  query: RawValues,
  repeated: () => ReadonlySet<string>,
): RawValues {
  const values: Record<string, unknown> = {}
  // Goes through what was sent, since most requests send few of the parameters.
  for (const sent of [query, body])
    for (const name in sent) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      const value = body[name] ?? query[name]
      if (!field || value === undefined) continue
      values[name] = storable(
        Array.isArray(value) && repeated().has(name) && !field.kind.list ? value.at(-1) : value,
      )
    }
  return values
}

/** A value over the limits of depth and size is left as it is: it is refused later. */
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
