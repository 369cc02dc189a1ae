import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { columnTypes, type Migration } from '../migration.ts'

/** Passwords, sessions and one-time links of the desk, and users who sign in nowhere any more. */
export const signIn: Migration = { name: '0039-sign-in', up }

async function up(db: Db): Promise<void> {
  const { id, text } = columnTypes(db)
  const user = `"user" ${id} not null references users (id) on delete cascade`
  const statements = [
    `alter table users add column deactivated_utc ${text} not null default ''`,
    `create table desk_passwords ("user" ${id} primary key references users (id) on delete cascade,
      hash ${text} not null, changed_utc ${text} not null)`,
    `create table sessions (hash ${text} primary key, ${user}, created_utc ${text} not null, seen_utc ${text} not null,
      client ${text} not null, address ${text} not null)`,
    'create index sessions_user on sessions ("user")',
    'create index sessions_seen on sessions (seen_utc)',
    `create table sign_in_links (hash ${text} primary key, ${user}, purpose ${text} not null, expires_utc ${text} not null)`,
    'create index sign_in_links_user on sign_in_links ("user")',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
