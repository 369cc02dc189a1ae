import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely'
import { Client, Pool, type PoolClient } from 'pg'
import type { Cursor, Database, Db } from '../database.ts'
import { withoutPassword } from '../database-address.ts'
import type { Tables } from '../schema.ts'
import { findContaining } from '../search/search-index.ts'
import { reason } from '../unavailable.ts'
import { CURSOR_COLUMNS, type CursorColumns, cursorOf } from './postgres-changes.ts'
import { readPostgresAddress, type ServerAddress, sessionDialect } from './postgres-session.ts'

// Sends public reads to a standby of PostgreSQL while the standby shows everything that this process knows of.

/** Milliseconds between checks of a standby in use, and between attempts to reach a lost one. */
const LOOK_MS = 1000
/** Milliseconds between checks of a standby that is catching up: at first, and at most. */
const [SOON_MS, LATER_MS] = [5, 100]
/** Milliseconds behind the database after which a standby is reported. */
const LONG_MS = 10_000

/** A state of the database that a standby must have replayed before it may answer. */
interface Goal {
  /** The count `heard` of the replica when the goal was set. */
  heard: number
  /** The end of the write-ahead log then, in bytes from its beginning. */
  position: bigint
  /** The cursor of the database at that position, or an earlier one. */
  cursor: Cursor
}

/** A database with a standby, and what is known of the state of each. */
interface Replica {
  database: Database
  address: string
  reach: ServerAddress
  report: (error: unknown) => void
  tell: (sentence: string) => void
  /** The number of times that this process has heard of changes. */
  heard: number
  /** Sends statements to the standby; undefined while it is out of use. */
  reads: Db | undefined
  /** The cursor that the standby showed when it came into use. */
  shown: Cursor | undefined
  standby: Standby | undefined
  goal: Goal | undefined
  /** When the standby fell behind the goal, in ms of `performance.now()`; undefined while it is not behind. */
  behindSince: number | undefined
  /** The last reported reason why the standby is not used; empty while it is used. */
  told: string
  isClosed: boolean
  watching: Promise<void>
  /** Ends the pause between two checks. */
  wake: () => void
}

/**
 * Returns the database with its public reads sent to a streaming standby while that shows everything this process knows of. The process learns of changes
 * from the returned object: by the listeners of `onChange`, and by the cursors of `cursor` and `readChanges`. At each new change the standby goes out of use
 * before anybody hears of the change, until it has replayed what the database wrote up to a later time. So a statement that begins on the standby shows at
 * least the state of every cursor given until then, and whoever caches an answer under the latest cursor (the memory of events, the finished answers) never
 * caches an older state. Nor does a request see less than it saw before: once one of its statements has gone to the database itself, its later ones do too. A
 * statement that fails on the standby goes to the database. `report` gets each new reason why the standby is not used once, and `tell` a sentence when the
 * standby is used again.
 * @throws Error with one sentence for unsupported parameters in the address.
 */
export function readFromReplica(
  database: Database,
  address: string,
  report: (error: unknown) => void,
  tell: (sentence: string) => void,
): Database {
  const replica: Replica = {
    database,
    address,
    reach: readPostgresAddress(address),
    report,
    tell,
    heard: 0,
    reads: undefined,
    shown: undefined,
    standby: undefined,
    goal: undefined,
    behindSince: undefined,
    told: '',
    isClosed: false,
    watching: Promise.resolve(),
    wake: () => {},
  }
  const unsubscribe = database.onChange(() => noteNews(replica))
  const readPublic = () => replica.reads ?? database.read
  replica.watching = watch(replica)
  return {
    ...database,
    readPublic,
    isReplicaUp: () => replica.told === '',
    cursor: async () => noteCursor(replica, await database.cursor()),
    readChanges: async (since) => {
      const read = await database.readChanges(since)
      if (read !== 'too old') noteCursor(replica, read.cursor)
      return read
    },
    // Only public lists call this; on PostgreSQL other searches are part of the statements that read.
    findMatching: (search) => findContaining(readPublic(), search),
    close: async () => {
      unsubscribe()
      await stopWatching(replica)
      await database.close()
    },
  }
}

