import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import { statement } from '../../store/storage/statement.ts'

const TIMES = [
  'events.id',
  'status',
  'hide_from_listings',
  'recurrence_id',
  'own',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'modified_utc',
] as const

const selectTimes = statement<{ series: number }>()((db, value) =>
  db
    .selectFrom('events')
    .leftJoin('changes', (join) => join.onRef('record', '=', 'events.id').on('kind', '=', 'event'))
    .select([...TIMES, (columns) => columns.fn.coalesce('sequence', sql.lit(0)).as('sequence')])
    .where('series', '=', value('series'))
    .orderBy('recurrence_id'),
)

export type OccurrenceTimes = Awaited<ReturnType<typeof selectTimes>>[number]

export async function findOccurrenceTimes(db: Db, series: number): Promise<OccurrenceTimes[]> {
  return selectTimes(db, { series })
}
