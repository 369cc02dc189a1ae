import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { countedSteps } from './migration.ts'
import { migrations } from './migrations.ts'
import { adoptForeignChanges } from './postgres/postgres-changes.ts'
import { prepareSearch } from './search/search-index.ts'

// Brings a database up to date by its migrations.

/** The result of bringing a database up to date. */
export interface Migrated {
  /** Names of the steps that ran. */
  ran: string[]
  /** Sentences for the operator. */
  remarks: string[]
}

/** Takes sentences for the operator. */
type Tell = (sentence: string) => void

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

/**
 * Refuses a database that has gone through a step which this version does not know, since that may have changed any table.
 * @throws Error with one sentence
 */
export function refuseNewer(done: Iterable<string>): void {
  const known = new Set(migrationNames)
  const unknown = countedSteps([...done])
    .filter((name) => !known.has(name))
    .sort()
  if (unknown.length > 0)
    throw new Error(
      `The database is of a newer version of Kalends, which made the steps ${unknown.join(', ')}; start that version, or restore a backup from before it.`,
    )
}
