import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, DatabaseError } from 'pg'

export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

export const SERVER = 'TEST_POSTGRES'

export const TEMPLATE_FOLDER = 'TEST_SQLITE_TEMPLATES'

type Content = Template | 'bare'
const TEMPLATES = ['migrated', 'users'] as const
export type Template = (typeof TEMPLATES)[number]

const templateOf = (content: Template) => `kalends_template_${content}`

export function databaseName(): DatabaseName {
  return process.env[SERVER] ? 'postgres' : 'sqlite'
}

export const onSqlite = { skip: databaseName() !== 'sqlite' && 'on SQLite' }
export const onPostgres = { skip: databaseName() !== 'postgres' && 'on PostgreSQL' }

export interface ScratchDatabase {
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
  return { address: `sqlite:${file}`, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function copyTemplate(template: string, file: string): Promise<void> {
  await copyFile(template, file)
  const copy = new DatabaseSync(file)
  copy.exec(newEdition())
  copy.close()
}

function newEdition(): string {
  const name = randomBytes(6).toString('base64url')
  return `update editions set edition = '${name}', calendar = '${name}'`
}

export function patient(address: string): string {
  return address.startsWith('sqlite:')
    ? address
    : `${address}?connect_ms=60000&statement_ms=60000&lock_ms=60000`
}

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

type Fill = (address: string, content: Template) => Promise<void>

export async function makeTemplates(server: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) {
    const address = new URL(server)
    address.pathname = templateOf(content)
    await administer(server, `create database ${templateOf(content)}`)
    await fill(address.href, content)
  }
}

export async function makeTemplateFiles(folder: string, fill: Fill): Promise<void> {
  for (const content of TEMPLATES) await fill(`sqlite:${join(folder, content)}`, content)
}

export async function administer(server: string, statement: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const NO_TEMPLATE = ['3D000', '42601']

async function isCopied(server: string, copy: string): Promise<boolean> {
  try {
    await administer(server, copy)
    return true
  } catch (error) {
    if (error instanceof DatabaseError && NO_TEMPLATE.includes(error.code ?? '')) return false
    throw error
  }
}
