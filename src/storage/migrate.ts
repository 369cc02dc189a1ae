import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import type { Migration } from './migration.ts'
import { first } from './migrations/0001-first.ts'
import { eventWords } from './migrations/0002-event-words.ts'
import { presentedRecords } from './migrations/0003-presented-records.ts'
import { editions } from './migrations/0004-editions.ts'
import { scopes } from './migrations/0005-scopes.ts'
import { media } from './migrations/0006-media.ts'
import { sentDates } from './migrations/0007-sent-dates.ts'
import { coveringIndexes } from './migrations/0008-covering-indexes.ts'
import { recordOfChanges } from './migrations/0009-record-of-changes.ts'
import { history } from './migrations/0010-history.ts'
import { uids } from './migrations/0011-uids.ts'
import { eventStatuses } from './migrations/0012-event-status.ts'
import { withdrawnEvents } from './migrations/0013-withdrawn-events.ts'
import { series } from './migrations/0014-series.ts'
import { oldSlugs } from './migrations/0015-old-slugs.ts'
import { imports } from './migrations/0016-imports.ts'
import { keptAnswers } from './migrations/0017-kept-answers.ts'
import { pushes } from './migrations/0018-pushes.ts'
import { fewerPages } from './migrations/0019-fewer-pages.ts'
import { sourceTokens } from './migrations/0020-source-tokens.ts'
import { importSchedules } from './migrations/0021-import-schedules.ts'
import { webhooks } from './migrations/0022-webhooks.ts'
import { heldSources } from './migrations/0023-held-sources.ts'
import { itemSequences } from './migrations/0024-item-sequences.ts'
import { oldSlugsInOrder } from './migrations/0025-old-slugs-in-order.ts'
import { itemPages } from './migrations/0026-item-pages.ts'
import { lighterWrites } from './migrations/0027-lighter-writes.ts'
import { termsInUse } from './migrations/0028-terms-in-use.ts'
import { withdrawnColumns } from './migrations/0029-withdrawn-columns.ts'
import { slugsOfScheduled } from './migrations/0030-slugs-of-scheduled.ts'
import { calendars } from './migrations/0031-calendars.ts'
import { uidIndexes } from './migrations/0032-uid-indexes.ts'
import { sequences } from './migrations/0033-sequences.ts'
import { messagesAsOfNow } from './migrations/0034-messages-as-of-now.ts'
import { adoptForeignChanges } from './postgres/postgres-changes.ts'
import { prepareSearch } from './search/search-index.ts'

/** The result of bringing a database up to date. */
export interface Migrated {
  /** Names of the steps that ran. */
  ran: string[]
  /** Sentences for the operator. */
  remarks: string[]
}

/** Takes sentences for the operator. */
type Tell = (sentence: string) => void

/** Every step, in order. */
export const migrations: Migration[] = [
  first,
  eventWords,
  presentedRecords,
  editions,
  scopes,
  media,
  sentDates,
  coveringIndexes,
  recordOfChanges,
  history,
  uids,
  eventStatuses,
  withdrawnEvents,
  series,
  oldSlugs,
  imports,
  keptAnswers,
  pushes,
  fewerPages,
  sourceTokens,
  importSchedules,
  webhooks,
  heldSources,
  itemSequences,
  oldSlugsInOrder,
  itemPages,
  lighterWrites,
  termsInUse,
  withdrawnColumns,
  slugsOfScheduled,
  calendars,
  uidIndexes,
  sequences,
  messagesAsOfNow,
]

/** The names of all steps that this version knows, in order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name)

/**
 * Brings the database up to date. Of several processes one migrates, and the others wait for it. `tell` hears of it before a calendar is
 * changed, since that may take minutes.
 * @throws Error with one sentence when the database is of a newer version of the program.
 */
export async function migrate(database: Database, tell?: Tell): Promise<Migrated> {
  const migrated: Migrated = { ran: [], remarks: [] }
  await database.migrate(async (tx) => {
    migrated.ran = await migrateWithin(tx, migrationNames, tell)
    const remark = await finishMigration(tx)
    if (remark) migrated.remarks.push(remark)
  })
  return migrated
}

/**
 * Runs those of these steps that the database lacks, in order, and returns their names. A database that is left between two versions takes rows of
 * a calendar that is there as well.
 * @throws Error with one sentence when the database is of a newer version of the program.
 */
export async function migrateWithin(tx: Db, wanted: readonly string[], tell?: Tell): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
  const done = new Set(rows.map((row) => row.name))
  refuseNewer(done)
  const lacking = migrations.filter(({ name }) => wanted.includes(name) && !done.has(name))
  const [from] = lacking
  if (from && done.size > 0)
    tell?.(
      `The database is brought up to date, from step ${from.name} on, which may take minutes for a large calendar.`,
    )
  for (const step of lacking) {
    await step.up(tx)
    await sql`insert into migrations (name) values (${step.name})`.execute(tx)
  }
  return lacking.map(({ name }) => name)
}

/** Makes a database that has gone through all steps ready to be served. Returns a sentence for the operator when searches stay slow. */
export async function finishMigration(tx: Db): Promise<string | undefined> {
  await adoptForeignChanges(tx)
  return prepareSearch(tx)
}

/** An unknown step may have changed the tables in any way. @throws Error with one sentence when there is one among these */
export function refuseNewer(done: Iterable<string>): void {
  const known = new Set(migrationNames)
  const unknown = [...done].filter((name) => !known.has(name)).sort()
  if (unknown.length > 0)
    throw new Error(
      `The database is of a newer version of Kalends, which made the steps ${unknown.join(', ')}; start that version, or restore a backup from before it.`,
    )
}
