import { Problem } from '../base/problems.ts'
import { clientOf } from '../base/text/urls.ts'
import type { IncomingRequest } from './incoming.ts'

// Which requests wait and which are refused: a queue for each kind of work, and turns of the event loop.

/** Cached answers, /healthz and /readyz never wait. */
export type QueueName = 'lists' | 'reads' | 'searches' | 'suggestions' | 'writes' | 'uploads' | 'streams'

interface Limit {
  running: number
  waiting: number
  longestMs: number
  /**
   * If requests take longer than this, fewer run at once: more queries do not make a busy database faster.
   */
  aimMs: number
  /** Longest time in one turn for starting waiting requests: each query of SQLite blocks this thread. */
  turnMs: number
}

/**
 * `running` keeps a quick database busy; `waiting` is what two cores answer within `longestMs`, so that every
 * accepted request is answered within a second.
 */
export const LIMITS: Readonly<Record<QueueName, Limit>> = {
  /** Even lists from memory wait for some of their events. */
  lists: { running: 32, waiting: 500, longestMs: 300, aimMs: 200, turnMs: 4 },
  reads: { running: 8, waiting: 250, longestMs: 300, aimMs: 200, turnMs: 4 },
  searches: { running: 4, waiting: 100, longestMs: 120, aimMs: 100, turnMs: 4 },
  /** A queue of its own, so that somebody who types waits for no other reads. */
  suggestions: { running: 4, waiting: 100, longestMs: 120, aimMs: 100, turnMs: 4 },
  /**
   * Half as many as the largest commit holds run, since on SQLite each waits for all. Those that begin in one
   * turn share a commit.
   */
  writes: { running: 32, waiting: 250, longestMs: 200, aimMs: 120, turnMs: 10 },
  /**
   * Each holds an image in memory, and scaling takes about a second. Tests of webhooks wait here too, since
   * they wait for a server.
   */
  uploads: { running: 3, waiting: 20, longestMs: 10_000, aimMs: Number.POSITIVE_INFINITY, turnMs: 4 },
  /** Streams last as long as their readers take, so no request waits for one. */
  streams: { running: 4, waiting: 0, longestMs: 0, aimMs: Number.POSITIVE_INFINITY, turnMs: 4 },
}

/** Clients at different addresses are served in turn; no work begins for one that has gone. */
export type Asker = Pick<IncomingRequest, 'address' | 'isGone'>

interface Waiter {
  since: number
  weight: number
  isGone: () => boolean
  go: () => void
  turnAway: (problem: Problem) => void
}

interface Queue {
  limit: Limit
  running: number
  /** Requests that may run at once: fewer than `limit.running` while requests take long. */
  places: number
  waiting: Lines<Waiter>
  isDispatching: boolean
}

export interface Admission {
  queues: Readonly<Record<QueueName, Queue>>
  streaming: Map<string, number>
  /** Its timer refuses requests that have waited too long; undefined while none waits. */
  looking: NodeJS.Timeout | undefined
}

const LOOK_EVERY_MS = 50

export function makeAdmission(limits: Readonly<Record<QueueName, Limit>> = LIMITS): Admission {
  const queue = (limit: Limit): Queue => ({
    limit,
    running: 0,
    places: limit.running,
    waiting: noLines(),
    isDispatching: false,
  })
  const { lists, reads, searches, suggestions, writes, uploads, streams } = limits
  return {
    queues: {
      lists: queue(lists),
      reads: queue(reads),
      searches: queue(searches),
      suggestions: queue(suggestions),
      writes: queue(writes),
      uploads: queue(uploads),
      streams: queue(streams),
    },
    streaming: new Map(),
    looking: undefined,
  }
}

/** Returns false where no place is free or others wait; `leave` gives the place back. */
export function tryEnter(admission: Admission, work: QueueName, weight = 1): boolean {
  const queue = admission.queues[work]
  if (!hasPlace(queue) || queue.waiting.size > 0) return false
  queue.running += weight
  return true
}

