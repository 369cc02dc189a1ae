import { setTimeout as sleep } from 'node:timers/promises'
import { makeRandom } from '../../bench/random.ts'
import { ask, type LoadConnection, openConnection, type WireAnswer } from './load-connection.ts'
import { AFTER_MS, type KindFigures, type LoadFigures, type LoadOrder } from './open-load.ts'
import { isAccepted, LOAD_KINDS, type LoadKind, makeRequests } from './overload-mix.ts'

// The process of the load generator: puts one load on the service, reports the figures, and waits to be
// ended.

interface Tally {
  due: number
  settled: number
  shed: number
  wrong: Map<string, number>
  times: number[]
}

interface Generator {
  order: LoadOrder
  next: ReturnType<typeof makeRequests>
  tallies: Map<LoadKind, Tally>
  open: number
  idle: LoadConnection[]
  waiting: number[]
  first: number
  held: number[]
  isOver: boolean
}

process.once('message', (order: LoadOrder) => {
  run(order).then((figures) => process.send?.(figures))
})

async function run(order: LoadOrder): Promise<LoadFigures> {
  const generator: Generator = {
    order,
    next: makeRequests(order.mix, order.plan, makeRandom(order.seed)),
    tallies: new Map(
      LOAD_KINDS.map((kind) => [kind, { due: 0, settled: 0, shed: 0, wrong: new Map(), times: [] }]),
    ),
    open: 0,
    idle: [],
    waiting: [],
    first: 0,
    held: [],
    isOver: false,
  }
  const [began, before] = [performance.now(), process.cpuUsage()]
  if (order.rate > 0) await offer(generator)
  else await saturate(generator)
  generator.isOver = true
  const used = process.cpuUsage(before)
  const busy = (used.user + used.system) / 1000 / (performance.now() - began)
  const unsent = generator.waiting.length - generator.first
  process.send?.('over')
  await untilSettled(generator)
  const asked = [...generator.tallies].filter(([, tally]) => tally.due > 0)
  const kinds = asked.map(([kind, tally]) => figuresOf(kind, tally))
  return { kinds, unsent, heldP99: partOf(Float64Array.from(generator.held).sort(), 0.99), busy }
}

function openMore(generator: Generator): void {
  generator.open += 1
  const connection = openConnection(
    generator.order.port,
    () => setFree(generator, connection),
    () => {
      generator.open -= 1
      const at = generator.idle.indexOf(connection)
      if (at !== -1) generator.idle.splice(at, 1)
      if (generator.waiting[generator.first] !== undefined && !generator.isOver) openMore(generator)
    },
  )
}

function setFree(generator: Generator, connection: LoadConnection): void {
  const due = generator.waiting[generator.first]
  // Requests that were not sent before the end of the load are never sent.
  if (due === undefined || generator.isOver) {
    generator.idle.push(connection)
    return
  }
  generator.first += 1
  send(generator, connection, due)
}

async function offer(generator: Generator): Promise<void> {
  const { rate, seconds } = generator.order
  const began = performance.now()
  const total = Math.floor(rate * seconds)
  for (let made = 0; made < total; ) {
    const soFar = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate))
    for (; made < soFar; made++) begin(generator, began + (made / rate) * 1000)
    await sleep(2)
  }
}

function begin(generator: Generator, due: number): void {
  const connection = generator.idle.pop()
  if (connection) {
    send(generator, connection, due)
    return
  }
  generator.waiting.push(due)
  if (generator.open < generator.order.connections) openMore(generator)
}

async function saturate(generator: Generator): Promise<void> {
  const until = performance.now() + generator.order.seconds * 1000
  while (generator.open < generator.order.connections) begin(generator, performance.now())
  while (performance.now() < until) {
    while (generator.idle.length > 0) begin(generator, performance.now())
    await sleep(0)
  }
}

function send(generator: Generator, connection: LoadConnection, due: number): void {
  const { kind, request } = generator.next()
  const tally = generator.tallies.get(kind)
  if (!tally) return
  const sent = performance.now()
  tally.due += 1
  generator.held.push(sent - due)
  ask(connection, request, (answer) => note(tally, kind, answer, performance.now() - sent))
}

function note(tally: Tally, kind: LoadKind, { status, hasRetryAfter }: WireAnswer, ms: number): void {
  tally.settled += 1
  if (isAccepted(kind, status)) tally.times.push(ms)
  else if (status === 429 || (status === 503 && hasRetryAfter)) tally.shed += 1
  else {
    const what = status === 503 ? '503 without Retry-After' : String(status)
    tally.wrong.set(what, (tally.wrong.get(what) ?? 0) + 1)
  }
}

async function untilSettled({ tallies }: Generator): Promise<void> {
  const until = performance.now() + AFTER_MS
  // Wrong passwords are answered slowly on purpose, so these answers are not waited for.
  const honest = [...tallies].flatMap(([kind, tally]) => (kind === 'bad login' ? [] : tally))
  const isSettled = () => honest.every(({ due, settled }) => due === settled)
  while (!isSettled() && performance.now() < until) await sleep(20)
}

function figuresOf(kind: LoadKind, { due, settled, shed, wrong, times }: Tally): KindFigures {
  const sorted = Float64Array.from(times).sort()
  return {
    kind,
    due,
    accepted: times.length,
    shed,
    unanswered: due - settled,
    wrong: Object.fromEntries(wrong),
    p50: partOf(sorted, 0.5),
    p99: partOf(sorted, 0.99),
    worst: partOf(sorted, 1),
  }
}

function partOf(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
