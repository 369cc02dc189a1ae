import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Site } from '../../base/config.ts'
import { limits } from '../../base/fields/limits.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { utcToWall } from '../../base/text/zones.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { lockedRows } from '../../store/storage/locks.ts'
import { type Tx, writerBy } from '../../store/storage/recording.ts'
import type { EventRow, RecordTable, SeriesRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { publishEvent, UNSENT } from '../events/event-rules.ts'
import { rowBytes, saveEvents, showLinks } from '../events/event-store.ts'
import { settleWhen } from '../events/event-when.ts'
import { ownFields } from '../events/recurrence-present.ts'
import { updateLinked } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { freeSlug, isStatus, settledByDate } from '../records/record-store.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import { addDates } from './change-series.ts'
import {
  horizonAt,
  type Schedule,
  scheduleOf,
  startsOf,
  TIMES,
  type When,
  whenAt,
} from './series-schedule.ts'
import { findOccurrences, holdSeries, readShared, updateSeries } from './series-store.ts'

// Scheduled work: writes dates of series up to the horizon, corrects UTC times after changes of time zones,
// publishes records, and shows links of meetings.

const SERIES_AT_ONCE = 50
/** Passed as the number of dates written: so large that past dates never make an extension fail. */
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
 * Writes the next dates of series, up to the horizon. Of several nodes only one extends each series, since it
 * records how far it is written. `tell` gets a sentence for each series that reached its limit of bytes.
 * @param now in ms
 */
export async function extendSeries(
  { read, write }: Database,
  site: Site,
  now: number,
  tell: (sentence: string) => void,
): Promise<void> {
  const horizon = horizonAt('UTC', now, site.seriesMonths)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const due: { id: number }[] = await selectDue(read, { after, horizon })
    for (const { id } of due) {
      const full = await write((tx) => extend(tx, id, site, now), writerBy('schedule'))
      if (full) tell(fullSentence(full))
    }
    after = due.at(-1)?.id
  }
}

async function extend(tx: Tx, id: number, site: Site, now: number): Promise<SeriesRow | undefined> {
  const series = await holdSeries(tx, id)
  if (!series || series.status === 'trash') return undefined
  const schedule = scheduleOf(series)
  const { starts, until } = startsOf(schedule, now, site.seriesMonths, MOST_KNOWN)
  if (until <= series.written_until) return undefined
  const shared = readShared(series)
  const row = newRow(series, site, now)
  const known = starts.filter((start) => start <= series.written_until).length
  const most = Math.max(known, Math.floor(limits.seriesDates.bytes / rowBytes(row, shared)))
  const isFull = most < starts.length
  const written_until = isFull ? (starts[most - 1] ?? series.written_until) : until
  if (written_until === series.written_until) return undefined
  const terms = (await findTermsByIds(tx, shared.terms)).map((term) => term.id)
  await addDates(tx, series, row, schedule, starts.slice(known, most), { ...shared, terms })
  await updateSeries(tx, series, { written_until })
  return isFull ? { ...series, written_until } : undefined
}

function fullSentence({ id, title, written_until }: SeriesRow): string {
  const most = limits.seriesDates.bytes
  return (
    `No dates after ${written_until} are written of the ` +
    `series ${id}, “${title}”: they take up ${most} bytes.`
  )
}

/** A row for new occurrences; the calling function sets id, UID, slug and times. */
function newRow(series: SeriesRow, { timezone }: Site, now: number): EventRow {
  const { venues: _venues, organizers: _organizers, terms: _terms, ...shared } = readShared(series)
  const modified_utc = formatUtc(now)
  const isUnpublished = shared.status === 'draft' || shared.status === 'pending'
  return {
    ...UNSENT,
    ...shared,
    ...whenAt(scheduleOf(series), series.start_date),
    status: isStatus(shared.status)
      ? settledByDate(shared.status, shared.date_utc, modified_utc)
      : shared.status,
    id: 0,
    uid: '',
    slug: isUnpublished ? '' : series.slug,
    modified: utcToWall(modified_utc, timezone),
    modified_utc,
  }
}

const TIMES_AT_ONCE = 100

const selectIds = statement<{ after: number }>()((db, value) =>
  db
    .selectFrom('series')
    .select('id')
    .where('id', '>', value('after'))
    .orderBy('id')
    .limit(sql.lit(TIMES_AT_ONCE)),
)

