import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { columnTypes, type Migration } from '../migration.ts'

/** How events and venues are accessible, and how people take part. */
export const factsOfEvents: Migration = { name: '0038-facts-of-events', up }

const VENUES = [
  'step_free',
  'accessible_toilet',
  'accessible_parking',
  'lift',
  'hearing_loop',
  'quiet_space',
  'assistance_dogs',
]
const EVENTS = ['captions', 'audio_description', 'relaxed', 'easy_language', 'free_companion']
const TEXTS = ['sign_language', 'access_note', 'access_contact', 'attendance', 'online_url', 'online_label']

async function up(db: Db): Promise<void> {
  const { text } = columnTypes(db)
  const add = (table: string, column: string, type: string) =>
    sql.raw(`alter table ${table} add column ${column} ${type}`).execute(db)
  for (const name of VENUES) await add('venues', name, 'smallint')
  for (const name of EVENTS) await add('events', name, 'smallint')
  for (const name of [...TEXTS, 'access_words', 'online_from']) await add('events', name, `${text} not null default ''`)
  await add('events', 'online_shown', `${text} not null default 'always'`)
  // Few events have either, and reading the texts of all others would take long.
  await sql`create index events_access on events (id, access_words) where access_words <> ''`.execute(db)
  await sql`create index events_online on events (online_from) where online_from <> ''`.execute(db)
}
