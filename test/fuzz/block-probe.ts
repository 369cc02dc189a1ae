// A module that the service preloads: measures how long its main thread is blocked, and answers questions of
// the parent process.
import { isMainThread } from 'node:worker_threads'

/** A stretch in which the main thread was blocked, in ms; `from` and `to` since the epoch. */
export interface Block {
  from: number
  to: number
  cpuMs: number
}

export interface MemoryReading {
  rss: number
  heap: number
  outside: number
  polluted: string[]
}

export type Question = { id: number; ask: 'longest' | 'memory' }
export type Reply = { id: number; longest?: Block; memory?: MemoryReading }
export type Note = { block: Block }

const EVERY_MS = 2
const TOLD_CPU_MS = 12
const TOLD_WALL_MS = 200

interface Probe {
  /** The ms since the epoch of the last sample. */
  at: number
  cpu: number
  longest: Block
}

const now = () => performance.timeOrigin + performance.now()

function cpuMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

function sample(probe: Probe): void {
  const block: Block = { from: probe.at, to: now(), cpuMs: 0 }
  const cpu = cpuMicros()
  block.cpuMs = (cpu - probe.cpu) / 1000
  probe.at = block.to
  probe.cpu = cpu
  if (block.cpuMs > probe.longest.cpuMs) probe.longest = block
  if (block.cpuMs > TOLD_CPU_MS || block.to - block.from > TOLD_WALL_MS) tell({ block })
}

function tell(message: Reply | Note): void {
  if (process.connected) process.send?.(message)
}

function collectGarbage(): void {
  globalThis.gc?.()
  globalThis.gc?.()
}

function readMemory(): MemoryReading {
  const { rss, heapUsed, external } = process.memoryUsage()
  const polluted = Object.keys(Object.prototype).concat(
    Object.keys(Array.prototype),
    Object.keys(Function.prototype),
  )
  return { rss, heap: heapUsed, outside: external, polluted }
}

function forget(probe: Probe): void {
  probe.at = now()
  probe.cpu = cpuMicros()
  probe.longest = { from: probe.at, to: probe.at, cpuMs: 0 }
}

function answer(probe: Probe, { id, ask }: Question): void {
  sample(probe)
  if (ask === 'longest') tell({ id, longest: probe.longest })
  else {
    collectGarbage()
    tell({ id, memory: readMemory() })
  }
  // The garbage collection must not count as a block.
  forget(probe)
}

function start(): void {
  const probe: Probe = { at: 0, cpu: 0, longest: { from: 0, to: 0, cpuMs: 0 } }
  forget(probe)
  setInterval(() => sample(probe), EVERY_MS).unref()
  process.on('message', (question: Question) => answer(probe, question))
  process.channel?.unref()
  // Ends the service when the measuring process is gone.
  process.on('disconnect', () => process.exit())
}

if (isMainThread && process.send) start()
