import { deepEqual } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, siteOf } from '../../src/base/config.ts'
import { besideWriting, fileSource } from '../../src/features/imports/file-source.ts'
import type { Reading, SourceEntry } from '../../src/features/imports/source-item.ts'
import { temporaryFolder } from '../support/folder.ts'
import { onDay } from '../support/service.ts'

const LINES = 3000

async function longFile(): Promise<string> {
  const folder = temporaryFolder()
  const lines = Array.from({ length: LINES }, (_, id) => {
    const venue = id % 10 === 0 ? { venue: { id: 10_000 + id, venue: `Hall ${id}` } } : {}
    const description = 'word '.repeat(200)
    const event = { id, title: `Event ${id}`, ...onDay('2027-01-02', '20:00:00', '21:00:00') }
    return id % 100 === 99 ? '{ no record' : JSON.stringify({ ...event, description, ...venue })
  })
  const file = join(folder, 'long.ndjson')
  await writeFile(file, lines.join('\n'))
  return file
}

function readingOf(): Reading {
  const config = readConfig({}, {}, [])
  const context = {
    site: siteOf(config, config.port),
    caller: { id: 1, login: 'admin', role: 'administrator' },
    now: 0,
  }
  return { context, images: false, expectsNew: () => true } as Reading
}

const nameOf = (entry: SourceEntry) =>
  'kind' in entry
    ? `${entry.kind} ${entry.identity}`
    : 'at' in entry
      ? entry.at
      : String(Object.values(entry))

test('dates of a series beyond the most that are read are single events', async () => {
  const folder = temporaryFolder()
  const lines = Array.from({ length: 5002 }, (_, i) => {
    const day = new Date(Date.UTC(2010, 0, 1 + i)).toISOString().slice(0, 10)
    const times = { ...onDay(day, '20:00:00', '21:00:00'), timezone: 'UTC' }
    const recurrence = { series: 1, id: times.start_date, rrule: 'FREQ=DAILY', overrides: [] }
    return JSON.stringify({ id: i + 10, title: 'Daily', ...times, post_parent: 1, recurrence })
  })
  await writeFile(join(folder, 'long.ndjson'), lines.join('\n'))
  const source = await fileSource({
    file: join(folder, 'long.ndjson'),
    name: undefined,
    map: [],
    dates: undefined,
    zone: 'UTC',
  })
  const names: string[] = []
  for await (const entry of source.entries(readingOf())) names.push(nameOf(entry))
  deepEqual(names, ['series 1', 'event 5010', 'event 5011'])
})

test('a long file is read on by a thread where it began, nothing left out, nothing twice', async () => {
  const file = await longFile()
  const task = { file, name: undefined, map: [], dates: undefined, zone: 'UTC' }
  const reading = readingOf()
  const expected: string[] = []
  for await (const entry of (await fileSource(task)).entries(reading)) expected.push(nameOf(entry))
  const [names, ahead]: [string[], boolean[]] = [[], []]
  for await (const entry of besideWriting(await fileSource(task), task).entries(reading)) {
    names.push(nameOf(entry))
    if ('kind' in entry) ahead.push(entry.ahead !== undefined)
    // Writing takes time like this until the thread has started.
    if (ahead.at(-1) === false) await sleep(5)
  }
  deepEqual(names, expected)
  deepEqual([ahead[0], ahead.at(-1)], [false, true])
})

test('a long table is read without a warning of Node', async (t) => {
  const folder = temporaryFolder()
  const rows = Array.from({ length: LINES }, (_, at) => `Event ${at},2027-07-05,${'word '.repeat(200)}`)
  const file = join(folder, 'long.csv')
  await writeFile(file, ['title,start_date,description', ...rows].join('\n'))
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const source = await fileSource({ file, name: undefined, map: [], dates: 'european', zone: 'UTC' })
  let count = 0
  for await (const entry of source.entries(readingOf())) count += Number('kind' in entry)
  deepEqual([count, warnings], [LINES, []])
})
