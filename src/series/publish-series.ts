import type { Db } from '../storage/database.ts'
import type { Tx } from '../storage/recording.ts'
import type { SeriesRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { readShared } from './series-shared.ts'
import { holdSeries, updateSeries } from './series-store.ts'

const selectScheduled = statement<object>()((db) => db.selectFrom('series').selectAll().where('status', '=', 'future'))

/** Scheduled series whose date has come. `nowUtc` is a time in UTC. */
export async function findDueSeries(db: Db, nowUtc: string): Promise<SeriesRow[]> {
  const rows = await selectScheduled(db, {})
  return rows.filter((series) => isDue(series, nowUtc))
}

function isDue(series: SeriesRow, nowUtc: string): boolean {
  return series.status === 'future' && readShared(series).date_utc <= nowUtc
}

/** Publishes a series; its occurrences are published one by one. Another node may have been faster. */
export async function publishSeries(tx: Tx, id: number, nowUtc: string): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series || !isDue(series, nowUtc)) return
  const status = 'publish'
  await updateSeries(tx, series, { status, shared: JSON.stringify({ ...readShared(series), status }) })
}
