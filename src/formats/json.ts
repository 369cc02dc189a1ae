import type { Site } from '../config.ts'
import type { Found } from '../declare/operations.ts'
import type { RawValues } from '../declare/parse.ts'
import { collectionUrl, type Resource } from '../declare/resource.ts'
import { isTruthy } from '../fields/kinds.ts'
import { presentListed } from '../records/present-loaded.ts'
import { isWritten } from '../text/written-json.ts'
import type { Format, Reply } from './format.ts'

/** Headers that belong to the answer rather than to the transport, which an envelope repeats (rule 28.5). */
const ANSWER_HEADERS = ['Allow', 'X-TEC-Total', 'X-TEC-TotalPages', 'X-WP-Total', 'X-WP-TotalPages', 'Location']

/** JSON: a page of a list with its totals and links, or one record. */
export const json: Format = {
  name: 'json',
  mediaType: 'application/json',
  extension: '',
  extent: 'page',
  lists: 'all',
  byAccept: 'answer',
  showList: async (context, { resource, operations }, found) => {
    const items = await presentListed(context, operations.presentation, await operations.load(context, found))
    return listReply(context.site, resource, found, items)
  },
}

/** A list with its totals and links (rules 11.1 and 11.4). */
function listReply(site: Site, resource: Resource, found: Found, items: readonly object[]): Reply {
  const collection = `${collectionUrl(site, resource)}/`
  const links = listLinks(collection, found)
  const neighbours = {
    ...(links.next ? { next_rest_url: links.next } : {}),
    ...(links.previous ? { previous_rest_url: links.previous } : {}),
  }
  const totals = { total: found.total, total_pages: links.totalPages }
  const shown = { [resource.path]: items }
  const body =
    found.pastEnd === undefined
      ? { rest_url: `${collection}${termQuery(found)}`, ...totals, ...shown, ...neighbours }
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

/** Applies `_fields` to successful answers, and the envelope to every answer (rules 28.4 and 28.5). Other representations know neither. */
export function dressed(reply: Reply, query: RawValues): Reply {
  if (reply.shown) return reply
  const paths = fieldPaths(query._fields)
  const trimmed = paths && reply.status < 300 ? { ...reply, body: keepFields(reply.body, paths) } : reply
  return wantsEnvelope(query) ? { ...envelope(trimmed), route: reply.route, innerStatus: reply.status } : trimmed
}

/** Whether an answer is to come in an envelope: naming `_envelope` is enough. */
export function wantsEnvelope({ _envelope: asked }: RawValues): boolean {
  return asked === '' || isTruthy(asked)
}

/** The answer inside an envelope with status 200, for clients that cannot read statuses or headers (rule 28.5). */
function envelope(reply: Reply): Reply {
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
function fieldPaths(value: unknown): string[][] | undefined {
  const names = (Array.isArray(value) ? value : [value]).flatMap((name) =>
    typeof name === 'string' ? name.split(',') : [],
  )
  const paths = names.map((name) => name.trim()).filter(Boolean)
  return paths.length > 0 ? paths.map((name) => name.split('.')) : undefined
}

/** Only the members that `paths` name, through records and into lists; `_links` stay (rule 28.4). */
function keepFields(body: unknown, paths: readonly string[][]): unknown {
  if (isWritten(body)) return keepFields(body.toJSON(), paths)
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

/** Whether an address asks for an indented answer. */
export function isPretty(url: string): boolean {
  return /[?&]_pretty(=|&|$)/.test(url)
}
