import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { type ClientConfig, type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg'
import { runQueries } from '../aside.ts'
import { makePruner, RETENTION, type Retention } from '../changes.ts'
import { isConflict, isRace } from '../conflict.ts'
import type { Database, Db } from '../database.ts'
import { withoutPassword } from '../database-address.ts'
import { holdName } from '../locks.ts'
import type { Tables } from '../schema.ts'
import { findContaining } from '../search/search-index.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { dropChanges, findChanges, presentCursor } from './postgres-changes.ts'
import { makeListener } from './postgres-listener.ts'
import { sessionDialect, sharedRunner, transact } from './postgres-session.ts'
import { inShare, makeShare } from './postgres-share.ts'

/** Limits of one process. They are set as parameters of the address, as in `postgres://host/name?connections=20`. */
const LIMITS = {
  /** Connections at the most; one more listens. */
  connections: 10,
  /** Milliseconds to wait for a free connection, or for a new one. */
  connect_ms: 5000,
  /** Milliseconds that a statement may take. */
  statement_ms: 10_000,
  /** Milliseconds that a write waits for a lock. */
  lock_ms: 3000,
}

/** The share of the connections for writes, and that for long reads; the rest are for quick reads. */
const SHARES = { writes: 0.6, aside: 0.2 }

/** Times a write is run before its conflicts with others count as too many. */
const ATTEMPTS = 25
const OLDEST = 140_000

/**
 * Opens a PostgreSQL database at `postgres://…`, of version 14 or newer and with texts in UTF-8. Once open, it recovers by itself from
 * whatever happens to the server: work that cannot be done meanwhile rejects with DatabaseUnavailable.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openPostgres(address: string, retention: Retention = RETENTION): Promise<Database> {
  const { config, listening, connections, connectMs, statementMs, lockMs } = readAddress(address)
  const pool = new Pool(config)
  // A broken connection is replaced by the next; its user hears of it by the failed statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: sessionDialect(pool, statementMs) })
  runDirectly(db, 'postgres', sharedRunner(pool, statementMs))
  const patient = new Kysely<Tables>({ dialect: sessionDialect(pool, Number.POSITIVE_INFINITY) })
  try {
    await check(db)
  } catch (error) {
    await pool.end()
    throw new Error(`The database ${withoutPassword(address)} cannot be opened: ${reason(error)}`)
  }

  const listeners = new Set<() => void>()
  const mayHaveChanged = () => {
    for (const listener of listeners) listener()
  }
  const others = makeListener(listening, pool, mayHaveChanged)
  // A commit that notifies goes the shortest way to the other nodes, but no two such commits are written to disk together. So only a
  // write that has this node to itself is announced by its commit.
  const writes = makeShare(connections * SHARES.writes, connectMs)
  const asides = makeShare(connections * SHARES.aside, connectMs)
  const limits = { statementMs, lockMs }
  const announcing = `${others.telling}; commit`
  let writing = 0
  const prune = makePruner(
    retention,
    () => presentCursor(db),
    (before, rows) => patient.transaction().execute((tx) => dropChanges(tx, before, rows)),
  )
  return {
    read: db,
    readPublic: () => db,
    aside: ((from, _lane, queries) => inShare(asides, () => runQueries(from, queries))) as Database['aside'],
    write: async (work) => {
      const isAlone = writing++ === 0
      try {
        const ending = isAlone ? announcing : 'commit'
        const result = await untilSettled(() => inShare(writes, () => transact(pool, limits, ending, work)))
        mayHaveChanged()
        if (!isAlone) others.tell()
        prune()
        return result
      } finally {
        writing--
      }
    },
    migrate: (work) =>
      patient.transaction().execute(async (tx) => {
        await holdName(tx, 'migrations')
        await work(tx)
      }),
    cursor: () => presentCursor(db),
    readChanges: (since) => findChanges(db, since),
    onChange: (listener) => {
      listeners.add(listener)
      others.listen()
      return () => listeners.delete(listener)
    },
    // Word of other processes arrives by itself.
    look: () => false,
    findMatching: (search) => inShare(asides, () => findContaining(db, search)),
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await others.close()
      await pool.end()
    },
  }
}

/** How to reach a server, and its limits. */
export interface Reach {
  config: PoolConfig
  /** As `config`, or where the parameter `listen` of the address sends the connection that listens: past a pooler. */
  listening: ClientConfig
  connections: number
  connectMs: number
  statementMs: number
  lockMs: number
}

/** Takes the parameters that are ours out of an address. @throws Error with one sentence for one with a value it does not take. */
export function readAddress(address: string): Reach {
  const [place = '', query = ''] = address.split('?', 2)
  const parameters = new URLSearchParams(query)
  const take = (name: string, values: RegExp, described: string) => {
    const text = parameters.get(name)
    parameters.delete(name)
    if (text !== null && !values.test(text))
      throw new Error(`The database address takes ${described} as ${name}, not "${text}".`)
    return text
  }
  const limit = (name: keyof typeof LIMITS) => Number(take(name, /^[1-9]\d{0,8}$/, 'a number') ?? LIMITS[name])
  const [connections, connectMs] = [limit('connections'), limit('connect_ms')]
  const [statementMs, lockMs] = [limit('statement_ms'), limit('lock_ms')]
  const listen = take('listen', /^[^\s/@?#]+$/, 'HOST:PORT')
  const server = parameters.size > 0 ? `${place}?${parameters}` : place
  const config: PoolConfig = {
    connectionString: server,
    keepAlive: true,
    // Statements that do not wait for each other go out together.
    pipeline: true,
    application_name: 'kalends',
    types: numbers,
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
  }
  const past = listen === null ? server : server.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]*/, `$1${listen}`)
  const listening = { ...config, connectionString: past }
  return { config, listening, connections, connectMs, statementMs, lockMs }
}

/** Ids and counts are 64 bits wide there; none of ours grows beyond what a number holds exactly. */
const numbers: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)),
}

/** Runs a transaction again for as long as others get in its way. */
async function untilSettled<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRace(error)) throw error
      if (attempts === ATTEMPTS)
        throw isConflict(error) ? error : new DatabaseUnavailable('Too many writes get in the way of this one.', error)
      // Who collided once spreads out.
      await sleep(Math.random() * Math.min(2 * attempts, 40))
    }
  }
}

async function check(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number; name: string; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
      current_setting('server_encoding') as encoding
  `.execute(db)
  const [server] = rows
  if (!server || server.version < OLDEST)
    throw new Error(`it is PostgreSQL ${server?.name}, and 14 is the oldest that will do.`)
  if (server.encoding !== 'UTF8') throw new Error(`its encoding is ${server.encoding}, and only UTF8 holds every text.`)
}

/** Why a server could not be used, in a sentence that begins in the middle. */
export function reason(error: unknown): string {
  const cause = error instanceof DatabaseUnavailable && error.cause ? error.cause : error
  const text =
    cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause)
  return text.endsWith('.') ? text : `${text}.`
}
