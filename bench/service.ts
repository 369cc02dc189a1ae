import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cores, freePort, startOn, stopProcess } from './processes.ts'

/** The path of the namespace with default settings. */
export const BASE = '/wp-json/tribe/events/v1'

/** The address in answers, which is the same in every run. */
export const SITE_URL = 'http://calendar.example'

/** A service under measurement, started as a user starts it. */
export interface RunningService {
  port: number
  pid: number
  /** The seconds from the start of the process to its first list. */
  startSeconds: number
  stop: () => Promise<void>
}

/** The options of a service. */
export interface ServiceOptions {
  /** The value of `--database`. */
  address: string
  cores: Cores
  /** More flags of `kalends serve`. */
  flags: readonly string[]
}

const PATIENCE_MS = 120_000

/**
 * Starts `serve` and waits for its first answer, then until memory is filled.
 * @throws Error with its output if it ends before.
 */
export async function startService({ address, cores, flags }: ServiceOptions): Promise<RunningService> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-bench-data-'))
  const main = join(import.meta.dirname, '..', 'bin', 'kalends.js')
  const args = [
    'serve',
    '--database',
    address,
    '--data',
    folder,
    '--port',
    String(port),
    '--log-level',
    'silent',
    '--site-url',
    SITE_URL,
    ...flags,
  ]
  const began = performance.now()
  const child = startOn(cores.server, main, args, ['ignore', 'pipe', 'pipe'])
  const said = collect(child)
  const stop = async () => {
    await stopProcess(child)
    await rm(folder, { recursive: true, force: true })
  }
  while (!(await isAnswering(port))) {
    if (child.exitCode !== null || performance.now() - began > PATIENCE_MS) {
      await stop()
      throw new Error(`The service did not start: ${said().trim()}`)
    }
    await sleep(2)
  }
  const startSeconds = (performance.now() - began) / 1000
  await filled(port)
  return { port, pid: child.pid ?? 0, startSeconds, stop }
}

/** Waits until the memory is filled, as in a service that has run for a while. */
async function filled(port: number): Promise<void> {
  const isFilled = async () => {
    const { body } = await fetchAnswer(port, '/readyz')
    return JSON.parse(body.toString()).memory === 'filled'
  }
  while (!(await isFilled())) await sleep(50)
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
  return () => text
}

async function isAnswering(port: number): Promise<boolean> {
  return fetchAnswer(port, `${BASE}/events`).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** An answer as it was sent. */
export interface Answer {
  status: number
  /** Names and values in turn, without the headers that every Node server adds. */
  headers: string[]
  body: Buffer
}

const OWN_HEADERS = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding'])

/** Sends a request over a new connection. */
export function fetchAnswer(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const pairs = Array.from({ length: response.rawHeaders.length / 2 }, (_, index) =>
          response.rawHeaders.slice(2 * index, 2 * index + 2),
        )
        const kept = pairs.filter(([name = '']) => !OWN_HEADERS.has(name.toLowerCase()))
        resolve({ status: response.statusCode ?? 0, headers: kept.flat(), body: Buffer.concat(chunks) })
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}
