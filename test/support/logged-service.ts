import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MAIN, programEnvironment } from './environment.ts'
import type { Settings } from './service.ts'
import { until } from './waiting.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface LoggedService {
  base: string
  metrics: string | undefined
  printed: () => string
  log: () => LogLine[]
  end: (signal?: 'SIGTERM' | 'SIGHUP') => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every shape.
export type LogLine = Record<string, any>

export async function startLoggedService(
  settings: Settings,
  environment: Record<string, string> = {},
): Promise<LoggedService> {
  const given = { port: '0', log_level: 'silent', drain_ms: '0', ...settings }
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const child = spawn(process.execPath, [MAIN, ...flags, 'serve'], {
    cwd: root,
    env: programEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  await until(
    () => /^Kalends answers at /m.test(out) || child.exitCode !== null,
    'the service does not start',
  )
  const [, base] = /^Kalends answers at (\S+)$/m.exec(out) ?? []
  if (base === undefined) throw new Error(`the service did not start: ${out}${err}`)
  return {
    base,
    metrics: /^Metrics are at (\S+)$/m.exec(out)?.[1],
    printed: () => out + err,
    log: () =>
      err
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await ended
    },
  }
}
