import type { Database, Db } from '../storage/database.ts'
import { writerBy } from '../storage/recording.ts'
import type { ImportScheduleColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'

/** The outcome of a scheduled run: its exit code, and the end of its output. */
export interface ScheduledRun {
  code: number | null
  said: string
}

/** Starts an import with its command-line words, in a process that ends with this one. */
export type StartImport = (words: readonly string[]) => Promise<ScheduledRun>

/** The ms for which a process holds an import without renewal, and the ms between renewals. */
const LEASE_MS = 300_000
const RENEWED_EVERY = 60_000
/** The ms before a failed import is tried again; the time doubles with each failure, up to the interval of its schedule. */
const FIRST_RETRY_MS = 300_000
/** The most characters of a run's output that are stored. */
const LONGEST_OUTCOME = 500

const writer = writerBy('import schedule')

/** Stores a scheduled import, replacing another one of its name; it is due at once. `now` in ms since the epoch. */
export async function saveSchedule(
  database: Pick<Database, 'write'>,
  { name, words, every_seconds }: Pick<ImportScheduleColumns, 'name' | 'every_seconds'> & { words: readonly string[] },
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

/** All imports on a schedule, by name. */
export async function listSchedules(db: Db): Promise<ImportScheduleColumns[]> {
  return db.selectFrom('import_schedules').selectAll().orderBy('name').execute()
}

/** Pauses an import, or resumes it, due at once. @throws Error with one sentence when no import has this name */
export async function pauseSchedule(
  database: Pick<Database, 'write'>,
  name: string,
  isPaused: boolean,
  now: number,
): Promise<void> {
  const columns = isPaused ? { paused: 1 } : { paused: 0, failures: 0, next_utc: formatUtc(now) }
  const { numUpdatedRows } = await database.write(
    (tx) => tx.updateTable('import_schedules').set(columns).where('name', '=', name).executeTakeFirst(),
    writer,
  )
  if (Number(numUpdatedRows) === 0) throw missing(name)
}

/** @throws Error with one sentence when no import has this name */
export async function removeSchedule(database: Pick<Database, 'write'>, name: string): Promise<void> {
  const { numDeletedRows } = await database.write(
    (tx) => tx.deleteFrom('import_schedules').where('name', '=', name).executeTakeFirst(),
    writer,
  )
  if (Number(numDeletedRows) === 0) throw missing(name)
}

function missing(name: string): Error {
  return new Error(`There is no import ${name} on a schedule; kalends imports schedules lists them.`)
}

/** Runs the due imports, one after the other; each runs in one process at a time. `report` receives the failures. */
export async function runDueImports(
  database: Database,
  start: StartImport,
  now: () => number,
  report: (error: Error) => void,
): Promise<void> {
  for (;;) {
    const due = await leaseDue(database, now())
    if (!due) return
    const renewing = setInterval(() => void renew(database, due.id, now()).catch(report), RENEWED_EVERY).unref()
    const ended = await start(JSON.parse(due.words))
      .catch((error: unknown): ScheduledRun => ({ code: 1, said: String(error) }))
      .finally(() => clearInterval(renewing))
    if (isFailed(ended)) report(new Error(`The import ${due.name} failed: ${ended.said}`))
    await endRun(database, due, ended, now())
  }
}

/** Code 2 means that some records are missing or incomplete; the next run tries them again. */
const isFailed = ({ code }: ScheduledRun) => code !== 0 && code !== 2

/** Locks an import that is due and not locked. */
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
  // Another process was faster; other due imports can wait for the next check.
  return Number(numUpdatedRows) === 1 ? found : undefined
}

function dueAt(db: Db, nowUtc: string) {
  const schedules = db.selectFrom('import_schedules').selectAll().where('paused', '=', 0)
  return schedules.where('next_utc', '<=', nowUtc).where('leased_utc', '<=', nowUtc).orderBy('next_utc').limit(1)
}

async function renew(database: Database, id: number, now: number): Promise<void> {
  const leased_utc = formatUtc(now + LEASE_MS)
  await database.write(
    (tx) => tx.updateTable('import_schedules').set({ leased_utc }).where('id', '=', id).execute(),
    writer,
  )
}

async function endRun(
  database: Database,
  { id, every_seconds, failures: before }: ImportScheduleColumns,
  ended: ScheduledRun,
  now: number,
): Promise<void> {
  const failures = isFailed(ended) ? before + 1 : 0
  const everyMs = every_seconds * 1000
  const wait = failures === 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20))
  const outcome = ended.said.slice(0, LONGEST_OUTCOME)
  const columns = { failures, outcome, leased_utc: '', next_utc: formatUtc(now + wait) }
  await database.write((tx) => tx.updateTable('import_schedules').set(columns).where('id', '=', id).execute(), writer)
}
