import { setImmediate as turn } from 'node:timers/promises'
import { formatUtc, utcToMs } from '../../base/text/moments.ts'
import { utcToWall } from '../../base/text/zones.ts'
import { saveEvents } from '../../calendar/events/event-store.ts'
import { settleWhen } from '../../calendar/events/event-when.ts'
import { ownFields } from '../../calendar/events/recurrence-present.ts'
import { scheduleOf, TIMES, type When, whenAt } from '../../calendar/series/series-schedule.ts'
import { findOccurrences, holdSeries, updateSeries } from '../../calendar/series/series-store.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { holdName, holdRecord, lockedRows } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow, ZoneChangeColumns } from '../../store/storage/schema.ts'
import { type OwnerValues, readOwnerSettings, setOwnerSettings } from '../pages/owner-settings.ts'

// Changes the site's time zone, and converts the events of the former zone.

export type ZoneKeeps = ZoneChangeColumns['keeps']

type Zones = Pick<ZoneChangeColumns, 'former_zone' | 'new_zone' | 'keeps'>

type Times = Pick<When, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone'>

/** In days: how long a change can be undone. */
export const ZONE_CHANGE_DAYS = 30

const timesOf = (row: Times): Times => {
  const { start_date, end_date, utc_start_date, utc_end_date, timezone } = row
  return { start_date, end_date, utc_start_date, utc_end_date, timezone }
}

/**
 * Returns an event's times in another zone, with the same local time or moment. All-day events keep their
 * days; an event whose local start the clocks skip keeps its length.
 */
export function timesInZone(
  row: Times & Pick<EventRow, 'all_day'>,
  timezone: string,
  keeps: ZoneKeeps,
): Times {
  const allDay = row.all_day === 1
  const edge = (utc: string) => ({ wall: utcToWall(utc, timezone), utc })
  const [start, end] =
    keeps === 'hour' || allDay
      ? [row.start_date, row.end_date]
      : [edge(row.utc_start_date), edge(row.utc_end_date)]
  const when = settleWhen({ start, end, timezone, allDay })
  if (allDay || when.start_date === row.start_date || keeps === 'moment') return { ...when, timezone }
  const length = utcToMs(row.utc_end_date) - utcToMs(row.utc_start_date)
  const later = edge(formatUtc(utcToMs(when.utc_start_date) + length))
  return { ...settleWhen({ start, end: later, timezone, allDay }), timezone }
}

/** Counts the series, and the events outside of series, that a change of `zone` would convert. */
export async function countInZone(db: Db, zone: string): Promise<{ events: number; series: number }> {
  const [events, series] = await Promise.all([
    db
      .selectFrom('events')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('timezone', '=', zone)
      .where('series', 'is', null)
      .executeTakeFirst(),
    db
      .selectFrom('series')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('timezone', '=', zone)
      .executeTakeFirst(),
  ])
  return { events: Number(events?.count ?? 0), series: Number(series?.count ?? 0) }
}

