import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Family, labelled, type Sample, single } from '../../base/metric-families.ts'
import type { RunningService } from '../../feature.ts'
import type { Answered } from '../../http/entrance.ts'
import { isBehind } from '../../store/memory/event-memory.ts'
import type { Database } from '../../store/storage/database.ts'

type Watched = RunningService & { version: string }

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>

export interface Metrics {
  answers: AnswerCounts
  writes: Durations
  searches: Durations
  /** Writes and searches that the database has not finished. */
  waiting: { writes: number; searches: number }
  /** How late timers were, in nanoseconds. */
  loopDelay: LoopDelay
}

const LOOP_RESOLUTION_MS = 10

export function makeMetrics(): Metrics {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  const waiting = { writes: 0, searches: 0 }
  const durations = { writes: noDurations(), searches: noDurations() }
  return { answers: noAnswers(), ...durations, waiting, loopDelay }
}

export function noteAnswer(metrics: Metrics, answered: Answered): void {
  countAnswer(metrics.answers, answered)
}

export function withCounts(metrics: Metrics, database: Database): Database {
  return {
    ...database,
    write: (work, by) => timed(metrics, 'writes', () => database.write(work, by)),
    writeShared: (work, item, by) => timed(metrics, 'writes', () => database.writeShared(work, item, by)),
    findMatching: (search) => timed(metrics, 'searches', () => database.findMatching(search)),
  }
}

async function timed<T>(metrics: Metrics, kind: 'writes' | 'searches', work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  metrics.waiting[kind] += 1
  try {
    return await work()
  } finally {
    metrics.waiting[kind] -= 1
    noteDuration(metrics[kind], (performance.now() - start) / 1000)
  }
}

/** Reads all metrics. Event loop delays are reset, so that each read has those since the previous one. */
export async function readMetrics(metrics: Metrics, watched: Watched): Promise<Family[]> {
  return [
    single('kalends_start_time_seconds', 'gauge', 'When the process began, since the epoch.', startSeconds()),
    labelled('kalends_info', 'gauge', 'The version of Kalends and of Node.', [
      [{ version: watched.version, node: process.versions.node }, 1],
    ]),
    ...answerFamilies(metrics.answers),
    ...databaseFamilies(metrics),
    ...(await memoryFamilies(watched)),
    ...(await watched.families()),
    ...queueFamilies(watched),
    ...connectionFamilies(watched),
    ...processFamilies(metrics.loopDelay),
  ]
}

function databaseFamilies({ writes, searches, waiting }: Metrics): Family[] {
  return [
    {
      name: 'kalends_database_seconds',
      help: 'Seconds that the database took for a whole write or search, with the wait for its turn.',
      type: 'histogram',
      samples: [...samplesOf(writes, { kind: 'write' }), ...samplesOf(searches, { kind: 'search' })],
    },
    labelled('kalends_database_waiting', 'gauge', 'Writes and searches that the database has not finished.', [
      [{ kind: 'write' }, waiting.writes],
      [{ kind: 'search' }, waiting.searches],
    ]),
  ]
}

function queueFamilies({ admission }: Watched): Family[] {
  const queues = Object.entries(admission.queues)
  const family = (name: string, help: string, read: (queue: (typeof queues)[number][1]) => number) =>
    labelled(
      `kalends_queue_${name}`,
      'gauge',
      help,
      queues.map(([work, queue]) => [{ work }, read(queue)]),
    )
  return [
    family('running', 'Requests that are being worked for, by the kind of work.', (queue) => queue.running),
    family('waiting', 'Requests that wait for their turn.', (queue) => queue.waiting.length),
    family('limit', 'Requests that may wait; more are refused.', (queue) => queue.limit.waiting),
  ]
}

function connectionFamilies({ database }: Watched): Family[] {
  const connections = database.connections?.()
  if (!connections) return []
  const { open, idle, waiting } = connections
  return [
    single('kalends_database_connections', 'gauge', 'Connections to the database server.', open),
    single('kalends_database_connections_idle', 'gauge', 'Connections that nobody uses.', idle),
    single(
      'kalends_database_connections_waiting',
      'gauge',
      'Statements and transactions that wait for a connection.',
      waiting,
    ),
  ]
}

async function memoryFamilies({ memory, cacheBudget, database }: Watched): Promise<Family[]> {
  const { index } = memory
  const position = await lastChange(database)
  return [
    single(
      'kalends_index_ready',
      'gauge',
      '1 once the public events are in memory.',
      Number(index !== undefined),
    ),
    single(
      'kalends_index_events',
      'gauge',
      'Public events in memory.',
      index ? index.slotCount - index.freeSlots.length : 0,
    ),
    single(
      'kalends_index_behind',
      'gauge',
      '1 while there may be changes that were not taken in.',
      Number(isBehind(memory)),
    ),
    single(
      'kalends_cache_bytes',
      'gauge',
      'Bytes of what was used of finished answers and the like since the last clear-out.',
      cacheBudget.youngBytes,
    ),
    single(
      'kalends_cache_limit_bytes',
      'gauge',
      'Bytes at which what was not used since the last clear-out is forgotten.',
      cacheBudget.limit,
    ),
    single(
      'kalends_database_up',
      'gauge',
      '1 when the database answered just now.',
      Number(position !== undefined),
    ),
    ...(position === undefined
      ? []
      : [
          single(
            'kalends_log_position',
            'gauge',
            'The position of the last change in the record of changes.',
            position,
          ),
        ]),
  ]
}

