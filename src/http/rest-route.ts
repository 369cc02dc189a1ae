/** As it is sent; names are not decoded to be compared, since one that cannot be takes a thousand times as long. */
const NAME = /^rest(?:_|%5[fF])route$/

/**
 * The address a request is answered under: `/?rest_route=/x&a=b`, and the same below `/index.php`, name the route `x` below the REST root,
 * as clients of sites without permalinks write it (rule 29.7). Of several `rest_route` the last counts. Any other address stays as it is.
 */
export function namedRoute(restRoot: string, url: string): string {
  if (!(url.startsWith('/?') || url.startsWith('/index.php?')) || !/rest(_|%5f)route/i.test(url)) return url
  const others: string[] = []
  let named = ''
  for (const pair of url.slice(url.indexOf('?') + 1).split('&')) {
    const [name = ''] = pair.split('=', 1)
    if (NAME.test(name)) named = decoded(pair.slice(name.length + 1))
    else if (pair !== '') others.push(pair)
  }
  if (named === '') return url
  const path = restRoot + (named.startsWith('/') ? '' : '/') + escapedPath(named)
  return others.length === 0 ? path : `${path}?${others.join('&')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A path as it stands in an address; a question mark in it begins no query. */
function escapedPath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23')
}
