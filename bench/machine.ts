import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { FOLDER } from './data-store.ts'
import type { Cores } from './processes.ts'
import { median, type Run } from './results.ts'

/** Describes the machine and the versions on which the figures of a run depend. */
export function describeMachine(cores: Cores): Run['machine'] {
  const all = cpus()
  return {
    processor: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    bound: cores.server !== undefined,
    flushMs: flushMs(),
  }
}

/** Measures the ms for a durable write of 4 kB: no durable request can be faster. */
function flushMs(): number {
  const file = join(FOLDER, `flush-${process.pid}`)
  const handle = openSync(file, 'w')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: 50 }, () => {
    const began = performance.now()
    writeSync(handle, page)
    fdatasyncSync(handle)
    return performance.now() - began
  })
  closeSync(handle)
  rmSync(file)
  return median(times)
}