/** Takes the standby out of use until a check brings it back. */
function closeStandby(replica: Replica): void {
  replica.shown = undefined
  if (!replica.reads) return
  replica.reads = undefined
  replica.wake()
}

function noteNews(replica: Replica): void {
  replica.heard++
  closeStandby(replica)
}

function noteCursor(replica: Replica, cursor: Cursor): Cursor {
  if (cursor !== replica.shown) noteNews(replica)
  return cursor
}

function tellWhy(replica: Replica, why: string): void {
  if (why === replica.told) return
  replica.told = why
  replica.report(new Error(`The replica ${withoutPassword(replica.address)} is not used: ${why}`))
}

/** Drops the connection to the standby. Returns the milliseconds until the next check. */
function loseStandby(replica: Replica, why: unknown): number {
  const lost = replica.standby
  replica.standby = undefined
  closeStandby(replica)
  lost?.leave().catch(() => undefined)
  if (!replica.isClosed) tellWhy(replica, reason(why))
  return LOOK_MS
}

/** Brings the standby into use. */
function openStandby(replica: Replica, standby: Standby, cursor: Cursor): void {
  replica.shown = cursor
  if (replica.told !== '') replica.tell(`The replica ${withoutPassword(replica.address)} is used again.`)
  replica.told = ''
  if (replica.reads) return
  const isOpen = () => replica.reads === opened
  const opened: Db = routedDb(standby, replica.database.read, isOpen, () => closeStandby(replica))
  replica.reads = opened
}

/** Brings the standby into use if that is safe. Returns the milliseconds until the next check. */
async function look(replica: Replica): Promise<number> {
  const { database, reach } = replica
  const standby = replica.standby ?? (await joinStandby(reach, database.read, (why) => loseStandby(replica, why)))
  replica.standby = standby
  if (replica.goal?.heard !== replica.heard) replica.goal = { heard: replica.heard, ...(await findEnd(database.read)) }
  const { goal } = replica
  const position = await standby.findPosition()
  if (position < goal.position) return waitForReplay(replica)
  replica.behindSince = undefined
  if (position > goal.position && position > (await findEnd(database.read)).position)
    throw new Error('it shows data that the database never wrote')
  if (standby !== replica.standby || goal.heard !== replica.heard) return SOON_MS
  openStandby(replica, standby, goal.cursor)
  return LOOK_MS
}

/** Notes that the standby is behind. Returns the milliseconds until the next check, which grow with the delay. */
function waitForReplay(replica: Replica): number {
  const now = performance.now()
  replica.behindSince ??= now
  const behind = now - replica.behindSince
  if (behind > LONG_MS) tellWhy(replica, 'it is behind.')
  return Math.min(LATER_MS, SOON_MS + behind / 10)
}

async function watch(replica: Replica): Promise<void> {
  while (!replica.isClosed) {
    const ms = await look(replica).catch((error: unknown) => loseStandby(replica, error))
    await pause(replica, replica.isClosed ? 0 : ms)
  }
}

