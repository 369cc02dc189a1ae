import { goalOf, isReached } from './goals.ts'

/** The unit of a result; `ratio` is service to bare server in requests a second, `times` any other ratio. */
export type Unit = 'ratio' | 'times' | 'requests/s' | 'ms' | 'µs' | 's' | 'MB'

/** One line of the report. */
export interface Result {
  id: string
  title: string
  unit: Unit
  /** The value that is compared with the goal: the median of the rounds. */
  value: number
  /** The value of each round. */
  rounds: number[]
  /** What the service did, and what it is compared with did in its place; see `figures`. */
  service?: number
  baseline?: number
  /** What `service` and `baseline` are: requests a second, or the median answer in ms. */
  figures?: 'requests/s' | 'ms'
  /** Processor time of the bare server for a request, divided by that of the service: the ratio without the load generator in it. */
  processorRatio?: number
  /** Processor time of the service for a request, in microseconds. */
  processorMicros?: number
  /** Bytes of a body, in the mean. */
  bytes?: number
  /** The part of its core that each kept busy; 1 is all of it. */
  busy?: { service: number; baseline: number }
  note?: string
}

/** Everything one run found out, as `--json` writes it. */
export interface Run {
  events: number
  quick: boolean
  /** ISO time of the start. */
  date: string
  tool: string
  connections: number
  rounds: number
  seconds: number
  flags: string[]
  database: 'sqlite' | 'postgres'
  machine: {
    processor: string
    cores: number
    memoryGb: number
    system: string
    node: string
    bound: boolean
    flushMs: number
  }
  /** Bytes of the answer to the list that everything is compared with. */
  listBytes: number | undefined
  results: Result[]
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value that this part of all values does not exceed; NaN for none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  if (part !== 0.5) return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** A result from the values of its rounds. */
export function resultOf(
  named: { id: string; title: string },
  unit: Unit,
  rounds: readonly number[],
  more: Partial<Result> = {},
): Result {
  return { id: named.id, title: named.title, unit, value: median(rounds), rounds: [...rounds], ...more }
}

/** Below this part of its core in use, the bare server was not at its limit. */
export const FULLY_BUSY = 0.9

/** Whether something else than the bare server set its pace, so that processor time is what counts. */
export const isLoadBound = ({ busy }: Result) => busy !== undefined && busy.baseline < FULLY_BUSY

/** Whether a result reaches its goal; undefined when it has none. */
export function reaches(result: Result, database: Run['database']): boolean | undefined {
  const goal = goalOf(result.id, database)
  const isOfProcessor = goal?.by === 'processor' || isLoadBound(result)
  return goal && isReached(goal, (isOfProcessor ? result.processorRatio : undefined) ?? result.value)
}
