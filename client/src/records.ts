import {
  ask,
  type Calling,
  type Connection,
  type Name,
  type Opened,
  open,
  parse,
  type Resources,
} from './connection.ts'
import { KalendsProblem } from './problem.ts'
import type { Decoded } from './texts.ts'

/** The most pages of a list to read, in case a service never ends it. */
const MOST_PAGES = 10_000
/** The page size: the most records that services of the interface give. */
const PAGE = 50

export interface Creating extends Calling {
  /**
   * The idempotency key: a new one for each call by default, none if empty. Send the same key again to create
   * the record only once.
   */
  key?: string | undefined
}

export interface Changing extends Calling {
  /**
   * The ETag of the record when it was read (`etagOf`). If the record has changed since, nothing is written,
   * and the problem has status 412.
   */
  ifMatch?: string
}

const etags = new WeakMap<object, string>()

/** Returns the ETag of a record from `get`, for `ifMatch`. Throws if there is none. */
export function etagOf(record: object): string {
  const etag = etags.get(record)
  if (!etag) throw new TypeError('get told no ETag of this record')
  return etag
}

const newKey = () => globalThis.crypto?.randomUUID?.() ?? `${Date.now()}-${Math.random()}`

/** Reads one page of a list. */
export async function list<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  query: R[N]['query'] = {},
  { signal }: Calling = {},
): Promise<Decoded<R[N]['page']>> {
  const asking = { path: `${connection.namespace}/${name}`, query, signal, isKept: true }
  return (await ask<R[N]['page']>(connection, asking))[0]
}

/**
 * Yields every record of a list. Events come as a stream if the service has one, which shows the list as it
 * was at the start. Otherwise pages are read: if records are created and removed meanwhile, none is yielded
 * twice, but one may be missed. `per_page` and `_fields` choose pages.
 */
export async function* all<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  query: R[N]['query'] = {},
  calling: Calling = {},
): AsyncGenerator<Decoded<R[N]['record']>, void, undefined> {
  if (name === 'events' && !('per_page' in query || '_fields' in query)) {
    const path = `${connection.namespace}/events`
    const [response, within, end] = await open(connection, {
      ...calling,
      path,
      query: { ...query, format: 'ndjson' },
    })
    try {
      if (response.headers.get('content-type')?.includes('ndjson'))
        return yield* lines<R[N]['record']>(response, within)
    } finally {
      end()
    }
  }
  yield* pages<R[N]['record']>(connection, name, query, calling)
}

async function* lines<T extends object>(
  response: Response,
  within: Opened[1],
): AsyncGenerator<Decoded<T>, void, undefined> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  while (reader) {
    const { done, value } = await within(reader.read())
    const ended = (rest + decoder.decode(value, { stream: !done })).split('\n')
    rest = done ? '' : (ended.pop() ?? '')
    for (const line of ended) if (line) yield parse<T>(line, response)
    if (done) return
  }
}

async function* pages<T extends object>(
  connection: Connection,
  name: Name,
  query: object,
  calling: Calling,
): AsyncGenerator<Decoded<T>, void, undefined> {
  const told = new Set<unknown>()
  for (let page = 1; page <= MOST_PAGES; page++) {
    let answer: { total_pages?: number; [name: string]: unknown }
    try {
      answer = { ...(await list(connection, name, { per_page: PAGE, ...query, page }, calling)) }
    } catch (problem) {
      // The list has become shorter since the last page.
      if (page > 1 && Object(problem).status === 404) return
      throw problem
    }
    const records = Array.isArray(answer[name]) ? answer[name] : []
    for (const record of records) {
      if (told.has(record.id)) continue
      if (record.id) told.add(record.id)
      yield record
    }
    if (!records[0] || page >= (answer.total_pages ?? MOST_PAGES)) return
  }
  throw new KalendsProblem(0, 'unreadable', `${name} have no end`)
}

const pathOf = ({ namespace }: Connection, name: Name, id: number | string) =>
  `${namespace}/${name}/${typeof id === 'number' ? id : `by-slug/${encodeURIComponent(id)}`}`

