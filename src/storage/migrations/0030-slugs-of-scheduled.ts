import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/** Scheduled records may share a slug as drafts do, so that nobody learns from a refused slug what is to be announced. */
export const slugsOfScheduled: Migration = { name: '0030-slugs-of-scheduled', up }

async function up(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  for (const table of ['events', 'venues', 'organizers']) {
    await run(`drop index ${table}_slug`)
    await run(`drop index ${table}_draft_slug`)
    await run(`create unique index ${table}_slug on ${table} (slug) where status not in ('draft', 'pending', 'future')`)
    await run(`create index ${table}_draft_slug on ${table} (slug) where status in ('draft', 'pending', 'future')`)
  }
}
