import type { TestContext } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { type ScratchDatabase, scratchDatabase } from '../support/database.ts'

/** An up-to-date database of the kind that is tested, with its address; both go away with the test. */
export async function openScratch(t: TestContext): Promise<{ database: Database; address: string }> {
  const opened = await openFor(t, await scratchDatabase())
  await migrate(opened.database)
  return opened
}

/** A database without any tables, which goes away with the test. */
export async function openBare(t: TestContext): Promise<Database> {
  return (await openFor(t, await scratchDatabase('bare'))).database
}

async function openFor(t: TestContext, { address, remove }: ScratchDatabase) {
  const database = await openDatabase(address)
  t.after(async () => {
    await database.close()
    await remove()
  })
  return { database, address }
}

/** Opens a database once more, as another process would, for as long as the test goes on. Only PostgreSQL has two writers in one process. */
export async function openAgain(t: TestContext, address: string): Promise<Database> {
  const database = await openDatabase(address)
  t.after(() => database.close())
  return database
}
