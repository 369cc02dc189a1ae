import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { AUTHORIZATION } from '../../bench/bench-run.ts'
import { makeRandom } from '../../bench/random.ts'
import { listAnywhere, readLines } from '../../bench/requests.ts'
import { BASE } from '../../bench/service.ts'
import { type Hold, type HoldFigures, holdConnections } from './held-connections.ts'
import { type KindFigures, type LoadFigures, putLoad } from './open-load.ts'
import type { OverloadGround } from './overload-ground.ts'
import { HONEST, type Mix, RUSH } from './overload-mix.ts'
import { p99, type Seen, timeLists, watch } from './overload-watch.ts'

export interface Outcome {
  title: string
  figures: Readonly<Record<string, string>>
  problems: string[]
}

const ACCEPTED_P99_MS = 1000
const HEALTH_MS = 1000
const RECOVERED_MS = 2000
const FLAT_BYTES = 250_000_000
const TIMES = { whole: { load: 10, connections: 2000 }, short: { load: 3, connections: 200 } }
const CLOSING_MS = 8000

export async function rush(ground: OverloadGround): Promise<Outcome> {
  return tooMuch(ground, 'load', HONEST, RUSH)
}

/** Sends ten times the searches that the service can serve. Lists from memory must not wait behind them. */
export async function searchesOnly(ground: OverloadGround): Promise<Outcome> {
  const searches: Mix = { search: 50, 'venue search': 50 }
  return tooMuch(ground, 'searches', searches, searches)
}

async function tooMuch(ground: OverloadGround, what: string, honest: Mix, mix: Mix): Promise<Outcome> {
  const capacity = await measureCapacity(ground, honest)
  const times = ground.isFull ? TIMES.whole : TIMES.short
  const rate = capacity * times.load
  const title = `${times.load} times the ${what}`
  ground.say(`${title}: ${Math.round(capacity)} requests/s can be served, ${Math.round(rate)} are sent`)
  const watching = watch(ground.service, ground.list)
  let recovering: Promise<number> | undefined
  const order = { port: ground.service.port, plan: ground.plan, seed: ++ground.seed, mix, rate }
  const load = await putLoad({ ...order, seconds: ground.seconds, connections: times.connections }, () => {
    recovering = timeToRecover(ground)
  })
  const recoveredMs = (await recovering) ?? Number.NaN
  const seen = await watching.stop()
  return {
    title,
    figures: {
      ...loadFigures(load, capacity, rate),
      ...seenFigures(seen),
      'back to normal': inMs(recoveredMs),
    },
    problems: [
      ...loadProblems(load, ground),
      ...seenProblems(seen, ground),
      ...late('back to normal', recoveredMs, RECOVERED_MS * ground.slack),
    ],
  }
}

async function measureCapacity(ground: OverloadGround, mix: Mix): Promise<number> {
  const seconds = Math.max(0.7, ground.seconds / 3)
  const order = { port: ground.service.port, plan: ground.plan, mix, rate: 0, connections: 16 }
  // A first run, since code that runs for the first time is slow.
  await putLoad({ ...order, seed: ++ground.seed, seconds: seconds / 2 })
  const { kinds } = await putLoad({ ...order, seed: ++ground.seed, seconds })
  return Math.max(1, sum(kinds, ({ accepted }) => accepted) / seconds)
}

async function timeToRecover(ground: OverloadGround): Promise<number> {
  const began = performance.now()
  const limit = Math.max(50, 3 * ground.normalP99)
  let slowUntil = 0
  const isOver = (ms: number) =>
    ms > 2 * RECOVERED_MS || (!ground.isFull && ms - slowUntil > RECOVERED_MS / 4)
  while (!isOver(performance.now() - began)) {
    const [ms = 0] = await timeLists(ground.service.port, newLists(ground, 1))
    if (ms > limit) slowUntil = performance.now() - began
    await sleep(5)
  }
  return slowUntil
}

export function newLists(ground: Pick<OverloadGround, 'plan' | 'seed'>, howMany: number): string[] {
  const seed = makeRandom(Math.round(performance.now() * 1000) + ground.seed).whole(1, 2 ** 30)
  return readLines(listAnywhere, ground.plan, seed, howMany).map((line) => line.split('\t')[1] ?? '/')
}

const sum = (kinds: readonly KindFigures[], figure: (kind: KindFigures) => number) =>
  kinds.reduce((total, kind) => total + figure(kind), 0)

function loadFigures(load: LoadFigures, capacity: number, rate: number): Record<string, string> {
  const { kinds, unsent, heldP99, busy } = load
  const honest = kinds.filter(({ kind }) => kind !== 'bad login')
  return {
    'served alone': `${Math.round(capacity)}/s`,
    sent: `${Math.round(rate)}/s`,
    accepted: String(sum(kinds, ({ accepted }) => accepted)),
    'p99 of accepted': inMs(Math.max(...honest.map((kind) => kind.p99))),
    shed: String(sum(kinds, ({ shed }) => shed)),
    unanswered: String(sum(kinds, ({ unanswered }) => unanswered)),
    'never sent': `${unsent}, others held ${inMs(heldP99)}`,
    generator: `${Math.round(busy * 100)} % of a core`,
    'by kind': kinds
      .map(({ kind, accepted, due, p99: slow }) => `${kind} ${accepted}/${due} p99 ${inMs(slow)}`)
      .join(', '),
  }
}