export async function findInZone(db: Db, zone: string, nowUtc: string, most: number): Promise<EventRow[]> {
  const inZone = db.selectFrom('events').selectAll().where('timezone', '=', zone).limit(most)
  const coming = await inZone
    .where('utc_start_date', '>=', nowUtc)
    .orderBy('utc_start_date')
    .orderBy('id')
    .execute()
  if (coming.length >= most) return coming
  const past = await inZone
    .where('utc_start_date', '<', nowUtc)
    .orderBy('utc_start_date', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return [...coming, ...past].slice(0, most)
}

/**
 * Finds the latest change if it is in progress or can be undone.
 * @param now in ms
 */
export async function findZoneChange(db: Db, now: number): Promise<ZoneChangeColumns | undefined> {
  const since = formatUtc(now - ZONE_CHANGE_DAYS * 86_400_000)
  const last = await db
    .selectFrom('zone_changes')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && last.state !== 'returned' && last.done_utc >= since ? last : undefined
}

/** Counts converted events and series; during an undo, those still to be converted back. */
export async function countMoved(db: Db, { id }: Pick<ZoneChangeColumns, 'id'>): Promise<number> {
  const row = await db
    .selectFrom('zone_moves')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('change', '=', id)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/**
 * Locks the zone. False if the zone is no longer `former`, or while a change runs: a new one would lose the
 * list of events still to be converted.
 */
export async function mayChangeZone(tx: Tx, former: string, next: string): Promise<boolean> {
  await holdName(tx, 'zone')
  const { timezone: present = former } = await readOwnerSettings(tx)
  if (present !== former) return false
  return next === former || (await findUnfinished(tx)) === undefined
}

/**
 * Sets the new zone; `moveZone` then converts the events. Where `mayChangeZone` is false, changes nothing and
 * returns false.
 * @param now in ms
 */
export async function changeZone(
  tx: Tx,
  change: Zones & Pick<ZoneChangeColumns, 'user'>,
  settings: OwnerValues,
  now: number,
): Promise<boolean> {
  if (!(await mayChangeZone(tx, change.former_zone, change.new_zone))) return false
  await setOwnerSettings(tx, { ...settings, timezone: change.new_zone })
  await tx.deleteFrom('zone_moves').execute()
  await tx.deleteFrom('zone_changes').execute()
  const last = await tx
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  await tx
    .insertInto('zone_changes')
    .values({ ...change, state: 'moving', last_event: Number(last?.id ?? 0), done_utc: formatUtc(now) })
    .execute()
  return true
}

/** Sets the former zone again, for `moveZone`. False unless the change is complete and not undone. */
export async function returnZone(tx: Tx, id: number): Promise<boolean> {
  await holdName(tx, 'zone')
  const change = await tx
    .selectFrom('zone_changes')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'moved')
    .executeTakeFirst()
  if (!change) return false
  await setOwnerSettings(tx, { timezone: change.former_zone })
  await setState(tx, id, 'returning')
  return true
}

const setState = (tx: Tx, id: number, state: ZoneChangeColumns['state']) =>
  tx.updateTable('zone_changes').set({ state }).where('id', '=', id).execute()

const AT_ONCE = 50

/**
 * Converts events in pieces, letting other work run in between; several processes may do so together.
 * @param clock the present time in ms
 */
export async function moveZone(
  { read, write }: Pick<Database, 'read' | 'write'>,
  clock: () => number,
): Promise<void> {
  for (;;) {
    const change = await findUnfinished(read)
    if (!change) return
    const piece = change.state === 'moving' ? movePiece : returnPiece
    await write(async (tx) => {
      await holdName(tx, 'zone')
      const present = await findUnfinished(tx)
      if (!present || present.id !== change.id || present.state !== change.state) return
      if (await piece(tx, present, clock())) return
      await setState(tx, present.id, present.state === 'moving' ? 'moved' : 'returned')
    })
    await turn()
  }
}

const findUnfinished = (db: Db): Promise<ZoneChangeColumns | undefined> =>
  db.selectFrom('zone_changes').selectAll().where('state', 'in', ['moving', 'returning']).executeTakeFirst()

async function movePiece(tx: Tx, change: ZoneChangeColumns, now: number): Promise<boolean> {
  const { former_zone, last_event, keeps } = change
  const query = tx
    .selectFrom('events')
    .selectAll()
    .where('timezone', '=', former_zone)
    .where('series', 'is', null)
    .where('id', '<=', last_event)
    .orderBy('id')
    .limit(AT_ONCE)
  const rows: EventRow[] = await lockedRows(tx, query).execute()
  await saveMoved(tx, change, rows, (row) => timesInZone(row, change.new_zone, keeps), now)
  if (rows.length > 0) return true
  // No rule of another zone gives the same moments, since a rule follows local time: series are skipped.
  if (keeps === 'moment') return false
  const next = await tx
    .selectFrom('series')
    .select('id')
    .where('timezone', '=', former_zone)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next) await moveSeries(tx, change, next.id, now)
  return next !== undefined
}

