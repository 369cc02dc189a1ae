import { sql } from 'kysely'
import { utcToMs } from '../../base/text/moments.ts'
import type { Db } from './database.ts'
import { wholeList } from './queries.ts'
import type { ChangeColumns } from './schema.ts'

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
