import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/store/storage/database.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { databaseName, scratchDatabase } from '../support/database.ts'

export async function openScratch(t: TestContext): Promise<{ database: Database; address: string }> {
  const { address, remove } = await scratchDatabase()
  const database = await openDatabase(address)
  t.after(async () => {
    await database.close()
    await remove()
  })
  await migrate(database)
  return { database, address }
}

/**
 * Opens a database again, as another process would, until the end of the test. Only PostgreSQL allows two
 * writers in one process.
 */
export async function openAgain(t: TestContext, address: string): Promise<Database> {
  const database = await openDatabase(address)
  t.after(() => database.close())
  return database
}

/** Makes a calendar that commit 34ed6c85 served last, and returns its address. */
export async function makeFormer(t: TestContext): Promise<string> {
  const { address, remove } = await scratchDatabase('bare')
  t.after(remove)
  const file = new URL(`commit-34ed6c85.${databaseName()}.sql`, import.meta.url)
  const lines = (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('--'))
  const database = await openDatabase(address)
  await database.migrate(async (tx) => {
    for (const line of lines) await sql.raw(line).execute(tx)
  })
  await database.close()
  return address
}
