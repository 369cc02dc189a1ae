import type { Site } from '../config.ts'
import type { Found } from '../declare/operations.ts'

/** An answer on its way out: what the transport turns into bytes. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: unknown
  /** The template of the route that answered, such as `/tribe/events/v1/events/{id}`. */
  route?: string | undefined
  /** The status of the answer inside an envelope. */
  innerStatus?: number
}

/** Headers that belong to the answer rather than to the transport, which an envelope repeats (rule 28.5). */
const ANSWER_HEADERS = ['Allow', 'X-TEC-Total', 'X-TEC-TotalPages', 'X-WP-Total', 'X-WP-TotalPages', 'Location']

/** A list with its totals and links (rules 11.1 and 11.4). */
export function listReply(site: Site, path: string, found: Found, items: readonly object[]): Reply {
  const links = listLinks(`${site.base}/${path}/`, found)
  const neighbours = {
    ...(links.next ? { next_rest_url: links.next } : {}),
    ...(links.previous ? { previous_rest_url: links.previous } : {}),
  }
  const totals = { total: found.total, total_pages: links.totalPages }
  const shown = { [path]: items }
  const body =
    found.pastEnd === undefined
      ? { rest_url: `${site.base}/${path}/${termQuery(found)}`, ...totals, ...shown, ...neighbours }
      : { ...shown, rest_url: links.own, ...neighbours, ...totals }
  return {
    status: 200,
    headers: {
      'X-TEC-Total': String(found.total),
      'X-TEC-TotalPages': String(links.totalPages),
      ...(links.header ? { Link: links.header } : {}),
    },
    body,
  }
}

/** The addresses of a page and of those beside it, and how many there are. */
export interface ListLinks {
  own: string
  next: string | undefined
  previous: string | undefined
  /** The value of the `Link` header, empty for none. */
  header: string
  totalPages: number
}

/**
 * The links of a list: every parameter in effect, `page` last in next and previous links and left out for the first page back
 * (rule 11.4).
 */
export function listLinks(collection: string, found: Found): ListLinks {
  const { page, perPage, total, effective, shownOnly = '' } = found
  const totalPages = Math.ceil(total / perPage)
  const own = `${collection}?page=${page}&per_page=${perPage}${effective}${shownOnly}`
  const others = `${collection}?per_page=${perPage}${effective}`
  const before = Math.min(page - 1, Math.max(totalPages, 1))
  const next = page < totalPages ? `${others}&page=${page + 1}` : undefined
  const previous = page > 1 ? others + (before > 1 ? `&page=${before}` : '') : undefined
  const nextHeader = next === undefined ? '' : `<${next}>; rel="next"`
  const previousHeader = previous === undefined ? '' : `<${previous}>; rel="prev"`
  const header = nextHeader && previousHeader ? `${nextHeader}, ${previousHeader}` : nextHeader || previousHeader
  return { own, next, previous, header, totalPages }
}

/** The own address of a list of terms names what differs from a plain list (rule 11.5). */
function termQuery({ page, perPage, effective }: Found): string {
  const query = `${page === 1 ? '' : `&page=${page}`}${perPage === 10 ? '' : `&per_page=${perPage}`}${effective}`
  return query === '' ? '' : `?${query.slice(1)}`
}

/** The answer inside an envelope with status 200, for clients that cannot read statuses or headers (rule 28.5). */
export function envelope(reply: Reply): Reply {
  const headers = Object.fromEntries(
    ANSWER_HEADERS.flatMap((name) => (reply.headers[name] === undefined ? [] : [[name, reply.headers[name]]])),
  )
  const { Allow: _allow, ...outer } = reply.headers
  return {
    status: 200,
    headers: omit(outer, ANSWER_HEADERS),
    body: { body: reply.body, status: reply.status, headers },
  }
}

function omit(record: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

/** The names in `_fields`: comma-separated text or a list. */
export function fieldPaths(value: unknown): string[][] | undefined {
  const names = (Array.isArray(value) ? value : [value]).flatMap((name) =>
    typeof name === 'string' ? name.split(',') : [],
  )
  const paths = names.map((name) => name.trim()).filter(Boolean)
  return paths.length > 0 ? paths.map((name) => name.split('.')) : undefined
}

/** Only the members that `paths` name, through records and into lists; `_links` stay (rule 28.4). */
export function keepFields(body: unknown, paths: readonly string[][]): unknown {
  if (Array.isArray(body)) return body.map((entry) => keepFields(entry, paths))
  if (body === null || typeof body !== 'object') return body
  const kept = Object.entries(body).flatMap(([key, value]) => {
    const own = paths.filter((path) => path[0] === key)
    if (own.length === 0) return []
    const deeper = own.map((path) => path.slice(1))
    return [[key, deeper.some((path) => path.length === 0) ? value : keepFields(value, deeper)]]
  })
  return Object.fromEntries('_links' in body ? [...kept, ['_links', body._links]] : kept)
}
