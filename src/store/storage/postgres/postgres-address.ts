import { type ClientConfig, type CustomTypesConfig, type PoolConfig, types } from 'pg'

// The address of a PostgreSQL database, with the limits that stand in it as parameters.

/** Limits of one process. They are set as parameters of the address, as in `postgres://host/name?connections=20`. */
const LIMITS = {
  /** The most connections; one more listens. */
  connections: 10,
  /** Milliseconds to wait for a free connection, or for a new one. */
  connect_ms: 5000,
  /** Milliseconds that a statement may take. */
  statement_ms: 10_000,
  /** The most milliseconds that a write waits for a lock. */
  lock_ms: 3000,
}

/** How to reach a server, and its limits. */
export interface Reach {
  config: PoolConfig
  /** The address for the connection that listens: it goes past a pooler, to the server that the parameter `listen` names, if any. */
  listening: ClientConfig
  connections: number
  connectMs: number
  statementMs: number
  lockMs: number
}

/** Takes our parameters out of an address. @throws Error with one sentence for a value that a parameter does not take. */
export function readPostgresAddress(address: string): Reach {
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
    // Independent statements are pipelined.
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

/** PostgreSQL's ids and counts have 64 bits; ours stay within the exact integers of a JavaScript number. */
const numbers: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)),
}
