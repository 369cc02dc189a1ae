import { join, type Lines, noLines, takeNext } from './admission.ts'

// Spreads requests over turns of the event loop, and refuses those that wait too long.

/** The load of this thread with requests, and the waiting ones. */
export interface Pressure<Waiting> {
  /** Milliseconds, on the clock of `performance.now`, at which the last request of this turn of the event loop arrived. */
  last: number
  /** Milliseconds of work for the requests of this turn. */
  busyMs: number
  isCounting: boolean
  /** Requests for a later turn, and whether one is set for them. */
  waiting: Lines<{ request: Waiting; since: number }>
  isTurnSet: boolean
  /** The number of them that one turn has lately served. */
  aTurn: number
  /** Requests to be refused in order of arrival, and since when they wait. */
  refused: { request: Waiting; since: number }[]
  /** Milliseconds that the request in hand has waited; 0 while few others wait, since a slow machine is no overload. */
  waitedMs: number
}

/**
 * Milliseconds of work for requests in one turn of the event loop. A client that is answered may ask again in the same turn, so without a bound
 * a turn with a thousand busy connections would go on for seconds while timers, databases and new connections wait.
 */
const TURN_MS = 10

/** The most milliseconds counted for one request, so that a single long pause of this thread makes nobody else wait. */
const MOST_COUNTED_MS = 8

/** A request is refused when more than this many turns of requests wait before it. */
const TURNS_BEFORE = 2
const FEWEST_OF_A_TURN = 25
const MOST_OF_A_TURN = 2000

/**
 * Milliseconds that a request waits for its refusal. Refused clients ask again at once, whatever the answer says, so a service that refuses as fast
 * as it can does little else. While they wait, the thread serves the requests it has accepted.
 */
const HELD_MS = 500

/** Milliseconds of a turn for sending refusals. */
const REFUSING_MS = 3

/** The most requests that wait for their refusal; further ones are refused at once. */
const MOST_REFUSED = 5000

/**
 * Milliseconds after which requests that need more than a finished answer are refused, and after which all are, while `FEWEST_OF_A_TURN` others wait.
 */
const PRESSED_MS = 150
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

/** Serves requests whose turn it is, and refuses those that have waited too long. */
export interface Handling<Waiting> {
  serve: (request: Waiting) => void
  refuse: (request: Waiting) => void
  /** The client that a request comes from. */
  clientOf: (request: Waiting) => string
}

/** Serves a request that has arrived, now or in a later turn. `now` is of `performance.now`. */
export function arrive<Waiting>(
  pressure: Pressure<Waiting>,
  request: Waiting,
  now: number,
  handling: Handling<Waiting>,
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

/** Refuses a request after a while, behind those already waiting for their refusal. */
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

/** Whether the present request has waited so long that it gets a finished answer or none. */
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

function setTurn<Waiting>(pressure: Pressure<Waiting>, handling: Handling<Waiting>): void {
  pressure.isTurnSet = true
  setImmediate(serveWaiting, pressure, handling)
}

function serveWaiting<Waiting>(pressure: Pressure<Waiting>, handling: Handling<Waiting>): void {
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
