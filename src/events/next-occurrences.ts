import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import { isInLists } from '../storage/queries.ts'
import type { EventRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import type { NextOccurrence } from './event-store.ts'

/** The most occurrences that one tells of. */
const MOST_NEXT = 5

const selectNext = statement<{ series: number; start: string }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['id', 'start_date', 'end_date', 'utc_start_date', 'utc_end_date'])
    .where('series', '=', value('series'))
    .where('start_date', '>', value('start'))
    .where(isInLists)
    .orderBy('start_date')
    .orderBy('id')
    .limit(sql.lit(MOST_NEXT)),
)

/** The public occurrences that come next after these, by id; those that are no occurrences are missing. */
export async function findNext(db: Db, rows: readonly EventRow[]): Promise<Map<number, readonly NextOccurrence[]>> {
  const found = rows.map(async ({ id, series, start_date: start }) =>
    series === null ? [] : [[id, await selectNext(db, { series, start })] as const],
  )
  return new Map((await Promise.all(found)).flat())
}
