import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Database } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { patient, type ScratchDatabase } from '../support/database.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { makeCalendar, type Settings } from '../support/service.ts'
import type { Block, MemoryReading, Note, Question, Reply } from './block-probe.ts'
import { type DeskSessions, openSessions } from './desk-sessions.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const probe = new URL('./block-probe.ts', import.meta.url).href

export interface FuzzedService {
  child: ChildProcess
  port: number
  basePath: string
  restRoot: string
  blocks: Block[]
  errors: string[]
  ended: Promise<unknown>
}

export interface Home {
  database: ScratchDatabase
  opened: Database
  sessions: DeskSessions
  folder: string
}

export async function makeHome(scratch: ScratchDatabase): Promise<Home> {
  await makeCalendar(scratch.address)
  const opened = await openDatabase(patient(scratch.address))
  const folder = await mkdtemp(join(tmpdir(), 'kalends-fuzz-'))
  return { database: scratch, opened, sessions: await openSessions(opened), folder }
}

export async function removeHome({ database, opened, folder }: Home): Promise<void> {
  await opened.close()
  await database.remove()
  await rm(folder, { recursive: true, force: true })
}

export async function startFuzzed(home: Home, settings: Settings = {}): Promise<FuzzedService> {
  const given: Settings = {
    database: patient(home.database.address),
    data: home.folder,
    timezone: 'America/New_York',
    port: '0',
    log_level: 'error',
    image_hosts: '127.0.0.1',
    cache_bytes: '8000000',
    mcp: 'write',
    mcp_rate_limit: '0',
    ...settings,
  }
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, MAIN, ...flags, 'serve'], {
    cwd: root,
    env: programEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit').finally(() => process.off('exit', kill))
  const service: FuzzedService = { child, port: 0, basePath: '', restRoot: '', blocks: [], errors: [], ended }
  listen(service)
  const base = new URL(await announced(child))
  service.port = Number(base.port)
  service.basePath = base.pathname
  service.restRoot = base.pathname.split('/').slice(0, 2).join('/')
  return service
}

function listen({ child, blocks, errors }: FuzzedService): void {
  child.on('message', (message: Reply | Note) => {
    if ('block' in message) blocks.push(message.block)
  })
  if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => errors.push(stackOf(line)))
}

function stackOf(line: string): string {
  try {
    const { err, msg } = JSON.parse(line)
    return String(err?.stack ?? msg ?? line)
  } catch {
    return line
  }
}

async function announced({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the service has no standard output')
  for await (const line of createInterface({ input: stdout })) {
    const [, base] = line.match(/^Kalends answers at (\S+)$/) ?? []
    if (base === undefined) continue
    stdout.resume()
    return base
  }
  throw new Error('the service did not start')
}

export async function endFuzzed(service: FuzzedService): Promise<void> {
  if (service.child.exitCode !== null || service.child.signalCode !== null) return
  service.child.kill('SIGKILL')
  await service.ended
}

let questions = 0

async function ask(service: FuzzedService, question: Question['ask'], patience: number): Promise<Reply> {
  const id = ++questions
  const { child } = service
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      child.off('message', hear)
    }
    const hear = (message: Reply | Note) => {
      if (!('id' in message) || message.id !== id) return
      settle()
      resolve(message)
    }
    const timer = setTimeout(() => {
      settle()
      reject(new Error(`the service tells nothing for ${patience} ms`))
    }, patience)
    child.on('message', hear)
    if (child.connected) child.send({ id, ask: question } satisfies Question)
  })
}

/** Returns the longest block of the main thread since the last call. */
export async function longestBlock(service: FuzzedService, patience: number): Promise<Block> {
  const { longest } = await ask(service, 'longest', patience)
  if (!longest) throw new Error('the probe answered something else')
  return longest
}

export async function memoryOf(service: FuzzedService, patience: number): Promise<MemoryReading> {
  const { memory } = await ask(service, 'memory', patience)
  if (!memory) throw new Error('the probe answered something else')
  return memory
}
