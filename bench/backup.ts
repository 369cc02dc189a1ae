/**
 * Measures how long a backup takes while a service answers from the calendar, and how much slower its readers
 * are served meanwhile:
 *
 *     npm run bench:backup -- [--events 100000] [--runs 3]
 *
 * The command `kalends backup` takes it from a copy of the data set of the benchmarks on SQLite.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { copyForWriting, prepareDataStore } from './data-store.ts'
import { startListReader, tellLists } from './list-reader.ts'
import { freePort } from './processes.ts'
import { fetchAnswer, startService } from './service.ts'

/** The ms for which lists are read before the first backup and between backups. */
const BETWEEN_MS = 3000

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Returns the longest delay of the service's event loop since the last call. */
async function longestDelay(metrics: number): Promise<string> {
  const { body } = await fetchAnswer(metrics, '/metrics')
  const [, seconds] =
    /^kalends_event_loop_delay_seconds\{percentile="100"\} (\S+)$/m.exec(body.toString()) ?? []
  return `${(Number(seconds) * 1000).toFixed(1)} ms`
}

async function backUp(address: string, folder: string): Promise<void> {
  const main = join(import.meta.dirname, '..', 'bin', 'kalends.js')
  const file = join(folder, 'calendar.backup')
  const flags = ['--database', address, '--media', `file:${join(folder, 'media')}`]
  const began = performance.now()
  const child = spawn(process.execPath, [main, ...flags, 'backup', file], { stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - began) / 1000
  if (code !== 0) throw new Error('the backup failed')
  say(
    `a backup of ${((await stat(file)).size / 1e6).toFixed(0)} ` +
      `MB: ${seconds.toFixed(2)} s, with the start of its process`,
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '100000' }, runs: { type: 'string', default: '3' } },
  })
  const store = await copyForWriting(await prepareDataStore(Number(values.events), undefined, say))
  const folder = await mkdtemp(join(tmpdir(), 'kalends-bench-backup-'))
  const metrics = await freePort()
  const flags = ['--metrics', `127.0.0.1:${metrics}`]
  const service = await startService({
    address: store.address,
    cores: { server: undefined, load: undefined },
    flags,
  })
  const reader = startListReader(service.port)
  try {
    await pause(BETWEEN_MS)
    await tellLists(reader, 'at first')
    await longestDelay(metrics)
    for (let run = 0; run < Number(values.runs); run++) {
      await pause(BETWEEN_MS)
      say(
        `${await tellLists(reader, 'before')}; the event loop ` +
          `was late by ${await longestDelay(metrics)} at the most`,
      )
      await backUp(store.address, folder)
      say(
        `${await tellLists(reader, 'meanwhile')}; the event loop ` +
          `was late by ${await longestDelay(metrics)} at the most`,
      )
    }
  } finally {
    reader.kill()
    await service.stop()
    await store.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

await main()
