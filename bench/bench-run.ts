import type { Baseline } from './baseline.ts'
import type { DataStore } from './data-store.ts'
import type { LoadResult, LoadTool } from './load.ts'
import { type Cores, processorSeconds } from './processes.ts'
import { type Answer, fetchAnswer, type RunningService } from './service.ts'
import { WRITER } from './write-data-set.ts'

/** The tools of a run. */
export interface BenchRun {
  store: DataStore
  cores: Cores
  tool: LoadTool
  baseline: Baseline
  rounds: number
  /** The seconds of load in each round. */
  seconds: number
  connections: number
  quick: boolean
  /** More flags of `kalends serve`. */
  flags: readonly string[]
  /** The service for most reads, started when first needed. */
  reader: () => Promise<RunningService>
  /** The service for all writes, on a copy of the data set, started when first needed. */
  writer: () => Promise<RunningService>
  /** The data set of the writer. */
  written: () => Promise<DataStore>
  /** Starts another service on the data set with these flags. The caller stops it. */
  startOwn: (flags: readonly string[]) => Promise<RunningService>
  say: (text: string) => void
}

export const AUTHORIZATION = `Basic ${Buffer.from(`${WRITER.login}:${WRITER.password}`).toString('base64')}`

/** The figures of a process under load. */
export interface Throughput {
  perSecond: number
  requests: number
  /** The processor time of a request in µs; NaN where the system does not tell it. */
  processorMicros: number
  /** The part of a core that was used. */
  busy: number
}

/** The requests of a load and its parameters. */
export interface Load {
  requests: readonly string[]
  headers?: Record<string, string>
  seconds?: number
  connections?: number
  once?: boolean
}

/** Puts a load of reads on a server and measures the process. @throws Error when an answer was an error. */
export async function readFrom(
  run: BenchRun,
  server: { port: number; pid: number },
  load: Load,
): Promise<Throughput> {
  return observe(server, load, () => run.tool.read(jobOf(run, server, load)))
}

/** Puts a load of writes on a server and measures the process. @throws Error when an answer was an error. */
export async function writeTo(
  run: BenchRun,
  server: { port: number; pid: number },
  load: Load,
): Promise<Throughput> {
  return observe(server, load, () => run.tool.write(jobOf(run, server, load)))
}

/** Measures the time of single answers in µs. @throws Error when an answer was an error. */
export async function probe(
  run: BenchRun,
  server: { port: number },
  requests: readonly string[],
  seconds: number,
): Promise<number[]> {
  const { micros, failed } = await run.tool.probe({
    port: server.port,
    requests,
    seconds,
    headers: {},
    authorization: AUTHORIZATION,
  })
  if (failed > 0)
    throw new Error(`${failed} of ${micros.length} answers were errors, for example to ${requests[0]}`)
  return micros
}

function jobOf(run: BenchRun, { port }: { port: number }, load: Load) {
  const defaults = { seconds: run.seconds, connections: run.connections, headers: {}, once: false }
  return { ...defaults, ...load, port, authorization: AUTHORIZATION }
}

async function observe(
  server: { pid: number },
  load: Load,
  put: () => Promise<LoadResult>,
): Promise<Throughput> {
  const before = processorSeconds(server.pid)
  const { requests, seconds, failed } = await put()
  const used = processorSeconds(server.pid) - before
  const faults = Object.entries(failed)
  if (faults.length > 0) {
    const statuses = faults.map(([status, count]) => `${count} of ${status}`).join(', ')
    throw new Error(
      `Of ${requests} answers some were errors: ${statuses}; ` +
        `the first request was ${load.requests[0]?.slice(0, 200)}`,
    )
  }
  if (requests === 0) throw new Error('nothing was answered')
  return {
    perSecond: requests / seconds,
    requests,
    processorMicros: (used * 1e6) / requests,
    busy: used / seconds,
  }
}

/**
 * Returns the answers of the service to these requests, which the bare server will send.
 * @throws Error on another status.
 */
export async function capture(
  service: { port: number },
  requests: readonly string[],
  headers: Record<string, string>,
  status: number,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const line of requests) {
    const [method, path = '/'] = line.split('\t')
    const answer = await fetchAnswer(service.port, path, headers, method)
    if (answer.status !== status)
      throw new Error(`${path} was answered ${answer.status}: ${answer.body.toString().slice(0, 300)}`)
    answers.push(answer)
  }
  return answers
}
