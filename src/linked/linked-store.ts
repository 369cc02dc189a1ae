import { type ExpressionBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../context/context.ts'
import type { Parsed } from '../fields/field.ts'
import { isTruthy } from '../fields/kinds.ts'
import type { Caller } from '../people/caller.ts'
import type { linkedFilters } from '../records/record-checks.ts'
import { type Listing, offsetOf, type PageRequest, shownTo, visibleTo } from '../records/record-store.ts'
import { statusFilter } from '../records/status.ts'
import type { ReadQuery } from '../storage/aside.ts'
import { type Db, recordChange } from '../storage/database.ts'
import { foundRows } from '../storage/found-rows.ts'
import { type Circle, withinCircle } from '../storage/geo.ts'
import { held } from '../storage/locks.ts'
import type { LinkedColumns, Tables } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { oneLineContains } from '../storage/text.ts'
import { fold } from '../text/fold.ts'
import { formatUtc } from '../text/moments.ts'
import { parseWords } from '../text/search.ts'
import type { GeoFilter } from './geoloc.ts'
import type { LinkedKind } from './linked-rules.ts'

/** The names that differ in the queries of venues and organizers. */
export interface LinkedType {
  kind: LinkedKind
  table: 'venues' | 'organizers'
  /** The table of links from events, and its column that holds this record. */
  links: 'event_venues' | 'event_organizers'
}

export type LinkedRow = Selectable<LinkedColumns>

/** Both tables have the columns used here; the query builder is told of one. */
const asVenues = (type: LinkedType) => type.table as 'venues'
const asVenueLinks = (type: LinkedType) => type.links as 'event_venues'
const linkColumn = (type: LinkedType) => sql.ref<number>(`${type.links}.${type.kind}`)

/** A statement for each of the tables. */
function forBoth<Made>(make: (table: 'venues') => Made): Record<LinkedType['table'], Made> {
  return { venues: make('venues'), organizers: make('organizers' as 'venues') }
}

const selectByIds = forBoth((table) =>
  statement<{ ids: readonly number[] }>()((db, value) =>
    db.selectFrom(table).selectAll().where('id', 'in', value('ids')),
  ),
)

export async function findLinked<Row extends LinkedRow>(
  db: Db,
  type: LinkedType,
  id: number,
): Promise<Row | undefined> {
  return (await findLinkedByIds<Row>(db, type, [id])).get(id)
}

export async function findLinkedByIds<Row extends LinkedRow>(
  db: Db,
  type: LinkedType,
  ids: readonly number[],
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await selectByIds[type.table](db, { ids })
  return new Map(rows.map((row) => [row.id, row as unknown as Row]))
}

const selectNamesakes = forBoth((table) =>
  statement<{ folded: string }>()((db, value) =>
    held(
      db,
      db
        .selectFrom(table)
        .selectAll()
        .where('folded', '=', value('folded'))
        .where('status', '!=', 'trash')
        .orderBy('id'),
    ),
  ),
)

/** Records outside the trash whose name differs in letter case at most, the oldest first, held until the end of the transaction. */
export async function findNamesakes(tx: Db, type: LinkedType, name: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = await selectNamesakes[type.table](tx, { folded: fold(name) })
  return rows.filter((row) => String(row[type.kind]).toLowerCase() === name.toLowerCase())
}

export type LinkedQuery = Parsed<typeof linkedFilters> & Partial<GeoFilter>

/** One page of venues or organizers, the latest published first (rules 11.7 and 13.8). */
export async function listLinked<Row extends LinkedRow>(
  type: LinkedType,
  query: LinkedQuery,
  page: PageRequest,
  context: Context,
): Promise<Listing<Row>> {
  const where = linkedConditions(type, query, context)
  const matching = context.db.selectFrom(asVenues(type)).where(where)
  const countAll = matching.select((record) => record.fn.countAll<number>().as('total'))
  if (query.search !== undefined) return searchLinked<Row>(type, matching, countAll, page, context)
  const shown = matching
    .select('id')
    .orderBy('date', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(page.perPage))
    .offset(sql.lit(offsetOf(page)))
  const [totals, rows] = await context.aside(context.db, 'list', [
    countAll,
    foundRows<Row>(context.db, type.table, shown, latestFirst(type)),
  ])
  return { rows, total: Number(totals[0]?.total) }
}

function latestFirst({ table }: LinkedType) {
  return sql`${sql.table(table)}.date desc, ${sql.table(table)}.id desc`
}

/** The same with a search: one pass through the texts for page and total. */
async function searchLinked<Row extends LinkedRow>(
  type: LinkedType,
  matching: SelectQueryBuilder<Tables, 'venues', unknown>,
  countAll: ReadQuery<{ total: number }>,
  page: PageRequest,
  { db, aside }: Context,
): Promise<Listing<Row>> {
  const shown = sql`(
    with matching as materialized ${matching.select(['id', 'date'])}
    select id, (select count(*) from matching) as total from matching
    order by date desc, id desc limit ${sql.lit(page.perPage)} offset ${sql.lit(offsetOf(page))})`
  const [rows] = await aside(db, 'search', [
    foundRows<Row & { total: number }>(db, type.table, shown, latestFirst(type)),
  ])
  const [first] = rows
  if (first || page.page === 1) return { rows, total: Number(first?.total ?? 0) }
  const [totals] = await aside(db, 'search', [countAll])
  return { rows, total: Number(totals[0]?.total) }
}

type Venues = ExpressionBuilder<Tables, 'venues'>
type Condition = (value: never, type: LinkedType, context: Context) => (record: Venues) => ReturnType<Venues['and']>

/** How each filter narrows the list; a filter declared without a condition here does not compile. */
const conditions: { [Name in Exclude<keyof LinkedQuery, 'page' | 'per_page' | 'status'>]-?: Condition } = {
  search: (text: string, type, context) => (record) => {
    const words = parseWords(text)
    if (words.length === 0) return record.val(false).$castTo<SqlBool>() as unknown as ReturnType<Venues['and']>
    return record.and([oneLineContains(context.db, `${type.table}.search`, words)])
  },
  event: (event: number, type, context) => (record) =>
    record.exists(linksOf(record, type, context).where(sql.ref<number>('event'), '=', event)),
  has_events: (wanted: unknown, type, context) => (record) => {
    const links = linksOf(record, type, context)
    const used = record.exists(links.where('events.status', 'not in', ['pending', 'draft', 'trash']))
    return isTruthy(wanted) ? used : record.not(used)
  },
  only_with_upcoming: (wanted: boolean, type, context) => (record) =>
    wanted ? record(sql.ref<number>(`${type.table}.id`), 'in', upcoming(record, type, context)) : record.and([]),
  geoloc: (wanted: boolean) => (record) => record('venues.geo_lat', wanted ? 'is not' : 'is', null),
  circle: (circle: Circle, _type, context) => (record) => withinCircle(context.db, record, circle),
}

/** The links from events the caller may see, so that no filter betrays the others. */
function linksOf(record: Venues, type: LinkedType, context: Context) {
  return (
    record
      .selectFrom(asVenueLinks(type))
      // Not an inner join: SQLite would take it as leave to begin with all events there are, for each record anew.
      .crossJoin('events')
      .select('events.id')
      .where('events.id', '=', sql.ref<number>(`${type.links}.event`))
      .where(linkColumn(type), '=', sql.ref<number>(`${type.table}.id`))
      .where((event) => visibleTo(context.caller, 'events')(event as never) as never)
  )
}

/** The records with listed events to come, of all of which an index knows when they are. */
function upcoming(record: Venues, type: LinkedType, context: Context) {
  return record
    .selectFrom('events')
    .crossJoin(asVenueLinks(type))
    .select(linkColumn(type).as('record'))
    .where(sql.ref<number>(`${type.links}.event`), '=', sql.ref<number>('events.id'))
    .where((event) => visibleTo(context.caller, 'events')(event as never) as never)
    .where('events.utc_start_date', '>=', formatUtc(context.now))
    .where('events.hide_from_listings', '=', 0)
    .where('events.status', 'in', [...statusFilter(context.caller, undefined).statuses])
}

function linkedConditions(type: LinkedType, query: LinkedQuery, context: Context) {
  return (record: Venues) => {
    const { statuses } = statusFilter(context.caller, query.status)
    const narrowed = Object.entries(conditions).flatMap(([name, condition]) => {
      const value = query[name as keyof typeof conditions]
      return value === undefined ? [] : [condition(value as never, type, context)(record)]
    })
    return record.and([
      record(sql.ref(`${type.table}.status`), 'in', [...statuses]),
      visibleTo(context.caller, type.table)(record as never) as never,
      ...narrowed,
    ])
  }
}

/** The columns of a record to be written, by name. */
type Columns = Record<string, string | number | null>

const insertOne = forBoth((table) =>
  statement<{ row: Columns }>()((db, value) => db.insertInto(table).values(value('row') as never)),
)

const updateOne = forBoth((table) =>
  statement<{ id: number; columns: Columns }>()((db, value) =>
    db
      .updateTable(table)
      .set(value('columns') as never)
      .where('id', '=', value('id')),
  ),
)

/** Writes the columns of a new or changed record and notes the change. */
export async function saveLinked(
  tx: Db,
  type: LinkedType,
  id: number,
  columns: Record<string, unknown>,
  isNew: boolean,
): Promise<void> {
  const written = columns as Columns
  if (isNew) await insertOne[type.table](tx, { row: { ...written, id } })
  else await updateOne[type.table](tx, { id, columns: written })
  await recordChange(tx, type.kind, id)
}

/** True when any venue that the caller may see has coordinates; without one, geolocation filters have no effect. */
export async function anyCoordinates(db: Db, caller: Caller): Promise<boolean> {
  return (
    (await db
      .selectFrom('venues')
      .select('id')
      .where('geo_lat', 'is not', null)
      .where((place) => shownTo(caller, 'venues')(place as never) as never)
      .limit(1)
      .executeTakeFirst()) !== undefined
  )
}
