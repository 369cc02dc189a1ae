import { sql } from 'kysely'
import { isPostgres } from './database.ts'
import type { Tx } from './recording.ts'
import type { RecordKind } from './schema.ts'
import { entriesOf, statement } from './statement.ts'

// The ids of the sequence that events, venues, organizers, series and images share. Each is a row of `records`, which the record refers to.

const insertRecords = statement<{ rows: { kind: RecordKind }[] }>()((db, value) =>
  db.insertInto('records').values(value('rows')).returning('id'),
)

/** Ids given with one statement. */
const IDS_AT_ONCE = 30

/** The next `count` ids, in order. */
export async function nextRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const rows = Array.from({ length: Math.min(IDS_AT_ONCE, count - ids.length) }, () => ({ kind }))
    for (const { id } of await insertRecords(tx, { rows })) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** The next id. */
export async function nextRecordId(tx: Tx, kind: RecordKind): Promise<number> {
  const [id] = await nextRecordIds(tx, kind, 1)
  if (id === undefined) throw new Error('no row')
  return id
}

const selectNext = statement<{ count: number }>()(
  (_db, value) => sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('records', 'id')) as id from generate_series(1, ${value('count')})`,
)

const insertTaken = statement<{ kind: RecordKind; ids: string }>()(
  (db, value) => sql`insert into records (id, kind)
    select cast(cast(value as text) as bigint), ${value('kind')} from ${entriesOf(db, value('ids'))}`,
)

/**
 * The next ids, in order, whose rows `insertTakenIds` writes. On PostgreSQL this only reads, so that it reaches the
 * server with the beginning of the transaction.
 */
export async function takeRecordIds(tx: Tx, kind: RecordKind, count: number): Promise<number[]> {
  if (!isPostgres(tx)) return nextRecordIds(tx, kind, count)
  return (await selectNext(tx, { count })).map(({ id }) => id)
}

/** Writes the rows of ids that were taken: before the records that they are the ids of. */
export async function insertTakenIds(tx: Tx, kind: RecordKind, ids: readonly number[]): Promise<void> {
  if (isPostgres(tx) && ids.length > 0) await insertTaken(tx, { kind, ids: JSON.stringify(ids) })
}
