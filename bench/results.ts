import { goalOf, isReached } from './goals.ts'

/**
 * The unit of a result: `ratio` compares the service with the bare server in requests per second, `times` is
 * any other ratio.
 */
export type Unit = 'ratio' | 'times' | 'requests/s' | 'ms' | 'µs' | 's' | 'MB'

/** A line of the report. */
export interface Result {
  id: string
  title: string
  unit: Unit
  /** The value to compare with the goal: the median of the rounds. */
  value: number
  /** The value of each round. */
  rounds: number[]
  /** The figures of the service and of its counterpart, in the unit `figures`. */
  service?: number
  baseline?: number
  /** The unit of `service` and `baseline`: requests per second, or the median answer in ms. */
  figures?: 'requests/s' | 'ms'
  /**
   * The processor time of a request on the bare server, divided by that on the service: the ratio without the
   * load generator.
   */
  processorRatio?: number
  /** The processor time of a request on the service, in µs. */
  processorMicros?: number
  /** The mean bytes of a body. */
  bytes?: number
  /** The part of its core that each side used; 1 is a whole core. */
  busy?: { service: number; baseline: number }
  note?: string
}

/** The results of a run, as `--json` writes them. */
export interface Run {
  events: number
  quick: boolean
  /** The ISO time of the start. */
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
  /** The bytes of the list to which others are compared. */
  listBytes: number | undefined
  results: Result[]
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Returns the value that this part of the values does not exceed; NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  if (part !== 0.5)
    return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** Makes a result from the values of its rounds. */
export function resultOf(
  named: { id: string; title: string },
  unit: Unit,
  rounds: readonly number[],
  more: Partial<Result> = {},
): Result {
  return { id: named.id, title: named.title, unit, value: median(rounds), rounds: [...rounds], ...more }
}

/** The part of its core that the bare server uses at its limit. Below it, something else limited the rate. */
export const FULLY_BUSY = 0.9

/**
 * Returns true when something else limited the rate of the bare server, so that processor time must be
 * compared.
 */
export const isLoadBound = ({ busy }: Result) => busy !== undefined && busy.baseline < FULLY_BUSY

/** Returns true when a result reaches its goal; undefined without a goal. */
export function reaches(result: Result, database: Run['database']): boolean | undefined {
  const goal = goalOf(result.id, database)
  const isOfProcessor = goal?.by === 'processor' || isLoadBound(result)
  return goal && isReached(goal, (isOfProcessor ? result.processorRatio : undefined) ?? result.value)
}
