import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes, waitedSeconds } from '../../bench/processes.ts'
import { exchange } from './exchange.ts'

export interface Seen {
  /** The slowest answer of `/healthz` in ms, each over a new connection. */
  healthWorst: number
  /** The times in ms of a list that is requested repeatedly over one connection. */
  listP99: number
  listWorst: number
  lists: number
  shed: number
  /** Resident memory in bytes: before, at most, and at the end. */
  before: number
  most: number
  after: number
  keptWaiting: number
  problems: string[]
}

export interface Watch {
  stop: () => Promise<Seen>
}

const EVERY_MS = 50

export function watch(service: { port: number; pid: number }, list: string): Watch {
  let isGoing = true
  const before = residentBytes(service.pid)
  const [began, waited] = [performance.now(), waitedSeconds(service.pid)]
  const seen: Seen = {
    healthWorst: 0,
    listP99: 0,
    listWorst: 0,
    lists: 0,
    shed: 0,
    before,
    most: before,
    after: 0,
    keptWaiting: 0,
    problems: [],
  }
  const looking = Promise.all([
    lookAtHealth(service, seen, () => isGoing),
    lookAtLists(service, list, seen, () => isGoing),
  ])
  return {
    stop: async () => {
      isGoing = false
      await looking
      seen.after = residentBytes(service.pid)
      seen.keptWaiting = ((waitedSeconds(service.pid) - waited) * 1000) / (performance.now() - began)
      return seen
    },
  }
}

async function lookAtHealth(
  service: { port: number; pid: number },
  seen: Seen,
  isGoing: () => boolean,
): Promise<void> {
  while (isGoing()) {
    const began = performance.now()
    const { status, broken } = await exchange(service.port, {
      as: 'anonymous',
      method: 'GET',
      path: '/healthz',
    })
    seen.healthWorst = Math.max(seen.healthWorst, performance.now() - began)
    if (status !== 200) seen.problems.push(`/healthz was answered ${status || broken}`)
    seen.most = Math.max(seen.most, residentBytes(service.pid))
    await sleep(EVERY_MS)
  }
}

async function lookAtLists(
  service: { port: number },
  path: string,
  seen: Seen,
  isGoing: () => boolean,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  while (isGoing()) {
    const began = performance.now()
    const { status, broken, headers } = await exchange(
      service.port,
      { as: 'anonymous', method: 'GET', path },
      agent,
    )
    if (status === 503 && headers['retry-after'] !== undefined) seen.shed += 1
    else if (status === 200) times.push(performance.now() - began)
    else seen.problems.push(`a list was answered ${status || broken}`)
    await sleep(EVERY_MS)
  }
  agent.destroy()
  times.sort((a, b) => a - b)
  seen.lists = times.length
  seen.listWorst = times.at(-1) ?? 0
  seen.listP99 = times[Math.floor(times.length * 0.99)] ?? seen.listWorst
}

/** Reads lists one after the other and returns their times in ms. */
export async function timeLists(port: number, paths: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (const path of paths) {
    const began = performance.now()
    const { status } = await exchange(port, { as: 'anonymous', method: 'GET', path }, agent)
    times.push(status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY)
  }
  agent.destroy()
  return times
}

export function p99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
}
