import { type RawBuilder, sql } from 'kysely'
import { eventFacts, factsIn } from '../../base/fields/event-members.ts'
import { LINK_BYTES, ROW_BYTES } from '../../base/fields/limits.ts'
import type { Ranking } from '../../store/memory/event-index-list.ts'
import { type Db, foundRows } from '../../store/storage/database.ts'
import { formerOf } from '../../store/storage/history.ts'
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
import {
  isInLists,
  isListed,
  passTurn,
  rowParts,
  selectTerms,
  statement,
} from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds, findPlaceRows, type LinkedType, type PlaceRow } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { mayRead } from '../people/caller.ts'
import { noteSlugs, standingOf } from '../records/old-slugs.ts'
import { type Listing, offsetOf, type PageRequest, recordWritten } from '../records/record-store.ts'
import { compareTerms, termsApart } from '../terms/term-store.ts'
import type { Condition } from './event-conditions.ts'
import { isStoredFree } from './event-cost.ts'
import { linkShownFrom } from './event-when.ts'
import { dropWithdrawn, keepWithdrawn } from './withdrawn-store.ts'

// Reads and writes the rows of events and of their links.

/**
 * The records that an event links to: its venues and organizers in order, its terms by name, its series, and
 * the images of all records.
 */
export interface EventLinks {
  venues: VenueRow[]
  organizers: OrganizerRow[]
  categories: TermRow[]
  tags: TermRow[]
  images: ReadonlyMap<number, ImageRow>
  /** The series of which the event is an occurrence. */
  series: SeriesRow | undefined
  /** The next occurrences of its series, in lists where the event stands for them. */
  next?: readonly NextOccurrence[]
}

/**
 * A later occurrence of a series, as a list that is collapsed to one occurrence of each series shows it with
 * that occurrence.
 */
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

/** Finds the events with these ids that lists show the caller, in the order of the ids. */
export async function findListedEvents({ db, caller }: Context, ids: readonly number[]): Promise<EventRow[]> {
  const rows = ids.length === 0 ? [] : await selectEvents(db, { ids })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row && row.hide_from_listings === 0 && mayRead(caller, row) ? [row] : []
  })
}

/**
 * Reads one page of the events that meet a condition, and counts all of them. The order is by start, date and
 * id (rule 11.7) for `start`, by date and id for `publication`, and the best matches first for a ranking
 * (rule 14.7).
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
  const [totals, rows] = await context.aside(context.db, 'list', [
    matching.select((record) => record.fn.countAll<number>().as('total')),
    foundRows(context.db, 'events', ids, inOrder),
  ])
  return { rows, total: Number(totals[0]?.total) }
}

function orderBy(db: Db, order: 'start' | 'publication' | Ranking): RawBuilder<unknown> {
  if (order === 'publication') return sql`events.date, events.id`
  if (order === 'start') return sql`events.start_date, events.date, events.id`
  const { titled, named, today } = order
  // Coming events by their start, then past events, the latest first.
  const coming = sql`events.end_date >= ${`${today} 00:00:00`}`
  return sql`${rankAmong(db, titled, named)}, case when ${coming} then 0 else 1 end,
    case when ${coming} then events.start_date end, events.start_date desc, events.date, events.id`
}

/** Lists the ids of all events that meet a condition, by start, date and id, or by date and id. */
export async function listEventIds(
  where: Condition,
  order: 'start' | 'publication',
  context: Context,
): Promise<number[]> {
  const matching = context.db.selectFrom('events').where(where).select('id')
  const ordered = order === 'start' ? matching.orderBy('start_date') : matching
  const [rows] = await context.aside(context.db, 'list', [ordered.orderBy('date').orderBy('id')])
  return rows.map(({ id }) => id)
}

/**
 * The ids of the records and terms that an event is linked to, in order; undefined where they are not known.
 */
export interface KnownLinks {
  venues: readonly number[] | undefined
  organizers: readonly number[] | undefined
  terms: readonly number[] | undefined
  /** The ids of the linked venues and organizers that were made with the event. */
  made: ReadonlySet<number>
}

/** The links of an event whose links nothing has changed. */
export const UNCHANGED: KnownLinks = {
  venues: undefined,
  organizers: undefined,
  terms: undefined,
  made: new Set(),
}

