import type { Settings } from '../support/service.ts'
import { endFuzzed, type FuzzedService, type Home, startFuzzed } from './fuzzed-service.ts'
import { type Line, openLine } from './http-exchange.ts'
import type { Limits, Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'
import type { Ground } from './request-generator.ts'

/** A failure, found once or more often. */
export interface Finding extends Verdict {
  /** The smallest request known to show it. */
  planned: PlannedRequest
  /** The number of the request in the run; undefined for other requests. */
  number: number | undefined
  /** True if the request fails alone. */
  alone: boolean
  /** The log of the service. */
  stack: string | undefined
  times: number
}

/** A run: the current service and the findings so far. */
export interface FuzzRun {
  home: Home
  service: FuzzedService
  line: Line
  limits: Limits
  ground: Ground
  /** The paths of records that are written to empty every cache. */
  touched: string[]
  findings: Map<string, Finding>
  /** The keys of the findings at each place. */
  places: Map<string, string[]>
  /** The number of the last request that wrote each record, by its path below the namespace. */
  writers: Map<string, number>
  counts: Counts
  /** The longest block by a single request, in CPU ms. */
  longestMs: number
  /** The end of the run in ms since the epoch. */
  until: number
  tell: (line: string) => void
}

export interface Counts {
  requests: number
  /** The number of answers by status. */
  byStatus: Map<number, number>
  cut: number
  /** Requests that were slow or refused, but not when sent again alone. */
  unrepeated: number
  restarts: number
}

export function noCounts(): Counts {
  return { requests: 0, byStatus: new Map(), cut: 0, unrepeated: 0, restarts: 0 }
}

/** Replaces a service that hangs or has ended, or that needs other settings. */
export async function restart(run: FuzzRun, settings: Settings = {}): Promise<void> {
  run.line.agent.destroy()
  await endFuzzed(run.service)
  run.service = await startFuzzed(run.home, settings)
  run.line = openLine(run.service.port, run.limits.hangMs)
}

/** Returns true when the service has ended by itself. */
export function hasEnded({ service: { child } }: FuzzRun): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Counts a finding, and reports it if it is new. Findings with the same `key` are the same. */
export function addFinding(
  run: FuzzRun,
  key: string,
  finding: Omit<Finding, 'times'>,
  text: () => string,
): void {
  const known = run.findings.get(key)
  if (known) {
    known.times += 1
    return
  }
  run.findings.set(key, { ...finding, times: 1 })
  run.tell(text())
}
