import type { IncomingHttpHeaders } from 'node:http'
import type { Site } from '../config.ts'

/** Bodies shorter than this many bytes are sent as they are. */
const COMPRESS_FROM = 1400
const EXPOSED =
  'X-WP-Total, X-WP-TotalPages, X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location, Allow, Retry-After, Idempotency-Replayed, Preference-Applied'
const VARY = 'Origin, Accept-Encoding, Authorization'
/** `Vary` of answers whose representation `Accept` can choose. */
export const VARY_WITH_ACCEPT = `${VARY}, Accept`
const ALLOWED_HEADERS =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-None-Match, X-HTTP-Method-Override, Idempotency-Key, Prefer'

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

/** The headers by which a page of another site may read the answer (rule 28.3). */
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
 * How long nothing may have changed before an answer says since when. Until then another process or node may not know yet of a change that is
 * as old, and the header names whole seconds only.
 */
const QUIET_MS = 5000

/** The whole second by which an answer was as it is; undefined while that is too fresh to tell. */
function settledSecond(modified: number | undefined): number | undefined {
  if (modified === undefined) return undefined
  const second = Math.ceil(modified / 1000) * 1000
  return Date.now() - second >= QUIET_MS ? second : undefined
}

/** Adds to a flat list of headers since when an answer has not changed, unless that is too fresh to tell. */
export function addLastModified(headers: string[], modified: number | undefined): void {
  const second = settledSecond(modified)
  if (second !== undefined) headers.push('Last-Modified', httpDate(second))
}

/** The moment that was written last: answers that are sent again and again all name the same one. */
const lastDate = { second: Number.NaN, text: '' }

/** A whole second as headers name it. */
function httpDate(second: number): string {
  if (second !== lastDate.second) Object.assign(lastDate, { second, text: new Date(second).toUTCString() })
  return lastDate.text
}

/** True when the client has an answer that is as new, by its time alone (RFC 9110, 13.1.3). */
export function isUnmodified(headers: IncomingHttpHeaders, modified: number | undefined): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const second = settledSecond(modified)
  return second !== undefined && Date.parse(since) >= second && Date.parse(since) <= Date.now()
}

/** Caches on the way may turn a weak ETag into a strong one. */
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

/** The best encoding first, and the lists that take it: those that name it without refusing it by `q=0`. */
const ACCEPTING = (['br', 'gzip'] as const).map((encoding) => ({
  encoding,
  taken: new RegExp(`(?:^|,)[ \\t]*${encoding}[ \\t]*(?:;(?![^,]*q=0(?:\\.0*)?[ \\t]*(?:[,;]|$))[^,]*)?(?:,|$)`, 'i'),
}))