/**
 * Reads the links of these events, in one query for each kind. Every event has an entry. `known` may be given
 * for a single event alone.
 */
export async function findEventLinks(
  db: Db,
  events: readonly Pick<EventRow, 'id' | 'image' | 'series'>[],
  known?: KnownLinks,
): Promise<Map<number, EventLinks>> {
  const ids = events.map((row) => row.id)
  const seriesOf = new Map(events.flatMap(({ id, series }) => (series === null ? [] : [[id, series]])))
  const [venues, organizers, terms, series] = await Promise.all([
    findLinks<VenueRow>(db, venueRules, ids, known?.venues),
    findLinks<OrganizerRow>(db, organizerRules, ids, known?.organizers),
    findTermsOf(db, ids, known?.terms),
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

/**
 * Reads the links of new events that this transaction has written. `counted` resolves to the terms of the
 * published events, with their new counts.
 */
export async function findLinksOfNew(
  db: Db,
  events: readonly { row: EventRow; links: KnownLinks }[],
  counted: Promise<readonly TermRow[]>,
): Promise<Map<number, EventLinks>> {
  const idsOf = (kind: (typeof LINK_KINDS)[number], some = events) => [
    ...new Set(some.flatMap(({ links }) => links[kind] ?? [])),
  ]
  const uncounted = idsOf(
    'terms',
    events.filter(({ row }) => row.status !== 'publish'),
  )
  const [venues, organizers, others, shown] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, idsOf('venues')),
    findLinkedByIds<OrganizerRow>(db, organizerRules, idsOf('organizers')),
    uncounted.length === 0 ? [] : selectTerms(db, { ids: uncounted }),
    counted,
  ])
  const terms = new Map([...others, ...shown].map((term) => [term.id, term]))
  const pictured = [...events.map(({ row }) => row), ...venues.values(), ...organizers.values()]
  const images = await findImages(
    db,
    pictured.flatMap((row) => row.image ?? []),
  )
  const linksOf = ({ links }: { links: KnownLinks }): EventLinks => {
    const own = among(terms, links.terms).sort(compareTerms)
    return {
      venues: among(venues, links.venues),
      organizers: among(organizers, links.organizers),
      ...termsApart(own),
      images,
      series: undefined,
    }
  }
  return new Map(events.map((event) => [event.row.id, linksOf(event)]))
}

function among<Row>(rows: ReadonlyMap<number, Row>, ids: readonly number[] = []): Row[] {
  return ids.flatMap((id) => rows.get(id) ?? [])
}

const selectSeries = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('series').selectAll().where('id', 'in', value('ids')),
)

