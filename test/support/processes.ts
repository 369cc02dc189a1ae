import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startApp } from '../../src/app.ts'
import { MAIN, programEnvironment } from './environment.ts'
import { credentialsOf, type Reader, type Settings, testConfig } from './service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Process {
  child: ChildProcess
  lines: AsyncIterable<string>
  end: (signal?: NodeJS.Signals) => Promise<number | null>
  ended: Promise<number | null>
}

export function otherNodes(): string[] {
  const places = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'))
  return places.filter((path) => !path.includes('node_modules') && existsSync(path))
}

export async function readAll({ lines }: Process): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

export function startProcess(
  file: string,
  words: readonly string[],
  env: Record<string, string> = {},
  before = '',
): Process {
  const command = [process.execPath, file, ...words]
  const [program = '', ...rest] =
    before === '' ? command : ['sh', '-c', `${before}; exec "$0" "$@"`, ...command]
  const child = spawn(program, rest, {
    cwd: root,
    env: programEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    child,
    lines: createInterface({ input: child.stdout }),
    ended,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}

export interface Served {
  base: string
  end: () => Promise<number | null>
  send: (as: Reader, method: string, path: string, body?: unknown) => Promise<SentAnswer>
}

export interface ServiceProcess extends Omit<Served, 'end'>, Pick<Process, 'child' | 'end'> {}

export interface SentAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any
}

export async function startServiceProcess(settings: Settings, before = ''): Promise<ServiceProcess> {
  const given = { timezone: 'America/New_York', port: '0', log_level: 'silent', drain_ms: '0', ...settings }
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const { child, lines, end } = startProcess(MAIN, [...flags, 'serve'], {}, before)
  for await (const line of lines) {
    const [, base] = line.match(/^Kalends answers at (\S+)$/) ?? []
    if (base === undefined) continue
    child.stdout?.resume()
    return { child, base, end, send: (as, method, path, body) => send(base + path, as, method, body) }
  }
  throw new Error('the service did not start')
}

export async function startServed({ data = '', ...settings }: Settings): Promise<Served> {
  const app = await startApp(testConfig(data, settings))
  const { base } = app.site
  return {
    base,
    send: (as, method, path, body) => send(base + path, as, method, body),
    end: async () => {
      await app.stop()
      return 0
    },
  }
}

async function send(url: string, as: Reader, method: string, body: unknown): Promise<SentAnswer> {
  const response = await fetch(url, {
    method,
    headers: { ...credentialsOf(as), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