async function lastChange({ read }: Database): Promise<number | undefined> {
  const last = read
    .selectFrom('changes')
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last.then((row) => Number(row?.position ?? 0)).catch(() => undefined)
}

function processFamilies(loopDelay: LoopDelay): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const delays = [50, 99, 100].map((percentile) => {
    const seconds = loopDelay.count === 0 ? 0 : loopDelay.percentile(percentile) / 1e9
    return [{ percentile: String(percentile) }, seconds] as const
  })
  const late = 'By how many seconds the event loop was late, since the last look.'
  const families: Family[] = [
    labelled('kalends_event_loop_delay_seconds', 'gauge', late, delays),
    single('kalends_memory_bytes', 'gauge', 'Bytes of memory that the process holds.', rss),
    single('kalends_heap_bytes', 'gauge', 'Bytes of objects in the heap.', heapUsed),
    single('kalends_external_bytes', 'gauge', 'Bytes of buffers outside the heap.', external),
    single('kalends_cpu_seconds_total', 'counter', 'Seconds of processor time used.', (user + system) / 1e6),
  ]
  loopDelay.reset()
  return families
}

function startSeconds(): number {
  return Math.round(Date.now() / 1000 - process.uptime())
}

interface AnswerCounts {
  byRoute: Map<string, RouteCounts>
  sources: Record<Answered['from'], number>
  bytes: number
}

interface RouteCounts {
  /** Numbers of answers by method and status. */
  answers: Map<string, Map<number, number>>
  durations: Durations
}

/** Maximum of routes; there are fewer unless something is wrong. Further ones are counted together. */
const MOST_ROUTES = 200
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function noAnswers(): AnswerCounts {
  return { byRoute: new Map(), sources: { finished: 0, memory: 0, ordinary: 0, refused: 0 }, bytes: 0 }
}

function countAnswer(counts: AnswerCounts, { route, method, status, ms, bytes, from }: Answered): void {
  const known = counts.byRoute.get(route) ?? newRoute(counts, route)
  const statuses = known.answers.get(method) ?? newMethod(known, method)
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  noteDuration(known.durations, ms / 1000)
  counts.sources[from] += 1
  counts.bytes += bytes
}

function newRoute({ byRoute }: AnswerCounts, route: string): RouteCounts {
  const name = byRoute.size < MOST_ROUTES ? route : ''
  const made = byRoute.get(name) ?? { answers: new Map(), durations: noDurations() }
  byRoute.set(name, made)
  return made
}

/** Unknown methods are `other`, since clients may invent any number. */
function newMethod({ answers }: RouteCounts, method: string): Map<number, number> {
  const name = METHODS.has(method) ? method : 'other'
  const made = answers.get(name) ?? new Map<number, number>()
  answers.set(name, made)
  return made
}

function answerFamilies({ byRoute, sources, bytes }: AnswerCounts): Family[] {
  const routes = [...byRoute].map(([route, counts]) => ({ route: route || 'none', ...counts }))
  const requests = routes.flatMap(({ route, answers }) =>
    [...answers].flatMap(([method, statuses]) =>
      [...statuses].map(([status, value]) => [{ route, method, status: String(status) }, value] as const),
    ),
  )
  const from =
    'Answers by what gave them: a finished body, the index of events in memory, the ordinary way, or a ' +
    'refusal for too much load.'
  return [
    labelled('kalends_requests_total', 'counter', 'Requests by route, method and status.', requests),
    {
      name: 'kalends_request_duration_seconds',
      help: 'Seconds from the arrival of a request until its answer was handed to the connection, by route.',
      type: 'histogram',
      samples: routes.flatMap(({ route, durations }) => samplesOf(durations, { route })),
    },
    labelled('kalends_answers_total', 'counter', from, byLabel('from', sources)),
    single('kalends_answer_bytes_total', 'counter', 'Bytes of the bodies of answers.', bytes),
  ]
}

const byLabel = (label: string, numbers: Readonly<Record<string, number>>) =>
  Object.entries(numbers).map(([name, value]) => [{ [label]: name }, value] as const)

interface Durations {
  /** Counts by bound of `BOUNDS`; the last is beyond all of them. */
  counts: Float64Array
  seconds: number
}

/** Upper bounds of histogram buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

function noDurations(): Durations {
  return { counts: new Float64Array(BOUNDS.length + 1), seconds: 0 }
}

function noteDuration(durations: Durations, seconds: number): void {
  let at = 0
  while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at += 1
  durations.counts[at] = (durations.counts[at] ?? 0) + 1
  durations.seconds += seconds
}

function samplesOf({ counts, seconds }: Durations, labels: Readonly<Record<string, string>>): Sample[] {
  let below = 0
  const buckets = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, at) => {
    below += counts[at] ?? 0
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound)
    return { suffix: '_bucket', labels: { ...labels, le }, value: below }
  })
  return [...buckets, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: below }]
}
