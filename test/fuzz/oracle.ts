import { isAssistantPath } from './assistant-calls.ts'
import { isDeskPath } from './desk-ground.ts'
import type { Exchange, FuzzAnswer } from './http-exchange.ts'
import type { PlannedRequest } from './planned-request.ts'

/** The limits of a run in ms, for an idle machine. `scaled` adapts them to slower ones. */
export interface Limits {
  blockMs: number
  recordMs: number
  /** The time within which a request must be answered. */
  answerMs: number
  hangMs: number
}

export const LIMITS: Limits = { blockMs: 50, recordMs: 20, answerMs: 5000, hangMs: 10_000 }

export function scaled(limits: Limits, factor: number): Limits {
  const { blockMs, recordMs, answerMs, hangMs } = limits
  return {
    blockMs: blockMs * factor,
    recordMs: recordMs * factor,
    answerMs: answerMs * factor,
    hangMs: hangMs * factor,
  }
}

export type Kind =
  | 'status'
  | 'shed'
  | 'shape'
  | 'silence'
  | 'slow'
  | 'block'
  | 'record'
  | 'memory'
  | 'pollution'
  | 'written'

export interface Verdict {
  kind: Kind
  what: string
}

export function judge(done: Exchange, limits: Limits): Verdict | undefined {
  const { answer, failure, planned } = done
  if (!answer)
    return mayCut(planned, failure ?? '') ? undefined : { kind: 'silence', what: `no answer: ${failure}` }
  const fault = judgeStatus(answer) ?? judgeShape(answer, planned) ?? judgeDeskPage(answer, planned)
  if (fault) return fault
  const took = Math.round(done.done - done.sent)
  return took > limits.answerMs ? { kind: 'slow', what: `answered after ${took} ms` } : undefined
}

function mayCut({ method, path, body, headers }: PlannedRequest, failure: string): boolean {
  const size = body.kind === 'bytes' ? body.bytes.length : JSON.stringify(body).length
  const isOdd = !path.startsWith('/') || 'expect' in headers || 'upgrade' in headers
  return size > 60_000 || isOdd || (method === 'HEAD' && failure.includes('Data after'))
}

function judgeStatus({ status, headers, body }: FuzzAnswer): Verdict | undefined {
  if (status < 500) return undefined
  const kind = status === 503 && headers['retry-after'] ? 'shed' : 'status'
  return { kind, what: `${status} ${body.subarray(0, 200)}` }
}

function isErrorPage({ status, headers, body }: FuzzAnswer, { path }: PlannedRequest): boolean {
  if (status < 400 || status >= 500 || /^\/wp-json(?:\/|$)/i.test(path)) return false
  if (!/^text\/html; charset=utf-8$/i.test(String(headers['content-type']))) return false
  const text = body.toString('utf8')
  return /^<!doctype html>/i.test(text) && /<\/html>\s*$/i.test(text)
}

function judgeShape(answer: FuzzAnswer, planned: PlannedRequest): Verdict | undefined {
  const { status, headers, body } = answer
  if (planned.method === 'HEAD' || status === 304 || status === 204) return undefined
  if (status >= 300 && status < 400) return undefined
  if (isErrorPage(answer, planned)) return undefined
  if (!String(headers['content-type']).startsWith('application/json'))
    return status >= 400 && body.length > 0 ? shape(`${status} as ${headers['content-type']}`) : undefined
  const value = parsed(body)
  if (value === undefined) return shape(`${status} is no JSON: ${body.subarray(0, 200)}`)
  const inner = enveloped(value, planned)
  if (inner) return inner.status >= 500 ? { kind: 'status', what: `enveloped ${inner.status}` } : undefined
  // The head of a request is read before it is known whom it asks.
  if (isAssistantPath(planned.path) && answer.status !== 431) return judgeMessage(value)
  return status >= 400 ? judgeError(status, value) : undefined
}

const DESK_HEADERS: Readonly<Record<string, RegExp>> = {
  'cache-control': /^no-store$/,
  'x-robots-tag': /^noindex$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^same-origin$/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
}

