import { type RawBuilder, sql } from 'kysely'
import { eventFacts, factsIn } from '../../base/fields/event-members.ts'
import { LINK_BYTES, ROW_BYTES } from '../../base/fields/limits.ts'
import type { Ranking } from '../../store/memory/event-index-list.ts'
import { type Db, foundRows } from '../../store/storage/database.ts'
import { formerOf } from '../../store/storage/history.ts'
import { isInLists, isListed } from '../../store/storage/listed-events.ts'
import { noteFormer, type Tx, type Writer } from '../../store/storage/recording.ts'
import type {
  EventRow,
  ImageRow,
  OrganizerRow,
  SeriesRow,
  Taxonomy,
  TermRow,
  VenueRow,
} from '../../store/storage/schema.ts'
import { rankAmong } from '../../store/storage/search/search-index.ts'
import { rowParts } from '../../store/storage/sql-parts.ts'
import { passTurn, selectTerms, statement } from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds, type LinkedType } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { mayRead } from '../people/caller.ts'
import { noteSlugs, standingOf } from '../records/old-slugs.ts'
import { type Listing, offsetOf, type PageRequest, recordWritten } from '../records/record-store.ts'
import { compareTerms, shiftCounts, termsApart } from '../terms/term-store.ts'
import type { Condition } from './event-conditions.ts'
import { isStoredFree } from './event-cost.ts'
import { linkShownFrom } from './event-when.ts'
import { dropWithdrawn, keepWithdrawn } from './withdrawn-store.ts'

/** Venues and organizers in the event's order, terms by name. `images` include those of event and records. */
export interface EventLinks {
  venues: VenueRow[]
  organizers: OrganizerRow[]
  categories: TermRow[]
  tags: TermRow[]
  images: ReadonlyMap<number, ImageRow>
  series: SeriesRow | undefined
  /** The next occurrences; only in lists where the event stands for its series. */
  next?: readonly NextOccurrence[]
}

export type NextOccurrence = Pick<
  EventRow,
  'id' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date'
>

export const selectEvents = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').selectAll().where('id', 'in', value('ids')),
)

export async function findEvent(db: Db, id: number): Promise<EventRow | undefined> {
  const [row] = await selectEvents(db, { ids: [id] })
  return row
}

export async function findListedEvents({ db, caller }: Context, ids: readonly number[]): Promise<EventRow[]> {
  const rows = ids.length === 0 ? [] : await selectEvents(db, { ids })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row && row.hide_from_listings === 0 && mayRead(caller, row) ? [row] : []
  })
}

/**
 * Reads one page and counts all events. `start` orders by start, date and id (rule 11.7), `publication` by
 * date and id, a ranking by quality of match (rule 14.7).
 */
export async function listEvents(
  where: Condition,
  order: 'start' | 'publication' | Ranking,
  page: PageRequest,
  context: Context,
): Promise<Listing<EventRow>> {
  const matching = context.db.selectFrom('events').where(where)
  const inOrder = orderBy(context.db, order)
  const ids = matching
    .select('id')
    .orderBy(inOrder)
    .limit(sql.lit(page.perPage))
    .offset(sql.lit(offsetOf(page)))
  const [totals, rows] = await context.readInLane(context.db, 'list', [
    matching.select((record) => record.fn.countAll<number>().as('total')),
    foundRows(context.db, 'events', ids, inOrder),
  ])
  return { rows, total: Number(totals[0]?.total) }
}

function orderBy(db: Db, order: 'start' | 'publication' | Ranking): RawBuilder<unknown> {
  if (order === 'publication') return sql`events.date, events.id`
  if (order === 'start') return sql`events.start_date, events.date, events.id`
  const { titled, named, today } = order
  // Coming events first, by start; then past ones, latest first.
  const coming = sql`events.end_date >= ${`${today} 00:00:00`}`
  return sql`${rankAmong(db, titled, named)}, case when ${coming} then 0 else 1 end,
    case when ${coming} then events.start_date end, events.start_date desc, events.date, events.id`
}

