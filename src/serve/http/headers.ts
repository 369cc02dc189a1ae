import type { IncomingHttpHeaders } from 'node:http'
import type { Site } from '../../base/config.ts'

// Headers of answers, and headers of requests that decide about them: conditions and compression.

/** Bodies shorter than this many bytes are sent as they are. */
const COMPRESS_FROM = 1400
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location, Allow, Retry-After, Idempotency-Replayed, Preference-Applied'
const VARY = 'Origin, Accept-Encoding, Authorization'
/** `Vary` of answers whose representation `Accept` can choose. */
export const VARY_WITH_ACCEPT = `${VARY}, Accept`
const ALLOWED_HEADERS =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-Match, If-None-Match, X-HTTP-Method-Override, Idempotency-Key, Prefer'

/** The headers of every answer (rule 28.1), overridden by those of the answer itself; its links follow the link to the root. */
export function answerHeaders(
  site: Site,
  own: Readonly<Record<string, string>>,
  isPublic: boolean,
): Record<string, string> {
  const { Link: link, ...others } = own
  const root = `<${site.restUrl}/>; rel="https://api.w.org/"`
  return {
    'Content-Type': 'application/json; charset=UTF-8',
    'X-Robots-Tag': 'noindex',
    Link: link ? `${root}, ${link}` : root,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Expose-Headers': EXPOSED,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    Vary: VARY,
    ...(isPublic
      ? { 'Cache-Control': 'public, max-age=0, must-revalidate' }
      : {
          Expires: 'Wed, 11 Jan 1984 05:00:00 GMT',
          'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
        }),
    ...others,
  }
}

/** The headers that let pages of other sites read the answer (rule 28.3). */
export function crossOriginHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'OPTIONS, GET, POST, PUT, PATCH, DELETE',
  }
}

/** True when the client has the body already, by its ETag or an earlier one (RFC 9110, 13.1.2: weak comparison). */
export function hasCurrent(headers: IncomingHttpHeaders, tag: string, earlierTags: readonly string[] = []): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known === tag) return true
  const isCurrent = (entry: string) =>
    entry === '*' || isSame(entry, tag) || earlierTags.some((own) => isSame(entry, own))
  return known.split(',').some((entry) => isCurrent(entry.trim()))
}

/**
 * How long the data must be unchanged before an answer has a Last-Modified header. Until then another process or node may not know of a change, and
 * the header has whole seconds only.
 */
const QUIET_MS = 5000

/** The Last-Modified time of an answer in whole seconds; undefined while the change is too recent. */
function settledSecond(modified: number | undefined): number | undefined {
  if (modified === undefined) return undefined
  const second = Math.ceil(modified / 1000) * 1000
  return Date.now() - second >= QUIET_MS ? second : undefined
}

/** Adds Last-Modified to a flat list of headers, unless the change is too recent. */
export function addLastModified(headers: string[], modified: number | undefined): void {
  const second = settledSecond(modified)
  if (second !== undefined) headers.push('Last-Modified', httpDate(second))
}

/** The date formatted last: answers sent again and again all have the same one. */
const lastDate = { second: Number.NaN, text: '' }

/** A whole second in the format of headers. */
function httpDate(second: number): string {
  if (second !== lastDate.second) Object.assign(lastDate, { second, text: new Date(second).toUTCString() })
  return lastDate.text
}

/** True when the client's copy is current by If-Modified-Since alone (RFC 9110, 13.1.3). */
export function isUnmodified(headers: IncomingHttpHeaders, modified: number | undefined): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const second = settledSecond(modified)
  return second !== undefined && Date.parse(since) >= second && Date.parse(since) <= Date.now()
}

/** Caches in between may turn a weak ETag into a strong one. */
function isSame(entry: string, tag: string): boolean {
  return entry === tag || `W/${entry}` === tag
}

export type Encoding = 'br' | 'gzip'

/** The best encoding a client takes for a body of this size; undefined for none. */
export function encodingFor(headers: IncomingHttpHeaders, size: number): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (size < COMPRESS_FROM || typeof accepted !== 'string') return undefined
  return ACCEPTING.find(({ taken }) => taken.test(accepted))?.encoding
}

/** Whether a client takes gzip for a body of this size, whatever it likes better. */
export function takesGzip({ 'accept-encoding': accepted }: IncomingHttpHeaders, size: number): boolean {
  return size >= COMPRESS_FROM && typeof accepted === 'string' && GZIP.taken.test(accepted)
}

/** The encodings, best first, each with a pattern that matches headers which name it without refusing it by `q=0`. */
const accepting = (encoding: Encoding) => ({
  encoding,
  taken: new RegExp(`(?:^|,)[ \\t]*${encoding}[ \\t]*(?:;(?![^,]*q=0(?:\\.0*)?[ \\t]*(?:[,;]|$))[^,]*)?(?:,|$)`, 'i'),
})
const GZIP = accepting('gzip')
const ACCEPTING = [accepting('br'), GZIP]
