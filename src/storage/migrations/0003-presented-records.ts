import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Public records as they were last presented, which every change of their rows forgets. */
export const presentedRecords: Migration = { name: '0003-presented-records', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`create table presented_records (record ${id} primary key references records (id) on delete cascade,
    form ${text} not null, image ${id}, own ${text} not null)`)
  const forget = 'delete from presented_records where record = old.id;'
  if (isPostgres(db))
    await run(`create function forget_presented_record() returns trigger language plpgsql as $$
      begin ${forget} return null; end $$`)
  for (const table of ['events', 'venues', 'organizers']) {
    for (const change of ['update', 'delete']) {
      const trigger = `create trigger ${table}_${change}_unpresents after ${change} on ${table}`
      await run(
        isPostgres(db)
          ? `${trigger} for each row execute function forget_presented_record()`
          : `${trigger} begin ${forget} end`,
      )
    }
  }
}
