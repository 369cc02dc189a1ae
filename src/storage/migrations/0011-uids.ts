import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Events get a UID (RFC 5545, 3.8.4.7), which calendars know them by wherever they move. */
export const uids: Migration = { name: '0011-uids', up }

async function up(db: Db): Promise<void> {
  await sql`alter table events add column uid ${sql.raw(columnTypes(db).text)} not null default ''`.execute(db)
  await sql`update events set uid = ${isPostgres(db) ? sql`gen_random_uuid()::text` : RANDOM_UUID}`.execute(db)
}

/** A random UUID (RFC 9562, 5.4), put together by SQLite, which has no function for it. */
const RANDOM_UUID = sql`lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
