import { setTimeout as pause } from 'node:timers/promises'

/** Options of a request to an address of a source. */
export interface FetchOptions {
  /** The header `Authorization`, for the origin of the source alone. */
  authorization: string | undefined
  accept: string
  /** Milliseconds before the second attempt; the time doubles with each further one. */
  backOffMs: number
  /** The body to send; without one the address is read. */
  sending?: Sending
}

/** A request that writes. Redirects are not followed, since they would turn it into a read. */
export interface Sending {
  method: 'POST' | 'PUT' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body: string | FormData | undefined
  /** For requests that must not be repeated blindly: checks whether the first attempt succeeded before another one is sent. */
  findDone?: (() => Promise<Answered | undefined>) | undefined
}

/** A successful answer. */
export interface Answered {
  url: string
  headers: Headers
  body: Buffer
}

/** Limits: attempts for one address, milliseconds for each, and bytes of an answer. */
const MOST_ATTEMPTS = 5
const TIMEOUT_MS = 60_000
const MOST_BYTES = 50_000_000
/** The most bytes of a refusal that are read. */
const MOST_REFUSAL_BYTES = 64_000

/** The longest wait that a source may request, in ms. */
const LONGEST_WAIT_MS = 120_000

/** A source refuses, does not answer, or sends an unusable answer. */
export class SourceFailure extends Error {
  override name = 'SourceFailure'
  /** 0 for no answer, or an unusable one. */
  readonly status: number
  /** The body of a refusal, as far as it was read. */
  readonly body: Buffer

  constructor(url: string, reason: string, status = 0, body: Buffer = Buffer.alloc(0)) {
    super(`${url} ${reason}`)
    this.status = status
    this.body = body
  }
}

/**
 * Sends a request, and repeats it after a while if the source is busy or fails: one request at a time, and not before `Retry-After` is over.
 * @throws SourceFailure naming the address and the reason
 */
export async function fetchPolitely(url: string, options: FetchOptions): Promise<Answered> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await askOnce(url, options)
    if ('body' in outcome) return outcome
    if (!outcome.mayPass || attempts === MOST_ATTEMPTS) throw outcome.failure
    await pause(Math.min(outcome.waitMs ?? options.backOffMs * 2 ** (attempts - 1), LONGEST_WAIT_MS))
    const done = await options.sending?.findDone?.()
    if (done) return done
  }
}

/** The header for a login and its application password. */
export function basicAuthorization(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
}

/** Why there is no answer, whether the failure may be temporary, and the wait that the source requests. */
interface Refused {
  failure: SourceFailure
  mayPass: boolean
  waitMs?: number | undefined
}

async function askOnce(url: string, options: FetchOptions): Promise<Answered | Refused> {
  try {
    const answer = await fetch(url, requestOf(options))
    if (!answer.ok) return await refusalOf(url, answer)
    return { url: answer.url, headers: answer.headers, body: await readBounded(url, answer) }
  } catch (error) {
    if (error instanceof SourceFailure) return { failure: error, mayPass: false }
    return { failure: new SourceFailure(url, `does not answer: ${reasonOf(error)}.`), mayPass: true }
  }
}

function requestOf({ authorization, accept, sending }: FetchOptions): RequestInit {
  const headers = { accept, 'user-agent': 'Kalends', ...(authorization ? { authorization } : {}), ...sending?.headers }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  if (!sending) return { headers, signal }
  const { method, body } = sending
  return { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) }
}

async function refusalOf(url: string, answer: Response): Promise<Refused> {
  const { status, headers } = answer
  const wait = headers.get('retry-after')
  const body = await readBounded(url, answer, MOST_REFUSAL_BYTES).catch(() => undefined)
  const leads = status >= 300 && status < 400 ? ` and leads to ${headers.get('location')}` : ''
  const credentials = status === 401 ? ': it wants a login with its application password' : ''
  const mayPass = status === 429 || status >= 500 || (status === 409 && wait !== null)
  return {
    failure: new SourceFailure(url, `answers with status ${status}${leads}${credentials}.`, status, body),
    mayPass,
    waitMs: waitOf(wait),
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

/** The milliseconds that the header requests: given in seconds, or as a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** The decompressed body. @throws SourceFailure when it is too long, however small it was when compressed */
async function readBounded(url: string, { body }: Response, most = MOST_BYTES): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > most) throw new SourceFailure(url, `answers with more than ${most} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
