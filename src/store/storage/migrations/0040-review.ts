import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { columnTypes, type Migration } from '../migration.ts'

/** Texts that are not saved yet, changes that wait for a review, and what takes back a change of many records. */
export const review: Migration = { name: '0040-review', up }

async function up(db: Db): Promise<void> {
  const { id, text, sequence } = columnTypes(db)
  const statements = [
    `create table unsaved_texts ("user" ${id} not null references users (id) on delete cascade, kind ${text} not null,
      record ${id} not null, version ${id} not null, "values" ${text} not null, saved_utc ${text} not null,
      primary key ("user", kind, record))`,
    'create index unsaved_texts_time on unsaved_texts (saved_utc)',
    `create table proposals (id ${sequence}, kind ${text} not null, record ${id} not null, author ${id} not null,
      version ${id} not null, "values" ${text} not null, note ${text} not null, state ${text} not null,
      reply ${text} not null, reviewer ${id} not null, created_utc ${text} not null, changed_utc ${text} not null)`,
    `create unique index proposals_open on proposals (kind, record, author) where state in ('waiting', 'sent back')`,
    'create index proposals_record on proposals (kind, record, id)',
    'create index proposals_state on proposals (state, changed_utc, id)',
    'create index proposals_author on proposals (author, state, changed_utc, id)',
    `create table bulk_changes (token ${text} primary key, "user" ${id} not null, records ${text} not null, done_utc ${text} not null)`,
    'create index bulk_changes_time on bulk_changes (done_utc)',
    `create index events_pending on events (status, modified_utc, id) where status = 'pending'`,
    `create index events_pending_author on events (author, status, modified_utc, id) where status = 'pending'`,
    'create index import_items_known on import_items (kind, record)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
