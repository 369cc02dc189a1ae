import { createConnection } from 'node:net'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import {
  type ClientConfig,
  type CustomTypesConfig,
  type Pool,
  type PoolClient,
  type PoolConfig,
  types,
} from 'pg'
import { codeOf } from '../../../base/errors.ts'
import { storableText } from '../../../base/text/characters.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../schema.ts'
import { type NamedQuery, type Runner, runDirectly } from '../statement.ts'
import { DatabaseUnavailable, isOutdated, isRace } from '../unavailable.ts'

/** Defaults; the address may set others as query parameters, as in `postgres://host/name?connections=20`. */
const LIMITS = {
  /** Connections of the pool, without the one for LISTEN. */
  connections: 10,
  /** Ms to wait for a free or new connection. */
  connect_ms: 5000,
  /** Ms that a statement may take. */
  statement_ms: 10_000,
  /** Ms that a write waits for a lock. */
  lock_ms: 3000,
}

export interface ServerAddress {
  config: PoolConfig
  /** The connection for LISTEN. The query parameter `listen` sets its host and port, to bypass a pooler. */
  listening: ClientConfig
  connections: number
  connectMs: number
  statementMs: number
  lockMs: number
}

/**
 * Reads the address, and removes the query parameters that are not for the driver.
 * @throws Error with one sentence if the value of such a parameter is invalid
 */
