import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../../src/app.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { readEveryAnswer } from '../support/every-answer.ts'
import { fillCalendar } from '../support/sample-calendar.ts'
import { startService, testConfig } from '../support/service.ts'
import {
  type Answers,
  type BackupCampaign,
  beginCommand,
  emptyDatabase,
  type Places,
  requireSame,
  restoreAndRead,
  SITE,
  takeBackup,
} from './backup-campaign.ts'

// Takes a backup during an import, which writes more than a thousand events a second, faster than clients of a service. The backup must have the first events
// of the file and no others, each as in the source, and give the same bytes on either database.

/** The figures of such a backup. */
export interface ImportFigures {
  /** The ms that the command took, including the start of its process. */
  took: number
  /** The events written per second during the backup. */
  writes: number
  /** The events in the backup, and those in the source when the command began and ended. */
  included: number
  before: number
  after: number
  /** The answers of the restored calendar. */
  answers: number
}

/** @param events in the file, more than an import writes during a backup @throws AssertionError when something is missing, incomplete or different */
export async function backUpUnderImport(
  campaign: Pick<BackupCampaign, 'source' | 'targets' | 'server'>,
  events: number,
): Promise<ImportFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-backups-'))
  const source = await emptyDatabase(campaign.source, campaign.server, join(folder, 'source.sqlite'))
  const places = { database: source.address, media: `file:${join(folder, 'media')}` }
  try {
    const sample = await startService(places)
    await fillCalendar(sample)
    await sample.close()
    const file = join(folder, 'imported.backup')
    const { took, ...counts } = await takeUnderImport(places, await writeEvents(folder, events), file)
    const restored: Answers[] = []
    for (const target of campaign.targets)
      restored.push(await restoreAndRead({ file, media: places.media }, target, campaign.server, folder))
    const [first = new Map(), ...others] = restored
    for (const other of others) requireSame(other, first)
    const singles = importedEvents(first)
    requireFirst(singles, counts)
    requireSame(chosen(await readAnswers(places, folder), singles.keys()), singles)
    const writes = ((counts.after - counts.before) / took) * 1000
    return { took, writes, included: singles.size, ...counts, answers: first.size }
  } finally {
    await source.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes a file of events in the order of their titles. Returns its path. */
async function writeEvents(folder: string, events: number): Promise<string> {
  const file = join(folder, 'events.ndjson')
  const lines = Array.from({ length: events }, (_, number) => {
    const day = new Date(Date.UTC(2026, 10, 1 + (number % 700))).toISOString().slice(0, 10)
    const venue = { id: 1_000_000 + (number % 50), venue: `Imported hall ${number % 50}` }
    const times = { start_date: `${day} 19:00:00`, end_date: `${day} 21:00:00`, timezone: 'Europe/Berlin' }
    return JSON.stringify({ id: number + 1, status: 'publish', title: `Imported ${number}`, ...times, venue })
  })
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}

/** Backs up once some events are imported, and ends the import after the backup. */
async function takeUnderImport(
  places: Places,
  file: string,
  backup: string,
): Promise<Pick<ImportFigures, 'took' | 'before' | 'after'>> {
  const database = await openDatabase(places.database)
  try {
    const importing = beginCommand(places, 'import', '--name', 'town', file)
    let before = 0
    while (before === 0 && importing.child.exitCode === null) {
      await sleep(20)
      before = await countImported(database)
    }
    const began = performance.now()
    await takeBackup(places, backup)
    const took = performance.now() - began
    assert.equal(importing.child.exitCode, null, 'the import went on until the backup had ended')
    const after = await countImported(database)
    await importing.end()
    return { took, before, after }
  } finally {
    await database.close()
  }
}

async function countImported(database: Database): Promise<number> {
  const { count } = await database.read
    .selectFrom('events')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('title', 'like', 'Imported %')
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function readAnswers(places: Places, folder: string): Promise<Answers> {
  const app = await startApp(testConfig(folder, { ...places, site_url: SITE }))
  return readEveryAnswer(app.port).finally(() => app.stop())
}

/** Returns the imported events of a calendar as the administrator sees them: JSON by reader and path. */
function importedEvents(answers: Answers): Map<string, string> {
  return new Map(
    [...answers].filter(([key, text]) => /^admin .*\/events\/\d+$/.test(key) && titleOf(text) !== undefined),
  )
}

/** Returns the number in the title of an imported event. */
function titleOf(text: string): number | undefined {
  const [, number] = /^Imported (\d+)$/.exec(JSON.parse(text).title) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Asserts that the backup has the first events of the file: at least those present when it began, and none from after its end. */
function requireFirst(
  singles: ReadonlyMap<string, string>,
  { before, after }: Pick<ImportFigures, 'before' | 'after'>,
): void {
  const numbers = [...singles.values()].map((text) => titleOf(text) ?? -1).sort((a, b) => a - b)
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, number) => number),
  )
  assert.ok(before <= numbers.length && numbers.length <= after, `${before} ≤ ${numbers.length} ≤ ${after}`)
  assert.ok(before > 0, 'the import had begun')
}

function chosen(answers: Answers, keys: Iterable<string>): Map<string, string> {
  return new Map([...keys].map((key) => [key, answers.get(key) ?? '{}'] as const))
}
