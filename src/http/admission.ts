import { Problem } from '../base/problems.ts'
import { clientOf } from '../base/text/urls.ts'
import type { Incoming } from './incoming.ts'

// Decides which requests wait and which are refused: by a queue for each kind of work, and by turns of the
// event loop.

// Queues of requests, one for each kind of work.

/**
 * The kinds of work. Each has a queue of its own, in which finished answers, /healthz and /readyz never wait.
 */
export type QueueName = 'lists' | 'reads' | 'searches' | 'suggestions' | 'writes' | 'uploads' | 'streams'

interface Limit {
  /** The most that run at the same time. */
  running: number
  /** The most that wait. */
  waiting: number
  /** Milliseconds after which a waiting request is refused. */
  longestMs: number
  /**
   * Milliseconds that one request should take. While they take longer, fewer run at once: more queries do not
   * make a busy database faster.
   */
  aimMs: number
  /**
   * Milliseconds of one turn of the event loop in which waiting requests may start: each query of SQLite
   * blocks this thread.
   */
  turnMs: number
}

/**
 * The limits of each kind of work. `running` is enough to keep a quick database busy. `waiting` is the number
 * that a machine with two cores answers within `longestMs`, so that every accepted request is answered within
 * a second.
 */
export const LIMITS: Readonly<Record<QueueName, Limit>> = {
  /** Lists of events from the index in memory that wait for some of their events. */
  lists: { running: 32, waiting: 500, longestMs: 300, aimMs: 200, turnMs: 4 },
  /** All other reads of the database. */
  reads: { running: 8, waiting: 250, longestMs: 300, aimMs: 200, turnMs: 4 },
  searches: { running: 4, waiting: 100, longestMs: 120, aimMs: 100, turnMs: 4 },
  /** Suggestions for somebody who is typing and does not wait for them. */
  suggestions: { running: 4, waiting: 100, longestMs: 120, aimMs: 100, turnMs: 4 },
  /**
   * Writes: half as many as the largest commit holds, since on SQLite each waits for all. Writes that begin
   * in one turn share a commit.
   */
  writes: { running: 32, waiting: 250, longestMs: 200, aimMs: 120, turnMs: 10 },
  /**
   * Uploads: each holds an image in memory, and scaling takes about a second. Tests of webhooks count as
   * well, since they wait for a server.
   */
  uploads: { running: 3, waiting: 20, longestMs: 10_000, aimMs: Number.POSITIVE_INFINITY, turnMs: 4 },
  /** Streams last as long as their readers take, so no request waits for one to end. */
  streams: { running: 4, waiting: 0, longestMs: 0, aimMs: Number.POSITIVE_INFINITY, turnMs: 4 },
}

/**
 * The client of a request. Clients at different addresses are served in turn, and work is not begun for a
 * client that has gone.
 */
export type Asker = Pick<Incoming, 'address' | 'isGone'>

/** A request that waits for its turn. */
interface Waiter {
  since: number
  /** The number of requests it counts as. */
  weight: number
  isGone: () => boolean
  go: () => void
  turnAway: (problem: Problem) => void
}

interface Queue {
  limit: Limit
  running: number
  /** The most that may run at the moment: `limit.running`, or fewer while they take long. */
  places: number
  waiting: Lines<Waiter>
  isDispatching: boolean
}

