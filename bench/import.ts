/**
 * Measures how fast an import is, and how much slower the readers of the running calendar are served
 * meanwhile:
 *
 *     npm run bench:import -- [--events 10000] [--format ndjson|ics] [--served]
 *
 * It exports the calendar of the benchmarks to a file and imports that into an empty calendar, then again
 * without changes, and with `--served` while a service answers from it. Events per second refer to processor
 * time, which other programs change little; `--cpu-prof` shows where it is spent.
 */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepareGround } from '../src/app.ts'
import { readConfig } from '../src/base/config.ts'
import type { Context } from '../src/calendar/declare/context.ts'
import { translatorFor } from '../src/calendar/locales/translate.ts'
import { listUsers } from '../src/calendar/people/users.ts'
import { englishMessage } from '../src/features/imports/import-messages.ts'
import { lowerPriority } from '../src/features/imports/import-schedule.ts'
import { importSource } from '../src/features/imports/import-source.ts'
import { openSource } from '../src/features/imports/open-source.ts'
import { writerBy } from '../src/store/storage/recording.ts'
import { FOLDER, prepareDataStore } from './data-store.ts'
import { startListReader, tellLists, WINDOW } from './list-reader.ts'
import { BASE, startService } from './service.ts'

const FORMATS = ['ndjson', 'ics'] as const
/** The ms for which lists are read before the import. */
const BEFORE_MS = 5000

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Exports the whole calendar of a data set in each format. */
async function writeFiles(events: number, folder: string): Promise<void> {
  const { address } = await prepareDataStore(events, undefined, say)
  const service = await startService({ address, cores: { server: undefined, load: undefined }, flags: [] })
  try {
    for (const format of FORMATS) {
      const { body } = await fetch(
        `http://127.0.0.1:${service.port}${BASE}/events?${WINDOW}&format=${format}`,
      )
      if (body) await pipeline(Readable.fromWeb(body), createWriteStream(join(folder, `calendar.${format}`)))
    }
  } finally {
    await service.stop()
  }
}

const secondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6

/** Imports a file into a new calendar twice. */
async function measure(file: string, folder: string): Promise<void> {
  // The cache of compiled code and the low priority are those of the command.
  process.env.NODE_COMPILE_CACHE ??= join(FOLDER, 'compiled')
  lowerPriority()
  const config = readConfig({ data: folder, log_level: 'silent' }, {}, [])
  const { database, images, site } = await prepareGround(config, () => undefined)
  const [admin] = await listUsers(database.read)
  if (!admin) throw new Error('there is no administrator')
  const { id } = admin
  const by = { ...writerBy('import'), user: id, login: admin.login }
  const write: Context['write'] = (work) => database.write(work, by)
  const { read: db, readInLane, findMatching } = database
  const caller = { id, login: admin.login, role: admin.role }
  const context = {
    db,
    readInLane,
    write,
    findMatching,
    images,
    say: translatorFor(site),
    report: () => undefined,
    site,
    caller,
    now: Date.now(),
  }
  const options = { conflicts: 'keep', dryRun: false, mirror: false, images: false, private: true } as const
  for (const name of ['first', 'again']) {
    const { source, close } = await openSource(file, {}, { zone: site.timezone, backOffMs: 0 })
    const [began, spent, writing] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()]
    const { counts } = await importSource({
      source,
      options,
      context,
      by,
      remark: ({ text }) => say(englishMessage(text)),
      restart: () => undefined,
      progress: () => undefined,
      wait: () => undefined,
    })
    await close()
    const all = secondsOf(process.cpuUsage(spent))
    const writer = secondsOf(process.threadCpuUsage(writing))
    const items = counts.created + counts.unchanged
    const rate = (seconds: number) => `${Math.round(items / seconds)}/s`
    const wall = (performance.now() - began) / 1000
    const memory = Math.round(process.memoryUsage().rss / 1e6)
    say(
      `${name}: ${items} items, ${rate(writer)} of processor time of the thread that ` +
        `writes, ${rate(all)} of that of all threads, ${rate(wall)} of time, ${memory} MB resident`,
    )
  }
  await database.close()
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '10000' },
      format: { type: 'string', default: 'ndjson' },
      served: { type: 'boolean', default: false },
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'kalends-bench-import-'))
  try {
    await writeFiles(Number(values.events), folder)
    const file = join(folder, `calendar.${values.format}`)
    if (values.served) await measureServed(file, folder)
    else await measure(file, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Imports while a service answers from the calendar. */
async function measureServed(file: string, folder: string): Promise<void> {
  const address = `sqlite:${join(folder, 'kalends.sqlite')}`
  const service = await startService({ address, cores: { server: undefined, load: undefined }, flags: [] })
  const reader = startListReader(service.port)
  try {
    await pause(BEFORE_MS)
    say(await tellLists(reader, 'before'))
    await measure(file, folder)
    say(await tellLists(reader, 'meanwhile'))
  } finally {
    reader.kill()
    await service.stop()
  }
}

await main()
