import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { askedSpan, table } from '../../base/run-command.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { describeHeld, notHeld } from '../../store/storage/edition.ts'
import { writerBy } from '../../store/storage/recording.ts'
import { realPath } from './file-source.ts'
import {
  englishMessage,
  ImportError,
  isMessage,
  isMessageList,
  keptMessage,
  type Message,
  message,
  readKeptMessage,
} from './import-messages.ts'
import type { ImportScheduleColumns } from './import-tables.ts'
import { spanText } from './import-variables.ts'

interface AskedSchedule {
  every: string
  name?: string
  login?: string
  passwordFile?: string
  since?: string
  dryRun?: true
  allowMassRemoval?: true
}

/** In ms. */
const SHORTEST = 300_000

/**
 * Stores a schedule; returns a sentence for the operator.
 * @param words arguments of `kalends import` without the source and `--every`
 * @throws Error when the import could not run unattended
 */
export async function scheduleImport(
  database: Pick<Database, 'write'>,
  source: string,
  asked: AskedSchedule,
  words: readonly string[],
  now: number,
): Promise<string> {
  const { name, login, passwordFile, since, dryRun, allowMassRemoval } = asked
  if (name === undefined) throw new Error('An import on a schedule needs a name: give it with --name.')
  if (dryRun || since !== undefined || allowMassRemoval)
    throw new Error('--every goes neither with --dry-run nor with --since or --allow-mass-removal.')
  if (login !== undefined && passwordFile === undefined)
    throw new Error(
      'Keep the application password of an import on a schedule in a file, and name that file with ' +
        '--password-file.',
    )
  const every_seconds =
    askedSpan(asked.every, '--every takes a time of 5m and more, such as 30m, 6h or 1d', SHORTEST) / 1000
  const file = passwordFile === undefined ? [] : ['--password-file', secretFile(passwordFile)]
  const isAddress = /^[a-z]+:\/\//i.test(source)
  const place = isAddress ? source : realPath(source)
  await saveSchedule(database, { name, every_seconds, words: [place, ...words, ...file] }, now)
  return `The import ${name} runs every ${asked.every} from now on, while the service runs.`
}

/**
 * Returns the absolute path of a file with a password; only the path is stored.
 * @throws Error when other users can read the file
 */
function secretFile(file: string): string {
  const path = realPath(file)
  if ((statSync(path).mode & 0o077) !== 0)
    throw new Error(`Other users can see ${file}, which has a password in it: chmod 600 it first.`)
  return path
}

export async function describeSchedules({ read }: Pick<Database, 'read'>, now: number): Promise<string[]> {
  const rows = (await listSchedules(read)).map(
    ({ name, every_seconds, next_utc, leased_utc, paused, failures, outcome }) => [
      name,
      spanText(every_seconds * 1000),
      paused === 1 ? 'paused' : leased_utc > formatUtc(now) ? 'running' : next_utc,
      String(failures),
      outcome === '' ? '-' : englishMessage(readKeptMessage(outcome)),
    ],
  )
  if (rows.length === 0) return ['No import is on a schedule.']
  return [
    ...(await describeHeld(read)),
    table([['NAME', 'EVERY', 'NEXT (UTC)', 'FAILURES', 'LAST RUN'], ...rows]),
  ]
}

export interface ScheduledRun {
  code: number | null
  said: Message
}

/** Starts an import in a process that ends with this one, or when the signal aborts. */
export type StartImport = (words: readonly string[], signal: AbortSignal) => Promise<ScheduledRun>

export const ALLOWED = '--allow-mass-removal'
/** Exit code that pauses the schedule until somebody decides whether the source is right. */
export const NEEDS_DECISION = 3

const LEASE_MS = 300_000
const RENEWED_EVERY = 60_000
/** Wait after a failure; it doubles with each further one, up to the interval of the schedule. */
const FIRST_RETRY_MS = 300_000
const LONGEST_OUTCOME = 500

const writer = writerBy('import schedule')

/** Saves a schedule that is due at once, replacing one of its name. @param now in ms */
export async function saveSchedule(
  database: Pick<Database, 'write'>,
  {
    name,
    words,
    every_seconds,
  }: Pick<ImportScheduleColumns, 'name' | 'every_seconds'> & { words: readonly string[] },
  now: number,
): Promise<void> {
  const state = { next_utc: formatUtc(now), leased_utc: '', paused: 0, failures: 0, outcome: '' }
  const row = { words: JSON.stringify(words), every_seconds, ...state }
  await database.write(async (tx) => {
    await tx
      .insertInto('import_schedules')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute()
  }, writer)
}

export async function listSchedules(db: Db): Promise<ImportScheduleColumns[]> {
  return db.selectFrom('import_schedules').selectAll().orderBy('name').execute()
}

export async function pauseSchedule(database: Pick<Database, 'write'>, name: string): Promise<void> {
  const { numUpdatedRows } = await database.write(
    (tx) => tx.updateTable('import_schedules').set({ paused: 1 }).where('name', '=', name).executeTakeFirst(),
    writer,
  )
  if (Number(numUpdatedRows) === 0) throw missing(name)
}