/** Waits for this many milliseconds, or until `wake` is called. */
function pause(replica: Replica, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    replica.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function stopWatching(replica: Replica): Promise<void> {
  replica.isClosed = true
  replica.wake()
  await replica.watching
  await replica.standby?.leave()
}

/** Returns a connection that sends statements to the standby while it is in use. One that fails there goes to the database, as do all later ones. */
function routedDb(standby: Standby, database: Db, isOpen: () => boolean, close: () => void): Db {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => {
      try {
        if (isOpen()) return await standby.execute<Row>(query)
      } catch {
        if (isOpen()) close()
      }
      return database.executeQuery<Row>(query)
    },
    streamQuery: () => {
      throw new Error('Rows are read whole.')
    },
  }
  const refuse = async () => {
    throw new Error('Public reads take place outside transactions.')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/**
 * Returns the cursor of the database, and the end of its write-ahead log at a later time. That end is the insert position: asynchronous commits are visible
 * before they are written to disk, but they have their places in the log by then.
 */
async function findEnd(db: Db): Promise<{ position: bigint; cursor: Cursor }> {
  // A page of the log begins with a header, which a standby receives only with the next record: 40 bytes at the beginning of a file, 24 elsewhere. So it is
  // left out.
  const { rows } = await sql<CursorColumns & { position: string }>`
    select present, last, (next - case
      when next % pg_size_bytes(current_setting('wal_segment_size')) = 40 then 40
      when next % current_setting('wal_block_size')::int = 24 then 24
      else 0 end)::text as position
    from (select pg_current_wal_insert_lsn() - '0/0' as next, ${sql.raw(CURSOR_COLUMNS)}) as now
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('no row')
  return { position: BigInt(row.position), cursor: cursorOf(row) }
}

/** Milliseconds without an answer after which the standby counts as lost. */
const PATIENCE_MS = 2000

/** One uninterrupted run of a server that follows the database by streaming replication. */
interface Standby {
  /** Runs a statement. Rejects when the statement fails, and at once when the standby is given up. */
  execute: <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>
  /** Resolves to the replayed position in the database's log, in bytes, which never goes back. Rejects without an answer, or if nobody is followed. */
  findPosition: () => Promise<bigint>
  /** Gives the standby up; running statements reject. */
  leave: () => Promise<void>
}

/** Selects a text that names the cluster and database of a connection: the same for a server and for all its standbys. */
const PLACE = sql<{ place: string }>`
  select (select system_identifier from pg_control_system()) || ' ' || current_database() as place`

interface StandbyColumns {
  /** The start time of the server to the microsecond, which tells one run of a server from any other. */
  started: string
  /** The replayed position in the log; null where nothing is being replayed. */
  position: string | null
}
const STANDBY = `select extract(epoch from pg_postmaster_start_time())::text as started,
  case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as position`

/**
 * Connects to a standby of the database that `primary` reads. Calls `lost` with the reason when the standby is lost: it does not answer, or its address leads
 * to another server or to the same one after a restart, either of which may show less than before.
 * @throws Error when it cannot be reached, or follows another database.
 */
async function joinStandby(reach: ServerAddress, primary: Db, lost: (why: unknown) => void): Promise<Standby> {
  const { config, statementMs } = reach
  const watch = new Client({ ...config, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS })
  const pool = new Pool({ ...config, verify: (client, done) => void ask(client).then(() => done(), done) })
  const db = new Kysely<Tables>({ dialect: sessionDialect(pool, statementMs) })
  const waiting = new Set<(why: unknown) => void>()
  let started: string | undefined
  let isLeft = false

  const giveUp = (why: unknown) => {
    if (!isLeft) lost(why)
  }
  const ask = async (client: Client | PoolClient): Promise<StandbyColumns> => {
    const [server] = (await client.query<StandbyColumns>(STANDBY)).rows
    started ??= server?.started
    if (server && server.started === started) return server
    const other = new Error('another server answers at its address')
    giveUp(other)
    throw other
  }
  const leave = async () => {
    isLeft = true
    for (const reject of waiting) reject(new Error('the standby was given up'))
    await Promise.all([watch.end(), pool.end()])
  }

  watch.on('error', giveUp)
  watch.on('end', () => giveUp(new Error('the connection was closed')))
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await watch.connect()
    await ask(watch)
    const [here, there] = await Promise.all([PLACE.execute(primary), PLACE.execute(db)])
    if (here.rows[0]?.place !== there.rows[0]?.place) throw new Error('it does not follow this database')
  } catch (error) {
    leave().catch(() => undefined)
    throw error
  }
  return {
    execute: (query) =>
      new Promise((resolve, reject) => {
        waiting.add(reject)
        db.executeQuery(query)
          .then(resolve, reject)
          .finally(() => waiting.delete(reject))
      }),
    findPosition: async () => {
      const { position } = await ask(watch)
      if (position === null) throw new Error('it follows no other server')
      return BigInt(position)
    },
    leave,
  }
}