export async function listEventIds(
  where: Condition,
  order: 'start' | 'publication',
  context: Context,
): Promise<number[]> {
  const matching = context.db.selectFrom('events').where(where).select('id')
  const ordered = order === 'start' ? matching.orderBy('start_date') : matching
  const [rows] = await context.readInLane(context.db, 'list', [ordered.orderBy('date').orderBy('id')])
  return rows.map(({ id }) => id)
}

/** Ids of linked records, in order. Undefined means not known, or unchanged in a write. */
export interface LinkIds {
  venues?: readonly number[] | undefined
  organizers?: readonly number[] | undefined
  terms?: readonly number[] | undefined
}

/** What events link to, by event id. Ids in `known` are not looked up. Every event has an entry. */
export async function findEventLinks(
  db: Db,
  events: readonly Pick<EventRow, 'id' | 'image' | 'series'>[],
  known: ReadonlyMap<number, LinkIds> = new Map(),
): Promise<Map<number, EventLinks>> {
  const ids = events.map((row) => row.id)
  const seriesOf = new Map(events.flatMap(({ id, series }) => (series === null ? [] : [[id, series]])))
  const [venues, organizers, terms, series] = await Promise.all([
    findLinks<VenueRow>(db, venueRules, ids, known),
    findLinks<OrganizerRow>(db, organizerRules, ids, known),
    findTermsOf(db, ids, known),
    findSeriesByIds(db, [...new Set(seriesOf.values())]),
  ])
  const pictured = [...events, ...[...venues.values()].flat(), ...[...organizers.values()].flat()]
  const images = await findImages(
    db,
    pictured.flatMap((row) => row.image ?? []),
  )
  const linksOf = (id: number): EventLinks => {
    const own = terms.get(id) ?? []
    return {
      venues: venues.get(id) ?? [],
      organizers: organizers.get(id) ?? [],
      ...termsApart(own),
      images,
      series: series.get(seriesOf.get(id) ?? 0),
    }
  }
  return new Map(ids.map((id) => [id, linksOf(id)]))
}

function among<Row>(rows: ReadonlyMap<number, Row>, ids: readonly number[]): Row[] {
  return ids.flatMap((id) => rows.get(id) ?? [])
}

const selectSeries = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('series').selectAll().where('id', 'in', value('ids')),
)

