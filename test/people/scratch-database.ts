import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { findPassword, findTokenCredential } from '../../src/calendar/people/credentials.ts'
import type { User } from '../../src/calendar/people/users.ts'
import type { Database, Db } from '../../src/store/storage/database.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import * as support from '../support/database.ts'

export const isPasswordOf = async (db: Db, user: User | undefined, password: string) =>
  (await findPassword(db, user, password)) !== undefined

export const findTokenUser = async (db: Db, token: string) => (await findTokenCredential(db, token))?.user

export const NOON = Date.UTC(2026, 10, 20, 12)

export interface Scratch {
  database: Database
  again: () => Promise<Database>
  bytes: () => Promise<string>
}

export async function scratchDatabase(t: TestContext): Promise<Scratch> {
  const scratch = await support.scratchDatabase()
  const open: Database[] = []
  const again = async () => {
    const database = await openDatabase(scratch.address)
    open.push(database)
    return database
  }
  t.after(async () => {
    for (const database of open) await database.close()
    await scratch.remove()
  })
  const database = await again()
  await migrate(database)
  return { database, again, bytes: () => (isFile(scratch) ? filesOf(scratch) : rowsOf(database)) }
}

const isFile = ({ address }: support.ScratchDatabase) => address.startsWith('sqlite:')

async function filesOf({ address }: support.ScratchDatabase): Promise<string> {
  const folder = dirname(address.slice('sqlite:'.length))
  const files = await Promise.all(
    (await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1')),
  )
  return files.join('\n')
}

async function rowsOf({ read }: Database): Promise<string> {
  const tables = await read.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select ${sql.id(name)}::text as row from ${sql.id(name)}`.execute(read)),
  )
  return JSON.stringify(rows)
}
