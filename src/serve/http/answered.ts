import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Visit } from './incoming.ts'

/** The facts of an answer that has been handed to the connection, for the log and the metrics. */
export interface Answered {
  /** The method as sent, before overrides. */
  method: string
  /** Path and query as sent; it may hold secrets. */
  url: string
  /** The template below the REST root, such as `/tribe/events/v1/events/{id}`, or a path such as `/healthz`; `''` for no route. */
  route: string
  status: number
  /** Milliseconds since the request arrived; 0 for a refusal, which waits on purpose. */
  ms: number
  /** Bytes of the body as it goes out; 0 for none. */
  bytes: number
  requestId: string
  /** Its connection and headers say who asks. */
  request: IncomingMessage
  /** The login of its sender; `''` for a stranger. */
  user: string
  /** Where it came from: the finished answers, the index of events in memory, the ordinary way, or a refusal by the overloaded service. */
  from: 'finished' | 'memory' | 'ordinary' | 'refused'
}

/** Called for every answer, whichever way it was made. It must be quick and never throw. */
export type OnAnswered = (answered: Answered) => void

/** Tells the log and the counts of an answer. */
export function announce(
  onAnswered: OnAnswered | undefined,
  { request, requestId, arrived, user = '' }: Visit,
  route: string,
  from: Answered['from'],
  status: number,
  bytes: number,
): void {
  if (!onAnswered) return
  const { method = 'GET', url = '' } = request
  const ms = from === 'refused' ? 0 : performance.now() - arrived
  onAnswered({ method, url, route, status, ms, bytes, requestId, request, user, from })
}

/** Gives each request an id that is unique among all processes: a random start and a number. */
export function makeRequestIds(): () => string {
  const start = `${randomBytes(6).toString('base64url')}-`
  let last = 0
  return () => {
    last += 1
    return start + last.toString(36)
  }
}
