import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'

/** Sequence numbers of events. An occurrence has its own or its series', whichever is higher. */
export async function findEventSequences(
  db: Db,
  ids: readonly number[],
): Promise<[id: number, sequence: number][]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; own: number | null; shared: number | null }>`
    select e.id, c.sequence as own, s.sequence as shared from events e
    left join changes c on c.kind = 'event' and c.record = e.id
    left join changes s on s.kind = 'series' and s.record = e.series
    where e.id in ${wholeList(db, ids)}`.execute(db)
  return rows.map(({ id, own, shared }) => [id, Math.max(own ?? 0, shared ?? 0)])
}

/** UTC time of the last withdrawal, or empty: a feed's `updated` must not be earlier (RFC 4287, 4.2.15). */
export async function findLastWithdrawal(db: Db): Promise<string> {
  const found = await db
    .selectFrom('withdrawn_events')
    .select(({ fn }) => fn.max('withdrawn_utc').as('last'))
    .executeTakeFirst()
  return found?.last ?? ''
}
