import { KalendsProblem } from './problem.ts'
import { type Decoded, decode } from './texts.ts'

/**
 * A cache of answers by address, so that unchanged ones need not be sent again: a `Map`, or anything with
 * asynchronous `get` and `set`.
 */
export interface Store {
  get(address: string): Kept | undefined | Promise<Kept | undefined>
  set(address: string, kept: Kept): unknown
}

export interface Kept {
  etag: string
  text: string
}

export interface Options {
  /** The address of the namespace, such as `https://calendar.example/wp-json/tribe/events/v1`. */
  url: string
  /** A bearer token. */
  token?: string | undefined
  /** The whole `Authorization` header instead of a token, such as `Basic …` with an application password. */
  authorization?: string | undefined
  /** The function that sends requests; the `fetch` of the runtime by default. */
  fetch?: ((address: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * The most ms without data: until the head of an answer, then until its body or the next part of a stream.
   * 30,000 by default.
   */
  timeout?: number | undefined
  /** The most ms to wait in total when the service asks to come again. 30,000 by default; 0 never waits. */
  patience?: number | undefined
  /** Caches lists and records with their ETags. Use one store for one `token`. */
  store?: Store | undefined
}

/**
 * The shapes of a resource: the answer of its list, its records, the bodies of creates and updates, and the
 * parameters of its list.
 */
export interface Shapes {
  page: object
  record: object
  fields: object
  changes: object
  query: object
}
export type Name = 'events' | 'venues' | 'organizers' | 'categories' | 'tags'
export type Resources = Record<Name, Shapes>

/** A service and the options of its requests. */
export interface Connection<R extends Resources = Resources> {
  /** The REST root without a trailing slash. */
  root: string
  /** The namespace below it, such as `/tribe/events/v1`. */
  namespace: string
  authorization: string | undefined
  fetch: NonNullable<Options['fetch']>
  timeout: number
  patience: number
  store: Store | undefined
  /** The shapes of its answers, only for the compiler. */
  shapes?: R
}

/** The option of every call. */
export interface Calling {
  /** Aborts the call, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined
}

export interface Asking extends Calling {
  /** The path below the REST root. */
  path: string
  method?: string
  /** Parameters. Undefined ones are left out, and lists are sent as `name[]`. */
  query?: object
  /** A value to send as JSON, or a form. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** The idempotency key. */
  key?: string | undefined
  /** True if the answer may come from the store. */
  isKept?: boolean
  /** The timeout in ms, instead of that of the connection. */
  timeout?: number
}

const MOST_TRIES = 5
/** The longest time of a timer in ms. */
const LONGEST = 2 ** 31 - 1

/** Makes a connection without sending anything. */
export function connect<R extends Resources = Resources>(options: Options): Connection<R> {
  const { url, token, fetch = globalThis.fetch, timeout = 30_000, patience = 30_000, store } = options
  const [, root, namespace] = /^(https?:.*)(\/[^/=]+\/events\/v1)\/?$/.exec(url) ?? []
  if (root === undefined || !namespace) throw new TypeError(`${url} is no https://…/events/v1`)
  const authorization = token ? `Bearer ${token}` : options.authorization
  return { root, namespace, authorization, fetch, timeout, patience, store }
}

/**
 * An answer with an unread body; a function that waits for a part of the body up to the timeout; and a
 * function that releases the connection, to call when the body is read or not needed.
 */
export type Opened = [response: Response, within: <T>(work: Promise<T>) => Promise<T>, end: () => void]

const addressOf = ({ root }: Connection, { path, query = {} }: Asking) => {
  const address = new URL(root + path)
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) address.searchParams.append(value === one ? name : `${name}[]`, one)
  return address.href
}

/**
 * Sends a request. After 429 or 503 it is sent again when `Retry-After` allows, if it only reads or has an
 * idempotency key. Writes and requests with credentials do not follow redirects, which would lose the body or
 * the credentials.
 */
export async function open(connection: Connection, asking: Asking): Promise<Opened> {
  const { fetch, authorization, patience } = connection
  const { method = 'GET', body, headers, key, signal, timeout = connection.timeout } = asking
  const address = addressOf(connection, asking)
  const controller = new AbortController()
  const aborted = controller.signal
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const end = () => {
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
  const fail = (code: string, cause?: unknown) =>
    new KalendsProblem(0, code, `${method} ${address}: ${cause ?? code}`, { key, cause })
  const within: Opened[1] = async (work) => {
    const timer = setTimeout(() => controller.abort(fail('timeout')), Math.min(timeout, LONGEST))
    try {
      return await work
    } catch (cause) {
      throw aborted.aborted ? aborted.reason : fail('unreachable', cause)
    } finally {
      clearTimeout(timer)
    }
  }
  const isJson = body !== undefined && !(body instanceof FormData)
  const init: RequestInit = {
    method,
    signal: aborted,
    redirect: method === 'GET' && !authorization ? 'follow' : 'manual',
    headers: {
      ...(authorization && { Authorization: authorization }),
      ...(key && { 'Idempotency-Key': key }),
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: isJson ? JSON.stringify(body) : ((body as FormData | undefined) ?? null),
  }
  try {
    for (let tries = 1, left = patience; ; tries++) {
      const response = await within(fetch(address, init))
      const { ok, status } = response
      if (ok || status === 304) return [response, within, end]
      const problem = problemOf(response, await within(response.text()), key)
      const { retryAfter = Number.NaN } = problem
      const delay = Math.max(retryAfter * 1000, 100) * (1 + Math.random() / 4)
      left -= delay
      const mayComeAgain =
        (method === 'GET' || key) && (status === 429 || status === 503) && tries < MOST_TRIES
      // Without Retry-After, `left` is NaN and the comparison is false.
      if (!(mayComeAgain && left >= 0)) throw problem
      await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, delay)
        aborted.onabort = () => {
          clearTimeout(timer)
          reject(aborted.reason)
        }
      })
    }
  } catch (error) {
    end()
    throw error
  }
}

