import type { Database, Db } from '../storage/database.ts'
import { writerBy } from '../storage/recording.ts'
import type { ImportScheduleColumns } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'

/** How a run on a schedule ended: its exit code, and what it said last. */
export interface ScheduledRun {
  code: number | null
  said: string
}

/** Starts an import with the words of its command line, in a process of its own that ends with this one. */
export type StartImport = (words: readonly string[]) => Promise<ScheduledRun>

/** ms for which a process has an import in hand unless it says so again, and after which it does. */
const LEASE_MS = 300_000
const RENEWED_EVERY = 60_000
/** ms after which an import that failed is tried again; each further time after twice as long, but no longer than its schedule says. */
const FIRST_RETRY_MS = 300_000
/** The most characters that are kept of how a run ended. */
const LONGEST_OUTCOME = 500

const writer = writerBy('import schedule')

/** Keeps an import that is done again and again, in place of another one of its name; it is due at once. `now` in ms since the epoch. */
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

/** Runs the imports that are due, one after the other, each in one process at a time. `report` gets the failures. */
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

/** With code 2 something was not in, which the next run tries again. */
const isFailed = ({ code }: ScheduledRun) => code !== 0 && code !== 2

/** Takes an import in hand that is due and that nobody has in hand. */
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
  // Another process was faster; what else is due can wait for the next look.
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
