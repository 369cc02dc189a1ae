import type { Site } from '../config.ts'
import type { ListAnswer } from '../declare/operations.ts'

/** An answer on its way out: what the transport turns into bytes. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: unknown
  /** The body as it goes out, when it has been put together already. */
  bytes?: Buffer
}

/** Headers that belong to the answer rather than to the transport, which an envelope repeats (contract 9.3). */
const ANSWER_HEADERS = ['Allow', 'X-TEC-Total', 'X-TEC-TotalPages', 'X-WP-Total', 'X-WP-TotalPages', 'Location']

/** A list with its totals and links (contract 4.1, 4.2, 0.3.11). */
export function listReply(site: Site, path: string, answer: ListAnswer, envelopeFirst: boolean): Reply {
  const totalPages = Math.ceil(answer.total / answer.perPage)
  const collection = `${site.base}/${path}/`
  const link = (page: number, explicit: boolean) => listUrl(collection, page, answer, explicit)
  const links = {
    ...(answer.page < totalPages ? { next_rest_url: link(answer.page + 1, true) } : {}),
    ...(answer.page > 1 ? { previous_rest_url: link(Math.min(answer.page - 1, Math.max(totalPages, 1)), false) } : {}),
  }
  const totals = { total: answer.total, total_pages: totalPages }
  const items = { [path]: answer.items }
  const body = envelopeFirst
    ? { rest_url: collection + queryOf(termQuery(answer)), ...totals, ...items, ...links }
    : { ...items, rest_url: link(answer.page, true), ...links, ...totals }
  return {
    status: 200,
    headers: { 'X-TEC-Total': String(answer.total), 'X-TEC-TotalPages': String(totalPages), ...linkHeader(links) },
    body,
  }
}

type Parameters = [name: string, value: string][]

/** The address of a page: every parameter in effect, `page` last in next and previous links and left out for the first page back. */
function listUrl(collection: string, page: number, answer: ListAnswer, explicit: boolean): string {
  const perPage: Parameters = [['per_page', String(answer.perPage)]]
  const number: Parameters = page === 1 && !explicit ? [] : [['page', String(page)]]
  // `any` tells what a list without a status covers and is no status to ask for (contract 4.8), so links to follow leave it out.
  const sendable = answer.effective.filter(([name, value]) => name !== 'status' || value !== 'any')
  const parameters: Parameters =
    page === answer.page ? [...number, ...perPage, ...answer.effective] : [...perPage, ...sendable, ...number]
  return collection + queryOf(parameters)
}

/** The own address of a list of terms names what differs from a plain list (contract 4.2). */
function termQuery(answer: ListAnswer): Parameters {
  const perPage: Parameters = answer.perPage === 10 ? [] : [['per_page', String(answer.perPage)]]
  const page: Parameters = answer.page === 1 ? [] : [['page', String(answer.page)]]
  return [...page, ...perPage, ...answer.effective]
}

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? '' : `?${query}`
}

function linkHeader(links: { next_rest_url?: string; previous_rest_url?: string }): Record<string, string> {
  const parts = [
    ...(links.next_rest_url ? [`<${links.next_rest_url}>; rel="next"`] : []),
    ...(links.previous_rest_url ? [`<${links.previous_rest_url}>; rel="prev"`] : []),
  ]
  return parts.length > 0 ? { Link: parts.join(', ') } : {}
}

/** The answer inside an envelope with status 200, for clients that cannot read statuses or headers (contract 9.3). */
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

/** Only the members that `paths` name, through records and into lists; `_links` stay (contract 9.3). */
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
