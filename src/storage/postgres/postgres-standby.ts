import { type CompiledQuery, Kysely, type QueryResult, sql } from 'kysely'
import { Client, Pool, type PoolClient } from 'pg'
import type { Db } from '../database.ts'
import type { Tables } from '../schema.ts'
import type { Reach } from './postgres-address.ts'
import { sessionDialect } from './postgres-session.ts'

/** Milliseconds without an answer after which the standby counts as lost. */
const PATIENCE_MS = 2000

/** A server that follows the database by streaming replication, for as long as it runs without interruption. */
export interface Standby {
  /** Runs a statement. Rejects when it fails, and at once when the standby is given up. */
  execute: <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>
  /**
   * The replayed position of the database's log, in bytes from its beginning; it never goes back. Rejects when there is no answer, or the server
   * follows nobody.
   */
  findPosition: () => Promise<bigint>
  /** Gives the standby up: running statements reject. */
  leave: () => Promise<void>
}

/** Identifies the cluster and database of a connection: the same for a server and for all its standbys. */
const PLACE = sql<{ place: string }>`
  select (select system_identifier from pg_control_system()) || ' ' || current_database() as place`

interface StandbyColumns {
  /** The start time of the server to the microsecond, which tells one run of a server from any other. */
  started: string
  /** Null where nothing is being replayed. */
  position: string | null
}
const STANDBY = `select extract(epoch from pg_postmaster_start_time())::text as started,
  case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end as position`

/**
 * Connects to a standby of the database that `primary` reads. `lost` is called with the reason when the standby is lost: it does not answer, or its
 * address leads to another server or to the same one after a restart; either may show less than before.
 * @throws Error when it cannot be reached, or follows another database.
 */
export async function joinStandby(reach: Reach, primary: Db, lost: (why: unknown) => void): Promise<Standby> {
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
