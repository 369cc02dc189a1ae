import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Asking } from '../declare/asking.ts'
import { isTruthy } from '../declare/kinds.ts'
import type { Parsed } from '../declare/resource.ts'
import { type Db, recordChange } from '../storage/database.ts'
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
import type { linkedFilters } from './record-fields.ts'
import { findIdBySlug, type Listing, offsetOf, type PageRequest, visibleTo } from './record-store.ts'
import { statusFilter } from './status.ts'

/** What tells venues from organizers where their queries are the same. */
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
  address: { id: number } | { slug: string },
): Promise<Row | undefined> {
  const id = 'id' in address ? address.id : await findIdBySlug(db, type.table, address.slug)
  if (id === undefined) return undefined
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

/** One page of venues or organizers, the latest published first (contract 4.4, 4.10). */
export async function listLinked<Row extends LinkedRow>(
  type: LinkedType,
  query: LinkedQuery,
  page: PageRequest,
  asking: Asking,
): Promise<Listing<Row>> {
  const where = linkedConditions(type, query, asking)
  const { total } = await asking.db
    .selectFrom(asVenues(type))
    .select((record) => record.fn.countAll<number>().as('total'))
    .where(where)
    .executeTakeFirstOrThrow()
  const rows = await asking.db
    .selectFrom(asVenues(type))
    .selectAll()
    .where(where)
    .orderBy('date', 'desc')
    .orderBy('id', 'desc')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute()
  return { rows: rows as unknown as Row[], total: Number(total) }
}

type Venues = ExpressionBuilder<Tables, 'venues'>
type Condition = (value: never, type: LinkedType, asking: Asking) => (record: Venues) => ReturnType<Venues['and']>

/** How each filter narrows the list; a filter declared without a condition here does not compile. */
const conditions: { [Name in Exclude<keyof LinkedQuery, 'page' | 'per_page' | 'status'>]-?: Condition } = {
  search: (text: string, type, asking) => (record) => {
    const words = parseWords(text)
    if (words.length === 0) return record.val(false).$castTo<SqlBool>() as unknown as ReturnType<Venues['and']>
    return record.and([oneLineContains(asking.db, `${type.table}.search`, words)])
  },
  event: (event: number, type, asking) => (record) =>
    record.exists(linksOf(record, type, asking).where(sql.ref<number>('event'), '=', event)),
  has_events: (wanted: unknown, type, asking) => (record) => {
    const links = linksOf(record, type, asking)
    const used = record.exists(links.where('events.status', 'not in', ['pending', 'draft', 'trash']))
    return isTruthy(wanted) ? used : record.not(used)
  },
  only_with_upcoming: (wanted: boolean, type, asking) => (record) =>
    wanted
      ? record.exists(
          linksOf(record, type, asking)
            .where('events.utc_start_date', '>=', formatUtc(asking.now))
            .where('events.hide_from_listings', '=', 0)
            .where('events.status', 'in', [...statusFilter(asking.caller, undefined).statuses]),
        )
      : record.and([]),
  geoloc: (wanted: boolean) => (record) => record('venues.geo_lat', wanted ? 'is not' : 'is', null),
  circle: (circle: Circle, _type, asking) => (record) => withinCircle(asking.db, record, circle),
}

/** The links from events the caller may see, so that no filter tells of the others. */
function linksOf(record: Venues, type: LinkedType, asking: Asking) {
  return record
    .selectFrom(asVenueLinks(type))
    .innerJoin('events', (join) => join.on('events.id', '=', sql.ref<number>(`${type.links}.event`)))
    .select('events.id')
    .where(linkColumn(type), '=', sql.ref<number>(`${type.table}.id`))
    .where((event) => visibleTo(asking.caller, 'events')(event as never) as never)
}

function linkedConditions(type: LinkedType, query: LinkedQuery, asking: Asking) {
  return (record: Venues) => {
    const { statuses } = statusFilter(asking.caller, query.status)
    const narrowed = Object.entries(conditions).flatMap(([name, condition]) => {
      const value = query[name as keyof typeof conditions]
      return value === undefined ? [] : [condition(value as never, type, asking)(record)]
    })
    return record.and([
      record(sql.ref(`${type.table}.status`), 'in', [...statuses]),
      visibleTo(asking.caller, type.table)(record as never) as never,
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

/** True when any venue has coordinates: without one, geolocation filters have nothing to tell events by. */
export async function anyCoordinates(db: Db): Promise<boolean> {
  return (
    (await db
      .selectFrom('venues')
      .select('id')
      .where('geo_lat', 'is not', null)
      .where('status', '=', 'publish')
      .limit(1)
      .executeTakeFirst()) !== undefined
  )
}