async function moveSeries(tx: Tx, change: ZoneChangeColumns, id: number, now: number): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series) return
  const { new_zone, former_zone } = change
  await noteMove(tx, change, 'series', id, { timezone: former_zone }, { timezone: new_zone })
  const moved: SeriesRow = await updateSeries(tx, series, { timezone: new_zone })
  const schedule = scheduleOf(moved)
  const rows = (await findOccurrences(tx, id)).filter(({ timezone }) => timezone === former_zone)
  const times = (row: EventRow) =>
    TIMES.some((name) => ownFields(row).includes(name))
      ? timesInZone(row, new_zone, 'hour')
      : timesOf(whenAt(schedule, row.recurrence_id))
  await saveMoved(tx, change, rows, times, now)
}

async function saveMoved(
  tx: Tx,
  change: ZoneChangeColumns,
  rows: readonly EventRow[],
  moved: (row: EventRow) => Times,
  now: number,
): Promise<void> {
  const modified_utc = formatUtc(now)
  const modified = utcToWall(modified_utc, change.new_zone)
  const writes = rows.map((row) => ({
    before: row,
    values: { ...moved(row), modified, modified_utc },
    links: {},
  }))
  for (const { before, values } of writes)
    await noteMove(tx, change, 'event', before.id, timesOf(before), timesOf({ ...before, ...values }))
  await saveEvents(tx, writes)
}

async function noteMove(
  tx: Tx,
  { id: change }: ZoneChangeColumns,
  kind: 'event' | 'series',
  record: number,
  former: object,
  moved: object,
): Promise<void> {
  const texts = { former: JSON.stringify(former), moved: JSON.stringify(moved) }
  await tx
    .insertInto('zone_moves')
    .values({ change, kind, record, ...texts })
    .onConflict((conflict) => conflict.columns(['change', 'kind', 'record']).doUpdateSet(texts))
    .execute()
}

async function returnPiece(tx: Tx, change: ZoneChangeColumns, now: number): Promise<boolean> {
  const moves = await tx
    .selectFrom('zone_moves')
    .selectAll()
    .where('change', '=', change.id)
    // Series first: the times of their dates depend on them.
    .orderBy('kind', 'desc')
    .orderBy('record')
    .limit(AT_ONCE)
    .execute()
  const modified_utc = formatUtc(now)
  const modified = utcToWall(modified_utc, change.former_zone)
  for (const { kind, record, former, moved } of moves) {
    if (kind === 'series') await returnSeries(tx, change, record)
    else {
      const row = await findLocked(tx, record)
      const times = row && returned(row, change, JSON.parse(former), moved)
      if (times)
        await saveEvents(tx, [{ before: row, values: { ...times, modified, modified_utc }, links: {} }])
    }
    await tx
      .deleteFrom('zone_moves')
      .where((move) => move.and({ change: change.id, kind, record }))
      .execute()
  }
  return moves.length > 0
}

async function findLocked(tx: Tx, id: number): Promise<EventRow | undefined> {
  await holdRecord(tx, 'events', id)
  return tx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Former times, or if changed since, the present ones converted back; undefined if in a third zone. */
function returned(row: EventRow, change: Zones, former: Times, moved: string): Times | undefined {
  if (row.timezone !== change.new_zone) return undefined
  const isUntouched = JSON.stringify(timesOf(row)) === moved
  return isUntouched ? former : timesInZone(row, change.former_zone, change.keeps)
}

async function returnSeries(tx: Tx, { new_zone, former_zone }: Zones, id: number): Promise<void> {
  const series = await holdSeries(tx, id)
  if (series?.timezone === new_zone) await updateSeries(tx, series, { timezone: former_zone })
}
