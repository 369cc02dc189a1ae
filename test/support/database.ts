import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, DatabaseError } from 'pg'

/** The databases on which tests run. */
export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/**
 * Environment variable with the address of a PostgreSQL database, in whose server tests create theirs.
 * Without it, tests use SQLite.
 */
export const SERVER = 'TEST_POSTGRES'

/** Environment variable with the folder of SQLite templates. Without it, new databases are empty. */
export const TEMPLATE_FOLDER = 'TEST_SQLITE_TEMPLATES'

/**
 * The content of a new database: no tables, empty tables, or the test users. Without a template, a new
 * database has no tables in any case.
 */
type Content = Template | 'bare'
const TEMPLATES = ['migrated', 'users'] as const
export type Template = (typeof TEMPLATES)[number]

/** The name of the PostgreSQL database from which new ones are copied. */
const templateOf = (content: Template) => `kalends_template_${content}`

/** The database of the tests in this process. */
export function databaseName(): DatabaseName {
  return process.env[SERVER] ? 'postgres' : 'sqlite'
}

/** Skips a test on PostgreSQL: it is about SQLite alone, or about no database at all. */
export const onSqlite = { skip: databaseName() !== 'sqlite' && 'on SQLite' }
export const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

/** A new database of one test. */
export interface ScratchDatabase {
  /** The address, as the setting `database` takes it. */
  address: string
  remove: () => Promise<void>
}

/** Creates a database on the PostgreSQL server of the environment, or else as an SQLite file. */
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

/** The SQL that gives a copy its own edition, as if its tables had just been made. */
function newEdition(): string {
  const name = randomBytes(6).toString('base64url')
  return `update editions set edition = '${name}', calendar = '${name}'`
}

/** Adds long timeouts to the address of a PostgreSQL database, for tests that are not about its timeouts. */
export function patient(address: string): string {
  return address.startsWith('sqlite:')
    ? address
    : `${address}?connect_ms=60000&statement_ms=60000&lock_ms=60000`
}

/** Creates a database on a PostgreSQL server. */
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

/** Creates the content of a template. */
type Fill = (address: string, content: Template) => Promise<void>

/** Creates the templates on a PostgreSQL server: copying one is faster than making its tables and users. */
export async function makeTemplates(server: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) {
    const address = new URL(server)
    address.pathname = templateOf(content)
    await administer(server, `create database ${templateOf(content)}`)
    await fill(address.href, content)
  }
}

/**
 * Creates the templates as SQLite files in a folder: copying one is faster than making its tables and users.
 */
export async function makeTemplateFiles(folder: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) await fill(`sqlite:${join(folder, content)}`, content)
}

/** Runs a statement on a server over its own connection. */
export async function administer(server: string, statement: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Codes of a missing database, and of a syntax error: PostgreSQL 14 does not know `strategy`. */
const NO_TEMPLATE = ['3D000', '42601']

/** Copies a template. Returns false if it is missing or the server cannot copy it. */
async function isCopied(server: string, copy: string): Promise<boolean> {
  try {
    await administer(server, copy)
    return true
  } catch (error) {
    if (error instanceof DatabaseError && NO_TEMPLATE.includes(error.code ?? '')) return false
    throw error
  }
}
