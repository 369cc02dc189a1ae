import { createConnection } from 'node:net'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { codeOf } from './conflict.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** Time that a statement gets to end by itself once it has been cancelled. */
const CANCEL_MS = 2000

/** Runs the statements of a query builder. */
interface Session extends DatabaseConnection {
  client: PoolClient
  /** Milliseconds that a statement may take. */
  limitMs: number
  /** Set once the connection is of no more use. */
  broken: boolean
}

/**
 * PostgreSQL for the query builder, over a pool, leaving nothing behind in a session (so that a pooler such as PgBouncer may hand each
 * transaction to another one). A statement that takes longer than `limitMs` is cancelled.
 * Statements reject with DatabaseUnavailable when the server cannot be reached, is overloaded or too slow.
 */
export function sessionDialect(pool: Pool, limitMs: number): Dialect {
  return dialectOf({
    init: async () => {},
    acquireConnection: () => openSession(pool, limitMs),
    beginTransaction: (session) => begin(session as Session),
    commitTransaction: (session) => commit(session as Session, 'commit'),
    rollbackTransaction: (session) => rollback(session as Session),
    releaseConnection: async (session) => release(session as Session),
    destroy: async () => {},
  })
}

/**
 * Runs `work` in a transaction of its own, which ends with the statements `ending`, the last of which commits. Statements that it begins
 * together reach the server together and run in that order, other than in transactions of the query builder, where each waits for the one
 * before. Rejects as statements do.
 */
export async function transact<Tables, T>(
  pool: Pool,
  limitMs: number,
  ending: string,
  work: (tx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const session = await openSession(pool, limitMs)
  const kept = async () => {}
  const tx = new Kysely<Tables>({
    dialect: dialectOf({
      init: kept,
      acquireConnection: async () => session,
      beginTransaction: () => Promise.reject(new Error('A transaction has no other within it.')),
      commitTransaction: kept,
      rollbackTransaction: kept,
      releaseConnection: kept,
      destroy: kept,
    }),
  })
  try {
    await begin(session)
    const result = await work(tx)
    await commit(session, ending)
    return result
  } catch (error) {
    await rollback(session)
    throw error
  } finally {
    release(session)
  }
}

async function begin(session: Session): Promise<void> {
  await ask(session, 'begin', []).catch(rethrow)
}

async function commit(session: Session, ending: string): Promise<void> {
  const answers = [await ask(session, ending, []).catch(rethrow)].flat()
  // The server answers otherwise when a statement had failed and nobody minded.
  if (answers.at(-1)?.command !== 'COMMIT') throw new Error('The transaction was rolled back.')
}

async function rollback(session: Session): Promise<void> {
  if (session.broken) return
  // Without an answer the connection is closed, which rolls back as well.
  await ask(session, 'rollback', []).catch(() => {
    session.broken = true
  })
}

function release({ client, broken }: Session): void {
  client.release(broken)
}

function dialectOf(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

async function openSession(pool: Pool, limitMs: number): Promise<Session> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new DatabaseUnavailable('No connection to the database.', error)
  })
  const session: Session = {
    client,
    limitMs,
    broken: false,
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { command, rowCount, rows } = await ask(session, sql, parameters).catch(rethrow)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery: () => {
      throw new Error('Rows are read whole.')
    },
  }
  return session
}

/** Asks the server, cancels the statement when the limit is over, and gives the connection up when even that brings no answer. */
async function ask(session: Session, text: string, values: readonly unknown[]) {
  const { client, limitMs } = session
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    const giveUp = () => {
      session.broken = true
      reject(new DatabaseUnavailable(`The database did not answer within ${limitMs} ms.`))
    }
    const cancel = () => {
      cancelStatement(client)
      timer = setTimeout(giveUp, CANCEL_MS)
    }
    if (limitMs < Number.POSITIVE_INFINITY) timer = setTimeout(cancel, limitMs)
  })
  try {
    return await Promise.race([client.query(text, values.map(storable)), overdue])
  } finally {
    clearTimeout(timer)
  }
}

/** Texts of PostgreSQL cannot hold the character NUL; another one that stands for nothing takes its place. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
}

const CANCEL_REQUEST = 80877102

/** Asks the server to stop what the connection is doing, over a connection of its own as the protocol wants it. */
function cancelStatement(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Record<string, number> & { host: string }
  if (processID === undefined || secretKey === undefined || port === undefined) return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(number, index * 4)
  const socket = host.startsWith('/') ? createConnection(`${host}/.s.PGSQL.${port}`) : createConnection(port, host)
  socket.on('error', () => socket.destroy())
  // The server closes the connection when it is done; a pooler drops a request whose connection closes before.
  socket.setTimeout(CANCEL_MS, () => socket.destroy())
  socket.resume().write(request)
}

// Connection failures, lack of resources, shutdown and cancelling, a server that only reads because another has taken over, waiting for
// a lock in vain, and the operating system's words for not reaching somebody.
const UNAVAILABLE =
  /^(08...|53...|57...|58...|25006|55P03|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH))$/
const CONNECTION_LOST = /^(Connection terminated|Client (has encountered a connection error|was closed))/

/** Throws DatabaseUnavailable in place of every error that says so in its own words, and any other error as it is. */
function rethrow(error: unknown): never {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) throw error
  const isLost = UNAVAILABLE.test(codeOf(error)) || CONNECTION_LOST.test(error.message)
  throw isLost ? new DatabaseUnavailable(`The database does not answer: ${error.message}.`, error) : error
}
