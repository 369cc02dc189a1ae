import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg'
import { groupTransactions, waitingWrite } from '../commit-groups.ts'
import { type Cursor, type Database, type Db, runQueries } from '../database.ts'
import { withoutPassword } from '../database-address.ts'
import { holdName } from '../locks.ts'
import { recordingOf, type Tx, type Writer, writerBy } from '../recording.ts'
import type { Tables } from '../schema.ts'
import { findContaining, makeStemmer, stemNames } from '../search/search-index.ts'
import { runDirectly } from '../statement.ts'
import { DatabaseUnavailable, isConflict, isRace, reason } from '../unavailable.ts'
import {
  CURSOR_COLUMNS,
  type CursorColumns,
  cursorOf,
  findChanges,
  presentCursor,
  saveRecording,
} from './postgres-changes.ts'
import {
  readPostgresAddress,
  type ServerAddress,
  sessionDialect,
  sharedRunner,
  type TransactionLimits,
  transact,
} from './postgres-session.ts'

/** Shares of the connections; the rest stays free for quick reads. */
const SHARES = { writes: 0.6, longReads: 0.2 }

const ATTEMPTS = 25
const OLDEST = 140_000

interface PostgresDatabase {
  pool: Pool
  db: Db
  /** Without a time limit for statements, for migrations. */
  patient: Db
  limits: TransactionLimits
  writes: Share
  longReads: Share
  listeners: Set<() => void>
  others: Listener
  writing: number
  /** A promise for each commit under way, which resolves once the listeners were called for it. */
  committing: Set<Promise<void>>
  stemmer: ReturnType<typeof makeStemmer>
}

/**
 * Opens a database of PostgreSQL 14 or newer in UTF-8. Once open, it recovers with the server; until then,
 * its functions reject with DatabaseUnavailable.
 * @throws Error with one sentence if it cannot be opened
 */
export async function openPostgres(address: string): Promise<Database> {
  const reach = readPostgresAddress(address)
  const pool = openPool(reach.config)
  const db = new Kysely<Tables>({ dialect: sessionDialect(pool, reach.statementMs) })
  runDirectly(db, 'postgres', sharedRunner(pool, reach.statementMs))
  try {
    await check(db)
  } catch (error) {
    await pool.end()
    throw new Error(`The database ${withoutPassword(address)} cannot be opened: ${reason(error)}`)
  }
  return presentDatabase(openNode(reach, pool, db))
}

/** The pool replaces broken connections; rejected statements tell their callers of the failure. */
function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function openNode(reach: ServerAddress, pool: Pool, db: Db): PostgresDatabase {
  const { listening, connections, connectMs, statementMs, lockMs } = reach
  const patient = new Kysely<Tables>({ dialect: sessionDialect(pool, Number.POSITIVE_INFINITY) })
  const listeners = new Set<() => void>()
  return {
    pool,
    db,
    patient,
    limits: { statementMs, lockMs },
    writes: makeShare(connections * SHARES.writes, connectMs),
    longReads: makeShare(connections * SHARES.longReads, connectMs),
    listeners,
    others: makeListener(listening, pool, () => callAll(listeners)),
    writing: 0,
    committing: new Set(),
    stemmer: makeStemmer((work) => db.transaction().execute(work)),
  }
}

function callAll(listeners: ReadonlySet<() => void>): void {
  for (const listener of listeners) listener()
}

