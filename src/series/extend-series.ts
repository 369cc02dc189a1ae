import { sql } from 'kysely'
import type { Site } from '../config.ts'
import { UNSENT } from '../events/event-rules.ts'
import { isStatus, settledByDate } from '../records/status.ts'
import type { Database } from '../storage/database.ts'
import { type Tx, writerBy } from '../storage/recording.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import { formatUtc } from '../text/moments.ts'
import { utcToWall } from '../text/zones.ts'
import { addDates } from './change-series.ts'
import { horizonAt, scheduleOf, startsOf, whenAt } from './series-schedule.ts'
import { readShared } from './series-shared.ts'
import { holdSeries, updateSeries } from './series-store.ts'

/** Series read with one query; each of them is written by itself. */
const SERIES_AT_ONCE = 50
/** More dates than a series can have had before it goes on. */
const MOST_KNOWN = 100_000

const selectDue = statement<{ after: number; horizon: string }>()((db, value) =>
  db
    .selectFrom('series')
    .select('id')
    .where('written_until', '<', value('horizon'))
    .where('status', '!=', 'trash')
    .where('id', '>', value('after'))
    .orderBy('id')
    .limit(sql.lit(SERIES_AT_ONCE)),
)

/**
 * Writes the occurrences that have come within the horizon since the last time. Of several nodes the first one does it, since a series records how
 * far it is written; setting a clock back changes nothing. `now` in ms since the epoch.
 */
export async function extendSeries(database: Database, site: Site, now: number): Promise<void> {
  const horizon = horizonAt('UTC', now, site.seriesMonths)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const due: { id: number }[] = await selectDue(database.read, { after, horizon })
    for (const { id } of due) await database.write((tx) => extend(tx, id, site, now), writerBy('schedule'))
    after = due.at(-1)?.id
  }
}

async function extend(tx: Tx, id: number, site: Site, now: number): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series || series.status === 'trash') return
  const schedule = scheduleOf(series)
  const { starts, until } = startsOf(schedule, now, site.seriesMonths, MOST_KNOWN)
  if (until <= series.written_until) return
  const later = starts.filter((start) => start > series.written_until)
  const shared = readShared(series)
  const terms = (await findTermsByIds(tx, shared.terms)).map((term) => term.id)
  await addDates(tx, series, newRow(series, site, now), schedule, later, { ...shared, terms })
  await updateSeries(tx, series, { written_until: until })
}

/** An occurrence as it would be made now, except for its times and address. */
function newRow(series: SeriesRow, { timezone }: Site, now: number): EventRow {
  const { venues: _venues, organizers: _organizers, terms: _terms, ...shared } = readShared(series)
  const modified_utc = formatUtc(now)
  const isUnpublished = shared.status === 'draft' || shared.status === 'pending'
  return {
    ...UNSENT,
    ...shared,
    ...whenAt(scheduleOf(series), series.start_date),
    status: isStatus(shared.status) ? settledByDate(shared.status, shared.date_utc, modified_utc) : shared.status,
    id: 0,
    uid: '',
    slug: isUnpublished ? '' : series.slug,
    modified: utcToWall(modified_utc, timezone),
    modified_utc,
  }
}
