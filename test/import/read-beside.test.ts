import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, siteOf } from '../../src/base/config.ts'
import { besideWriting, fileSource } from '../../src/exchange/import/file-source.ts'
import type { Reading, SourceEntry } from '../../src/exchange/import/source-item.ts'

const LINES = 3000

/** A long file with a line in a hundred that is no record, and a venue with every tenth event. */
async function longFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-read-beside-'))
  t.after(() => rm(folder, { recursive: true }))
  const lines = Array.from({ length: LINES }, (_, id) => {
    const venue = id % 10 === 0 ? { venue: { id: 10_000 + id, venue: `Hall ${id}` } } : {}
    const description = 'word '.repeat(200)
    const event = { id, title: `Event ${id}`, start_date: '2027-01-02 20:00:00', end_date: '2027-01-02 21:00:00' }
    return id % 100 === 99 ? '{ no record' : JSON.stringify({ ...event, description, ...venue })
  })
  const file = join(folder, 'long.ndjson')
  await writeFile(file, lines.join('\n'))
  return file
}

const nameOf = (entry: SourceEntry) =>
  'kind' in entry ? `${entry.kind} ${entry.identity}` : 'at' in entry ? entry.at : String(Object.values(entry))

test('a long file is read on by a thread where reading it began, with nothing left out and nothing twice', async (t) => {
  const file = await longFile(t)
  const task = { file, name: undefined, map: [], dates: undefined, zone: 'UTC' }
  const config = readConfig({}, {})
  const context = {
    site: siteOf(config, config.port),
    caller: { id: 1, login: 'admin', role: 'administrator' },
    now: 0,
  }
  const reading = { context, images: false, expectsNew: () => true } as Reading
  const expected: string[] = []
  for await (const entry of (await fileSource(task)).entries(reading)) expected.push(nameOf(entry))
  const [names, ahead]: [string[], boolean[]] = [[], []]
  for await (const entry of besideWriting(await fileSource(task), task).entries(reading)) {
    names.push(nameOf(entry))
    if ('kind' in entry) ahead.push(entry.ahead !== undefined)
    // As writing does, until the thread is there.
    if (ahead.at(-1) === false) await sleep(5)
  }
  assert.deepEqual(names, expected)
  assert.deepEqual([ahead[0], ahead.at(-1)], [false, true])
})