export async function findSeriesByIds(db: Db, ids: readonly number[]): Promise<Map<number, SeriesRow>> {
  const rows = ids.length === 0 ? [] : await selectSeries(db, { ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Makes statements, typed for venues only: the two tables differ only in names. */
function linkStatements(links: 'event_venues', kind: 'venue') {
  return {
    select: statement<{ events: readonly number[] }>()((db, value) =>
      db
        .selectFrom(links)
        .select(['event', `${kind} as id`])
        .where('event', 'in', value('events'))
        .orderBy('position'),
    ),
    insert: statement<{ rows: LinkRow[] }>()((db, value) => db.insertInto(links).values(value('rows'))),
    remove: statement<{ events: readonly number[] }>()((db, value) =>
      db
        .deleteFrom(links)
        .where('event', 'in', value('events'))
        .returning(['event', `${kind} as id`, 'position']),
    ),
    row: (event: number, id: number, position: number) => ({ event, [kind]: id, position }) as LinkRow,
  }
}

interface LinkRow {
  event: number
  venue: number
  position: number
}

export const linking = {
  venues: linkStatements('event_venues', 'venue'),
  organizers: linkStatements('event_organizers' as 'event_venues', 'organizer' as 'venue'),
  terms: {
    insert: statement<{ rows: Omit<LinkRow, 'venue' | 'position'>[] }>()((db, value) =>
      db.insertInto('event_terms').values(value('rows') as never),
    ),
    remove: statement<{ events: readonly number[] }>()((db, value) =>
      db
        .deleteFrom('event_terms')
        .where('event', 'in', value('events'))
        .returning(['event', 'term as id', 'term as position']),
    ),
    row: (event: number, term: number) => ({ event, term }),
  },
}

/** Reads each record once, however many events link to it, since its texts may be long. */
async function findLinks<Row extends VenueRow | OrganizerRow>(
  db: Db,
  type: LinkedType,
  events: readonly number[],
  known: ReadonlyMap<number, LinkIds>,
): Promise<Map<number, Row[]>> {
  const unknown = events.filter((id) => known.get(id)?.[type.table] === undefined)
  const pairs = unknown.length === 0 ? [] : await linking[type.table].select(db, { events: unknown })
  const ids = idsByEvent(pairs)
  for (const id of events) if (!ids.has(id)) ids.set(id, known.get(id)?.[type.table] ?? [])
  return linkedTo(ids, (wanted) => findLinkedByIds<Row>(db, type, wanted))
}

export function idsByEvent(pairs: readonly { event: number; id: number }[]): Map<number, readonly number[]> {
  const byEvent = Map.groupBy(pairs, ({ event }) => event)
  return new Map([...byEvent].map(([event, own]) => [event, own.map(({ id }) => id)]))
}

export async function linkedTo<Row>(
  ids: ReadonlyMap<number, readonly number[]>,
  find: (ids: number[]) => Promise<ReadonlyMap<number, Row>>,
): Promise<Map<number, Row[]>> {
  const rows = await find([...new Set([...ids.values()].flat())])
  return new Map([...ids].map(([event, own]) => [event, among(rows, own)]))
}

const selectTermsOf = statement<{ events: readonly number[] }>()((db, value) =>
  db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .selectAll('terms')
    .select('event')
    .where('event', 'in', value('events'))
    .orderBy('folded')
    .orderBy('terms.id'),
)

export async function findTermsOf(
  db: Db,
  events: readonly number[],
  known: ReadonlyMap<number, LinkIds> = new Map(),
): Promise<Map<number, TermRow[]>> {
  const unknown = events.filter((id) => known.get(id)?.terms === undefined)
  const ids = [...new Set(events.flatMap((id) => known.get(id)?.terms ?? []))]
  const [found, rows] = await Promise.all([
    unknown.length === 0 ? [] : selectTermsOf(db, { events: unknown }),
    ids.length === 0 ? [] : selectTerms(db, { ids }),
  ])
  const terms: Map<number, TermRow[]> = Map.groupBy(found, ({ event }) => event)
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const id of events)
    if (!terms.has(id)) terms.set(id, among(byId, known.get(id)?.terms ?? []).sort(compareTerms))
  return terms
}

const selectTermIds = statement<{ event: number }>()((db, value) =>
  db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(['terms.id', 'taxonomy'])
    .where('event', '=', value('event')),
)

export async function findTermIds(db: Db, event: number): Promise<{ id: number; taxonomy: Taxonomy }[]> {
  return selectTermIds(db, { event })
}

export const LINK_KINDS = ['venues', 'organizers', 'terms'] as const

/** Columns computed from others of the row and the clock whenever it is saved. */
export function derivedColumns(row: EventRow): Pick<EventRow, 'access_words' | 'is_free' | 'online_from'> {
  return {
    access_words: factsIn(row, eventFacts).join(' '),
    is_free: Number(isStoredFree(row.cost)),
    online_from: linkShownFrom(row, Date.now()),
  }
}

const updateOne = statement<{ id: number; columns: Partial<EventRow> }>()((db, value) =>
  db.updateTable('events').set(value('columns')).where('id', '=', value('id')),
)

const insertMany = statement<{ rows: EventRow[] }>()((db, value) =>
  db.insertInto('events').values(value('rows')),
)

/** An event to save. Links of a kind whose ids are undefined stay. */
export type EventWrite = { links: LinkIds; by?: Writer | undefined } & (
  | { before?: undefined; values: EventRow }
  /** The row `before` is locked; `values` are the columns to set. */
  | { before: EventRow; values: Partial<EventRow> }
)

export function savedRow({ before, values }: EventWrite): EventRow {
  const row = before ? { ...before, ...values } : values
  return { ...row, ...derivedColumns(row) }
}

/** Estimates the size of a write: the bytes of texts, and a fixed number for the row and each link. */
export function rowBytes({ search: _search, ...row }: Partial<EventRow>, links: LinkIds = {}): number {
  const texts = Object.values(row).reduce<number>(
    (total, value) => total + Buffer.byteLength(String(value)),
    0,
  )
  const { venues = [], organizers = [], terms = [] } = links
  return ROW_BYTES + texts + (venues.length + organizers.length + terms.length) * LINK_BYTES
}

/** Bytes after which other work gets its turn: writing them takes a few milliseconds. */
const BYTES_A_TURN = 250_000

function inPieces<Entry>(entries: readonly Entry[], bytes: (entry: Entry) => number): Entry[][] {
  const pieces: Entry[][] = []
  let total = BYTES_A_TURN
  for (const entry of entries) {
    if (total >= BYTES_A_TURN) {
      pieces.push([])
      total = 0
    }
    pieces.at(-1)?.push(entry)
    total += bytes(entry)
  }
  return pieces
}

/** Saves events, in pieces between which other work gets its turn; then their links and term counts. */
export async function saveEvents(tx: Tx, events: readonly EventWrite[]): Promise<void> {
  for (const { before, values, by } of events) {
    const after = before ? { ...before, ...values } : values
    const former = before && formerOf(before, values)
    recordWritten(tx, 'event', before, { ...after, name: after.title }, former, by)
  }
  const counts = await countShifts(tx, events)
  for (const [at, piece] of inPieces(events, (one) => rowBytes(savedRow(one), one.links)).entries()) {
    if (at > 0) await passTurn(tx)
    const added = piece.filter(({ before }) => !before).map(savedRow)
    await Promise.all([
      ...Array.from(rowParts(added), (rows) => insertMany(tx, { rows })),
      ...piece.map((one) => one.before && updateRow(tx, one.before, one)),
    ])
  }
  await Promise.all([...LINK_KINDS.map((kind) => saveLinks(tx, kind, events)), shiftCounts(tx, counts)])
}

/** Sets only changed columns, since SQLite rewrites the index entries of each column it sets. */
async function updateRow(tx: Tx, before: EventRow, one: EventWrite): Promise<void> {
  const after = savedRow(one)
  const columns = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value !== before[name as keyof EventRow]),
  )
  await Promise.all([
    leaveTraces(tx, before, after),
    Object.keys(columns).length > 0 && updateOne(tx, { id: before.id, columns }),
  ])
}

