import { sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { isOriginal } from './origins.ts'

const selectTitles = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(['id', 'title']).where('id', 'in', value('ids')),
)

export async function findTitles(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = ids.length === 0 ? [] : await selectTitles(db, { ids })
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/** Events of site maps: public and listed, with their original page on this site. */
function mapped(db: Db) {
  return db
    .selectFrom('events')
    .where('status', '=', 'publish')
    .where('hide_from_listings', '=', 0)
    .where(isOriginal)
}

const month = sql<string>`substr(start_date, 1, 7)`

/** Months (`YYYY-MM`) that have events of site maps, in order, each with its latest change in UTC. */
export async function listEventMonths(
  { db, readInLane }: Context,
  most: number,
): Promise<{ month: string; changed: string }[]> {
  const query = mapped(db)
    .select([month.as('month'), sql<string>`max(modified_utc)`.as('changed')])
    .groupBy(month)
    .orderBy(month)
    .limit(most)
  const [months] = await readInLane(db, 'list', [query])
  return months
}

export type MappedEvent = Pick<EventRow, 'id' | 'slug' | 'status' | 'modified_utc'>

export async function listMappedEvents(
  { db, readInLane }: Context,
  { start, end }: { start: string; end: string },
  most: number,
): Promise<MappedEvent[]> {
  const query = mapped(db)
    .select(['id', 'slug', 'status', 'modified_utc'])
    .where('start_date', '>=', start)
    .where('start_date', '<', end)
    .orderBy('start_date')
    .limit(most)
  const [rows] = await readInLane(db, 'list', [query])
  return rows
}

export async function findEventMonths(
  db: Db,
  { start, end }: { start: string; end: string },
): Promise<string[]> {
  const rows = await mapped(db)
    .select(month.as('month'))
    .distinct()
    .where('start_date', '>=', start)
    .where('start_date', '<', end)
    .execute()
  return rows.map(({ month }) => month)
}
