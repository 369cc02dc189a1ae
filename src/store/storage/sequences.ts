import { sql } from 'kysely'
import { utcToMs } from '../../base/text/moments.ts'
import { type Db, isPostgres } from './database.ts'
import type { Tx } from './recording.ts'
import type { ChangeColumns, RecordKind } from './schema.ts'
import { entriesOf, statement, wholeList } from './statement.ts'

// Each record has a sequence, which rises with every transaction that changes it: by one, or up to the seconds since 2020 where those are more.
// So it goes on rising where an older state of the record comes back, and where a number has been forgotten. It is SEQUENCE in calendars, and
// orders the messages to webhooks, the feed of changes and the history.

const COUNTED_FROM = Date.UTC(2020, 0, 1)

/** The least sequence of a record that changes at a time: UTC, `YYYY-MM-DD HH:MM:SS`. */
export function sequenceAt(utc: string): number {
  return Math.max(0, Math.floor((utcToMs(utc) - COUNTED_FROM) / 1000))
}

/** The sequences of some records of a kind, by id. */
export async function findSequences(
  db: Db,
  kind: ChangeColumns['kind'],
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('changes')
    .select(['record', 'sequence'])
    .where('kind', '=', kind)
    .where('record', 'in', wholeList(db, ids))
    .execute()
  return new Map(rows.map(({ record, sequence }) => [record, sequence]))
}

/** The sequences of these events, by id: of one that belongs to a series, that of the series where it is higher. */
export async function findEventSequences(db: Db, ids: readonly number[]): Promise<[id: number, sequence: number][]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; own: number | null; shared: number | null }>`
    select e.id, c.sequence as own, s.sequence as shared from events e
    left join changes c on c.kind = 'event' and c.record = e.id
    left join changes s on s.kind = 'series' and s.record = e.series where e.id in ${wholeList(db, ids)}`.execute(db)
  return rows.map(({ id, own, shared }) => [id, Math.max(own ?? 0, shared ?? 0)])
}

/** Seconds by which sequences may be ahead of the clock, after many changes of a record in a short time. */
const AHEAD = 3600

/** Raises all sequences above those that were told before the calendar went back to an earlier state. */
export async function raiseSequences(tx: Db, nowUtc: string): Promise<void> {
  const now = sequenceAt(nowUtc) + AHEAD
  await sql`update changes set sequence = (select case when max(sequence) > ${sql.lit(now)} then max(sequence) else ${sql.lit(now)} end
    from changes) + 1`.execute(tx)
}

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