/** Reads series by id. */
export async function findSeriesByIds(db: Db, ids: readonly number[]): Promise<Map<number, SeriesRow>> {
  const rows = ids.length === 0 ? [] : await selectSeries(db, { ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Makes the statements for links to venues or organizers. The tables differ in names alone, so the types of
 * the query builder know venues alone.
 */
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
    rows: (event: number, ids: readonly number[] = []) =>
      ids.map((id, position) => ({ event, [kind]: id, position }) as LinkRow),
  }
}

interface LinkRow {
  event: number
  venue: number
  position: number
}

const linking: Record<LinkedType['table'], ReturnType<typeof linkStatements>> = {
  venues: linkStatements('event_venues', 'venue'),
  organizers: linkStatements('event_organizers' as 'event_venues', 'organizer' as 'venue'),
}

async function findLinks<Row extends VenueRow | OrganizerRow>(
  db: Db,
  type: LinkedType,
  events: readonly number[],
  known: readonly number[] | undefined,
): Promise<Map<number, Row[]>> {
  const [event] = events
  if (event === undefined) return new Map()
  if (known) {
    return new Map([[event, among(await findLinkedByIds<Row>(db, type, known), known)]])
  }
  // A record is read once, however many of the events it is linked to: its texts may be long.
  return linkedTo(await linking[type.table].select(db, { events }), (ids) =>
    findLinkedByIds<Row>(db, type, ids),
  )
}

/** Returns the records that events are linked to, by event. */
async function linkedTo<Row>(
  pairs: readonly { event: number; id: number }[],
  find: (ids: number[]) => Promise<ReadonlyMap<number, Row>>,
): Promise<Map<number, Row[]>> {
  const rows = await find([...new Set(pairs.map(({ id }) => id))])
  const byEvent = Map.groupBy(pairs, ({ event }) => event)
  return new Map([...byEvent].map(([event, own]) => [event, own.flatMap(({ id }) => rows.get(id) ?? [])]))
}

/** The links of an event that lists of pages show. */
export type CardLinks = Pick<EventLinks, 'categories' | 'tags' | 'images' | 'series'> & { venues: PlaceRow[] }

/** Reads these links of events: of venues few columns, and of organizers none. Every event has an entry. */
export async function findCardLinks(
  db: Db,
  events: readonly Pick<EventRow, 'id' | 'image' | 'series'>[],
): Promise<Map<number, CardLinks>> {
  if (events.length === 0) return new Map()
  const ids = events.map(({ id }) => id)
  const [pairs, terms, series, images] = await Promise.all([
    linking.venues.select(db, { events: ids }),
    findTermsOf(db, ids, undefined),
    findSeriesByIds(db, [...new Set(events.flatMap((row) => row.series ?? []))]),
    findImages(
      db,
      events.flatMap(({ image }) => image ?? []),
    ),
  ])
  const venues = await linkedTo(pairs, (of) => findPlaceRows(db, of))
  const linksOf = (row: Pick<EventRow, 'id' | 'series'>): CardLinks => ({
    venues: venues.get(row.id) ?? [],
    ...termsApart(terms.get(row.id) ?? []),
    images,
    series: series.get(row.series ?? 0),
  })
  return new Map(events.map((row) => [row.id, linksOf(row)]))
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

async function findTermsOf(
  db: Db,
  events: readonly number[],
  known: readonly number[] | undefined,
): Promise<Map<number, TermRow[]>> {
  const [event] = events
  if (event === undefined) return new Map()
  if (known)
    return new Map([
      [event, known.length === 0 ? [] : (await selectTerms(db, { ids: known })).sort(compareTerms)],
    ])
  return Map.groupBy(await selectTermsOf(db, { events }), ({ event }) => event)
}

async function insertLinks(
  tx: Tx,
  type: LinkedType,
  event: number,
  ids: readonly number[] = [],
): Promise<void> {
  const { insert, rows } = linking[type.table]
  if (ids.length > 0) await insert(tx, { rows: rows(event, ids) })
}

async function replaceLinks(tx: Tx, type: LinkedType, event: number, ids?: readonly number[]): Promise<void> {
  if (ids) await Promise.all([removeLinks(tx, type.table, [event], ids), insertLinks(tx, type, event, ids)])
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

const insertEventTerms = statement<{ rows: { event: number; term: number }[] }>()((db, value) =>
  db.insertInto('event_terms').values(value('rows')),
)

const deleteEventTerms = statement<{ events: readonly number[] }>()((db, value) =>
  db
    .deleteFrom('event_terms')
    .where('event', 'in', value('events'))
    .returning(['event', 'term as id', 'term as position']),
)

const deleteLinksOf = {
  venues: linking.venues.remove,
  organizers: linking.organizers.remove,
  terms: deleteEventTerms,
}

/** The kinds of links. When a write changes links of one kind, the former ones are noted by this name. */
export const LINK_KINDS = ['venues', 'organizers', 'terms'] as const

/**
 * Removes the links of one kind from events that are to be linked to `ids` instead, and notes the former
 * links where they differ from `ids`.
 */
async function removeLinks(
  tx: Tx,
  kind: (typeof LINK_KINDS)[number],
  events: readonly number[],
  ids: readonly number[],
): Promise<void> {
  const rows = await deleteLinksOf[kind](tx, { events })
  const had = Map.groupBy(rows, ({ event }) => event)
  const has = String(kind === 'terms' ? ids.toSorted((a, b) => a - b) : ids)
  for (const event of events) {
    const former = (had.get(event) ?? []).sort((a, b) => a.position - b.position).map(({ id }) => id)
    if (String(former) !== has) noteFormer(tx, 'event', event, { [kind]: former })
  }
}

async function insertTerms(tx: Tx, event: number, ids: readonly number[] = []): Promise<void> {
  if (ids.length > 0) await insertEventTerms(tx, { rows: ids.map((term) => ({ event, term })) })
}

async function replaceTerms(tx: Tx, event: number, ids?: readonly number[]): Promise<void> {
  if (ids) await Promise.all([removeLinks(tx, 'terms', [event], ids), insertTerms(tx, event, ids)])
}

/** Returns the columns of an event that follow from its other columns; every write of an event sets them. */
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

/**
 * The ids of the records and terms that an event is to be linked to, in order. Links of a kind that is
 * undefined stay as they are.
 */
export type WrittenLinks = Omit<KnownLinks, 'made'>

function inParts<Row>(rows: readonly Row[], write: (part: Row[]) => Promise<unknown>): Promise<unknown>[] {
  return Array.from(rowParts(rows), write)
}

const insertMany = statement<{ rows: EventRow[] }>()((db, value) =>
  db.insertInto('events').values(value('rows')),
)

/** The row of a new event, with the ids of the records and terms that it links to, in order. */
export interface NewEvent {
  row: EventRow
  links: WrittenLinks
  /** The writer of the event, where several writers share the transaction. */
  by?: Writer | undefined
}

/** Returns the bytes that an event takes up: those of its texts, and those that it and its links count as. */
export function rowBytes({ search: _search, ...row }: Partial<EventRow>, links?: WrittenLinks): number {
  const texts = Object.values(row).reduce<number>(
    (total, value) => total + Buffer.byteLength(String(value)),
    0,
  )
  const { venues = [], organizers = [], terms = [] } = links ?? {}
  return ROW_BYTES + texts + (venues.length + organizers.length + terms.length) * LINK_BYTES
}

/** Bytes of events that are written without a turn for others: a few milliseconds. */
const BYTES_A_TURN = 250_000

/** Yields the entries in order, in pieces that take a few milliseconds to write each. */
function* inPieces<Entry>(entries: readonly Entry[], bytes: (entry: Entry) => number): Generator<Entry[]> {
  let piece: Entry[] = []
  let total = 0
  for (const entry of entries) {
    piece.push(entry)
    total += bytes(entry)
    if (total < BYTES_A_TURN) continue
    yield piece
    piece = []
    total = 0
  }
  if (piece.length > 0) yield piece
}

/** Writes new events as `insertEvents` does, with turns for others in between. */
export async function insertInTurns(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  for (const piece of inPieces(events, ({ row, links }) => rowBytes(row, links))) {
    await insertEvents(tx, piece)
    await passTurn(tx)
  }
}

/**
 * Writes new events, each with its links. All statements have begun, in this order, when the function
 * returns.
 */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  for (const { row, by } of events)
    recordWritten(tx, 'event', undefined, { ...row, name: row.title }, undefined, by)
  const rows = events.map(({ row }) => ({ ...row, ...derivedColumns(row) }))
  const linked = events.map(({ row: { id }, links }) => ({ id, links }))
  await Promise.all([...inParts(rows, (part) => insertMany(tx, { rows: part })), ...linkEvents(tx, linked)])
}

function linkEvents(tx: Tx, events: readonly { id: number; links: WrittenLinks }[]): Promise<unknown>[] {
  const linked = (['venues', 'organizers'] as const).flatMap((kind) => {
    const { insert, rows } = linking[kind]
    const all = events.flatMap(({ id, links }) => rows(id, links[kind]))
    return inParts(all, (part) => insert(tx, { rows: part }))
  })
  const terms = events.flatMap(({ id, links }) => (links.terms ?? []).map((term) => ({ event: id, term })))
  return [...linked, ...inParts(terms, (rows) => insertEventTerms(tx, { rows }))]
}

/** Writes columns of several events, with turns for others in between; their links stay. */
export async function updateEvents(
  tx: Tx,
  changes: readonly { before: EventRow; columns: Partial<EventRow> }[],
): Promise<void> {
  const update = ({ before, columns }: (typeof changes)[number]) => {
    const after = { ...before, ...columns }
    recordWritten(tx, 'event', before, { ...after, name: after.title }, formerOf(before, columns))
    // All of `columns` is written: where an occurrence takes the values of its series, `before` may differ
    // from the row in the database.
    const written = { ...columns, ...changedOf(before, derivedColumns(after)) }
    return Promise.all([leaveTraces(tx, before, after), updateOne(tx, { id: before.id, columns: written })])
  }
  // SQLite writes the whole row anew.
  for (const piece of inPieces(changes, ({ before, columns }) => rowBytes({ ...before, ...columns }))) {
    await Promise.all(piece.map(update))
    await passTurn(tx)
  }
}

/**
 * Replaces the links of each kind in `asked.links` for the events listed there. All statements have begun, in
 * this order, when the function returns.
 */
export async function replaceLinksOf(
  tx: Tx,
  asked: { links: WrittenLinks } & Record<(typeof LINK_KINDS)[number], readonly number[]>,
): Promise<void> {
  const writing = LINK_KINDS.flatMap((kind) => {
    const [events, ids] = [asked[kind], asked.links[kind]]
    if (!ids || events.length === 0) return []
    const links = { venues: undefined, organizers: undefined, terms: undefined, [kind]: ids }
    const linked = events.map((id) => ({ id, links }))
    return [removeLinks(tx, kind, events, ids), ...linkEvents(tx, linked)]
  })
  await Promise.all(writing)
}

const selectTermsOfEvents = statement<{ events: readonly number[] }>()((db, value) =>
  db.selectFrom('event_terms').select(['event', 'term']).where('event', 'in', value('events')),
)

/** Finds the ids of the terms of each event; an event without terms has no entry. */
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

/**
 * Moves occurrences to another series, with turns for others in between. The caller has to record their
 * changes.
 */
export async function moveOccurrences(tx: Tx, rows: readonly EventRow[], to: number): Promise<void> {
  for (const piece of inPieces(rows, rowBytes)) {
    await moveSome(tx, { ids: piece.map(({ id }) => id), to })
    await passTurn(tx)
  }
}

/**
 * Writes the columns whose values change, and no others: SQLite rewrites the index entries of every column
 * that is set, even to the same value.
 */
async function updateColumns(tx: Tx, before: EventRow, columns: Partial<EventRow>): Promise<void> {
  const changed = changedOf(before, columns)
  if (Object.keys(changed).length > 0) await updateOne(tx, { id: before.id, columns: changed })
}

function changedOf(before: EventRow, columns: Partial<EventRow>): Partial<EventRow> {
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => value !== before[name as keyof EventRow]),
  )
}