export function readPostgresAddress(address: string): ServerAddress {
  const [place = '', query = ''] = address.split('?', 2)
  const parameters = new URLSearchParams(query)
  const take = (name: string, values: RegExp, described: string) => {
    const text = parameters.get(name)
    parameters.delete(name)
    if (text !== null && !values.test(text))
      throw new Error(`The database address takes ${described} as ${name}, not "${text}".`)
    return text
  }
  const limit = (name: keyof typeof LIMITS) =>
    Number(take(name, /^[1-9]\d{0,8}$/, 'a number') ?? LIMITS[name])
  const [connections, connectMs] = [limit('connections'), limit('connect_ms')]
  const [statementMs, lockMs] = [limit('statement_ms'), limit('lock_ms')]
  const listen = take('listen', /^[^\s/@?#]+$/, 'HOST:PORT')
  const server = parameters.size > 0 ? `${place}?${parameters}` : place
  const config: PoolConfig = {
    connectionString: server,
    keepAlive: true,
    // Independent statements are sent without waiting for earlier answers.
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

/** 64-bit integers become JavaScript numbers, which are exact for the ids and counts of a calendar. */
const numbers: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)),
}

/** Ms in which a cancelled statement must end. */
const CANCEL_MS = 2000

interface Session extends DatabaseConnection {
  client: PoolClient
  limitMs: number
  /** `asked for`: BEGIN was sent. `begun`: the server has answered BEGIN. */
  transaction: 'none' | 'asked for' | 'begun'
  /** Set until the server has accepted BEGIN. With `isWaitedFor`, later statements wait for `begun`. */
  opening: { begun: Promise<void>; isWaitedFor: boolean } | undefined
  /** The first error in the transaction, since later statements are answered only that it has failed. */
  failure: unknown
  broken: boolean
}

/** Both in ms. */
export interface TransactionLimits {
  statementMs: number
  lockMs: number
}

/**
 * A Kysely dialect that leaves no state in sessions that a pooler such as PgBouncer may give to another
 * client. Statements are cancelled after `limitMs`. They reject with DatabaseUnavailable if the server cannot
 * be reached, is overloaded or too slow.
 */
export function sessionDialect(pool: Pool, limitMs: number): Dialect {
  return dialectOf({
    init: async () => {},
    acquireConnection: () => openSession(pool, limitMs),
    beginTransaction: (session) => beginTransaction(session as Session),
    commitTransaction: (session) => commit(session as Session, 'commit'),
    rollbackTransaction: (session) => rollback(session as Session),
    releaseConnection: async (session) => release(session as Session),
    destroy: async () => {},
  })
}

/** Maximum statements that share a session, where the answer to one may wait for those to all others. */
const MOST_SHARING = 16

/**
 * Runs quick statements outside transactions. Those begun in the same turn of the event loop share a session,
 * and so reach the server together.
 */
export function sharedRunner(pool: Pool, limitMs: number): Runner {
  let latest: { session: Promise<Session>; begun: number; running: number } | undefined
  const join = () => {
    if (latest && latest.begun < MOST_SHARING) return latest
    const opened = { session: openSession(pool, limitMs), begun: 0, running: 0 }
    latest = opened
    process.nextTick(() => {
      if (latest === opened) latest = undefined
    })
    return opened
  }
  return async (sql, parameters, name) => {
    const shared = join()
    shared.begun += 1
    shared.running += 1
    const session = await shared.session
    try {
      return (await runStatement(session, sql, parameters, name)).rows
    } finally {
      shared.running -= 1
      if (shared.running === 0) release(session)
    }
  }
}

/**
 * Runs `work` in its own transaction and resolves to its `result`. Statements begun at the same time are sent
 * together and run in that order; in a transaction of Kysely each would wait for the answer to the one
 * before. The last statement of `ending` must be COMMIT; `last` is a promise of statements sent with
 * `ending`.
 */
export async function transact<T>(
  pool: Pool,
  { statementMs, lockMs }: TransactionLimits,
  ending: string,
  work: (tx: Db) => Promise<{ result: T; last: Promise<void> }>,
): Promise<T> {
  const session = await openSession(pool, statementMs)
  const kept = async () => {}
  let isOver = false
  // After the transaction the session may belong to another request.
  const stillOpen = () => {
    if (isOver) throw new Error('The transaction is over.')
    return session
  }
  const tx = new Kysely<Tables>({
    dialect: dialectOf({
      init: kept,
      acquireConnection: async () => stillOpen(),
      beginTransaction: () => Promise.reject(new Error('A transaction has no other within it.')),
      commitTransaction: kept,
      rollbackTransaction: kept,
      releaseConnection: kept,
      destroy: kept,
    }),
  })
  runDirectly(
    tx,
    'postgres',
    async (sql, parameters, name) => (await runStatement(stillOpen(), sql, parameters, name)).rows,
  )
  try {
    const begun = openTransaction(session, `begin; set local lock_timeout = ${lockMs}`)
    const { result, last } = await work(tx)
    isOver = true
    last.catch(() => undefined)
    await begun
    // If one of the statements of `last` fails, the server rolls back instead of committing.
    const committed = commit(session, ending)
    committed.catch(() => undefined)
    await last
    await committed
    return result
  } catch (error) {
    isOver = true
    await rollback(session)
    throw error
  } finally {
    release(session)
  }
}

/**
 * Begins a transaction. Statements that only read may be sent before the server has answered BEGIN: if it
 * refuses, they run outside a transaction, which does no harm.
 */
function openTransaction(session: Session, beginning: string): Promise<void> {
  const begun = beginTransaction(session, beginning)
  const opening = { begun, isWaitedFor: false }
  session.opening = opening
  begun.then(
    () => {
      session.opening = undefined
    },
    () => {
      opening.isWaitedFor = true
    },
  )
  return begun
}

/** Statements that change nothing and leave no lock, even outside a transaction. */
const READ = /^\s*select\b/i

async function beginTransaction(session: Session, beginning = 'begin'): Promise<void> {
  session.transaction = 'asked for'
  session.failure = undefined
  await ask(session, beginning, [])
  session.transaction = 'begun'
}

async function commit(session: Session, ending: string): Promise<void> {
  const answers = [await ask(session, ending, [])].flat()
  session.transaction = 'none'
  // If a statement had failed and `work` ignored its error, the server answers COMMIT with ROLLBACK.
  if (answers.at(-1)?.command !== 'COMMIT') throw new Error('The transaction was rolled back.')
}

async function rollback(session: Session): Promise<void> {
  if (session.broken) return
  await ask(session, 'rollback', []).catch(() => {
    session.broken = true
  })
  session.transaction = 'none'
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
    transaction: 'none',
    opening: undefined,
    failure: undefined,
    broken: false,
    executeQuery: async <Row>({ sql, parameters, name }: NamedQuery): Promise<QueryResult<Row>> => {
      const { command, rowCount, rows } = await runStatement(session, sql, parameters, name)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery: () => {
      throw new Error('Rows are read whole.')
    },
  }
  return session
}

/** Runs a statement; if it has a `name` and no other client uses the session, as a prepared statement. */
async function runStatement(
  session: Session,
  text: string,
  values: readonly unknown[],
  name: string | undefined,
) {
  const { opening } = session
  if (opening && (opening.isWaitedFor || !READ.test(text))) {
    // Later statements wait too, so that all run in the order in which they were begun.
    opening.isWaitedFor = true
    await opening.begun
  }
  const storables = values.map(storableText)
  if (name === undefined || !keepsNames(session.client)) return ask(session, text, storables)
  try {
    return await ask(session, text, storables, name)
  } catch (error) {
    if (!isOutdated(error)) throw error
    // A newer program has changed a table, so the prepared statements of this session are invalid. The
    // session is replaced; outside a transaction, the statement is repeated.
    session.broken = true
    if (session.transaction !== 'none') throw error
    return ask(session, text, storables)
  }
}

/** Members of a client that the library does not declare. */
interface Wire {
  host: string
  port?: number
  /** The server's process, whose statement can be cancelled with `secretKey`. */
  processID?: number
  secretKey?: number
  connection: { stream: { cork: () => void; uncork: () => void } }
}

const wireOf = (client: PoolClient) => client as unknown as Wire

/** True for a client with a server session of its own, which no pooler shares with others. */
const isOwn = new WeakMap<PoolClient, boolean>()

/** True if prepared statements can be used; false until the server has answered the first call's query. */
function keepsNames(client: PoolClient): boolean {
  const known = isOwn.get(client)
  if (known !== undefined) return known
  isOwn.set(client, false)
  // A pooler reports an invented process id, since it uses several server processes in turn.
  client
    .query<{ pid: number }>('select pg_backend_pid() as pid')
    .then(({ rows }) => isOwn.set(client, rows[0]?.pid === wireOf(client).processID))
    .catch(() => undefined)
  return false
}

/**
 * Sends a query, together with others of the same turn of the event loop. After the time limit of the session
 * the query is cancelled; if it does not end soon after, the connection is closed.
 */
async function ask(session: Session, text: string, values: unknown[], name?: string) {
  const { client, limitMs } = session
  let timer: NodeJS.Timeout | undefined
  let cancelled: Promise<unknown> | undefined
  const overdue = new Promise<never>((_, reject) => {
    const giveUp = () => {
      session.broken = true
      reject(new DatabaseUnavailable(`The database did not answer within ${limitMs} ms.`))
    }
    const cancel = () => {
      // BEGIN cannot be cancelled: reads sent after it would then run outside a transaction.
      if (session.transaction === 'asked for') return giveUp()
      cancelled = cancelStatement(client)
      timer = setTimeout(giveUp, CANCEL_MS)
    }
    if (limitMs < Number.POSITIVE_INFINITY) timer = setTimeout(cancel, limitMs)
  })
  const { stream } = wireOf(client).connection
  stream.cork()
  setImmediate(() => stream.uncork())
  try {
    const query = { text, values, ...(name !== undefined && { name }) }
    return await Promise.race([client.query(query), overdue])
  } catch (error) {
    throw failureOf(session, asUnavailable(error))
  } finally {
    clearTimeout(timer)
    // The server might otherwise apply the cancel request to the next statement.
    await cancelled
  }
}

const CANCEL_REQUEST = 80877102

/** Cancels the running statement, for which the protocol requires a second connection. */
async function cancelStatement(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = wireOf(client)
  if (processID === undefined || secretKey === undefined || port === undefined) return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(number, index * 4)
  const socket = host.startsWith('/')
    ? createConnection(`${host}/.s.PGSQL.${port}`)
    : createConnection(port, host)
  socket.on('error', () => socket.destroy())
  // The server closes the connection once it has handled the request. If this process closed it first, a
  // pooler would ignore the request.
  socket.setTimeout(CANCEL_MS, () => socket.destroy())
  socket.resume().write(request)
  await new Promise((resolve) => socket.once('close', resolve))
}

// Lost connections, lack of resources, shutdown, cancellation, a server made read-only since another took
// over, lock timeouts, and codes of the operating system for an unreachable server.
const UNAVAILABLE =
  /^(08...|53...|57...|58...|25006|55P03|E(CONN\w+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH))$/
const CONNECTION_LOST = /^(Connection terminated|Client (has encountered a connection error|was closed))/

const FAILED_BEFORE = '25P02'

/** Returns the error of the statement, or the earlier conflict or outage that made the transaction fail. */
function failureOf(session: Session, error: unknown): unknown {
  const isAfterwards = error instanceof Error && codeOf(error) === FAILED_BEFORE
  if (session.transaction !== 'none' && !isAfterwards) session.failure ??= error
  return isAfterwards && (session.failure instanceof DatabaseUnavailable || isRace(session.failure))
    ? session.failure
    : error
}

const DISK_FULL = '53100'
const READ_ONLY = '25006'

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error
  const code = codeOf(error)
  if (!UNAVAILABLE.test(code) && !CONNECTION_LOST.test(error.message)) return error
  const lack = code === DISK_FULL ? 'space' : code === READ_ONLY ? 'permission' : 'answer'
  return new DatabaseUnavailable(`The database does not answer: ${error.message}.`, error, lack)
}
