import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { Cursor, Database, Db } from '../database.ts'
import { withoutPassword } from '../database-address.ts'
import type { Tables } from '../schema.ts'
import { findContaining } from '../search/search-index.ts'
import { readAddress, reason } from './postgres.ts'
import { CURSOR_COLUMNS, type CursorColumns, cursorOf } from './postgres-changes.ts'
import { joinStandby, type Standby } from './postgres-standby.ts'

/** Between looks at a standby that is in use, and between attempts to reach one that is gone. */
const LOOK_MS = 1000
/** Between looks at one that is catching up: from the first of these towards the second. */
const [SOON_MS, LATER_MS] = [5, 100]
/** Behind for longer than this is worth a note. */
const LONG_MS = 10_000

/** The position that a standby must have replayed before it may answer. */
interface Goal {
  /** What had been heard of when it was set. */
  heard: number
  /** The end of the write-ahead log. */
  position: bigint
  /** The changes that the database shows up to there, at the least. */
  cursor: Cursor
}

/**
 * The database, whose public reads are answered by a streaming standby of it for as long as that shows all that this process knows of.
 *
 * What the process knows of, it has from this object: the listeners of `onChange`, and the cursors that `cursor` and `readChanges` give.
 * With each of them that is news the standby is out of use, before anybody hears of it, until it has replayed what the database had
 * written at a time after. So a statement that begins there shows at least what every cursor given until then stands for, and whoever
 * keeps an answer under the latest cursor (as the memory of events and the finished bodies are) never keeps an older state of the data
 * than that. Nor does a request see less than it saw before: once a statement has gone to the database itself, the following ones do too.
 *
 * Whatever fails on the standby is asked of the database. `report` is told why the standby is not used, once for each reason in turn.
 * @throws Error with one sentence for parameters in the address that it does not take.
 */
export function readFromReplica(database: Database, address: string, report: (error: unknown) => void): Database {
  const reach = readAddress(address)
  let heard = 0
  let shown: Cursor | undefined
  let reads: Db | undefined
  let standby: Standby | undefined
  let goal: Goal | undefined
  let behindSince: number | undefined
  let told = ''
  let isClosed = false
  let watching: Promise<void> | undefined
  let wake = () => {}

  /** Takes the standby out of use; the next look may bring it back. */
  const close = () => {
    shown = undefined
    if (!reads) return
    reads = undefined
    wake()
  }
  const news = () => {
    heard++
    close()
  }
  const given = (cursor: Cursor) => {
    if (cursor !== shown) news()
    return cursor
  }
  const tell = (why: string) => {
    if (why !== told) report(new Error(`The replica ${withoutPassword(address)} is not used: ${why}`))
    told = why
  }
  const lose = (why: unknown) => {
    const lost = standby
    standby = undefined
    close()
    lost?.leave().catch(() => undefined)
    if (!isClosed) tell(reason(why))
    return LOOK_MS
  }
  const open = (follower: Standby, cursor: Cursor) => {
    shown = cursor
    told = ''
    if (reads) return
    const opened: Db = routedDb(follower, database.read, () => reads === opened, close)
    reads = opened
  }

  /** Brings the standby into use if it may be; the milliseconds until the next look. */
  const look = async (): Promise<number> => {
    const follower = standby ?? (await joinStandby(reach, database.read, lose))
    standby = follower
    if (goal?.heard !== heard) goal = { heard, ...(await findEnd(database.read)) }
    const position = await follower.findPosition()
    if (position < goal.position) {
      const now = performance.now()
      behindSince ??= now
      if (now - behindSince > LONG_MS) tell('it is behind.')
      return Math.min(LATER_MS, SOON_MS + (now - behindSince) / 10)
    }
    behindSince = undefined
    if (position > goal.position && position > (await findEnd(database.read)).position)
      throw new Error('it shows what the database never wrote')
    if (follower !== standby || goal.heard !== heard) return SOON_MS
    open(follower, goal.cursor)
    return LOOK_MS
  }
  const watch = async () => {
    while (!isClosed) {
      const ms = await look().catch(lose)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isClosed ? 0 : ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const unsubscribe = database.onChange(news)
  const readPublic = () => {
    watching ??= watch()
    return reads ?? database.read
  }
  return {
    ...database,
    readPublic,
    cursor: async () => given(await database.cursor()),
    readChanges: async (since) => {
      const read = await database.readChanges(since)
      if (read !== 'too old') given(read.cursor)
      return read
    },
    // Only public lists ask for this here; other searches are part of the statements that read.
    findMatching: (search) => findContaining(readPublic(), search),
    close: async () => {
      isClosed = true
      unsubscribe()
      wake()
      await watching
      await standby?.leave()
      await database.close()
    },
  }
}

/** Sends statements to the standby while it is open, and what fails there, or comes later, to the database. */
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
 * What the database shows, and how far it had written at some time after. Commits that do not wait for the disk show before they are
 * written out; their records have their places by then, so it is those that count.
 */
async function findEnd(db: Db): Promise<{ position: bigint; cursor: Cursor }> {
  // Behind the last record of a page stands the header of the next one, which a follower gets with the record after it: 40 bytes at the
  // beginning of a file, 24 elsewhere.
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