const showOne = statement<{ id: number }>()((db, value) =>
  db.updateTable('events').set({ online_from: '' }).where('id', '=', value('id')),
)

/** Shows everybody the meeting links of these events. The caller holds their rows. */
export async function showLinks(tx: Tx, rows: readonly EventRow[]): Promise<void> {
  await Promise.all(
    rows.map((row) => {
      recordWritten(tx, 'event', row, { ...row, name: row.title })
      return showOne(tx, { id: row.id })
    }),
  )
}

/**
 * Writes columns and links of the event whose row is `before`. All statements have begun, in this order, when
 * the function returns.
 */
export async function updateEvent(
  tx: Tx,
  before: EventRow,
  columns: Partial<EventRow>,
  links: WrittenLinks,
): Promise<void> {
  const { id } = before
  const after = { ...before, ...columns }
  recordWritten(tx, 'event', before, { ...after, name: after.title }, formerOf(before, columns))
  await Promise.all([
    leaveTraces(tx, before, after),
    updateColumns(tx, before, { ...columns, ...derivedColumns(after) }),
    replaceLinks(tx, venueRules, id, links.venues),
    replaceLinks(tx, organizerRules, id, links.organizers),
    replaceTerms(tx, id, links.terms),
  ])
}

/**
 * Notes the old slug of an event that was public. Keeps a withdrawn row for an event that leaves public
 * lists, and drops that row when it is back.
 */
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
      from event_organizers join organizers on organizers.id = event_organizers.organizer where event = ${value('event')}`,
)

/**
 * Returns the bytes of the descriptions and excerpts of all venues and organizers of an event, without
 * reading these texts.
 */
export async function linkedBytes(db: Db, event: number): Promise<number> {
  const rows = await selectLinkedBytes(db, { event })
  return rows.reduce((total, { bytes }) => total + Number(bytes), 0)
}

/** The most later occurrences that a collapsed list shows with one event. */
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

/**
 * Finds the next public occurrences after each of these events, by the ids of the events. An event of no
 * series has no entry.
 */
export async function findNext(
  db: Db,
  rows: readonly EventRow[],
): Promise<Map<number, readonly NextOccurrence[]>> {
  const found = rows.map(async ({ id, series, start_date: start }) =>
    series === null ? [] : [[id, await selectNext(db, { series, start })] as const],
  )
  return new Map((await Promise.all(found)).flat())
}
