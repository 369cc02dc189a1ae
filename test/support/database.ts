import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, DatabaseError } from 'pg'

/** The databases that behaviour is tested on. */
export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The variable of the environment that names a PostgreSQL server to test on, as an address of one of its databases; without it, tests use SQLite. */
export const SERVER = 'TEST_POSTGRES'

/** The variable of the environment that names a folder of SQLite files to copy new databases from; without it, they are empty until somebody makes their tables. */
export const TEMPLATE_FOLDER = 'TEST_SQLITE_TEMPLATES'

/** The content of a new database, as far as there is something to copy: tables without any rows, or the test users as well. `bare` is without tables. */
type Content = Template | 'bare'
const TEMPLATES = ['migrated', 'users'] as const
export type Template = (typeof TEMPLATES)[number]

/** Databases of the server that new ones are copied from when they are there. */
const templateOf = (content: Template) => `kalends_template_${content}`

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

/** A database of one's own on SQLite or on the PostgreSQL server of the environment. */
export async function scratchDatabase(content: Content = 'migrated'): Promise<ScratchDatabase> {
  const server = process.env[SERVER]
  return server ? scratchPostgres(server, content) : scratchFile(content)
}

async function scratchFile(content: Content): Promise<ScratchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  const file = join(folder, 'kalends.sqlite')
  const templates = process.env[TEMPLATE_FOLDER]
  if (templates && content !== 'bare') await copyTemplate(join(templates, content), file)
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
export async function scratchPostgres(server: string, content: Content = 'bare'): Promise<ScratchDatabase> {
  const name = `kalends_${randomUUID().replaceAll('-', '')}`
  const plain = `create database ${name}`
  const address = new URL(server)
  address.pathname = name
  if (content === 'bare') await administer(server, plain)
  else if (await isCopied(server, `${plain} template ${templateOf(content)} strategy file_copy`))
    await administer(address.href, newEdition())
  else await administer(server, plain)
  return { address: address.href, remove: () => administer(server, `drop database ${name} with (force)`) }
}

/** Fills a database that others are copied from. */
type Fill = (address: string, content: Template) => Promise<void>

/** Makes the databases that new ones are copied from, since that takes less time than making all their tables and users. */
export async function makeTemplates(server: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) {
    const address = new URL(server)
    address.pathname = templateOf(content)
    await administer(server, `create database ${templateOf(content)}`)
    await fill(address.href, content)
  }
}

/** Makes the files in a folder that new databases are copied from, for the same reason. */
export async function makeTemplateFiles(folder: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) await fill(`sqlite:${join(folder, content)}`, content)
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