async function saveLinks(
  tx: Tx,
  kind: (typeof LINK_KINDS)[number],
  events: readonly EventWrite[],
): Promise<void> {
  const { insert, remove, row } = linking[kind]
  const linked = events.flatMap((one) => {
    const ids = one.links[kind]
    return ids ? [{ id: (one.before ?? one.values).id ?? 0, isNew: !one.before, ids }] : []
  })
  const changed = linked.filter(({ isNew }) => !isNew)
  const had =
    changed.length === 0
      ? new Map()
      : Map.groupBy(await remove(tx, { events: changed.map(({ id }) => id) }), ({ event }) => event)
  for (const { id: event, ids } of changed) {
    const links: { id: number; position: number }[] = had.get(event) ?? []
    const former = links.sort((a, b) => a.position - b.position).map(({ id }) => id)
    const has = kind === 'terms' ? ids.toSorted((a, b) => a - b) : ids
    if (String(former) !== String(has)) noteFormer(tx, 'event', event, { [kind]: former })
  }
  const rows = linked.flatMap(({ id: event, ids }) => ids.map((id, position) => row(event, id, position)))
  await Promise.all(Array.from(rowParts(rows), (some) => insert(tx, { rows: some as LinkRow[] })))
}

const isCounted = ({ status }: Pick<EventRow, 'status'>) => status === 'publish'

