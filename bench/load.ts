import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { FOLDER } from './data-store.ts'
import { type Cores, isInstalled, startOn, stopProcess } from './processes.ts'

/** The parts of a load. */
interface JobOf<What> {
  do: What
  port: number
  /** Requests, one a line: method, path and body with tabs between them. */
  file: string
  /** For how long. */
  seconds: number
  /** Of every GET. */
  headers: Record<string, string>
  /** Sent with everything that is no GET. */
  authorization: string
}

/** Several connections, each asking again as soon as it is answered. */
export interface LoadJob extends JobOf<'load'> {
  connections: number
  /** Ends with the list, even before the time is over; else the list starts again. */
  once: boolean
}

/** One connection that asks the list once. */
export type ProbeJob = JobOf<'probe'>
/** A job as the load process is sent it. */
export interface Asked {
  id: number
  job: LoadJob | ProbeJob
}

export interface LoadResult {
  /** Answers that arrived. */
  requests: number
  seconds: number
  /** How many answers had a status of 400 and more, by the status, or broke off, by the word that says so. */
  failed: Record<string, number>
}

export interface ProbeResult {
  /** How long each answer took, in the order asked. */
  micros: number[]
  failed: number
}

type WithoutFile<Job> = Omit<Job, 'do' | 'file'> & { requests: readonly string[] }

/** The load generators of a run. */
export interface LoadTool {
  /** Name and version of what reads are measured with. */
  name: string
  /** Reads, through `wrk` when it is the tool of the run. */
  read: (job: WithoutFile<LoadJob>) => Promise<LoadResult>
  /** Writes, through autocannon in every run. */
  write: (job: WithoutFile<LoadJob>) => Promise<LoadResult>
  /** Times of single answers. */
  probe: (job: WithoutFile<ProbeJob>) => Promise<ProbeResult>
  stop: () => Promise<void>
}

export type ToolName = 'wrk' | 'autocannon'

/** `wrk` when it is installed, else autocannon, which always is. */
export function findTool(): ToolName {
  return isInstalled('wrk') ? 'wrk' : 'autocannon'
}

/** Starts the load generator's process on its core. */
export function startLoadTool(tool: ToolName, cores: Cores): LoadTool {
  const child = startOn(
    cores.load,
    process.execPath,
    [join(import.meta.dirname, 'load-worker.ts')],
    ['ignore', 'inherit', 'inherit', 'ipc'],
  )
  const file = join(FOLDER, `requests-${process.pid}.txt`)
  let jobs = 0

  const ask = async (job: Asked['job']): Promise<unknown> => {
    const id = ++jobs
    child.send({ id, job })
    const [answer] = await once(child, 'message')
    if (answer.id !== id) throw new Error('the load process answered another question')
    return answer.result
  }
  const write = async ({ requests, ...job }: WithoutFile<LoadJob>) => {
    await writeFile(file, `${requests.join('\n')}\n`)
    return (await ask({ ...job, file, do: 'load' })) as LoadResult
  }
  const readWithWrk = async ({ requests, ...job }: WithoutFile<LoadJob>) => {
    // wrk goes on until its time is over, also when there is nothing left to ask.
    if (job.once) return write({ requests, ...job })
    await writeFile(file, `${requests.join('\n')}\n`)
    return runWrk({ ...job, file, do: 'load' }, cores)
  }
  return {
    name: describeTool(tool),
    read: tool === 'wrk' ? readWithWrk : write,
    write,
    probe: async ({ requests, ...job }) => {
      await writeFile(file, `${requests.join('\n')}\n`)
      return (await ask({ ...job, file, do: 'probe' })) as ProbeResult
    },
    stop: async () => {
      await stopProcess(child)
      await rm(file, { force: true })
    },
  }
}

async function runWrk(job: LoadJob, cores: Cores): Promise<LoadResult> {
  const headers = Object.entries(job.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  // wrk takes whole seconds.
  const time = [
    '-t',
    '1',
    '-c',
    String(job.connections),
    '-d',
    `${Math.max(1, Math.round(job.seconds))}s`,
    '--timeout',
    '60s',
  ]
  const script = ['-s', join(import.meta.dirname, 'load-wrk.lua'), `http://127.0.0.1:${job.port}/`]
  const args = [...time, ...headers, ...script, '--', job.file, job.authorization]
  const child = startOn(cores.load, 'wrk', args, ['ignore', 'pipe', 'pipe'])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  await once(child, 'close')
  const result = said.match(/^RESULT (.*)$/m)?.[1]
  if (result === undefined) throw new Error(`wrk failed: ${said.trim()}`)
  return JSON.parse(result)
}

function describeTool(tool: ToolName): string {
  if (tool === 'autocannon') return `autocannon ${createRequire(import.meta.url)('autocannon/package.json').version}`
  const version = spawnSync('wrk', ['-v'], { encoding: 'utf8' }).stdout.match(/^wrk (?:debian\/)?(\S+)/)?.[1] ?? ''
  return `wrk ${version}`.trim()
}
