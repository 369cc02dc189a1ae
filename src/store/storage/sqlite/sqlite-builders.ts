import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely'
import type { Db } from '../database.ts'
import type { Tables } from '../schema.ts'
import { asUnavailable, isBusy, type Prepare, whenFree } from './sqlite-connection.ts'

// Query builders for SQLite. Reader threads do without, and do not load this file, which takes memory.

export function queryBuilder(prepare: Prepare): Db {
  return new Kysely<Tables>({ dialect: dialectOf(prepare) })
}

/** Queries wait for locks, and reject with DatabaseUnavailable if the database fails. */
export function readingBuilder(prepare: Prepare): Db {
  const dialect = dialectOf(prepare)
  return new Kysely<Tables>({
    dialect: { ...dialect, createDriver: () => waitingDriver(dialect.createDriver()) },
  })
}

/** Shared by all builders: it has no state, and takes longer to create than the rest of a builder. */
const compiler = new SqliteQueryCompiler()

function dialectOf(prepare: Prepare): Dialect {
  const dialect = new SqliteDialect({ database: { close: () => {}, prepare } })
  return {
    createDriver: () => dialect.createDriver(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => compiler,
  }
}

function waitingDriver(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: async () => waitingConnection(await driver.acquireConnection()),
    beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    releaseConnection: (connection) => driver.releaseConnection(connection),
    destroy: () => driver.destroy(),
  }
}

function waitingConnection(connection: DatabaseConnection): DatabaseConnection {
  return {
    executeQuery: async (query) => {
      try {
        return await connection.executeQuery(query)
      } catch (error) {
        if (!isBusy(error)) throw asUnavailable(error)
        return whenFree(() => connection.executeQuery(query))
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

export function runRead<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw asUnavailable(error)
    return whenFree(attempt)
  }
}