/** By how much the count of each term changes. Only published events count (rule 7.4). */
async function countShifts(tx: Tx, events: readonly EventWrite[]): Promise<Map<number, number>> {
  const shifts = new Map<number, number>()
  const shift = (term: number, by: number) => shifts.set(term, (shifts.get(term) ?? 0) + by)
  const recounted = events.flatMap(({ before, values, links }) =>
    before && (links.terms || isCounted(before) !== isCounted({ ...before, ...values })) ? [before.id] : [],
  )
  const former = await findTermsOfEvents(tx, recounted)
  for (const { before, values, links } of events) {
    const had = (before && former.get(before.id)) ?? []
    if (before && isCounted(before)) for (const term of had) shift(term, -1)
    if (isCounted(before ? { ...before, ...values } : values))
      for (const term of links.terms ?? had) shift(term, 1)
  }
  return shifts
}

const selectTermsOfEvents = statement<{ events: readonly number[] }>()((db, value) =>
  db.selectFrom('event_terms').select(['event', 'term']).where('event', 'in', value('events')),
)

export async function findTermsOfEvents(db: Db, events: readonly number[]): Promise<Map<number, number[]>> {
  const terms = new Map<number, number[]>()
  for (const { event, term } of events.length === 0 ? [] : await selectTermsOfEvents(db, { events }))
    terms.set(event, [...(terms.get(event) ?? []), term])
  return terms
}

const moveSome = statement<{ ids: readonly number[]; to: number }>()((db, value) =>
  db
    .updateTable('events')
    .set({ series: value('to') })
    .where('id', 'in', value('ids')),
)

/** Moves occurrences to another series. The calling function records the changes. */
export async function moveOccurrences(tx: Tx, rows: readonly EventRow[], to: number): Promise<void> {
  for (const piece of inPieces(rows, rowBytes)) {
    await moveSome(tx, { ids: piece.map(({ id }) => id), to })
    await passTurn(tx)
  }
}

const showOne = statement<{ id: number }>()((db, value) =>
  db.updateTable('events').set({ online_from: '' }).where('id', '=', value('id')),
)

/** Marks the meeting links of events, whose rows are locked, as shown to everybody. */
export async function showLinks(tx: Tx, rows: readonly EventRow[]): Promise<void> {
  await Promise.all(
    rows.map((row) => {
      recordWritten(tx, 'event', row, { ...row, name: row.title })
      return showOne(tx, { id: row.id })
    }),
  )
}

async function leaveTraces(tx: Tx, before: EventRow, after: EventRow): Promise<void> {
  const isWithdrawn = isListed(before) && !isListed(after)
  const isBack = !isListed(before) && isListed(after)
  await Promise.all([
    noteSlugs(tx, 'event', before.id, standingOf(before), standingOf(after)),
    isWithdrawn && keepWithdrawn(tx, before, after.modified_utc),
    isBack && dropWithdrawn(tx, after.id),
  ])
}

const selectLinkedBytes = statement<{ event: number }>()<{ bytes: number | string }>(
  (_db, value) => sql`
    select octet_length(description) + octet_length(excerpt) as bytes
      from event_venues join venues on venues.id = event_venues.venue where event = ${value('event')}
    union all select octet_length(description) + octet_length(excerpt)
      from event_organizers join organizers on organizers.id = event_organizers.organizer
        where event = ${value('event')}`,
)

/** Bytes of the texts of linked venues and organizers, without reading them. */
export async function linkedBytes(db: Db, event: number): Promise<number> {
  const rows = await selectLinkedBytes(db, { event })
  return rows.reduce((total, { bytes }) => total + Number(bytes), 0)
}

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

/** The next public occurrences of each event's series. Events without a series have no entry. */
export async function findNext(
  db: Db,
  rows: readonly EventRow[],
): Promise<Map<number, readonly NextOccurrence[]>> {
  const found = rows.map(async ({ id, series, start_date: start }) =>
    series === null ? [] : [[id, await selectNext(db, { series, start })] as const],
  )
  return new Map((await Promise.all(found)).flat())
}
