import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, type Pool } from 'pg'
import type { Cursor } from '../database.ts'
import { CURSOR_COLUMNS, type CursorColumns, cursorOf } from './postgres-changes.ts'

// Tells other nodes of commits, and hears of theirs.

const CHANNEL = 'kalends_changes'
/** Milliseconds between checks while notifications arrive: a node may die between its commit and its notification. */
const HEARING_MS = 500
/** Milliseconds between checks while none arrive, and between attempts to connect. */
const DEAF_MS = 100
/** Milliseconds between notifications of one node; each covers all commits since the last. */
const TELL_MS = 10
/** Milliseconds without an answer after which the connection counts as lost. */
const PATIENCE_MS = 2000

/** Notifies other nodes of changes, and receives their notifications. */
export interface Listener {
  /** A statement that notifies the others when its transaction commits. */
  telling: string
  /** Notifies the others, soon, that this node has committed. */
  tell: () => void
  /** Starts calling `heard` whenever another node may have committed something. */
  listen: () => void
  close: () => Promise<void>
}

/**
 * Receives notifications by LISTEN over its own connection, and checks the cursor as well: twice a second for changes that were never announced, ten
 * times a second where notifications do not arrive, as behind a pooler that shares connections. Without a connection it calls `heard` as often, since
 * something may have happened.
 */
export function makeListener(config: ClientConfig, pool: Pool, heard: () => void): Listener {
  const self = randomUUID()
  const ending = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  let ears: Ears | undefined
  let watching: Promise<void> | undefined
  let telling: Promise<void> | undefined
  let again = false
  let seen: Cursor | undefined

  const watch = async () => {
    while (!ending.signal.aborted) {
      try {
        ears = await openEars(config, self, heard)
        while (!ending.signal.aborted) {
          const cursor = await ears.look()
          if (cursor !== seen) heard()
          seen = cursor
          await pause(ears.hears() ? HEARING_MS : DEAF_MS)
        }
      } catch {
        heard()
      }
      const lost = ears
      ears = undefined
      await lost?.close()
      await pause(DEAF_MS)
    }
  }
  const announce = async () => {
    do {
      again = false
      // The periodic checks make up for a failed notification.
      await (ears ? ears.tell() : pool.query('select pg_notify($1, $2)', [CHANNEL, self])).catch(() => undefined)
      await pause(TELL_MS)
    } while (again)
    telling = undefined
  }
  return {
    telling: `notify ${CHANNEL}, '${self}'`,
    tell: () => {
      again = true
      telling ??= announce()
    },
    listen: () => {
      watching ??= watch()
    },
    close: async () => {
      await telling
      ending.abort()
      await watching
    },
  }
}

/** A connection that listens. Every function rejects when it is lost. */
interface Ears {
  look: () => Promise<Cursor>
  tell: () => Promise<void>
  /** True once a notification has come back; some connections bring none. */
  hears: () => boolean
  close: () => Promise<void>
}

async function openEars(config: ClientConfig, self: string, heard: () => void): Promise<Ears> {
  const client = new Client({ ...config, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS })
  // The next query reports the failure.
  client.on('error', () => undefined)
  let hears = false
  client.on('notification', ({ payload }) => {
    hears = true
    if (payload !== self) heard()
  })
  // One query at a time.
  let last: Promise<unknown> = Promise.resolve()
  const ask = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const answer = last.then(async () => (await client.query(text, values)).rows as Row[])
    last = answer.catch(() => undefined)
    return answer
  }
  const close = () => client.end().catch(() => undefined)
  try {
    await client.connect()
    // A pooler announces a made-up process id, and notifications may reach nobody.
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
    tell: async () => {
      await ask('select pg_notify($1, $2)', [CHANNEL, self])
    },
    hears: () => hears,
    close,
  }
}