/** Gives the place to the next request in the next turn, so that work without a queue comes in between. */
export function leave(admission: Admission, work: QueueName, weight = 1): void {
  const queue = admission.queues[work]
  queue.running -= weight
  dispatch(queue)
}

/** Returns false where no place is free, or only one and this client has a stream. */
export function tryStream(admission: Admission, address: string): boolean {
  const { queues, streaming } = admission
  const client = clientOf(address)
  const own = streaming.get(client) ?? 0
  const { running, limit } = queues.streams
  if ((own > 0 && running === limit.running - 1) || !tryEnter(admission, 'streams')) return false
  streaming.set(client, own + 1)
  return true
}

export function leaveStream(admission: Admission, address: string): void {
  const { streaming } = admission
  const client = clientOf(address)
  const left = (streaming.get(client) ?? 0) - 1
  if (left > 0) streaming.set(client, left)
  else streaming.delete(client)
  leave(admission, 'streams')
}

/**
 * Work of a `weight` begins with one free place, and takes as many until it ends.
 * @throws Problem rest_unavailable where the request gives way, has waited too long, or its client has gone
 */
export async function admitted<T>(
  admission: Admission,
  work: QueueName,
  asker: Asker,
  run: () => Promise<T>,
  weight = 1,
): Promise<T> {
  if (!tryEnter(admission, work, weight)) await waitForTurn(admission, work, asker, weight)
  const began = performance.now()
  try {
    return await run()
  } finally {
    learn(admission.queues[work], (performance.now() - began) / weight)
    leave(admission, work, weight)
  }
}

const OVERLOADED = new Problem('rest_unavailable', { retryAfter: 1 })

/** Returns the same Problem each time, since the stack of a new one costs more than its answer. */
export function overloaded(): Problem {
  return OVERLOADED
}

export function isFull(admission: Admission, work: QueueName, address: string): boolean {
  const { limit, waiting } = admission.queues[work]
  return !mayJoin(waiting, clientOf(address), limit.waiting)
}

function waitForTurn(
  admission: Admission,
  work: QueueName,
  { address, isGone }: Asker,
  weight: number,
): Promise<void> {
  const { waiting, limit } = admission.queues[work]
  admission.looking ??= setInterval(() => turnAwayLate(admission), LOOK_EVERY_MS).unref()
  return new Promise((resolve, reject) => {
    const waiter = { since: performance.now(), weight, isGone, go: resolve, turnAway: reject }
    join(waiting, clientOf(address), waiter, limit.waiting)?.turnAway(overloaded())
  })
}

function dispatch(queue: Queue): void {
  if (queue.isDispatching || !hasNext(queue)) return
  queue.isDispatching = true
  setImmediate(() => void giveTurns(queue))
}

function hasNext(queue: Queue): boolean {
  return queue.waiting.size > 0 && hasPlace(queue)
}

function hasPlace({ running, places }: Queue): boolean {
  return running < Math.floor(places)
}

const FEWEST_PLACES = 1 / 4
const PLACES_LOST = 0.5
const PLACES_WON = 0.1

/**
 * Takes places away after a slow request, and gives some back after a quick one. Without waiting requests,
 * slow work is no overload.
 */
function learn(queue: Queue, ranMs: number): void {
  const { limit, places, waiting } = queue
  queue.places =
    ranMs > limit.aimMs && waiting.size > 0
      ? Math.max(limit.running * FEWEST_PLACES, places - PLACES_LOST)
      : Math.min(limit.running, places + PLACES_WON)
}

/** Starts the next request once the last one waits for something; the rest start in the next turn. */
async function giveTurns(queue: Queue): Promise<void> {
  const until = performance.now() + queue.limit.turnMs
  do {
    const next = takePresent(queue)
    if (!next) break
    queue.running += next.weight
    next.go()
    await quiet()
  } while (hasNext(queue) && performance.now() < until)
  queue.isDispatching = false
  dispatch(queue)
}

function quiet(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))
}

function takePresent({ waiting }: Queue): Waiter | undefined {
  for (let next = takeNext(waiting); next; next = takeNext(waiting)) {
    if (!next.isGone()) return next
    next.turnAway(overloaded())
  }
  return undefined
}

