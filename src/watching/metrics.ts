import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CacheBudget } from '../cache.ts'
import type { Admission } from '../http/admission.ts'
import type { Answered } from '../http/answered.ts'
import { type EventMemory, isBehind } from '../memory/event-memory.ts'
import type { Database } from '../storage/database.ts'
import { type AnswerCounts, answerFamilies, countAnswer, noAnswers } from './answer-counts.ts'
import { type Durations, noDurations, noteDuration, samplesOf } from './durations.ts'
import { type Family, single } from './metric-families.ts'
import { noWebhookCounts, type WebhookCounts, webhookFamilies } from './webhook-counts.ts'

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>

/** The counts of this process. */
export interface Metrics {
  answers: AnswerCounts
  writes: Durations
  searches: Durations
  webhooks: WebhookCounts
  /** Writes and searches that the database has not finished. */
  waiting: { writes: number; searches: number }
  /** Nanoseconds by which timers were late. */
  loopDelay: LoopDelay
}

/** The sources of the numbers that are read and not counted. */
export interface Watched {
  version: string
  database: Database
  memory: EventMemory
  cacheBudget: CacheBudget
  admission: Admission
}

const LOOP_RESOLUTION_MS = 10

export function makeMetrics(): Metrics {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  const waiting = { writes: 0, searches: 0 }
  const durations = { writes: noDurations(), searches: noDurations() }
  return { answers: noAnswers(), ...durations, webhooks: noWebhookCounts(), waiting, loopDelay }
}

export function noteAnswer(metrics: Metrics, answered: Answered): void {
  countAnswer(metrics.answers, answered)
}

/** The database, with its writes and searches counted and timed. */
export function countDatabase(metrics: Metrics, database: Database): Database {
  return {
    ...database,
    write: (work, by) => timed(metrics, 'writes', () => database.write(work, by)),
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

/** All metrics as of now. */
export async function readMetrics(metrics: Metrics, watched: Watched): Promise<Family[]> {
  return [
    single('kalends_start_time_seconds', 'gauge', 'When the process began, since the epoch.', startSeconds()),
    {
      name: 'kalends_info',
      help: 'The version of Kalends and of Node.',
      type: 'gauge',
      samples: [{ suffix: '', labels: { version: watched.version, node: process.versions.node }, value: 1 }],
    },
    ...answerFamilies(metrics.answers),
    ...databaseFamilies(metrics),
    ...(await memoryFamilies(watched)),
    ...(await webhookFamilies(metrics.webhooks, watched.database)),
    ...queueFamilies(watched),
    ...connectionFamilies(watched),
    ...replicaFamilies(watched),
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
    {
      name: 'kalends_database_waiting',
      help: 'Writes and searches that the database has not finished.',
      type: 'gauge',
      samples: [
        { suffix: '', labels: { kind: 'write' }, value: waiting.writes },
        { suffix: '', labels: { kind: 'search' }, value: waiting.searches },
      ],
    },
  ]
}

/** The queues of requests, by the kind of work. */
function queueFamilies({ admission }: Watched): Family[] {
  const queues = Object.entries(admission.queues)
  const family = (name: string, help: string, read: (queue: (typeof queues)[number][1]) => number): Family => ({
    name,
    help,
    type: 'gauge',
    samples: queues.map(([work, queue]) => ({ suffix: '', labels: { work }, value: read(queue) })),
  })
  return [
    family(
      'kalends_queue_running',
      'Requests that are being worked for, by the kind of work.',
      (queue) => queue.running,
    ),
    family('kalends_queue_waiting', 'Requests that wait for their turn.', (queue) => queue.waiting.size),
    family('kalends_queue_limit', 'Requests that may wait; more are refused.', (queue) => queue.limit.waiting),
  ]
}

/** Empty without a replica. */
function replicaFamilies({ database }: Watched): Family[] {
  const isUp = database.isReplicaUp?.()
  if (isUp === undefined) return []
  return [single('kalends_replica_up', 'gauge', '1 unless the read replica is away or far behind.', Number(isUp))]
}

/** Empty for SQLite. */
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
    single('kalends_index_ready', 'gauge', '1 once the public events are in memory.', Number(index !== undefined)),
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
    single('kalends_database_up', 'gauge', '1 when the database answered just now.', Number(position !== undefined)),
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

/** The position of the last change; undefined when the database does not answer. */
async function lastChange({ read }: Database): Promise<number | undefined> {
  const last = read.selectFrom('changes').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
  return last.then((row) => Number(row?.position ?? 0)).catch(() => undefined)
}

function processFamilies(loopDelay: LoopDelay): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const families: Family[] = [
    {
      name: 'kalends_event_loop_delay_seconds',
      help: 'By how many seconds the event loop was late, since the last look.',
      type: 'gauge',
      samples: [50, 99, 100].map((percentile) => ({
        suffix: '',
        labels: { quantile: String(percentile / 100) },
        value: loopDelay.count === 0 ? 0 : loopDelay.percentile(percentile) / 1e9,
      })),
    },
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
