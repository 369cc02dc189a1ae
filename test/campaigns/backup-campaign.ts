import { deepEqual, equal, fail, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../bench/processes.ts'
import { startApp } from '../../src/app.ts'
import { kalends } from '../support/commands.ts'
import { differingPaths } from '../support/comparable.ts'
import { type DatabaseName, type ScratchDatabase, scratchPostgres } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { readEveryAnswer } from '../support/every-answer.ts'
import { type Process, startProcess, startServiceProcess } from '../support/processes.ts'
import { fillCalendar } from '../support/sample-calendar.ts'
import { startService, testConfig } from '../support/service.ts'
import { type Batch, type BatchWriters, shown, startBatchWriters, writesASecond } from './batch-writers.ts'

// Takes backups of a service while clients write as fast as it answers, restores them, and compares the
// restored calendar
//   - with the acknowledged writes: of each client it has the first batches, whole, and nothing else; and a
// moment exists, after the command began,
//     with every batch before it in the backup and none after it;
//   - with the source, byte for byte, where it has not changed since;
//   - with the same backup restored on the other database, byte for byte, in every answer that
// `readEveryAnswer` reads.

const WRITERS = 4
export const SITE = 'http://calendar.example'

export interface BackupCampaign {
  source: DatabaseName
  targets: readonly DatabaseName[]
  server: string | undefined
  backups: number
  seconds: number
}

export interface BackupFigures {
  took: number
  writes: number
  before: number
  batches: number
  acknowledged: number
  asInSource: number
  answers: number
}

export async function runBackupCampaign(campaign: BackupCampaign): Promise<BackupFigures[]> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-backups-'))
  const source = await emptyDatabase(campaign.source, campaign.server, join(folder, 'source.sqlite'))
  try {
    const places = { database: source.address, media: `file:${join(folder, 'media')}` }
    const sample = await startService(places)
    await fillCalendar(sample)
    await sample.close()
    const { batches, taken, answers } = await takeUnderWrites(campaign, places, folder)
    const figures: BackupFigures[] = []
    for (const backup of taken) {
      const restored: Answers[] = []
      for (const target of campaign.targets)
        restored.push(await restoreAndRead(backup, target, campaign.server, folder))
      const [first = new Map(), ...others] = restored
      const included = requireMoment(backup, batches, first)
      requireContent(included, first)
      for (const other of others) requireSame(other, first)
      figures.push({
        took: backup.ended - backup.began,
        writes: backup.writes,
        before: batches.filter(({ acknowledged }) => acknowledged < backup.began).length,
        batches: included.length,
        acknowledged: batches.length,
        asInSource: requireAsInSource(batches, included, first, answers),
        answers: first.size,
      })
    }
    return figures
  } finally {
    await source.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

export interface Places {
  database: string
  media: string
}

interface Taken {
  file: string
  media: string
  began: number
  ended: number
  writes: number
}

export type Answers = ReadonlyMap<string, string>

async function takeUnderWrites(
  { seconds, backups }: BackupCampaign,
  places: Places,
  folder: string,
): Promise<{ batches: readonly Batch[]; taken: Taken[]; answers: Answers }> {
  const port = await freePort()
  const service = await startServiceProcess({ ...places, data: folder, site_url: SITE, port: String(port) })
  try {
    const writers = startBatchWriters(port, WRITERS)
    const taken: Taken[] = []
    try {
      await sleep(seconds * 1000)
      for (let at = 0; at < backups; at++)
        taken.push(await take(writers, places, join(folder, `${at}.backup`)))
    } finally {
      await writers.stop()
    }
    return { batches: writers.batches, taken, answers: await readEveryAnswer(port) }
  } finally {
    await service.end()
  }
}

async function take(writers: BatchWriters, places: Places, file: string): Promise<Taken> {
  const began = performance.now()
  await takeBackup(places, file)
  const ended = performance.now()
  return { file, media: places.media, began, ended, writes: writesASecond(writers, began, ended) }
}

function beginCommand({ database, media }: Places, ...words: string[]): Process {
  const command = startProcess(MAIN, ['--database', database, '--media', media, ...words])
  command.child.stdout?.resume()
  return command
}

/** Takes a backup in a separate process, so that writes go on. @throws AssertionError when it fails */
async function takeBackup(places: Places, file: string): Promise<void> {
  equal(await beginCommand(places, 'backup', file).ended, 0)
}

async function runCommand({ database, media }: Places, ...words: string[]): Promise<void> {
  const { code, err } = await kalends(['--database', database, '--media', media, ...words])
  equal(code, 0, `${words.join(' ')}: ${err}`)
}

async function restoreAndRead(
  { file, media }: Pick<Taken, 'file' | 'media'>,
  target: DatabaseName,
  server: string | undefined,
  folder: string,
): Promise<Answers> {
  const scratch = await emptyDatabase(target, server, `${file}.sqlite`)
  try {
    const restored = { database: scratch.address, media }
    await runCommand(restored, 'restore', file)
    const app = await startApp(testConfig(folder, { ...restored, site_url: SITE }))
    return await readEveryAnswer(app.port).finally(() => app.stop())
  } finally {
    await scratch.remove()
  }
}

async function emptyDatabase(
  name: DatabaseName,
  server: string | undefined,
  file: string,
): Promise<ScratchDatabase> {
  if (name === 'sqlite') return { address: `sqlite:${file}`, remove: () => rm(file, { force: true }) }
  ok(server, 'PostgreSQL needs a server')
  return scratchPostgres(server)
}

const EVENT = /^admin \/tribe\/events\/v1\/events\/(\d+)$/
const TITLE = /^w(\d+) b(\d+) n\d+$/

function writtenEvents(answers: Answers): Map<number, { writer: number; batch: number; json: string }> {
  const events = new Map<number, { writer: number; batch: number; json: string }>()
  for (const [key, text] of answers) {
    const [, id] = EVENT.exec(key) ?? []
    if (id === undefined) continue
    const event = JSON.parse(text)
    const [, writer, batch] = TITLE.exec(event.title) ?? []
    if (writer !== undefined)
      events.set(Number(id), { writer: Number(writer), batch: Number(batch), json: shown(event) })
  }
  return events
}

function requireMoment({ began, ended }: Taken, batches: readonly Batch[], restored: Answers): Batch[] {
  const last = new Map<number, number>()
  for (const { writer, batch } of writtenEvents(restored).values())
    last.set(writer, Math.max(batch, last.get(writer) ?? 0))
  const isIncluded = ({ writer, number }: Batch) => number <= (last.get(writer) ?? 0)
  const included = batches.filter(isIncluded)
  const lacking = batches.filter((batch) => !isIncluded(batch))
  const latestBegin = Math.max(began, ...included.map((batch) => batch.began))
  for (const { acknowledged, writer, number } of lacking)
    ok(
      acknowledged > latestBegin,
      `batch ${number} of writer ${writer} was acknowledged before, and is not there`,
    )
  for (const batch of included)
    ok(batch.began < ended, `batch ${batch.number} of writer ${batch.writer} was begun after the backup`)
  return included
}

function requireContent(included: readonly Batch[], restored: Answers): void {
  const expected = new Map<number, string>()
  for (const { events } of included.toSorted((a, b) => a.number - b.number))
    for (const [id, json] of events) {
      if (json === undefined) expected.delete(id)
      else expected.set(id, json)
    }
  const found = new Map([...writtenEvents(restored)].map(([id, { json }]) => [id, json] as const))
  requireSame(found, expected)
  const names = included.flatMap((batch) => batch.names).sort()
  for (const kind of ['venues', 'organizers'] as const) deepEqual(namesOf(kind, restored), names, kind)
}

function namesOf(kind: 'venues' | 'organizers', answers: Answers): string[] {
  const member = kind.slice(0, -1)
  const names = [...answers].flatMap(([key, text]) =>
    key.startsWith(`admin /tribe/events/v1/${kind}/`) ? [String(JSON.parse(text)[member])] : [],
  )
  return names.flatMap((name) => / (of w\d+ b\d+ n\d+)$/.exec(name)?.[1] ?? []).sort()
}

function requireSame<Key>(found: ReadonlyMap<Key, string>, expected: ReadonlyMap<Key, string>): void {
  deepEqual([...found.keys()].sort(), [...expected.keys()].sort())
  for (const [key, text] of expected) {
    const other = found.get(key) ?? ''
    if (other === text) continue
    const paths = [...differingPaths(JSON.parse(other), JSON.parse(text))]
    fail(`${key} differs in ${paths.join(', ')}`)
  }
}

/** Compares the records that have not changed since the backup with the source. Returns their number. */
function requireAsInSource(
  batches: readonly Batch[],
  included: readonly Batch[],
  restored: Answers,
  source: Answers,
): number {
  const later = new Set(batches).difference(new Set(included))
  const changed = new Set(
    [...later].flatMap(({ events }) => [...events.keys()].flatMap((id) => touchedBy(id, restored))),
  )
  const unchanged = new Map<string, string>()
  for (const [key, text] of restored) {
    const [, single] = /(\/\w+\/\d+)$/.exec(key) ?? []
    if (single === undefined || changed.has(single)) continue
    unchanged.set(key, text)
  }
  requireSame(new Map(unchanged.keys().map((key) => [key, source.get(key) ?? '{}'])), unchanged)
  return unchanged.size
}

function touchedBy(id: number, restored: Answers): string[] {
  const event: { tags?: { id: number }[] } = JSON.parse(
    restored.get(`admin /tribe/events/v1/events/${id}`) ?? '{}',
  )
  return [`/events/${id}`, ...(event.tags ?? []).map((tag) => `/tags/${tag.id}`)]
}