/** Reads a record by id or, for events, venues and organizers, by slug. */
export async function get<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  id: number | string,
  { signal }: Calling = {},
): Promise<Decoded<R[N]['record']>> {
  const asking = { path: pathOf(connection, name, id), signal, isKept: true }
  const [answer, etag] = await ask<R[N]['record']>(connection, asking)
  if (etag) etags.set(answer, etag)
  return answer
}

/** Creates a record. */
export function create<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  fields: R[N]['fields'],
  creating?: Creating,
): Promise<Decoded<R[N]['record']>> {
  return post(connection, `${connection.namespace}/${name}`, fields, creating)
}

async function post<T extends object>(
  connection: Connection,
  path: string,
  body: object,
  { key = newKey(), signal }: Creating = {},
  timeout = connection.timeout,
): Promise<Decoded<T>> {
  return (await ask<T>(connection, { method: 'POST', path, body, key, signal, timeout }))[0]
}

/** Changes the given members. It is never sent again, even after a failure. */
export function update<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  id: number | string,
  fields: R[N]['changes'],
  changing: Changing = {},
): Promise<Decoded<R[N]['record']>> {
  return change(connection, 'PATCH', name, id, changing, fields)
}

/**
 * Moves an event, venue or organizer to the trash, or deletes a category or tag. It is never sent again, even
 * after a failure.
 */
export function remove<R extends Resources, N extends Name>(
  connection: Connection<R>,
  name: N,
  id: number | string,
  changing: Changing = {},
): Promise<Decoded<R[N]['record']>> {
  return change(connection, 'DELETE', name, id, changing)
}

async function change<T extends object>(
  connection: Connection,
  method: string,
  name: Name,
  id: number | string,
  changing: Changing,
  body?: object,
): Promise<Decoded<T>> {
  const { ifMatch, signal } = changing
  if ('ifMatch' in changing && !ifMatch) throw new TypeError('ifMatch is no ETag')
  const headers = ifMatch ? { 'If-Match': ifMatch } : {}
  return (await ask<T>(connection, { method, path: pathOf(connection, name, id), body, headers, signal }))[0]
}

/** A write of a batch. */
export interface Write {
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the namespace, such as `events/12`, or below the REST root if it begins with a slash. */
  path: string
  body?: object
  headers?: Readonly<Record<string, string>>
}

/** The outcome of a write; null if nothing was done. */
export type Written = {
  status: number
  headers: Record<string, string>
  body: unknown
  problem?: KalendsProblem
} | null

export interface Batching extends Creating {
  /** True to make all the writes or none. */
  isAllOrNone?: boolean
}

/**
 * Sends up to 100 writes in one request. Returns their outcomes in order. Those that failed have a `problem`.
 */
export async function batch(
  connection: Connection,
  writes: readonly Write[],
  { isAllOrNone, ...creating }: Batching = {},
): Promise<Written[]> {
  const prefix = `${connection.namespace}/`
  const requests = writes.map((one) => ({ ...one, path: one.path[0] === '/' ? one.path : prefix + one.path }))
  const body = { requests, ...(isAllOrNone && { validation: 'require-all-validate' }) }
  const { responses } = await post<{ responses: object[] }>(connection, '/batch/v1', body, creating)
  for (const one of responses as Written[]) {
    if (!one || one.status < 400) continue
    const { code, message, ...more } = Object(one.body)
    one.problem = new KalendsProblem(one.status, code, message, more)
  }
  return responses as Written[]
}

/** An image of the service. Use its `id` as `image` of records. */
export interface Media {
  id: number
  source_url: string
  alt_text: string
  media_type: string
  mime_type: string
  media_details: {
    width?: number
    height?: number
    sizes?: Record<string, { source_url: string; width: number; height: number }>
  }
}

export interface Uploading extends Creating {
  /** The name of the file, by default that of the `File`. */
  filename?: string
  title?: string
  alt_text?: string
  caption?: string
  description?: string
}

/** Uploads an image. Its timeout is ten times that of other requests. */
export async function upload(
  connection: Connection,
  file: Blob & { name?: string },
  { filename = file.name ?? 'image', key, signal, ...texts }: Uploading = {},
): Promise<Media> {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.append(name, text)
  form.append('file', file, filename)
  return post<Media>(connection, '/wp/v2/media', form, { key, signal }, connection.timeout * 10)
}
