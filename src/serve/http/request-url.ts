import type { Site } from '../../base/config.ts'
import { decodeLeniently } from '../../base/text/urls.ts'

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
