import { sql } from 'kysely'
import { eventFields } from '../../base/fields/event-fields.ts'
import { blankColumns } from '../../base/fields/field.ts'
import type { Db } from '../../store/storage/database.ts'
import { formerOf } from '../../store/storage/history.ts'
import { isInLists } from '../../store/storage/listed-events.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import { type FormerValues, recordChange, type Tx, type WriteAction } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import { passTurn, statement } from '../../store/storage/statement.ts'
import type { LinkIds } from '../events/event-store.ts'

const selectSeries = statement<{ id: number }>()((db, value) =>
  db.selectFrom('series').selectAll().where('id', '=', value('id')),
)

export async function findSeries(db: Db, id: number): Promise<SeriesRow | undefined> {
  const [row] = await selectSeries(db, { id })
  return row
}

/** Reads a series and locks it until the transaction ends. */
export async function holdSeries(tx: Tx, id: number): Promise<SeriesRow | undefined> {
  const [, row] = await Promise.all([holdRecord(tx, 'series', id), findSeries(tx, id)])
  return row
}

/** Occurrences read at a time, which takes some ten milliseconds with the longest texts. */
const READ_AT_ONCE = 25

const selectOccurrences = statement<{ series: number; from: string; after: number }>()((db, value) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('series', '=', value('series'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('recurrence_id', 'id'), '>', tuple(value('from'), value('after'))),
    )
    .orderBy('recurrence_id')
    .orderBy('id')
    .limit(sql.lit(READ_AT_ONCE)),
)

/** Reads all occurrences, also those in the trash. Between reads, other requests get their turn. */
export async function findOccurrences(db: Db, series: number): Promise<EventRow[]> {
  let rows: EventRow[] = []
  for (let some: EventRow[] | undefined; !some || some.length === READ_AT_ONCE; rows = rows.concat(some)) {
    if (some) await passTurn(db)
    const last = some?.at(-1)
    some = await selectOccurrences(db, { series, from: last?.recurrence_id ?? '', after: last?.id ?? 0 })
  }
  return rows
}

const countListed = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['series', (record) => record.fn.countAll<number>().as('total')])
    .where('series', 'in', value('ids'))
    .where(isInLists)
    .groupBy('series'),
)

/** Counts occurrences in public lists. A series without any has no entry. */
export async function countShown(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = ids.length === 0 ? [] : await countListed(db, { ids })
  return new Map(rows.map(({ series, total }) => [series ?? 0, Number(total)]))
}

const insertOne = statement<{ row: SeriesRow }>()((db, value) => db.insertInto('series').values(value('row')))

export async function insertSeries(tx: Tx, row: SeriesRow): Promise<void> {
  noteSeries(tx, undefined, row)
  await insertOne(tx, { row })
}

export const updateOne = statement<{ id: number; columns: Partial<SeriesRow> }>()((db, value) =>
  db.updateTable('series').set(value('columns')).where('id', '=', value('id')),
)

export async function updateSeries(
  tx: Tx,
  before: SeriesRow,
  columns: Partial<SeriesRow>,
): Promise<SeriesRow> {
  const after = { ...before, ...columns, version: before.version + 1 }
  // Own columns override shared ones: in the trash, the shared status is the one to be restored.
  const whole = (row: SeriesRow) => (columns.shared === undefined ? row : { ...readShared(row), ...row })
  noteSeries(tx, before.status, after, formerOf(whole(before), whole(after)))
  await updateOne(tx, { id: before.id, columns: { ...columns, version: after.version } })
  return after
}

function noteSeries(
  tx: Tx,
  before: string | undefined,
  { id, status, title }: SeriesRow,
  former?: FormerValues,
): void {
  const change = {
    kind: 'series',
    record: id,
    wasPublic: before === 'publish',
    isPublic: status === 'publish',
    former,
  } as const
  recordChange(tx, change, { action: actionOf(before, status), name: title })
}

function actionOf(before: string | undefined, after: string): WriteAction {
  if (before === undefined) return 'create'
  if (before === after) return 'update'
  return after === 'trash' ? 'trash' : before === 'trash' ? 'restore' : 'update'
}

const APART = [
  'id',
  'slug',
  'uid',
  'modified',
  'modified_utc',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'series',
  'recurrence_id',
  'own',
  'timezone',
  'all_day',
  'access_words',
  'is_free',
  'online_from',
] as const satisfies readonly (keyof EventRow)[]

type Apart = (typeof APART)[number]

export type SharedColumns = Omit<EventRow, Apart>

export interface Shared extends SharedColumns {
  venues: readonly number[]
  organizers: readonly number[]
  terms: readonly number[]
}

export function sharedOf(row: EventRow, { venues, organizers, terms }: LinkIds): Shared {
  return { ...withoutApart(row), venues: venues ?? [], organizers: organizers ?? [], terms: terms ?? [] }
}

function withoutApart<Columns extends Partial<EventRow>>(row: Columns): Omit<Columns, Apart> {
  const columns = { ...row }
  for (const name of APART) delete columns[name]
  return columns
}

export function sharedNames(row: EventRow): (keyof SharedColumns)[] {
  const apart: readonly string[] = APART
  const names = Object.keys(row) as (keyof EventRow)[]
  return names.filter((name): name is keyof SharedColumns => !apart.includes(name))
}

export function readShared({ shared }: SeriesRow): Shared {
  // What an earlier release wrote lacks newer fields, and may contain columns no longer shared.
  const held: Shared & Partial<EventRow> = { ...blankColumns(eventFields), ...JSON.parse(shared) }
  return withoutApart(held)
}
