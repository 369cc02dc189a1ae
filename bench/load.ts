import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { FOLDER } from './data-store.ts'
import { type Cores, isInstalled, startOn, stopProcess } from './processes.ts'

/** A job for the load generator. */
interface JobOf<What> {
  do: What
  port: number
  /** The file of requests, one on each line: method, path and body, separated by tabs. */
  file: string
  /** The duration. */
  seconds: number
  /** The headers of each GET. */
  headers: Record<string, string>
  /** The header of each other request. */
  authorization: string
}

/** Several connections, each sending the next request after an answer. */
export interface LoadJob extends JobOf<'load'> {
  connections: number
  /** True to end with the list, if that is before `seconds`; otherwise the list starts again. */
  once: boolean
}

/** One connection that sends each request of the list once. */
export type ProbeJob = JobOf<'probe'>
/** A job as it is sent to the load process. */
export interface Asked {
  id: number
  job: LoadJob | ProbeJob
}

export interface LoadResult {
  /** The number of answers. */
  requests: number
  seconds: number
  /** The number of failures: by status from 400 on, or by the error of a broken connection. */
  failed: Record<string, number>
}

export interface ProbeResult {
  /** The time of each answer in µs, in order. */
  micros: number[]
  failed: number
}

type WithoutFile<Job> = Omit<Job, 'do' | 'file'> & { requests: readonly string[] }

/** The load generators of a run. */
export interface LoadTool {
  /** The name and version of the tool for reads. */
  name: string
  /** Runs reads, with `wrk` if the run uses it. */
  read: (job: WithoutFile<LoadJob>) => Promise<LoadResult>
  /** Runs writes, with autocannon in every run. */
  write: (job: WithoutFile<LoadJob>) => Promise<LoadResult>
  /** Measures single answers. */
  probe: (job: WithoutFile<ProbeJob>) => Promise<ProbeResult>
  stop: () => Promise<void>
}

export type ToolName = 'wrk' | 'autocannon'

/** Returns `wrk` if it is installed, otherwise autocannon. */
export function findTool(): ToolName {
  return isInstalled('wrk') ? 'wrk' : 'autocannon'
}

/** Starts the process of the load generator on its core. */
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
    // wrk runs for the whole time and repeats the list, so it cannot end with the list.
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
  // wrk takes only whole seconds.
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
  if (tool === 'autocannon')
    return `autocannon ${createRequire(import.meta.url)('autocannon/package.json').version}`
  const version =
    spawnSync('wrk', ['-v'], { encoding: 'utf8' }).stdout.match(/^wrk (?:debian\/)?(\S+)/)?.[1] ?? ''
  return `wrk ${version}`.trim()
}
