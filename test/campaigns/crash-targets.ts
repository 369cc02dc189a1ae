import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Random } from '../../bench/random.ts'
import { scratchPostgres } from '../support/database.ts'
import { MAIN } from '../support/environment.ts'
import { freePort, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type ServiceProcess, startProcess, startServiceProcess } from '../support/processes.ts'
import { makeCalendar, type Settings } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { exchange } from './exchange.ts'
import type { Ask, Row } from './stored-records.ts'

// The targets of the crash campaign: a service with its database, run in three ways.

export const SETTINGS = ['sqlite', 'sqlite-nodes', 'postgres'] as const
export type SettingName = (typeof SETTINGS)[number]

export interface Target {
  name: SettingName
  ports: readonly number[]
  kill: (random: Random) => Promise<string>
  killStart: (ms: number) => Promise<boolean>
  restore: () => Promise<void>
  ask: Ask
  findDamage: () => Promise<string[]>
  mediaFolder: string
  close: () => Promise<void>
}

export async function startTarget(name: SettingName): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-crash-'))
  return name === 'postgres' ? startOnPostgres(folder) : startOnSqlite(name, folder)
}

function settingsOf(database: string, folder: string, port: number): Settings {
  return { database, data: folder, port: String(port), page_size_cap: '1000' }
}

interface Node {
  settings: Settings
  port: number
  running: ServiceProcess | undefined
}

async function startNode(node: Node): Promise<void> {
  node.running ??= await startServiceProcess(node.settings)
}

async function untilReady({ port }: Node): Promise<void> {
  await until(() => isFilled(port), 'a node does not get ready', 20)
}

async function isFilled(port: number): Promise<boolean> {
  const { status, body } = await exchange(port, { as: 'anonymous', method: 'GET', path: '/readyz' })
  return status === 200 && body.memory === 'filled'
}

async function killNode(node: Node): Promise<void> {
  const { running } = node
  node.running = undefined
  await running?.end('SIGKILL')
}

async function killStartOf(node: Node, ms: number): Promise<boolean> {
  if (node.running) return false
  const flags = Object.entries(node.settings).flatMap(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    value,
  ])
  const starting = startProcess(MAIN, [
    ...flags,
    '--timezone',
    'America/New_York',
    '--log-level',
    'silent',
    'serve',
  ])
  await sleep(ms)
  await starting.end('SIGKILL')
  return true
}

async function makeNodes(howMany: number, database: string, folder: string): Promise<Node[]> {
  const ports = await Promise.all(Array.from({ length: howMany }, freePort))
  return ports.map((port) => ({ settings: settingsOf(database, folder, port), port, running: undefined }))
}

async function startOnSqlite(name: 'sqlite' | 'sqlite-nodes', folder: string): Promise<Target> {
  const file = join(folder, 'kalends.sqlite')
  await makeCalendar(`sqlite:${file}`)
  const nodes = await makeNodes(name === 'sqlite' ? 1 : 2, `sqlite:${file}`, folder)
  const restore = async () => {
    await Promise.all(nodes.map(startNode))
    await Promise.all(nodes.map(untilReady))
  }
  await restore()
  return {
    name,
    ports: nodes.map(({ port }) => port),
    kill: (random) => killNodes(nodes, random, random.next() < 0.65),
    killStart: async (ms) => {
      const down = nodes.find(({ running }) => !running)
      return down ? killStartOf(down, ms) : false
    },
    restore,
    ask: async (sql) => askFile(file, sql),
    findDamage: async () => findDamageOf(file),
    mediaFolder: join(folder, 'media'),
    close: async () => {
      await Promise.all(nodes.map(killNode))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function askFile(file: string, sql: string): Row[] {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return connection.prepare(sql).all() as Row[]
  } finally {
    connection.close()
  }
}

function findDamageOf(file: string): string[] {
  const integrity = askFile(file, 'pragma integrity_check').map((row) => String(row.integrity_check))
  const keys = askFile(file, 'pragma foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`)
  const unindexed = askFile(
    file,
    'select id from events where id not in (select rowid from ' +
      'event_words) and id not in (select id from unindexed_events)',
  ).map(({ id }) => `event ${id} is in no index of words`)
  return [...integrity.filter((line) => line !== 'ok'), ...keys, ...unindexed]
}

async function startOnPostgres(folder: string): Promise<Target> {
  const server = await startPostgres()
  const { address } = await scratchPostgres(server.address())
  await makeCalendar(address)
  const nodes = await makeNodes(2, address, folder)
  let isServerUp = true
  const restore = async () => {
    if (!isServerUp) await server.start()
    isServerUp = true
    await Promise.all(nodes.map(startNode))
    await Promise.all(nodes.map(untilReady))
  }
  await restore()
  return {
    name: 'postgres',
    ports: nodes.map(({ port }) => port),
    kill: async (random) => {
      const dice = random.next()
      if (dice >= 0.65) isServerUp = false
      return dice < 0.65 ? killNodes(nodes, random, dice < 0.5) : killServer(server)
    },
    killStart: async (ms) => {
      const down = nodes.find(({ running }) => !running)
      return down && isServerUp ? killStartOf(down, ms) : false
    },
    restore,
    ask: (sql) => askServer(address, sql),
    findDamage: () => findDamageIn(address),
    mediaFolder: join(folder, 'media'),
    close: async () => {
      await Promise.all(nodes.map(killNode))
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function killServer(server: PostgresServer): Promise<string> {
  await server.halt('kill')
  return 'database server'
}

async function killNodes(nodes: readonly Node[], random: Random, isOne: boolean): Promise<string> {
  if (isOne) {
    await killNode(random.pick(nodes))
    return 'node'
  }
  await Promise.all(nodes.map(killNode))
  return 'all nodes'
}

async function askServer(address: string, sql: string): Promise<Row[]> {
  const client = new Client(address)
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end()
  }
}

async function findDamageIn(address: string): Promise<string[]> {
  const invalid = await askServer(
    address,
    `select conname as name from pg_constraint where not convalidated
     union all select indexrelid::regclass::text from pg_index where not indisvalid`,
  )
  const tables = ['records', 'events', 'venues', 'organizers', 'terms', 'images']
  const counts = await Promise.all(tables.map((table) => countBothWays(address, table)))
  return [...invalid.map(({ name }) => `not valid: ${name}`), ...counts.flat()]
}

async function countBothWays(address: string, table: string): Promise<string[]> {
  const client = new Client(address)
  await client.connect()
  try {
    const count = async (off: string, on: string) => {
      await client.query(`set enable_${off} = off; set enable_bitmapscan = off; set enable_${on} = on`)
      const { rows } = await client.query(
        `select count(*)::int as n, coalesce(sum(id), 0)::text as sum from ${table}`,
      )
      return JSON.stringify(rows)
    }
    const bySequence = await count('indexonlyscan', 'seqscan')
    const byIndex = await count('seqscan', 'indexonlyscan')
    return bySequence === byIndex ? [] : [`${table} has ${bySequence} and its index ${byIndex}`]
  } finally {
    await client.end()
  }
}