const LOOK_PREVIEW = /^\/desk\/look\/preview\/*(?:\?|$)/
const FRAMED_HEADERS: typeof DESK_HEADERS = {
  ...DESK_HEADERS,
  'x-frame-options': /^SAMEORIGIN$/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'self'/,
}

const TAG = /<([a-z][^\s/>]*)([^<>]*)>/gi
const OWN_SCRIPT = /^ type="module" src="\/[^"]+"$/
const OWN_FRAME = /^ class="tried" name="look-preview" title="[^"]*" src="\/desk\/look\/preview"$/
const STRANGE_ELEMENT = /^(?:svg|iframe|object|embed|base|style|math|marquee|xmp|plaintext)$/i
const STRANGE_ATTRIBUTE = /\s(?:on\w+|style)\s*=/i
const STRANGE_ADDRESS = /\s(?:href|src|action|formaction)="\s*(?:javascript|data):/i

const PAGE_METHODS = new Set(['GET', 'HEAD', 'POST'])

/** Judges a page of the desk: complete, never cached or framed by others, and without typed text as HTML. */
function judgeDeskPage(
  { status, headers, body }: FuzzAnswer,
  { path, method }: PlannedRequest,
): Verdict | undefined {
  const isPage = isDeskPath(path) && !path.startsWith('/desk/assets/') && PAGE_METHODS.has(method)
  if (!isPage) return undefined
  if (headers['x-robots-tag'] === undefined)
    return String(headers['content-type']).startsWith('text/html') ? shape('without X-Robots-Tag') : undefined
  if (!String(headers['cache-control']).includes('no-store'))
    return shape(`kept as ${headers['cache-control']}`)
  if (!String(headers['content-type']).startsWith('text/html') || (status >= 300 && status < 400))
    return undefined
  const isFramed = LOOK_PREVIEW.test(path) && status === 200
  for (const [name, means] of Object.entries(isFramed ? FRAMED_HEADERS : DESK_HEADERS))
    if (!means.test(String(headers[name]))) return shape(`${name}: ${headers[name]}`)
  const text = body.toString('utf8')
  if (method === 'HEAD' || path === PREVIEW || isFramed) return undefined
  if (!/^<!doctype html>/i.test(text) || !/<\/html>\s*$/i.test(text))
    return shape(`half a page: ${text.slice(-200)}`)
  for (const [tag, element = '', about = ''] of text.matchAll(TAG)) {
    const isOwn =
      element === 'script' ? OWN_SCRIPT.test(about) : element === 'iframe' && OWN_FRAME.test(about)
    const isStrange = !isOwn && (element === 'script' || STRANGE_ELEMENT.test(element))
    if (isStrange || STRANGE_ATTRIBUTE.test(about.replaceAll(/"[^"]*"/g, '')) || STRANGE_ADDRESS.test(about))
      return shape(`typed as HTML: ${tag.slice(0, 200)}`)
  }
  return undefined
}

const PREVIEW = '/desk/events/preview'

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function enveloped(value: unknown, planned: PlannedRequest): { status: number } | undefined {
  if (!planned.query.some((part) => part.includes('envelope'))) return undefined
  const { status, headers } = Object(value)
  return typeof status === 'number' && headers ? { status } : undefined
}

const INSIDE = /node_modules|\/src\/\w+\/|\.ts:\d+|SQLITE_[A-Z]|\n {4}at /

const LONGEST_MESSAGE = 21_000

function judgeMessage(value: unknown): Verdict | undefined {
  const { jsonrpc, result, error } = Object(value)
  const text = JSON.stringify(value)
  if (jsonrpc !== '2.0' || (result === undefined) === (error === undefined))
    return shape(`no message: ${text.slice(0, 200)}`)
  if (INSIDE.test(text)) return shape(`a message tells of the inside: ${text.slice(0, 300)}`)
  const isList = result?.tools !== undefined
  return text.length > LONGEST_MESSAGE && !isList
    ? shape(`a message of ${text.length} characters`)
    : undefined
}

function judgeError(status: number, value: unknown): Verdict | undefined {
  const { code, message, data } = Object(value)
  if (typeof code !== 'string' || typeof message !== 'string' || Object(data).status !== status)
    return shape(`${status} in another shape: ${JSON.stringify(value)?.slice(0, 200)}`)
  return INSIDE.test(message) ? shape(`${status} tells of the inside: ${message.slice(0, 300)}`) : undefined
}

const shape = (what: string): Verdict => ({ kind: 'shape', what })