/**
 * Makes the import due at once. With `mayRemove` its next successful run may trash a large part of its
 * events.
 * @throws Error when no schedule has this name
 */
export async function resumeSchedule(
  database: Pick<Database, 'write'>,
  name: string,
  mayRemove: boolean,
  now: number,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await tx
      .selectFrom('import_schedules')
      .select('words')
      .where('name', '=', name)
      .executeTakeFirst()
    if (!row) throw missing(name)
    const words = JSON.stringify([...usualWords(row.words), ...(mayRemove ? [ALLOWED] : [])])
    const columns = { words, paused: 0, failures: 0, next_utc: formatUtc(now) }
    await tx.updateTable('import_schedules').set(columns).where('name', '=', name).execute()
  }, writer)
}

/** Makes an import due now, even a paused one. */
export async function runSoon(database: Pick<Database, 'write'>, name: string, now: number): Promise<void> {
  await database.write(
    (tx) =>
      tx
        .updateTable('import_schedules')
        .set({ next_utc: formatUtc(now), paused: 0 })
        .where('name', '=', name)
        .execute(),
    writer,
  )
}

function usualWords(words: string): string[] {
  const all: string[] = JSON.parse(words)
  return all.at(-1) === ALLOWED ? all.slice(0, -1) : all
}

export async function removeSchedule(database: Pick<Database, 'write'>, name: string): Promise<void> {
  const { numDeletedRows } = await database.write(
    (tx) => tx.deleteFrom('import_schedules').where('name', '=', name).executeTakeFirst(),
    writer,
  )
  if (Number(numDeletedRows) === 0) throw missing(name)
}

function missing(name: string): Error {
  return new ImportError(
    message('There is no import {name} on a schedule; kalends imports schedules lists them.', { name }),
  )
}

/** Imports of this process, with the begin of each in ms since the epoch. */
export interface RunningImports {
  begun: Map<Promise<void>, number>
  stopping: AbortController
}

export function makeRunningImports(): RunningImports {
  return { begun: new Map(), stopping: new AbortController() }
}

/** Limit of imports at once, not counting those that have run longer than `MAKES_ROOM_AFTER` ms. */
const MOST_AT_ONCE = 3
const MAKES_ROOM_AFTER = 60_000
const MOST_RUNNING = 12

function hasRoom({ begun, stopping }: RunningImports, now: number): boolean {
  const fresh = [...begun.values()].filter((from) => from > now - MAKES_ROOM_AFTER)
  return fresh.length < MOST_AT_ONCE && begun.size < MOST_RUNNING && !stopping.signal.aborted
}

/**
 * Runs due imports within the limits; a lease keeps other processes from the same import.
 * @returns when the imports begun by this call have ended
 */
export async function runDueImports(
  database: Database,
  start: StartImport,
  now: () => number,
  report: (error: Error) => void,
  running: RunningImports = makeRunningImports(),
): Promise<void> {
  const own = new Set<Promise<void>>()
  const { signal } = running.stopping
  for (;;) {
    if (!hasRoom(running, now()) && own.size > 0) await Promise.race(own)
    const due = hasRoom(running, now()) ? await leaseDue(database, now()) : undefined
    if (!due) break
    const run = runImport(database, due, (words) => start(words, signal), now, report, signal)
      .catch(report)
      .finally(() => {
        running.begun.delete(run)
        own.delete(run)
      })
    running.begun.set(run, now())
    own.add(run)
  }
  await Promise.all(own)
}

/** Stops the imports of this process; other processes may continue them at once. */
export async function stopImports({ begun, stopping }: RunningImports): Promise<void> {
  stopping.abort()
  await Promise.all(begun.keys())
}

async function runImport(
  database: Database,
  due: ImportScheduleColumns,
  start: (words: readonly string[]) => Promise<ScheduledRun>,
  now: () => number,
  report: (error: Error) => void,
  signal: AbortSignal,
): Promise<void> {
  const renewing = setInterval(() => void renew(database, due.id, now()).catch(report), RENEWED_EVERY).unref()
  const ended = await start(JSON.parse(due.words))
    .catch((error: unknown): ScheduledRun => ({ code: 1, said: String(error) }))
    .finally(() => clearInterval(renewing))
  if (signal.aborted && ended.code === null) return setColumns(database, due.id, { leased_utc: '' })
  if (isFailed(ended)) report(new ImportError(describeFailure(due.name, ended)))
  await endRun(database, due, ended, now())
}

function describeFailure(name: string, { code, said }: ScheduledRun): Message {
  if (code !== NEEDS_DECISION) return [message('The import {name} failed:', { name }), said]
  const resume = `kalends imports resume ${name} [${ALLOWED}]`
  return [
    message('The import {name} is paused:', { name }),
    said,
    message('To go on: {command}', { command: resume }),
  ]
}

