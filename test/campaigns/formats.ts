// Creates events that are hard to write and lets two independent parsers read each format, one from npm and
// one for Python: npm run formats
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { campaignOptions } from '../support/campaign-options.ts'
import { startService } from '../support/service.ts'
import { type ReadEvent, readers } from './format-readers.ts'
import { differences, fetchFeed, writeEvents } from './formats-campaign.ts'

const PYTHON = '/usr/bin/python3'
const MOST_BYTES = 1 << 30
const MOST_SHOWN = 20

async function lackOfParsers(): Promise<string | undefined> {
  try {
    await promisify(execFile)(PYTHON, ['-c', 'import feedparser, icalendar, vobject'])
    return undefined
  } catch {
    return `${PYTHON} lacks a parser: apt-get install python3-feedparser python3-icalendar python3-vobject`
  }
}

async function readElsewhere(folder: string): Promise<Map<string, ReadEvent[]>> {
  const script = new URL('./read-formats.py', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(PYTHON, [script, folder], { maxBuffer: MOST_BYTES })
  const read = new Map<string, ReadEvent[]>()
  for (const line of stdout.split('\n')) {
    if (line === '') continue
    const { format, reader, ...event } = JSON.parse(line) as ReadEvent & { format: string; reader: string }
    const name = `${format} ${reader}`
    const events = read.get(name) ?? []
    events.push(event)
    read.set(name, events)
  }
  return read
}

async function run(count: number, seed: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-formats-'))
  const service = await startService({ timezone: 'Europe/Oslo' })
  try {
    const expected = await writeEvents(service, count, seed)
    const read = new Map<string, ReadEvent[]>()
    for (const [ending, reader] of Object.entries(readers)) {
      const text = await fetchFeed(service, ending)
      await writeFile(join(folder, `events.${ending}`), text)
      read.set(`${ending} npm`, reader(text))
    }
    for (const [name, events] of await readElsewhere(folder)) read.set(name, events)
    for (const [name, events] of read) console.log(`${name.padEnd(24)} ${events.length} events`)
    const found = differences(expected, read)
    for (const one of found.slice(0, MOST_SHOWN)) console.log(one)
    console.log(`${found.length} differences among ${count} events of seed ${seed}`)
    return found.length === 0
  } finally {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const { events, seed } = campaignOptions(
  'Writes events and reads them back from every format with two parsers each.',
  {
    events: { about: 'events to write', value: 10_000 },
    seed: { about: 'the same seed writes the same events', value: 1 },
  },
)
const lack = await lackOfParsers()
if (lack !== undefined) console.error(lack)
process.exitCode = lack === undefined && (await run(events, seed)) ? 0 : 1
