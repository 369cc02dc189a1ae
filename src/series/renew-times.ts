import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { settleWhen } from '../events/event-when.ts'
import { ownFields } from '../events/recurrence-present.ts'
import type { Database } from '../storage/database.ts'
import { type Tx, writerBy } from '../storage/recording.ts'
import type { EventRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { formatUtc } from '../text/moments.ts'
import { utcToWall } from '../text/zones.ts'
import { type Changed, writeChanges } from './occurrence-writes.ts'
import { type Schedule, scheduleOf, TIMES, type When, whenAt } from './series-schedule.ts'
import { findOccurrences, holdSeries } from './series-store.ts'

/** Series read with one query. */
const SERIES_AT_ONCE = 100

const selectIds = statement<{ after: number }>()((db, value) =>
  db.selectFrom('series').select('id').where('id', '>', value('after')).orderBy('id').limit(sql.lit(SERIES_AT_ONCE)),
)

const selectTimes = statement<{ series: number; now: string }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['start_date', 'end_date', 'utc_start_date', 'utc_end_date', 'timezone'])
    .where('series', '=', value('series'))
    .where('utc_start_date', '>', value('now')),
)

type Times = Pick<When, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone'>

/**
 * Recalculates the moments of coming occurrences by the time zone data of this process: the rules of their zones may have changed since they were
 * written. Wall times stay. One series at a time, so that requests are served between them. `now` in ms since the epoch.
 */
export async function renewTimes(database: Database, now: number): Promise<void> {
  const from = formatUtc(now)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const found: { id: number }[] = await selectIds(database.read, { after })
    for (const { id } of found) {
      const times = await selectTimes(database.read, { series: id, now: from })
      if (!times.every(isRight)) await database.write((tx) => renewSeries(tx, id, from), writerBy('schedule'))
      await turn()
    }
    after = found.at(-1)?.id
  }
}

/** Whether the moments of an occurrence fall on its wall times in its zone. */
function isRight({ start_date, end_date, utc_start_date, utc_end_date, timezone }: Times): boolean {
  return utcToWall(utc_start_date, timezone) === start_date && utcToWall(utc_end_date, timezone) === end_date
}

async function renewSeries(tx: Tx, id: number, from: string): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series) return
  const schedule = scheduleOf(series)
  const rows = await findOccurrences(tx, id)
  const wrong = rows.filter((row) => row.utc_start_date > from && !isRight(row))
  const changes: Changed[] = wrong.map((row) => ({ before: row, columns: renewed(row, schedule) }))
  await writeChanges(tx, changes)
}

function renewed(row: EventRow, schedule: Schedule): Partial<EventRow> {
  const own = ownFields(row)
  if (!TIMES.some((name) => own.includes(name))) return whenAt(schedule, row.recurrence_id)
  const { start_date: start, end_date: end, timezone, all_day } = row
  return settleWhen({ start, end, timezone, allDay: all_day === 1 })
}