/** Code 2 is no failure: some records are missing, which the next run tries again. */
const isFailed = ({ code }: ScheduledRun) => code !== 0 && code !== 2

/** Leases a due import. @returns undefined if none is due, or another process was faster */
async function leaseDue(database: Database, now: number): Promise<ImportScheduleColumns | undefined> {
  const [nowUtc, until] = [formatUtc(now), formatUtc(now + LEASE_MS)]
  const [found] = await dueAt(database.read, nowUtc).execute()
  if (!found) return undefined
  const { numUpdatedRows } = await database.write(
    (tx) =>
      tx
        .updateTable('import_schedules')
        .set({ leased_utc: until })
        .where('id', '=', found.id)
        .where('leased_utc', '=', found.leased_utc)
        .where('next_utc', '=', found.next_utc)
        .executeTakeFirst(),
    writer,
  )
  return Number(numUpdatedRows) === 1 ? found : undefined
}

function dueAt(db: Db, nowUtc: string) {
  const schedules = db.selectFrom('import_schedules').selectAll().where('paused', '=', 0).where(notHeld())
  return schedules
    .where('next_utc', '<=', nowUtc)
    .where('leased_utc', '<=', nowUtc)
    .orderBy('next_utc')
    .limit(1)
}

async function renew(database: Database, id: number, now: number): Promise<void> {
  await setColumns(database, id, { leased_utc: formatUtc(now + LEASE_MS) })
}

async function endRun(
  database: Database,
  { id, name, words, every_seconds, next_utc, failures: before }: ImportScheduleColumns,
  ended: ScheduledRun,
  now: number,
): Promise<void> {
  const failures = isFailed(ended) ? before + 1 : 0
  const everyMs = every_seconds * 1000
  const wait = failures === 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20))
  const state = { failures, leased_utc: '' }
  const outcome = keptMessage(shortened(ended.said))
  const isDoubtful = ended.code === NEEDS_DECISION
  const columns = {
    ...state,
    outcome,
    ...(isDoubtful && { paused: 1, outcome: keptMessage(describeFailure(name, ended)) }),
  }
  await database.write(async (tx) => {
    const own = tx.updateTable('import_schedules').where('id', '=', id)
    await own.set(columns).execute()
    // A time that was set during the run stays: somebody wants another run.
    await own
      .set({ next_utc: formatUtc(now + wait) })
      .where('next_utc', '=', next_utc)
      .execute()
    // `--allow-mass-removal` is for one run only.
    if (failures === 0)
      await own
        .set({ words: JSON.stringify(usualWords(words)) })
        .where('words', '=', words)
        .execute()
  }, writer)
}

/** Shortens a message: values may be texts of other servers. */
function shortened(said: Message): Message {
  if (typeof said === 'string') return beginningOf(said, LONGEST_OUTCOME)
  if (isMessageList(said)) return said.map(shortened)
  if ('code' in said || !said.values) return said
  const values = Object.entries(said.values).map(([name, value]) => [name, shortened(value)])
  return { ...said, values: Object.fromEntries(values) }
}

async function setColumns(
  database: Database,
  id: number,
  columns: Partial<Omit<ImportScheduleColumns, 'id'>>,
): Promise<void> {
  await database.write(
    (tx) => tx.updateTable('import_schedules').set(columns).where('id', '=', id).execute(),
    writer,
  )
}

/** Characters of output kept: the last line tells how the run ended. */
const MOST_HELD = 2000

/** In ms. The next run continues an import that this limit ended. */
const LONGEST_RUN = 6 * 3_600_000

/** Starts imports as processes with these settings; they are ended after `longest` ms. */
export function importStarter(settings: readonly string[], longest = LONGEST_RUN): StartImport {
  return (words, signal) =>
    new Promise((resolve, reject) => {
      const [, program = ''] = process.argv
      const args = [...process.execArgv, program, ...settings, 'import', '--for-service', ...words]
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        timeout: longest,
        signal,
      })
      let printed = ''
      let sent: Message | undefined
      child.on('message', (value) => {
        sent = isMessage(value) ? value : sent
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part) => {
          printed = `${printed}${part}`.slice(-MOST_HELD)
        })
      child.once('error', (error) => signal.aborted || reject(error))
      child.once('close', (code, by) => {
        const said = sent ?? printed.trim().split('\n').at(-1) ?? ''
        resolve({
          code,
          said: by === null ? said : [message('It was ended ({signal}).', { signal: by }), said],
        })
      })
    })
}

const THREADS = '/proc/self/task'

/** Lowers the priority below other programs: an import uses all the time it gets. */
export function lowerPriority(): void {
  const wanted = constants.priority.PRIORITY_BELOW_NORMAL
  // The priority is low already; only root could raise it.
  if (getPriority() >= wanted) return
  // On Linux each thread has its own priority; garbage collection takes a quarter of the time.
  for (const thread of threadsHere()) lower(thread, wanted)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // The thread has ended.
  }
}

/** Thread ids of this process; outside Linux 0, the whole process. */
function threadsHere(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    return [0]
  }
}
