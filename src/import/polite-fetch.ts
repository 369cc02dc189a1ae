import { setTimeout as pause } from 'node:timers/promises'

/** How an address of a source is asked. */
export interface Asking {
  /** The header `Authorization`, for the origin of the source alone. */
  authorization: string | undefined
  accept: string
  /** Milliseconds before the second attempt; each further one waits twice as long. */
  backOffMs: number
}

/** An answer that can be read. */
export interface Answered {
  url: string
  headers: Headers
  body: Buffer
}

/** Attempts for one address, milliseconds for each, and bytes of an answer. */
const MOST_ATTEMPTS = 5
const TIMEOUT_MS = 60_000
const MOST_BYTES = 50_000_000

/** The longest wait that a source may ask for, in ms. */
const LONGEST_WAIT_MS = 120_000

/** A source refuses, does not answer, or answers what cannot be used. */
export class SourceFailure extends Error {
  override name = 'SourceFailure'
  readonly status: number

  constructor(url: string, reason: string, status = 0) {
    super(`${url} ${reason}`)
    this.status = status
  }
}

/**
 * Asks an address, and again after a while where it is busy or fails: one request at a time, and not before `Retry-After` is over.
 * @throws SourceFailure naming the address and the reason
 */
export async function fetchPolitely(url: string, asking: Asking): Promise<Answered> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await askOnce(url, asking)
    if ('body' in outcome) return outcome
    if (!outcome.mayPass || attempts === MOST_ATTEMPTS) throw outcome.failure
    await pause(Math.min(outcome.waitMs ?? asking.backOffMs * 2 ** (attempts - 1), LONGEST_WAIT_MS))
  }
}

/** Why there is no answer, whether it may pass, and how long the source asks to wait. */
interface Refused {
  failure: SourceFailure
  mayPass: boolean
  waitMs?: number | undefined
}

async function askOnce(url: string, { authorization, accept }: Asking): Promise<Answered | Refused> {
  const headers = { accept, 'user-agent': 'Kalends import', ...(authorization ? { authorization } : {}) }
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!answer.ok) {
      await answer.body?.cancel()
      const mayPass = answer.status === 429 || answer.status >= 500
      const failure = new SourceFailure(url, `answers with status ${answer.status}.`, answer.status)
      return { failure, mayPass, waitMs: waitOf(answer.headers.get('retry-after')) }
    }
    return { url: answer.url, headers: answer.headers, body: await readBounded(url, answer) }
  } catch (error) {
    if (error instanceof SourceFailure) return { failure: error, mayPass: false }
    return { failure: new SourceFailure(url, `does not answer: ${reasonOf(error)}.`), mayPass: true }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

/** Milliseconds that the header asks to wait: seconds, or until a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** The body, unpacked. @throws SourceFailure when it is too long, however small it was on its way */
async function readBounded(url: string, { body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MOST_BYTES) throw new SourceFailure(url, `answers with more than ${MOST_BYTES} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
