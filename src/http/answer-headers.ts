import type { IncomingHttpHeaders } from 'node:http'
import type { Site } from '../base/config.ts'

/** In bytes; compressing a shorter body costs more than it saves. */
const COMPRESS_FROM = 1400
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location, ' +
  'Allow, Retry-After, Idempotency-Replayed, Preference-Applied, X-Kalends-Ignored'
const VARY = 'Origin, Accept-Encoding, Authorization'
/** For answers whose representation `Accept` chooses. */
export const VARY_WITH_ACCEPT = `${VARY}, Accept`
const ALLOWED_HEADERS =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, ' +
  'If-Match, If-None-Match, X-HTTP-Method-Override, Idempotency-Key, Prefer'

const ALWAYS = {
  'Content-Type': 'application/json; charset=UTF-8',
  'X-Robots-Tag': 'noindex',
  Link: '',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Expose-Headers': EXPOSED,
  'Access-Control-Allow-Headers': ALLOWED_HEADERS,
  Vary: VARY,
}
const PUBLIC: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'Cache-Control': 'public, max-age=0, must-revalidate',
}
const PRIVATE: Readonly<Record<string, string>> = {
  ...ALWAYS,
  Expires: 'Wed, 11 Jan 1984 05:00:00 GMT',
  'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
}

/**
 * Returns header names and values in turn (rule 28.1). `own` headers replace ordinary ones, but an own `Link`
 * follows the link to the REST root.
 */
export function answerHeaders(
  site: Site,
  own: Readonly<Record<string, string>>,
  isPublic: boolean,
): string[] {
  const ordinary = isPublic ? PUBLIC : PRIVATE
  const root = `<${site.restUrl}/>; rel="https://api.w.org/"`
  const headers: string[] = []
  for (const name in ordinary)
    headers.push(
      name,
      name === 'Link' ? (own.Link ? `${root}, ${own.Link}` : root) : (own[name] ?? ordinary[name] ?? ''),
    )
  for (const name in own) if (!(name in ordinary)) headers.push(name, own[name] ?? '')
  return headers
}

/** Returns the CORS headers (rule 28.3); none without an `Origin`. */
export function crossOriginHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'OPTIONS, GET, POST, PUT, PATCH, DELETE',
  }
}

/** True if `If-None-Match` has the ETag, compared weakly (RFC 9110, 13.1.2). */
export function hasCurrent(headers: IncomingHttpHeaders, tag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known === tag) return true
  const isCurrent = (entry: string) => entry === '*' || isSame(entry, tag)
  return known.split(',').some((entry) => isCurrent(entry.trim()))
}

/** In ms from the end of the second of a change: until then, another process may not know of it. */
const QUIET_MS = 5000

/** Returns `modified` (ms) rounded up to a second; undefined while that change is too recent. */
function settledSecond(modified: number | undefined): number | undefined {
  if (modified === undefined) return undefined
  const second = Math.ceil(modified / 1000) * 1000
  return Date.now() - second >= QUIET_MS ? second : undefined
}

export function addLastModified(headers: string[], modified: number | undefined): void {
  const second = settledSecond(modified)
  if (second !== undefined) headers.push('Last-Modified', httpDate(second))
}

/** The last formatted date, since an answer that is sent repeatedly has the same date. */
const lastDate = { second: Number.NaN, text: '' }

function httpDate(second: number): string {
  if (second !== lastDate.second) Object.assign(lastDate, { second, text: new Date(second).toUTCString() })
  return lastDate.text
}

/** True if nothing has changed since the date in `If-Modified-Since` (RFC 9110, 13.1.3). */
export function isUnmodified(headers: IncomingHttpHeaders, modified: number | undefined): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const second = settledSecond(modified)
  return second !== undefined && Date.parse(since) >= second && Date.parse(since) <= Date.now()
}

/** Also true for the strong form of `tag`, since caches may turn a weak ETag into a strong one. */
function isSame(entry: string, tag: string): boolean {
  return entry === tag || `W/${entry}` === tag
}

export type Encoding = 'zstd' | 'br' | 'gzip'

export function encodingFor(
  headers: IncomingHttpHeaders,
  size: number,
  isLasting = false,
): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (size < COMPRESS_FROM || typeof accepted !== 'string') return undefined
  return (isLasting ? SMALLEST : QUICKEST).find(({ taken }) => taken.test(accepted))?.encoding
}

const accepting = (encoding: Encoding) => ({
  encoding,
  taken: new RegExp(
    `(?:^|,)[ \\t]*${encoding}[ \\t]*(?:;(?![^,]*q=0(?:\\.0*)?[ \\t]*(?:[,;]|$))[^,]*)?(?:,|$)`,
    'i',
  ),
})
const [ZSTD, BROTLI, GZIP] = [accepting('zstd'), accepting('br'), accepting('gzip')]
/** Encodings, the preferred ones first; answers that never change take `SMALLEST`, all others `QUICKEST`. */
const QUICKEST = [ZSTD, BROTLI, GZIP]
const SMALLEST = [BROTLI, ZSTD, GZIP]
