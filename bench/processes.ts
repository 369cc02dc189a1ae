import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** The cores of both sides; undefined where processes cannot be bound to cores. */
export interface Cores {
  /** For the service and the bare server, which are never under load at the same time. */
  server: string | undefined
  /** For the load generator. */
  load: string | undefined
}

/** Returns the first two cores that this process may use, if there are two and `taskset` is installed. */
export function findCores(): Cores {
  const [server, load] = allowedCores()
  if (server === undefined || load === undefined || !isInstalled('taskset'))
    return { server: undefined, load: undefined }
  return { server, load }
}

export function isInstalled(command: string): boolean {
  return spawnSync('which', [command], { stdio: 'ignore' }).status === 0
}

function allowedCores(): string[] {
  const list = statusOf('self')?.match(/^Cpus_allowed_list:\s*(.*)$/m)?.[1] ?? ''
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return from === undefined || to === undefined || Number.isNaN(to)
      ? []
      : Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
  })
}

/** Running processes, which end with this one. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Starts a command on a core. The process id is that of the command itself. */
export function startOn(
  core: string | undefined,
  command: string,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KALENDS_')))
  const [file, ...rest]: [string, ...string[]] =
    core === undefined ? [command, ...args] : ['taskset', '-c', core, command, ...args]
  const child = spawn(file, rest, { stdio, env, serialization: 'advanced' })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Moves this process to a core, so that it does not disturb the other one. */
export function moveTo(core: string | undefined): void {
  if (core !== undefined) spawnSync('taskset', ['-cp', core, String(process.pid)], { stdio: 'ignore' })
}

/** Ends a process and waits for it. Kills it after ten seconds. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(force)
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

/**
 * Returns the processor time in seconds of all threads of a process and its children; NaN where the system
 * does not tell it.
 */
export function processorSeconds(pid: number): number {
  return sumOver(pid, (id) => {
    // The first field of schedstat is the time on a processor in ns. The times in stat are rounded to 10 ms.
    const threads = list(`/proc/${id}/task`).map((thread) => read(`/proc/${id}/task/${thread}/schedstat`))
    return (
      threads.reduce((sum, times) => sum + Number(times?.split(' ')[0] ?? 0), 0) /
      (threads.length > 0 ? 1e9 : 0)
    )
  })
}

/**
 * Returns the seconds for which the first thread of a process has waited for a processor; NaN where the
 * system does not tell it.
 */
export function waitedSeconds(pid: number): number {
  return Number(read(`/proc/${pid}/task/${pid}/schedstat`)?.split(' ')[1] ?? Number.NaN) / 1e9
}

/** Returns the resident bytes of a process and its children; NaN where the system does not tell them. */
export function residentBytes(pid: number): number {
  return sumOver(pid, (id) => Number(statusOf(id)?.match(/^VmRSS:\s*(\d+) kB$/m)?.[1] ?? Number.NaN) * 1024)
}

function sumOver(pid: number, figure: (pid: number) => number): number {
  const children =
    read(`/proc/${pid}/task/${pid}/children`)?.trim().split(' ').filter(Boolean).map(Number) ?? []
  return children.reduce((sum, child) => sum + sumOver(child, figure), figure(pid))
}

const statusOf = (pid: number | 'self') => read(`/proc/${pid}/status`)

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