/** The running and waiting requests of each kind. */
export interface Admission {
  queues: Readonly<Record<QueueName, Queue>>
  /** The number of streams that each client has under way, if any. */
  streaming: Map<string, number>
  /** The timer that refuses requests that have waited too long; undefined while none waits. */
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

/**
 * Takes a place of this kind, which `leave` gives back. Returns false where no place is free or others wait
 * for one.
 */
export function tryEnter(admission: Admission, work: QueueName, weight = 1): boolean {
  const queue = admission.queues[work]
  if (!hasPlace(queue) || queue.waiting.size > 0) return false
  queue.running += weight
  return true
}

/**
 * Gives back a place. The next waiting request gets it in the next turn of the event loop, so that work
 * without a queue comes in between.
 */
export function leave(admission: Admission, work: QueueName, weight = 1): void {
  const queue = admission.queues[work]
  queue.running -= weight
  dispatch(queue)
}

/**
 * Takes a place for a stream to the client at this address, which `leaveStream` gives back. Returns false
 * where no place is free, and where only one is free and this client has a stream already.
 */
export function tryStream(admission: Admission, address: string): boolean {
  const { queues, streaming } = admission
  const client = clientOf(address)
  const own = streaming.get(client) ?? 0
  const { running, limit } = queues.streams
  if ((own > 0 && running === limit.running - 1) || !tryEnter(admission, 'streams')) return false
  streaming.set(client, own + 1)
  return true
}

/** Gives back the place of a stream. */
export function leaveStream(admission: Admission, address: string): void {
  const { streaming } = admission
  const client = clientOf(address)
  const left = (streaming.get(client) ?? 0) - 1
  if (left > 0) streaming.set(client, left)
  else streaming.delete(client)
  leave(admission, 'streams')
}

/**
 * Runs work of this kind when its turn comes. Work that counts as several requests (`weight`) begins as soon
 * as one place is free, and takes the places of as many until it ends.
 * @throws Problem rest_unavailable where the queue is full and no other client has a longer line in it, where
 * the work gives way in a full queue to a client with a shorter line, where it has waited too long, and where
 * its client has gone
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

/**
 * Returns the problem of an overloaded service. It is made once: the stack of a new one costs more than its
 * answer.
 */
export function overloaded(): Problem {
  return OVERLOADED
}

/**
 * Decides whether the queue of this kind is so full that a new request from this address would be refused.
 */
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

/** The share of the places that stay, however long work takes. */
const FEWEST_PLACES = 1 / 4
const PLACES_LOST = 0.5
const PLACES_WON = 0.1

/**
 * Takes places from a queue after a slow request, and gives some back after a quick one. While no request
 * waits, slow work is no overload.
 */
function learn(queue: Queue, ranMs: number): void {
  const { limit, places, waiting } = queue
  queue.places =
    ranMs > limit.aimMs && waiting.size > 0
      ? Math.max(limit.running * FEWEST_PLACES, places - PLACES_LOST)
      : Math.min(limit.running, places + PLACES_WON)
}

/**
 * Starts waiting requests one by one, the next when the last waits for something itself. What does not fit
 * into this turn starts in the next.
 */
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

/** Resolves when all work that needs no further turn of the event loop is done. */
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

/**
 * Waiting requests, in one line for each client. The lines are served in turn, so that a long one holds up
 * nobody else.
 */
interface Lines<Waiting> {
  /** The number that wait in all lines. */
  size: number
  /** The lines in the order in which they are served. Each line is in order of arrival, and none is empty. */
  byClient: Map<string, Waiting[]>
}

function noLines<Waiting>(): Lines<Waiting> {
  return { size: 0, byClient: new Map() }
}

/**
 * Decides whether one more request of this client may wait where `most` requests may: there is room, or a
 * request of a longer line gives way.
 */
function mayJoin(lines: Lines<unknown>, client: string, most: number): boolean {
  return lines.size < most || longerLine(lines, client) !== undefined
}

/**
 * Adds a request to the line of a client. Where `most` wait already, returns the one that gives way: the
 * newest of the longest line, or this one.
 */
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

/**
 * Takes the first request of the line whose turn it is, and puts this line behind all others. Undefined where
 * no request waits.
 */
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

/** Takes the late requests from the front of each line. */
function takeLate<Waiting>(lines: Lines<Waiting>, isLate: (waiting: Waiting) => boolean): Waiting[] {
  return [...lines.byClient].flatMap(([client, line]) => {
    const still = line.findIndex((waiting) => !isLate(waiting))
    const late = line.splice(0, still === -1 ? line.length : still)
    lines.size -= late.length
    if (line.length === 0) lines.byClient.delete(client)
    return late
  })
}

/**
 * Returns the longest line if it has at least two requests more than the line of this client; undefined
 * otherwise.
 */
function longerLine<Waiting>({ byClient, size }: Lines<Waiting>, client: string): Waiting[] | undefined {
  const own = byClient.get(client)?.length ?? 0
  // No line has two requests more than this one, so none has to be looked for.
  if (size - byClient.size <= own) return undefined
  let longest: Waiting[] = []
  for (const line of byClient.values()) if (line.length > longest.length) longest = line
  return longest.length > own + 1 ? longest : undefined
}

// Spreads requests over turns of the event loop, and refuses those that wait too long.

/** The load that requests put on this thread, and the requests that wait for a turn or for their refusal. */
export interface Pressure<Waiting> {
  /**
   * Milliseconds, on the clock of `performance.now`, at which the last request of this turn of the event loop
   * arrived.
   */
  last: number
  /** Milliseconds of work for the requests of this turn. */
  busyMs: number
  isCounting: boolean
  /** Requests that wait for a later turn of the event loop, and whether this turn is scheduled. */
  waiting: Lines<{ request: Waiting; since: number }>
  isTurnSet: boolean
  /** The number of waiting requests that one turn has lately served. */
  aTurn: number
  /** Requests that wait for their refusal, in order of arrival, and since when. */
  refused: { request: Waiting; since: number }[]
  /**
   * Milliseconds that the request being served has waited; 0 while few others wait, since a slow machine is
   * no overload.
   */
  waitedMs: number
}

/**
 * Milliseconds of work for requests in one turn of the event loop. A client that is answered may ask again in
 * the same turn, so without a bound a turn with a thousand busy connections would go on for seconds while
 * timers, databases and new connections wait.
 */
const TURN_MS = 10

/**
 * The most milliseconds counted for one request, so that a single long pause of this thread makes nobody else
 * wait.
 */
const MOST_COUNTED_MS = 8

/** The number of turns whose requests may wait: where more would, one is refused. */
const TURNS_BEFORE = 2
const FEWEST_OF_A_TURN = 25
const MOST_OF_A_TURN = 2000

/**
 * Milliseconds that a request waits for its refusal. Refused clients ask again at once, whatever the answer
 * says, so a service that refuses them at once can do little else. While refusals wait, the thread serves the
 * requests that it has accepted.
 */
const HELD_MS = 500

/** Milliseconds for sending refusals before other work gets a turn. */
const REFUSING_MS = 3

/** The most requests that wait for their refusal; further ones are refused at once. */
const MOST_REFUSED = 5000

/**
 * Milliseconds of waiting after which a request is refused unless a finished answer exists, while at least
 * `FEWEST_OF_A_TURN` others wait.
 */
const PRESSED_MS = 150
/** Milliseconds of waiting after which every request is refused, while as many others wait. */
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

/** Functions that serve requests in turn, and refuse those that have waited too long. */
export interface RequestHandlers<Waiting> {
  serve: (request: Waiting) => void
  refuse: (request: Waiting) => void
  /** The client that a request comes from. */
  clientOf: (request: Waiting) => string
}

/**
 * Serves a request at once, in a later turn of the event loop, or refuses it where too many wait. `now` is on
 * the clock of `performance.now`.
 */
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

/**
 * Refuses a request after `HELD_MS`, behind those already waiting for their refusal; or in the next turn
 * where `MOST_REFUSED` wait.
 */
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

/**
 * Decides whether the request being served has waited so long that it gets a finished answer or a refusal.
 */
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
