import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { first } from './migrations/0001-first.ts'
import { eventWords } from './migrations/0002-event-words.ts'
import { presentedRecords } from './migrations/0003-presented-records.ts'
import { editions } from './migrations/0004-editions.ts'
import { forgetForeignChanges } from './postgres-changes.ts'
import { prepareSearch } from './search-index.ts'

/** A step of the database's history: numbered, never edited, knowing nothing of today's declarations. */
export interface Migration {
  name: string
  up: (db: Db) => Promise<void>
}

/** What bringing a database up to date did. */
export interface Migrated {
  /** Names of the steps that ran. */
  ran: string[]
  /** Sentences for whoever runs the database. */
  remarks: string[]
}

const migrations: Migration[] = [first, eventWords, presentedRecords, editions]

/** Brings the database up to date. Of several processes that do so at once one does the work, and the others wait for it. */
export async function migrate(database: Database): Promise<Migrated> {
  const ran: string[] = []
  const remarks: string[] = []
  await database.migrate(async (tx) => {
    await sql`create table if not exists migrations (name text primary key)`.execute(tx)
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
    const done = new Set(rows.map((row) => row.name))
    for (const step of migrations.filter(({ name }) => !done.has(name))) {
      await step.up(tx)
      await sql`insert into migrations (name) values (${step.name})`.execute(tx)
      ran.push(step.name)
    }
    await forgetForeignChanges(tx)
    const remark = await prepareSearch(tx)
    if (remark) remarks.push(remark)
  })
  return { ran, remarks }
}
