import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, DatabaseError } from 'pg'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'

/** The databases that behaviour is tested on. */
export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The variable of the environment that names a PostgreSQL server to test on, as an address of one of its databases; without it, tests use SQLite. */
export const SERVER = 'TEST_POSTGRES'

/** The variable of the environment that names an SQLite file to copy new databases from; without it, they are empty until somebody makes their tables. */
export const TEMPLATE_FILE = 'TEST_SQLITE_TEMPLATE'

/** A database of the server that new ones are copied from when it is there. */
const TEMPLATE = 'kalends_template'

/** The database that tests of this process use. */
export function databaseName(): DatabaseName {
  return process.env[SERVER] ? 'postgres' : 'sqlite'
}

/** For tests of what SQLite alone has, and of what proves nothing about a database. */
export const onSqlite = { skip: databaseName() !== 'sqlite' && 'on SQLite' }

/** An empty database of one's own. */
export interface ScratchDatabase {
  /** Its address in the form of the setting `database`. */
  address: string
  remove: () => Promise<void>
}

/** A database of one's own on SQLite or on the PostgreSQL server of the environment; `bare` is without any tables. */
export async function scratchDatabase(content: 'migrated' | 'bare' = 'migrated'): Promise<ScratchDatabase> {
  const server = process.env[SERVER]
  return server ? scratchPostgres(server, content) : scratchFile(content)
}

async function scratchFile(content: 'migrated' | 'bare'): Promise<ScratchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  const file = join(folder, 'kalends.sqlite')
  const template = process.env[TEMPLATE_FILE]
  if (template && content === 'migrated') await copyTemplate(template, file)
  return {
    address: `sqlite:${file}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function copyTemplate(template: string, file: string): Promise<void> {
  await copyFile(template, file)
  const copy = new DatabaseSync(file)
  copy.exec(newEdition())
  copy.close()
}

/** Gives a copy an edition of its own, as a database has whose tables were made for it. */
function newEdition(): string {
  const name = randomBytes(6).toString('base64url')
  return `update editions set edition = '${name}', calendar = '${name}'`
}

/** The address of a database of a service that waits for it however slow it is, for tests that are not about its limits. */
export function patient(address: string): string {
  return address.startsWith('sqlite:') ? address : `${address}?connect_ms=60000&statement_ms=60000&lock_ms=60000`
}

/** A new database on a PostgreSQL server. */
export async function scratchPostgres(server: string, content: 'migrated' | 'bare' = 'bare'): Promise<ScratchDatabase> {
  const name = `kalends_${randomUUID().replaceAll('-', '')}`
  const plain = `create database ${name}`
  const copy = `${plain} template ${TEMPLATE} strategy file_copy`
  const address = new URL(server)
  address.pathname = name
  if (content === 'bare') await administer(server, plain)
  else if (await isCopied(server, copy)) await administer(address.href, newEdition())
  else await administer(server, plain)
  return { address: address.href, remove: () => administer(server, `drop database ${name} with (force)`) }
}

/** Makes the database that new ones are copied from, since that takes less time than making all their tables. */
export async function makeTemplate(server: string): Promise<void> {
  await administer(server, `create database ${TEMPLATE}`)
  const address = new URL(server)
  address.pathname = TEMPLATE
  const database = await openDatabase(address.href)
  await migrate(database)
  await database.close()
}

/** Makes the file in a folder that new databases are copied from, for the same reason; its path. */
export async function makeTemplateFile(folder: string): Promise<string> {
  const file = join(folder, 'template.sqlite')
  const database = await openDatabase(`sqlite:${file}`)
  await migrate(database)
  await database.close()
  return file
}

/** Runs a statement on the server. */
export async function administer(server: string, statement: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** No such database, and a syntax error: version 14 knows no strategy. */
const NO_TEMPLATE = ['3D000', '42601']

/** Copies the template; false where there is none. */
async function isCopied(server: string, copy: string): Promise<boolean> {
  try {
    await administer(server, copy)
    return true
  } catch (error) {
    if (error instanceof DatabaseError && NO_TEMPLATE.includes(error.code ?? '')) return false
    throw error
  }
}
