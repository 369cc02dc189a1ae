import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'
import { columnTypes } from '../migration.ts'

/** Former values of what was changed, in the row of the act that changed them; long texts once, by their hash. */
export const formerValues: Migration = { name: '0036-former-values', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  const statements = [
    `alter table history add column former ${text} not null default ''`,
    'alter table history add column former_bytes integer not null default 0',
    // Making a record has no former values, so it does not write to these indexes.
    'create index history_former on history (kind, record, sequence, former_bytes) where former_bytes > 0',
    'create index history_valued on history (id, former_bytes) where former_bytes > 0',
    // `last` is the id of the newest row of the history that names the text, or a higher one.
    `create table former_texts (hash ${text} primary key, bytes integer not null, last ${id} not null, text ${text} not null)`,
    'create index former_texts_last on former_texts (last, bytes)',
    // Versions before this one are not known.
    'alter table changes add column known_from integer not null default 0',
    'update changes set known_from = sequence',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
