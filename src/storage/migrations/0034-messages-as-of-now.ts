import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Messages to webhooks are written anew for every try, with the record as it is then. */
export const messagesAsOfNow: Migration = { name: '0034-messages-as-of-now', up }

async function up(db: Db): Promise<void> {
  await sql`alter table webhook_deliveries drop column body`.execute(db)
}
