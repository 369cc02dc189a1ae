import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * In place of a count of its changes each record has a sequence. It begins above the SEQUENCE that feeds have shown: the seconds from 2020 to the
 * latest change, and one more for events that had been withdrawn. Records that had not changed since there were such rows get theirs.
 */
export const sequences: Migration = { name: '0033-sequences', up }

const RECORDS = [
  ['event', 'events', 'status'],
  ['venue', 'venues', 'status'],
  ['organizer', 'organizers', 'status'],
  ['series', 'series', 'status'],
  ['image', 'images', `'publish'`],
  ['term', 'terms', `'publish'`],
] as const

async function up(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run('alter table changes rename column revision to sequence')
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  const position = isPostgres(db) ? 'pg_current_xact_id()' : '(select coalesce(max(position), 0) from changes)'
  for (const [kind, table, status] of RECORDS)
    await run(`insert into changes (kind, record, position, sequence, was_public, is_public, deleted, changed_utc, "user")
      select '${kind}', id, ${position}, 0, case when ${status} in ('publish', 'private', 'trash') then 1 else 0 end,
        case when ${status} = 'publish' then 1 else 0 end, 0, '${now}', 0
      from ${table} where not exists (select 1 from changes where kind = '${kind}' and record = ${table}.id)`)
  const seconds = isPostgres(db)
    ? 'extract(epoch from changed_utc::timestamp)::integer'
    : `cast(strftime('%s', changed_utc) as integer)`
  await run(`update changes set sequence = ${seconds} - ${Date.UTC(2020, 0, 1) / 1000} + 1`)
  await run('alter table history add column sequence integer not null default 0')
  await run('alter table webhook_deliveries add column sequence integer not null default 0')
}