const selectTimes = statement<{ series: number; now: string }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['start_date', 'end_date', 'utc_start_date', 'utc_end_date', 'timezone'])
    .where('series', '=', value('series'))
    .where('utc_start_date', '>', value('now')),
)

type StoredTimes = Pick<When, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone'>

/** Corrects UTC times of coming occurrences after changes of time zone rules. @param now in ms */
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

function isRight({ start_date, end_date, utc_start_date, utc_end_date, timezone }: StoredTimes): boolean {
  return utcToWall(utc_start_date, timezone) === start_date && utcToWall(utc_end_date, timezone) === end_date
}

async function renewSeries(tx: Tx, id: number, from: string): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series) return
  const schedule = scheduleOf(series)
  const rows = await findOccurrences(tx, id)
  const wrong = rows.filter((row) => row.utc_start_date > from && !isRight(row))
  await saveEvents(
    tx,
    wrong.map((row) => ({ before: row, values: renewed(row, schedule), links: {} })),
  )
}

function renewed(row: EventRow, schedule: Schedule): Partial<EventRow> {
  const own = ownFields(row)
  if (!TIMES.some((name) => own.includes(name))) return whenAt(schedule, row.recurrence_id)
  const { start_date: start, end_date: end, timezone, all_day } = row
  return settleWhen({ start, end, timezone, allDay: all_day === 1 })
}

const selectScheduled = statement<object>()((db) =>
  db.selectFrom('series').selectAll().where('status', '=', 'future'),
)

async function findDueSeries(db: Db, nowUtc: string): Promise<SeriesRow[]> {
  const rows = await selectScheduled(db, {})
  return rows.filter((series) => isDue(series, nowUtc))
}

function isDue(series: SeriesRow, nowUtc: string): boolean {
  return series.status === 'future' && readShared(series).date_utc <= nowUtc
}

async function publishSeries(tx: Tx, id: number, nowUtc: string): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series || !isDue(series, nowUtc)) return
  const status = 'publish'
  await updateSeries(tx, series, { status, shared: JSON.stringify({ ...readShared(series), status }) })
}

const PUBLISHED_AT_ONCE = 200

/** Publishes due records (rule 19.3), and shows meeting links whose time has come. @param now in ms */
export async function publishDue(database: Database, now: number): Promise<void> {
  const nowUtc = formatUtc(now)
  for (const table of ['events', 'venues', 'organizers'] as const)
    await whileDue(database, findDue(database.read, table, nowUtc), (tx) => publish(tx, table, nowUtc))
  for (const { id } of await findDueSeries(database.read, nowUtc))
    await database.write((tx) => publishSeries(tx, id, nowUtc), writerBy('schedule'))
  await whileDue(database, findDueLinks(database.read, nowUtc), async (tx) => {
    const rows = await lockedRows(tx, findDueLinks(tx, nowUtc)).execute()
    await showLinks(tx, rows)
    return rows.length
  })
}

async function whileDue(
  { write }: Database,
  due: { executeTakeFirst: () => Promise<unknown> },
  work: (tx: Tx) => Promise<number>,
): Promise<void> {
  if (!(await due.executeTakeFirst())) return
  while ((await write(work, writerBy('schedule'))) === PUBLISHED_AT_ONCE);
}

/** Events with a due link, by `online_from`: SQLite uses that index, but would not in the order of ids. */
function findDueLinks(db: Db, nowUtc: string) {
  const events = db.selectFrom('events').selectAll().where('online_from', '<>', sql.lit(''))
  return events.where('online_from', '<=', nowUtc).orderBy('online_from').limit(PUBLISHED_AT_ONCE)
}

function findDue<Table extends RecordTable>(db: Db, table: Table, nowUtc: string) {
  const events = db.selectFrom(table as 'events').selectAll()
  return events
    .where('status', '=', 'future')
    .where('date_utc', '<=', nowUtc)
    .orderBy('id')
    .limit(PUBLISHED_AT_ONCE)
}

/** Publishes some due records and counts them. Rows are locked, so that none is published twice. */
async function publish(tx: Tx, table: RecordTable, nowUtc: string): Promise<number> {
  const rows = await lockedRows(tx, findDue(tx, table, nowUtc)).execute()
  for (const row of rows) {
    // Another record may have taken the slug meanwhile.
    const slug = await freeSlug(tx, table, row.slug, row.id)
    if (table === 'events') await publishEvent(tx, row, slug)
    else
      await updateLinked(tx, table === 'venues' ? venueRules : organizerRules, row, {
        status: 'publish',
        slug,
      })
  }
  return rows.length
}