function turnAwayLate(admission: Admission): void {
  const now = performance.now()
  let areWaiting = false
  for (const { waiting, limit } of Object.values(admission.queues)) {
    for (const late of takeLate(waiting, ({ since }) => now - since > limit.longestMs))
      late.turnAway(overloaded())
    areWaiting ||= waiting.size > 0
  }
  if (areWaiting) return
  clearInterval(admission.looking)
  admission.looking = undefined
}

/** Each client has one line. The lines are served in turn, so that a long one holds up nobody else. */
interface Lines<Waiting> {
  size: number
  /** Clients are in the order of service, their requests in that of arrival; no line is empty. */
  byClient: Map<string, Waiting[]>
}

function noLines<Waiting>(): Lines<Waiting> {
  return { size: 0, byClient: new Map() }
}

function mayJoin(lines: Lines<unknown>, client: string, most: number): boolean {
  return lines.size < most || longerLine(lines, client) !== undefined
}

/** Where `most` wait, returns the one that gives way: the newest of the longest line, or this one. */
function join<Waiting>(
  lines: Lines<Waiting>,
  client: string,
  waiting: Waiting,
  most: number,
): Waiting | undefined {
  const longest = lines.size < most ? undefined : longerLine(lines, client)
  if (lines.size >= most && !longest) return waiting
  const line = lines.byClient.get(client)
  if (line) line.push(waiting)
  else lines.byClient.set(client, [waiting])
  if (!longest) lines.size += 1
  return longest?.pop()
}

function takeNext<Waiting>(lines: Lines<Waiting>): Waiting | undefined {
  for (const [client, line] of lines.byClient) {
    const next = line.shift()
    lines.size -= 1
    if (line.length > 0 && lines.byClient.size === 1) return next
    lines.byClient.delete(client)
    if (line.length > 0) lines.byClient.set(client, line)
    return next
  }
  return undefined
}

function takeLate<Waiting>(lines: Lines<Waiting>, isLate: (waiting: Waiting) => boolean): Waiting[] {
  return [...lines.byClient].flatMap(([client, line]) => {
    const still = line.findIndex((waiting) => !isLate(waiting))
    const late = line.splice(0, still === -1 ? line.length : still)
    lines.size -= late.length
    if (line.length === 0) lines.byClient.delete(client)
    return late
  })
}

/** Returns a line with at least two requests more than this client's. */
function longerLine<Waiting>({ byClient, size }: Lines<Waiting>, client: string): Waiting[] | undefined {
  const own = byClient.get(client)?.length ?? 0
  // No line can be longer.
  if (size - byClient.size <= own) return undefined
  let longest: Waiting[] = []
  for (const line of byClient.values()) if (line.length > longest.length) longest = line
  return longest.length > own + 1 ? longest : undefined
}

/** The load of this thread. */
export interface Pressure<Waiting> {
  last: number
  busyMs: number
  isCounting: boolean
  waiting: Lines<{ request: Waiting; since: number }>
  isTurnSet: boolean
  aTurn: number
  refused: { request: Waiting; since: number }[]
  /** Ms that the next request has waited; 0 while few others wait: a slow machine is no overload. */
  waitedMs: number
}

/**
 * A client that is answered may ask again in the same turn: without a bound, a thousand busy connections
 * would keep everything else waiting for seconds.
 */
const TURN_MS = 10

/** Ms that one request counts for at most: a pause of this thread makes nobody else wait. */
const MOST_COUNTED_MS = 8

/** Turns for which requests may wait; of more, one is refused. */
const TURNS_BEFORE = 2
const FEWEST_OF_A_TURN = 25
const MOST_OF_A_TURN = 2000

/**
 * Refused clients ask again at once, whatever the answer says; meanwhile the thread serves what it has
 * accepted.
 */
const HELD_MS = 500

const REFUSING_MS = 3

const MOST_REFUSED = 5000

