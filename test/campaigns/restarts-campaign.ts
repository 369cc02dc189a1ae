import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { scratchDatabase } from '../support/database.ts'
import { freePort } from '../support/postgres.ts'
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { credentialsOf, makeCalendar, onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'

export const WAYS = ['new', 'kept', 'nginx'] as const
export type Way = (typeof WAYS)[number]

export const NGINX = '/usr/sbin/nginx'
export const hasNginx = existsSync(NGINX)

export interface RestartOptions {
  way: Way
  restarts: number
  writers: number
  drainMs: number
  restMs: number
}

export interface RestartFigures {
  way: Way
  restarts: number
  created: number
  failed: Record<string, number>
  lost: number
  doubled: number
  longestMs: number
  seconds: number
}

const ASKS_AGAIN_MS = 2000

const PAUSE_MS = 2500

interface Ground {
  ports: number[]
  settings: Record<string, string>
}

export async function restartUnderWrites(options: RestartOptions): Promise<RestartFigures> {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kalends-restarts-'))
  await makeCalendar(scratch.address)
  const settings = {
    database: scratch.address,
    data: folder,
    drain_ms: String(options.drainMs),
    trusted_proxy: 'loopback',
  }
  const ground: Ground = { ports: [await freePort(), await freePort()], settings }
  const nodes = await Promise.all(ground.ports.map((port) => startNode(ground, port)))
  const proxy = options.way === 'nginx' ? await startProxy(folder, ground.ports) : undefined
  const began = performance.now()
  const writing = startWriters(options, proxy ? [proxy.port] : ground.ports)
  try {
    await sleep(PAUSE_MS)
    for (let i = 0; i < options.restarts; i++) {
      const at = i % 2
      await nodes[at]?.end()
      nodes[at] = await startNode(ground, ground.ports[at] ?? 0)
      await sleep(PAUSE_MS)
    }
    const { titles, failed, longestMs } = await writing.end()
    const { lost, doubled } = await compare(scratch.address, titles)
    const seconds = Math.round((performance.now() - began) / 1000)
    return {
      way: options.way,
      restarts: options.restarts,
      created: titles.size,
      failed,
      lost,
      doubled,
      longestMs,
      seconds,
    }
  } finally {
    await writing.end()
    for (const node of nodes) if (node.child.exitCode === null) await node.end('SIGKILL')
    proxy?.child.kill('SIGKILL')
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

const startNode = ({ settings }: Ground, port: number): Promise<ServiceProcess> =>
  startServiceProcess({ ...settings, port: String(port) })

async function startProxy(
  folder: string,
  ports: readonly number[],
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n  ')
  const servers = ports.map((node) => `server 127.0.0.1:${node} max_fails=2 fail_timeout=2s;`).join('\n    ')
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary}
  upstream kalends {
    ${servers}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_connect_timeout 2s;
    proxy_read_timeout 30s;
    proxy_next_upstream error timeout http_503;
    proxy_next_upstream_tries 2;
    location / { proxy_pass http://kalends; }
  }
}
`,
  )
  const child = spawn(NGINX, ['-c', file, '-p', folder, '-e', `${folder}/error.log`], { stdio: 'ignore' })
  const answers = () =>
    post(port, 'before', false).then(
      ({ status }) => status === 201,
      () => false,
    )
  await until(answers, 'nginx did not start', 50)
  return { port, child }
}

interface Writing {
  titles: Set<string>
  failed: Record<string, number>
  longestMs: number
}

function startWriters(
  { way, writers, restMs }: RestartOptions,
  ports: readonly number[],
): { end: () => Promise<Writing> } {
  const writing: Writing = { titles: new Set(), failed: {}, longestMs: 0 }
  const refusedAt = new Map<number, number>()
  let isOver = false
  const write = async (writer: number) => {
    const agent = way === 'new' ? (false as const) : new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; !isOver; i++) {
      const title = `Event ${writer}.${i}`
      const began = performance.now()
      const outcome = await postToOne(ports, writer + i, refusedAt, title, agent)
      writing.longestMs = Math.max(writing.longestMs, Math.round(performance.now() - began))
      if (outcome === '201') writing.titles.add(title)
      else writing.failed[outcome] = (writing.failed[outcome] ?? 0) + 1
      if (restMs > 0) await sleep(restMs)
    }
    if (agent) agent.destroy()
  }
  const done = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return {
    end: async () => {
      isOver = true
      await done
      return writing
    },
  }
}

async function postToOne(
  ports: readonly number[],
  turn: number,
  refusedAt: Map<number, number>,
  title: string,
  agent: Agent | false,
): Promise<string> {
  const now = performance.now()
  const up = ports.filter((port) => now - (refusedAt.get(port) ?? Number.NEGATIVE_INFINITY) > ASKS_AGAIN_MS)
  const first = up[turn % Math.max(1, up.length)] ?? ports[0] ?? 0
  const tried = [first, ...ports.filter((port) => port !== first)]
  for (const port of tried) {
    const { status, code, step } = await post(port, title, agent)
    if (status !== undefined) return String(status)
    if (code !== 'ECONNREFUSED') return `${code} ${step}`
    refusedAt.set(port, performance.now())
  }
  return 'ECONNREFUSED'
}

interface Outcome {
  status?: number
  code?: string
  step?: string
}

function post(port: number, title: string, agent: Agent | false): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { ...credentialsOf('author'), 'content-type': 'application/json' }
    const path = '/wp-json/tribe/events/v1/events'
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode ?? 0 }))
      response.once('error', () => resolve({ code: 'cut', step: 'in the answer' }))
    })
    asked.once('error', (error: NodeJS.ErrnoException) =>
      resolve({
        code: error.code ?? error.message,
        step: asked.reusedSocket ? 'on a kept connection' : 'on a new one',
      }),
    )
    asked.end(JSON.stringify({ title, ...onDay('2027-05-01', '10:00', '11:00') }))
  })
}

async function compare(
  address: string,
  titles: ReadonlySet<string>,
): Promise<{ lost: number; doubled: number }> {
  const database = await openDatabase(address)
  try {
    const rows = await database.read.selectFrom('events').select('title').execute()
    const there = new Map<string, number>()
    for (const { title } of rows) there.set(title, (there.get(title) ?? 0) + 1)
    const lost = [...titles].filter((title) => !there.has(title)).length
    const doubled = [...titles].filter((title) => (there.get(title) ?? 0) > 1).length
    return { lost, doubled }
  } finally {
    await database.close()
  }
}
