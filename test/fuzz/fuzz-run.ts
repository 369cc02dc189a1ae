import type { Settings } from '../support/service.ts'
import { endFuzzed, type FuzzedService, type Home, startFuzzed } from './fuzzed-service.ts'
import { type Line, openLine } from './http-exchange.ts'
import type { Limits, Verdict } from './oracle.ts'
import type { PlannedRequest } from './planned-request.ts'
import type { Ground } from './request-generator.ts'

export interface Finding extends Verdict {
  planned: PlannedRequest
  number: number | undefined
  alone: boolean
  stack: string | undefined
  times: number
}

export interface FuzzRun {
  home: Home
  service: FuzzedService
  line: Line
  limits: Limits
  ground: Ground
  touched: string[]
  findings: Map<string, Finding>
  places: Map<string, string[]>
  writers: Map<string, number>
  counts: Counts
  longestMs: number
  /** The end of the run in ms since the epoch. */
  until: number
  tell: (line: string) => void
}

export interface Counts {
  requests: number
  byStatus: Map<number, number>
  cut: number
  unrepeated: number
  restarts: number
}

export function noCounts(): Counts {
  return { requests: 0, byStatus: new Map(), cut: 0, unrepeated: 0, restarts: 0 }
}

export async function restart(run: FuzzRun, settings: Settings = {}): Promise<void> {
  run.line.agent.destroy()
  await endFuzzed(run.service)
  run.service = await startFuzzed(run.home, settings)
  run.line = openLine(run.service.port, run.limits.hangMs)
}

export function hasEnded({ service: { child } }: FuzzRun): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

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