/** Ms after which a request gets only a cached answer, if `FEWEST_OF_A_TURN` others wait. */
const PRESSED_MS = 150
/** Ms after which a request is refused, if as many others wait. */
const LONGEST_MS = 250

export function noPressure<Waiting>(): Pressure<Waiting> {
  return {
    last: 0,
    busyMs: 0,
    isCounting: false,
    waiting: noLines(),
    isTurnSet: false,
    aTurn: MOST_OF_A_TURN,
    refused: [],
    waitedMs: 0,
  }
}

export interface RequestHandlers<Waiting> {
  serve: (request: Waiting) => void
  refuse: (request: Waiting) => void
  clientOf: (request: Waiting) => string
}

export function serveOrQueue<Waiting>(
  pressure: Pressure<Waiting>,
  request: Waiting,
  now: number,
  handling: RequestHandlers<Waiting>,
): void {
  count(pressure, now)
  const { waiting } = pressure
  if (pressure.busyMs < TURN_MS && waiting.size === 0) {
    handling.serve(request)
    return
  }
  const most = pressure.aTurn * TURNS_BEFORE
  const gone = join(waiting, handling.clientOf(request), { request, since: now }, most)
  if (gone) turnAway(pressure, gone.request, handling.refuse)
  if (!pressure.isTurnSet) setTurn(pressure, handling)
}

/** Refuses after `HELD_MS`, or in the next turn where `MOST_REFUSED` wait. */
export function turnAway<Waiting>(
  pressure: Pressure<Waiting>,
  request: Waiting,
  refuse: (request: Waiting) => void,
): void {
  const { refused } = pressure
  if (refused.length >= MOST_REFUSED) {
    setImmediate(refuse, request)
    return
  }
  refused.push({ request, since: performance.now() })
  if (refused.length === 1) setTimeout(refuseSome, HELD_MS, pressure, refuse)
}

function refuseSome<Waiting>(pressure: Pressure<Waiting>, refuse: (request: Waiting) => void): void {
  const { refused } = pressure
  const began = performance.now()
  let told = 0
  for (const { request, since } of refused) {
    if (since + HELD_MS > began || performance.now() - began > REFUSING_MS) break
    told += 1
    refuse(request)
  }
  refused.splice(0, told)
  const [next] = refused
  if (next) setTimeout(refuseSome, Math.max(0, next.since + HELD_MS - performance.now()), pressure, refuse)
}

export function isPressed({ waitedMs }: Pressure<unknown>): boolean {
  return waitedMs > PRESSED_MS
}

function count(pressure: Pressure<unknown>, now: number): void {
  if (pressure.isCounting) pressure.busyMs += Math.min(now - pressure.last, MOST_COUNTED_MS)
  else {
    pressure.isCounting = true
    setImmediate(endTurn, pressure)
  }
  pressure.last = now
}

function endTurn(pressure: Pressure<unknown>): void {
  pressure.isCounting = false
  pressure.busyMs = 0
}

function setTurn<Waiting>(pressure: Pressure<Waiting>, handling: RequestHandlers<Waiting>): void {
  pressure.isTurnSet = true
  setImmediate(serveWaiting, pressure, handling)
}

function serveWaiting<Waiting>(pressure: Pressure<Waiting>, handling: RequestHandlers<Waiting>): void {
  const { waiting } = pressure
  let had = 0
  const began = performance.now()
  for (let now = began; now - began < TURN_MS; now = performance.now()) {
    const next = takeNext(waiting)
    if (!next) break
    pressure.waitedMs = waiting.size < FEWEST_OF_A_TURN ? 0 : now - next.since
    if (pressure.waitedMs > LONGEST_MS) turnAway(pressure, next.request, handling.refuse)
    else {
      had += 1
      handling.serve(next.request)
    }
  }
  pressure.waitedMs = 0
  if (waiting.size > 0 || had > pressure.aTurn)
    pressure.aTurn = Math.min(MOST_OF_A_TURN, Math.max(FEWEST_OF_A_TURN, had))
  if (waiting.size > 0) setTurn(pressure, handling)
  else pressure.isTurnSet = false
}