function presentDatabase(node: PostgresDatabase): Database {
  const { pool, db, longReads, others, listeners, committing } = node
  const groups = groupTransactions((work) => write(node, work, writerBy('')))
  return {
    read: db,
    readInLane: ((from, _lane, queries) =>
      inShare(longReads, () => runQueries(from, queries))) as Database['readInLane'],
    write: (work, by = writerBy('')) => write(node, work, by),
    writeShared: (work, item, by) => {
      const { write: shared, done } = waitingWrite(work, { item, by })
      groups.add(shared)
      return done
    },
    migrate: async (work) => {
      await node.patient.transaction().execute(async (tx) => {
        await holdName(tx, 'migrations')
        await work(tx)
      })
      node.stemmer.wake()
    },
    cursor: () => presentCursor(db),
    readChanges: (since) => findChanges(db, since),
    onChange: (listener) => {
      listeners.add(listener)
      others.listen()
      return () => listeners.delete(listener)
    },
    // Notifications announce commits of other processes, so there is nothing to check.
    look: () => false,
    commitsUnderWay: () => (committing.size === 0 ? undefined : Promise.all(committing)),
    findMatching: (search) => inShare(longReads, () => findContaining(db, search)),
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      node.stemmer.stop()
      await others.close()
      await pool.end()
    },
  }
}

/**
 * Runs a write and notifies the other nodes: within the transaction, which is soonest, while no other write
 * runs on this node; else afterwards, since the server cannot flush two such commits to disk together.
 */
async function write<T>(node: PostgresDatabase, work: (tx: Tx) => Promise<T>, by: Writer): Promise<T> {
  const announced = Promise.withResolvers<void>()
  const recorded = async (db: Db) => {
    const tx = recordingOf(db, by)
    const result = await work(tx)
    await stemNames(tx, tx.recording)
    // The server commits next. Readers may see the change before the answer to the commit arrives here.
    node.committing.add(announced.promise)
    return { result, last: saveRecording(tx) }
  }
  const isAlone = node.writing++ === 0
  try {
    const ending = isAlone ? `${node.others.notifyStatement}; commit` : 'commit'
    const attempt = () => transact(node.pool, node.limits, ending, recorded)
    const result = await untilSettled(() => inShare(node.writes, attempt))
    callAll(node.listeners)
    if (!isAlone) node.others.notify()
    node.stemmer.wake()
    return result
  } finally {
    node.writing--
    node.committing.delete(announced.promise)
    announced.resolve()
  }
}

async function untilSettled<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRace(error)) throw error
      if (attempts === ATTEMPTS)
        throw isConflict(error)
          ? error
          : new DatabaseUnavailable('Too many writes get in the way of this one.', error)
      // After a random pause the same writers seldom collide again.
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
    throw new Error(`it is PostgreSQL ${server?.name}, and 14 is the oldest supported version.`)
  if (server.encoding !== 'UTF8')
    throw new Error(`its encoding is ${server.encoding}, and only UTF8 holds every text.`)
}

/** Limits the connections that one kind of work uses at the same time. */
interface Share {
  limit: number
  taken: number
  waiting: Turn[]
  longestWaitMs: number
}

interface Turn {
  begin: () => void
}

const MOST_WAITING = 64

function makeShare(limit: number, longestWaitMs: number): Share {
  return { limit: Math.max(1, Math.floor(limit)), taken: 0, waiting: [], longestWaitMs }
}

/**
 * Runs `work` when a connection of the share is free. Rejects with DatabaseUnavailable if no connection is
 * free in time, or if too much work waits already.
 */
async function inShare<T>(share: Share, work: () => Promise<T>): Promise<T> {
  if (share.taken >= share.limit) await turnIn(share)
  else share.taken += 1
  try {
    return await work()
  } finally {
    const next = share.waiting.shift()
    if (next) next.begin()
    else share.taken -= 1
  }
}

function turnIn(share: Share): Promise<void> {
  if (share.waiting.length >= share.limit * MOST_WAITING)
    return Promise.reject(new DatabaseUnavailable('Too many others wait for a connection to the database.'))
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      share.waiting.splice(share.waiting.indexOf(turn), 1)
      reject(
        new DatabaseUnavailable(`No connection to the database was free within ${share.longestWaitMs} ms.`),
      )
    }
    const timer = setTimeout(giveUp, share.longestWaitMs)
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    const turn: Turn = { begin }
    share.waiting.push(turn)
  })
}

