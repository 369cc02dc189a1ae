import type { Settings } from '../support/service.ts'
import { endFuzzed, type FuzzedService, type Home, startFuzzed } from './fuzzed-service.ts'
import { type Line, openLine } from './http-exchange.ts'
import type { Limits, Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'
import type { Ground } from './request-generator.ts'

/** Something that must not be, found once or more often. */
export interface Finding extends Verdict {
  /** The smallest request found that shows it. */
  planned: PlannedRequest
  /** The number of the request in the run, when it is one of them. */
  number: number | undefined
  /** Whether it shows when nothing else is asked for meanwhile. */
  alone: boolean
  /** The log of the service. */
  stack: string | undefined
  times: number
}

/** A run: the service as it is now, and the findings so far. */
export interface FuzzRun {
  home: Home
  service: FuzzedService
  line: Line
  limits: Limits
  ground: Ground
  /** What is written to make every cache forget what it has. */
  touched: string[]
  findings: Map<string, Finding>
  /** The keys of what was found at each place that was looked into. */
  places: Map<string, string[]>
  /** Numbers of the requests that last wrote each record, by its path below the namespace. */
  writers: Map<string, number>
  counts: Counts
  /** The longest stretch of CPU time that a request alone took. */
  longestMs: number
  /** When the run must come to an end, in milliseconds since the epoch. */
  until: number
  tell: (line: string) => void
}

export interface Counts {
  requests: number
  /** Answers by status. */
  byStatus: Map<number, number>
  cut: number
  /** Requests that took long or were shed, and were neither when they were sent again alone. */
  unrepeated: number
  restarts: number
}

export function noCounts(): Counts {
  return { requests: 0, byStatus: new Map(), cut: 0, unrepeated: 0, restarts: 0 }
}

/** Puts another service in place of the one that hangs, ended, or is to be started with other settings. */
export async function restart(run: FuzzRun, settings: Settings = {}): Promise<void> {
  run.line.agent.destroy()
  await endFuzzed(run.service)
  run.service = await startFuzzed(run.home, settings)
  run.line = openLine(run.service.port, run.limits.hangMs)
}

/** True when the service has ended by itself. */
export function hasEnded({ service: { child } }: FuzzRun): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Counts a finding, and tells of it when it is new; `key` says which are the same. */
export function addFinding(run: FuzzRun, key: string, finding: Omit<Finding, 'times'>, text: () => string): void {
  const known = run.findings.get(key)
  if (known) {
    known.times += 1
    return
  }
  run.findings.set(key, { ...finding, times: 1 })
  run.tell(text())
}
