import { sql } from 'kysely'
import { columnTypes } from '../column-types.ts'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Addresses that are told of changes, and what each is told. */
export const webhooks: Migration = { name: '0022-webhooks', up }

async function up(db: Db): Promise<void> {
  const { sequence, id, text } = columnTypes(db)
  const statements = [
    `create table webhooks (id ${sequence}, url ${text} not null, events ${text} not null, is_private smallint not null,
      secret ${text} not null, old_secret ${text} not null, old_secret_until_utc ${text} not null,
      created_utc ${text} not null, failing_since_utc ${text} not null, disabled_utc ${text} not null, disabled_why ${text} not null)`,
    `create table webhook_deliveries (id ${sequence}, webhook ${id} not null, message ${text} not null, type ${text} not null,
      kind ${text} not null, record ${id} not null, body ${text} not null, state ${text} not null, created_utc ${text} not null,
      next_utc ${text} not null, attempts integer not null, status integer not null, error ${text} not null)`,
    `create index webhook_deliveries_due on webhook_deliveries (webhook, next_utc) where next_utc <> ''`,
    'create index webhook_deliveries_time on webhook_deliveries (created_utc)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