function loadProblems({ kinds }: LoadFigures, { slack }: OverloadGround): string[] {
  return kinds.flatMap((figures) => {
    const { kind, wrong, unanswered, p99: slow } = figures
    const others = Object.entries(wrong).map(([status, count]) => `${kind}: ${count} answered ${status}`)
    const lost = unanswered > 0 && kind !== 'bad login' ? [`${kind}: ${unanswered} not answered`] : []
    return [
      ...others,
      ...lost,
      ...(kind === 'bad login' ? [] : late(`p99 of accepted: ${kind}`, slow, ACCEPTED_P99_MS * slack)),
    ]
  })
}

function seenFigures(seen: Seen): Record<string, string> {
  return {
    'worst of /healthz': inMs(seen.healthWorst),
    'p99 of a hot list': inMs(seen.listP99),
    machine: `load ${loadavg()[0]?.toFixed(1)}, service kept waiting ${Math.round(seen.keptWaiting * 100)} %`,
    memory: `${inMb(seen.before)} → ${inMb(seen.most)} → ${inMb(seen.after)}`,
  }
}

function seenProblems(seen: Seen, { slack }: OverloadGround): string[] {
  const grown = seen.most - seen.before
  return [
    ...new Set(seen.problems),
    ...late('/healthz', seen.healthWorst, HEALTH_MS * slack),
    ...late('p99 of a hot list', seen.listP99, ACCEPTED_P99_MS * slack),
    ...(grown > FLAT_BYTES ? [`memory grew by ${inMb(grown)}`] : []),
    ...(seen.lists === 0 ? ['no list was answered'] : []),
  ]
}

const late = (what: string, ms: number, most: number) =>
  ms <= most ? [] : [`${what}: ${inMs(ms)}, not ${most} ms`]

export const inMs = (ms: number) => `${Math.round(ms)} ms`
const inMb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

export async function idleConnections(ground: OverloadGround): Promise<Outcome> {
  return held(ground, 'idle', ground.isFull ? 10_000 : 1000, 'stays')
}

/** Sends the heads of requests one byte a second. They must be cut off. */
export async function slowHeads(ground: OverloadGround): Promise<Outcome> {
  return held(ground, 'slow heads', ground.isFull ? 1000 : 200, 'goes')
}

/** Sends bodies of permitted requests one byte a second. They must be cut off. */
export async function slowBodies(ground: OverloadGround): Promise<Outcome> {
  return held(ground, 'slow bodies', ground.isFull ? 1000 : 200, 'goes')
}

/** Requests answers and does not read them. The connections must be closed. */
export async function slowReaders(ground: OverloadGround): Promise<Outcome> {
  return held(ground, 'slow readers', 100, 'goes')
}

/** Sends permitted uploads without their last byte. They must be cut off. */
export async function halfOpenUploads(ground: OverloadGround): Promise<Outcome> {
  return held(ground, 'half-open uploads', ground.isFull ? 60 : 20, 'goes')
}

/**
 * Holds connections and watches what other clients notice. `end` tells whether the service must close the
 * connections.
 */
async function held(
  ground: OverloadGround,
  hold: Hold,
  connections: number,
  end: 'stays' | 'goes',
): Promise<Outcome> {
  const title = `${connections} ${hold === 'idle' ? 'idle connections' : hold}`
  ground.say(title)
  const watching = watch(ground.service, ground.list)
  const { port } = ground.service
  const { patienceMs } = ground
  const longPath = hold === 'slow readers' ? `${BASE}/doc` : `${BASE}/events`
  const order = {
    hold,
    port,
    connections,
    patienceMs,
    longPath,
    root: '/wp-json',
    authorization: AUTHORIZATION,
  }
  const holding = await holdConnections(order)
  const patience = 2 * ground.patienceMs + CLOSING_MS
  await lookUntil(
    holding.look,
    end === 'stays' ? ground.seconds * 1000 : patience,
    (now) => now.closed >= now.opened,
  )
  const figures = await holding.read()
  await holding.release()
  const seen = await watching.stop()
  return {
    title,
    figures: { ...holdFiguresOf(figures), ...seenFigures(seen) },
    problems: [...holdProblems(figures, connections, end), ...seenProblems(seen, ground)],
  }
}

async function lookUntil(
  look: () => Promise<HoldFigures>,
  ms: number,
  isOver: (figures: HoldFigures) => boolean,
): Promise<HoldFigures> {
  const began = performance.now()
  for (;;) {
    const figures = await look()
    if (isOver(figures) || performance.now() - began > ms) return figures
    await sleep(200)
  }
}

function holdFiguresOf({ opened, closed, lastClosedMs, answers }: HoldFigures): Record<string, string> {
  const answered = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
  const cut = closed === 0 ? 'none' : `${closed}, the last after ${(lastClosedMs / 1000).toFixed(1)} s`
  return { held: String(opened), 'closed by the service': cut, answered: answered.join(', ') }
}

function holdProblems(
  { opened, closed, answers }: HoldFigures,
  connections: number,
  end: 'stays' | 'goes',
): string[] {
  const left = opened - closed - (answers['503'] ?? 0)
  const failures = Object.entries(answers).filter(([status]) => status.startsWith('5') && status !== '503')
  return [
    ...(opened < connections ? [`${connections - opened} connections were refused`] : []),
    ...(end === 'goes' && left > 0 ? [`${left} connections were not closed`] : []),
    ...failures.map(([status, count]) => `${count} answered ${status}`),
  ]
}

export async function measureNormal(ground: Omit<OverloadGround, 'normalP99'>): Promise<number> {
  const times = await timeLists(ground.service.port, newLists(ground, ground.isFull ? 400 : 100))
  return p99(times)
}
