import { sql } from 'kysely'
import { type Database, type Db, isPostgres } from './database.ts'
import { countedSteps, type FeatureTables, featureOfStep, type Migration, step } from './migration.ts'
import { allTables } from './migrations/0052-tables.ts'
import { adoptForeignChanges } from './postgres/postgres-changes.ts'
import { prepareSearch } from './search/search-index.ts'

// The migrations in order. A released step is never changed.

const migrations: readonly Migration[] = [
  allTables,
  step('0063-settings-at-the-desk', ({ id, text, sequence }) => [
    `alter table users add column language ${text} not null default ''`,
    `alter table sign_in_links add column inviter ${id} not null default 0`,
    `create table zone_changes (id ${sequence}, former_zone ${text} not null, new_zone ${text} not null,
      keeps ${text} not null, state ${text} not null, last_event ${id} not null, "user" ${id} not null,
      done_utc ${text} not null)`,
    `create table zone_moves (change ${id} not null, kind ${text} not null, record ${id} not null,
      former ${text} not null, moved ${text} not null, primary key (change, kind, record))`,
  ]),
  // With `series` in these indexes, SQLite lists each series once at the desk without reading rows of its
  // dates.
  step('0064-series-in-lists', (_types, db) =>
    isPostgres(db)
      ? []
      : [
          'drop index events_listed',
          `create index events_listed on events
            (status, hide_from_listings, start_date, date, id, author, end_date, utc_start_date, featured, \
series)`,
          'drop index events_lasting',
          `create index events_lasting on events (status, hide_from_listings, end_date, start_date, author, \
id, series)
            where substr(end_date, 1, 10) > substr(start_date, 1, 10)`,
        ],
  ),
  // Links a postponed event to the one on its new date.
  step('0065-postponed-events', ({ id }) => [
    `create table postponed_events (event ${id} primary key, later ${id} not null)`,
    'create index postponed_events_later on postponed_events (later)',
  ]),
]

/** Returns the names of the steps done, in order; undefined if the database holds no calendar. */
export async function findMigrations(db: Db): Promise<string[] | undefined> {
  const all = isPostgres(db)
    ? sql<{ found: number }>`select count(to_regclass('migrations')) as found`
    : sql<{ found: number }>`select count(*) as found from sqlite_schema where name = 'migrations'`
  const { rows: found } = await all.execute(db)
  if (!found[0]?.found) return undefined
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db)
  return countedSteps(rows.map(({ name }) => name))
}

export interface Migrated {
  ran: string[]
  remarks: string[]
}

type Tell = (sentence: string) => void

function stepsWith(features: readonly FeatureTables[]): readonly Migration[] {
  return [...migrations, ...features.flatMap(({ migrations: own = [] }) => own)]
}

export const stepNames = (features: readonly FeatureTables[]): readonly string[] =>
  stepsWith(features).map(({ name }) => name)

/**
 * Runs the missing steps; of several processes, one migrates while the others wait. `tell` gets a sentence
 * before an existing calendar is changed, which may take minutes.
 * @throws Error with one sentence if the database is of a newer version
 */
export async function migrate(
  database: Database,
  features: readonly FeatureTables[] = [],
  tell?: Tell,
): Promise<Migrated> {
  const migrated: Migrated = { ran: [], remarks: [] }
  await database.migrate(async (tx) => {
    migrated.ran = await migrateWithin(tx, stepNames(features), features, tell)
    const remark = await finishMigration(tx)
    if (remark) migrated.remarks.push(remark)
  })
  return migrated
}

/**
 * Runs the missing steps of `wanted`, and returns their names. A restore first runs only the steps of its
 * backup, so that the backup's rows fit the tables.
 * @throws Error with one sentence if the database is of a newer version
 */
export async function migrateWithin(
  tx: Db,
  wanted: readonly string[],
  features: readonly FeatureTables[] = [],
  tell?: Tell,
): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key)`.execute(tx)
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
  const done = new Set(rows.map((row) => row.name))
  refuseNewer(done, features)
  const lacking = stepsWith(features).filter(({ name }) => wanted.includes(name) && !done.has(name))
  const [from] = lacking
  if (from && done.size > 0)
    tell?.(
      [
        `The database is brought up to date, from step ${from.name} on,`,
        'which may take minutes for a large calendar.',
      ].join(' '),
    )
  for (const step of lacking) {
    await step.up(tx)
    await sql`insert into migrations (name) values (${step.name})`.execute(tx)
  }
  return lacking.map(({ name }) => name)
}

export async function finishMigration(tx: Db): Promise<string | undefined> {
  await adoptForeignChanges(tx)
  return prepareSearch(tx)
}

/** @throws Error with one sentence if the database is of a newer version */
export function refuseNewer(done: Iterable<string>, features: readonly FeatureTables[]): void {
  const newer = findNewer(done, features)
  if (newer.length > 0)
    throw new Error(
      [
        `The database is of a newer version of Kalends, which made the steps ${newer.join(', ')};`,
        'start that version, or restore a backup from before it.',
      ].join(' '),
    )
}

/**
 * Returns the steps of `done` that only a newer version knows, without steps of features that are not loaded,
 * since these change only their own tables.
 */
export function findNewer(done: Iterable<string>, features: readonly FeatureTables[]): string[] {
  const isHere = (feature: string | undefined) =>
    feature === undefined || features.some((tables) => tables.feature === feature)
  return findUnknown(done, features).filter((name) => isHere(featureOfStep(name)))
}

/** Returns the steps of `done` that this program does not know, even of features that are not loaded. */
export function findUnknown(done: Iterable<string>, features: readonly FeatureTables[]): string[] {
  const known = new Set(stepNames(features))
  return countedSteps([...done])
    .filter((name) => !known.has(name))
    .sort()
}