function problemOf(response: Response, text: string, key: string | undefined): KalendsProblem {
  const { status, headers, url } = response
  const later = headers.get('retry-after')
  const retryAfter = Math.max(0, later ? +later || (Date.parse(later) - Date.now()) / 1000 : Number.NaN)
  const more = { key, ...(retryAfter >= 0 && { retryAfter }) }
  // Browsers hide everything about a redirect, even its status.
  if (status < 400)
    return new KalendsProblem(status, 'moved', `${url} moved to ${headers.get('location') ?? '…'}`, more)
  try {
    const { code, message, data } = JSON.parse(text)
    if (code) return new KalendsProblem(status, `${code}`, message, { ...more, data: data ?? {} })
  } catch {
    // The answer is not JSON.
  }
  return unreadable(response, more)
}

const unreadable = ({ status, url, headers }: Response, more: object) =>
  new KalendsProblem(status, 'unreadable', `${url} answered ${status}, ${headers.get('content-type')}`, more)

/** Parses a JSON object and decodes the names of its records. */
export function parse<T extends object>(text: string, response: Response): Decoded<T> {
  try {
    return decode<T>(JSON.parse(text))
  } catch (cause) {
    throw unreadable(response, { cause })
  }
}

/** Sends a request. Returns its answer and the ETag. */
export async function ask<T extends object>(
  connection: Connection,
  asking: Asking,
): Promise<[answer: Decoded<T>, etag: string | null]> {
  const store = asking.isKept ? connection.store : undefined
  const address = addressOf(connection, asking)
  const kept = await store?.get(address)
  const headers = { ...asking.headers, ...(kept && { 'If-None-Match': kept.etag }) }
  const [response, within, end] = await open(connection, { ...asking, headers })
  try {
    const text = response.status === 304 && kept ? kept.text : await within(response.text())
    const answer = parse<T>(text, response)
    const etag = response.headers.get('etag')
    if (etag) await store?.set(address, { etag, text })
    return [answer, etag]
  } finally {
    end()
  }
}