const CHANNEL = 'kalends_changes'
/** Ms between checks of the cursor while notifications arrive: a node may die before it has sent one. */
const NOTIFIED_CHECK_MS = 500
/** Ms between checks of the cursor while no notifications arrive, and between attempts to connect. */
const UNNOTIFIED_CHECK_MS = 100
/** Ms between notifications from one node; each is for all commits since the last. */
const NOTIFY_MS = 10
const PATIENCE_MS = 2000

interface Listener {
  notifyStatement: string
  notify: () => void
  listen: () => void
  close: () => Promise<void>
}

/**
 * Calls `heard` when another node may have changed the database. Over its own connection it receives
 * notifications by LISTEN, and checks the cursor: twice a second, for commits never announced, or ten times
 * if no notifications arrive, as behind a pooler that shares sessions. Without a connection it calls `heard`
 * after each failed attempt to connect.
 */
function makeListener(config: ClientConfig, pool: Pool, heard: () => void): Listener {
  const self = randomUUID()
  const ending = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  let listening: Listening | undefined
  let watching: Promise<void> | undefined
  let announcing: Promise<void> | undefined
  let again = false
  let seen: Cursor | undefined

  const watch = async () => {
    while (!ending.signal.aborted) {
      try {
        listening = await openListening(config, self, heard)
        while (!ending.signal.aborted) {
          const cursor = await listening.look()
          if (cursor !== seen) heard()
          seen = cursor
          await pause(listening.isNotified() ? NOTIFIED_CHECK_MS : UNNOTIFIED_CHECK_MS)
        }
      } catch {
        heard()
      }
      const lost = listening
      listening = undefined
      await lost?.close()
      await pause(UNNOTIFIED_CHECK_MS)
    }
  }
  const announce = async () => {
    do {
      again = false
      // A failure does no harm, since the other nodes also check the cursor.
      await (listening ? listening.notify() : pool.query('select pg_notify($1, $2)', [CHANNEL, self])).catch(
        () => undefined,
      )
      await pause(NOTIFY_MS)
    } while (again)
    announcing = undefined
  }
  return {
    notifyStatement: `notify ${CHANNEL}, '${self}'`,
    notify: () => {
      again = true
      announcing ??= announce()
    },
    listen: () => {
      watching ??= watch()
    },
    close: async () => {
      await announcing
      ending.abort()
      await watching
    },
  }
}

/** The connection for LISTEN. If it is lost, `look`, which reads the cursor, and `notify` reject. */
interface Listening {
  look: () => Promise<Cursor>
  notify: () => Promise<void>
  /** True once any notification has arrived, even from this node; behind some poolers none arrives. */
  isNotified: () => boolean
  close: () => Promise<void>
}

async function openListening(config: ClientConfig, self: string, heard: () => void): Promise<Listening> {
  const client = new Client({ ...config, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS })
  client.on('error', () => undefined)
  let isNotified = false
  client.on('notification', ({ payload }) => {
    isNotified = true
    if (payload !== self) heard()
  })
  let last: Promise<unknown> = Promise.resolve()
  const ask = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const answer = last.then(async () => (await client.query(text, values)).rows as Row[])
    last = answer.catch(() => undefined)
    return answer
  }
  const close = () => client.end().catch(() => undefined)
  try {
    await client.connect()
    // A pooler reports an invented process id. Behind one, notifications may not arrive, so there is no
    // LISTEN.
    const [session] = await ask<{ pid: number }>('select pg_backend_pid() as pid')
    if (session?.pid === (client as unknown as { processID: number }).processID) {
      await ask(`listen ${CHANNEL}`)
      await ask('select pg_notify($1, $2)', [CHANNEL, self])
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    look: async () => {
      const [row] = await ask<CursorColumns>(`select ${CURSOR_COLUMNS}`)
      if (!row) throw new Error('no snapshot')
      return cursorOf(row)
    },
    notify: async () => {
      await ask('select pg_notify($1, $2)', [CHANNEL, self])
    },
    isNotified: () => isNotified,
    close,
  }
}
