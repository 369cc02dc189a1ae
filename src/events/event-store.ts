import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { GeoFilter } from '../common/geoloc.ts'
import { findImages } from '../common/images.ts'
import { findLinkedByIds, type LinkedType } from '../common/linked-store.ts'
import { findIdBySlug, type Listing, offsetOf, type PageRequest, visibleTo } from '../common/record-store.ts'
import { statusFilter } from '../common/status.ts'
import { findTermByEntry, withDescendants } from '../common/term-store.ts'
import type { Asking } from '../declare/asking.ts'
import type { Parsed } from '../declare/resource.ts'
import { organizerRules } from '../organizers/organizer-rules.ts'
import type { Db } from '../storage/database.ts'
import { withinCircle } from '../storage/geo.ts'
import type { EventRow, ImageRow, OrganizerRow, Tables, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { alsoMatching } from '../storage/search-index.ts'
import { parseSearch } from '../text/search.ts'
import { venueRules } from '../venues/venue-rules.ts'
import type { event } from './event.ts'
import type { EventWindow } from './event-window.ts'

/** What an event is shown with: its venues and organizers in order, its terms by name, and the images of all of them. */
export interface EventLinks {
  venues: VenueRow[]
  organizers: OrganizerRow[]
  categories: TermRow[]
  tags: TermRow[]
  images: ReadonlyMap<number, ImageRow>
}

export async function findEvent(db: Db, address: { id: number } | { slug: string }): Promise<EventRow | undefined> {
  const id = 'id' in address ? address.id : await findIdBySlug(db, 'events', address.slug)
  if (id === undefined) return undefined
  return db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The events with these ids, in no order. */
export async function findEventsByIds(db: Db, ids: readonly number[]): Promise<EventRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('events')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()
}

/** A list of events as asked for, with its window and circle worked out. */
export type EventQuery = Omit<Parsed<typeof event.filters>, 'geoloc'> & { window: EventWindow } & GeoFilter

/** One page of events in the order of contract 4.4: by local start, publication date, id; with `include` by publication date, id. */
export async function listEvents(query: EventQuery, page: PageRequest, asking: Asking): Promise<Listing<EventRow>> {
  const where = await eventConditions(query, asking)
  const { total } = await asking.db
    .selectFrom('events')
    .select((record) => record.fn.countAll<number>().as('total'))
    .where(where)
    .executeTakeFirstOrThrow()
  let events = asking.db.selectFrom('events').selectAll().where(where)
  if (!query.include) events = events.orderBy('start_date')
  const rows = await events.orderBy('date').orderBy('id').limit(page.perPage).offset(offsetOf(page)).execute()
  return { rows, total: Number(total) }
}

type Events = ExpressionBuilder<Tables, 'events'>
type Condition = (record: Events) => ReturnType<Events['and']>
type ConditionOf<Value> = (value: Value, asking: Asking) => Condition | Promise<Condition>

/** Parameters that are no conditions of their own: the search, which is put around the others, the page, and the dates that the window is made of. */
type Shaping =
  | 'search'
  | 'page'
  | 'per_page'
  | 'start_date'
  | 'end_date'
  | 'starts_before'
  | 'starts_after'
  | 'ends_before'
  | 'ends_after'
  | 'strict_dates'
  | 'status'
  | 'geoloc_lat'
  | 'geoloc_lng'
  | 'geoloc_radius'

/** How each filter narrows the list; a filter declared without a condition here does not compile. */
const conditions: {
  [Name in Exclude<keyof EventQuery, Shaping>]-?: ConditionOf<Exclude<EventQuery[Name], undefined>>
} = {
  window: (window) => (record) => record.and(windowConditions(record, window)),
  categories: (entries, asking) => inTerms('category', entries, asking),
  tags: (entries, asking) => inTerms('tag', entries, asking),
  venue: (ids, asking) => (record) =>
    record(
      'events.id',
      'in',
      record
        .selectFrom('event_venues')
        .innerJoin('venues', 'venues.id', 'event_venues.venue')
        .select('event')
        .where('event_venues.venue', 'in', ids)
        .where((place) => visibleTo(asking.caller, 'venues')(place as never) as never),
    ),
  organizer: (ids, asking) => (record) =>
    record(
      'events.id',
      'in',
      record
        .selectFrom('event_organizers')
        .innerJoin('organizers', 'organizers.id', 'event_organizers.organizer')
        .select('event')
        .where('event_organizers.organizer', 'in', ids)
        .where((host) => visibleTo(asking.caller, 'organizers')(host as never) as never),
    ),
  featured: (wanted) => (record) => record('featured', '=', Number(wanted)),
  geoloc: (wanted) => (record) => {
    const located = record(
      'events.id',
      'in',
      record
        .selectFrom('event_venues')
        .innerJoin('venues', 'venues.id', 'event_venues.venue')
        .select('event')
        .where('geo_lat', 'is not', null)
        .where('venues.status', '=', 'publish'),
    )
    return wanted ? located : record.not(located)
  },
  circle: (circle, asking) => (record) =>
    record(
      'events.id',
      'in',
      record
        .selectFrom('event_venues')
        .innerJoin('venues', 'venues.id', 'event_venues.venue')
        .select('event')
        .where('venues.status', '=', 'publish')
        .where((place) => withinCircle(asking.db, place as never, circle) as never),
    ),
  include: (ids) => (record) => record('events.id', 'in', ids),
  // One occurrence is stored for each event, so none is the child of another (contract 4.9).
  post_parent: () => (record) => record.and([sql<SqlBool>`1 = 0`]),
  ticketed: () => (record) => record.and([]),
}

function windowConditions(record: Events, window: EventWindow) {
  const bounds = [
    ['start_date', '>=', window.startsAfter === undefined ? window.from : undefined],
    ['start_date', '<=', window.endsBefore === undefined ? window.to : undefined],
    ['start_date', '<', window.startsBefore],
    ['start_date', '>', window.startsAfter],
    ['end_date', '<', window.endsBefore],
    ['end_date', '>', window.endsAfter],
  ] as const
  return bounds.flatMap(([column, operator, bound]) =>
    bound === undefined ? [] : [record(`events.${column}`, operator, bound)],
  )
}

async function inTerms(taxonomy: Taxonomy, entries: readonly string[], asking: Asking): Promise<Condition> {
  const terms = await Promise.all(entries.map((entry) => findTermByEntry(asking.db, taxonomy, entry)))
  const ids = await withDescendants(
    asking.db,
    terms.flatMap((term) => (term ? [term.id] : [])),
  )
  return (record) =>
    record('events.id', 'in', record.selectFrom('event_terms').select('event').where('term', 'in', ids))
}

async function eventConditions(query: EventQuery, asking: Asking): Promise<Condition> {
  const { statuses } = statusFilter(asking.caller, query.status)
  const narrowed: Condition[] = []
  for (const [name, condition] of Object.entries(conditions)) {
    const value = query[name as keyof typeof conditions]
    if (value !== undefined) narrowed.push(await (condition as ConditionOf<unknown>)(value, asking))
  }
  const all: Condition = (record) =>
    record.and([
      record('events.status', 'in', [...statuses]),
      record('events.hide_from_listings', '=', 0),
      visibleTo(asking.caller, 'events')(record as never) as never,
      ...narrowed.map((condition) => condition(record)),
    ])
  if (query.search === undefined) return all
  const searched = await alsoMatching(asking.db, parseSearch(query.search), asking.findMatching)
  return (record) => record.and([searched(all(record))])
}

/** The links of these events, in one query a kind; every event asked for has an entry. */
export async function findEventLinks(db: Db, events: readonly EventRow[]): Promise<Map<number, EventLinks>> {
  const ids = events.map((row) => row.id)
  const [venues, organizers, terms] = await Promise.all([
    findLinks<VenueRow>(db, venueRules, ids),
    findLinks<OrganizerRow>(db, organizerRules, ids),
    findTermsOf(db, ids),
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
      categories: own.filter((term) => term.taxonomy === 'category'),
      tags: own.filter((term) => term.taxonomy === 'tag'),
      images,
    }
  }
  return new Map(ids.map((id) => [id, linksOf(id)]))
}

async function findLinks<Row extends VenueRow | OrganizerRow>(
  db: Db,
  type: LinkedType,
  events: readonly number[],
): Promise<Map<number, Row[]>> {
  if (events.length === 0) return new Map()
  const links = await db
    .selectFrom(type.links as 'event_venues')
    .select(['event', sql.ref<number>(type.kind).as('record')])
    .where('event', 'in', [...events])
    .orderBy('position')
    .execute()
  const records = await findLinkedByIds<Row>(db, type, [...new Set(links.map((link) => link.record))])
  return grouped(links, ({ record }) => records.get(record))
}

async function findTermsOf(db: Db, events: readonly number[]): Promise<Map<number, TermRow[]>> {
  if (events.length === 0) return new Map()
  const rows = await db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .selectAll('terms')
    .select('event')
    .where('event', 'in', [...events])
    .orderBy('folded')
    .orderBy('terms.id')
    .execute()
  return grouped(rows, ({ event: _event, ...term }) => term)
}

function grouped<Link extends { event: number }, Row>(
  links: readonly Link[],
  rowOf: (link: Link) => Row | undefined,
): Map<number, Row[]> {
  const groups = new Map<number, Row[]>()
  for (const link of links) {
    const row = rowOf(link)
    if (row === undefined) continue
    const group = groups.get(link.event)
    if (group) group.push(row)
    else groups.set(link.event, [row])
  }
  return groups
}

/** Replaces an event's venues or organizers, in order. */
export async function replaceLinks(tx: Db, type: LinkedType, event: number, ids: readonly number[]): Promise<void> {
  const table = type.links as 'event_venues'
  await tx.deleteFrom(table).where('event', '=', event).execute()
  if (ids.length === 0) return
  await tx
    .insertInto(table)
    .values(ids.map((id, position) => ({ event, [type.kind]: id, position })) as never)
    .execute()
}

export async function findTermIds(db: Db, event: number): Promise<{ id: number; taxonomy: Taxonomy }[]> {
  return db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(['terms.id', 'taxonomy'])
    .where('event', '=', event)
    .execute()
}

/** Replaces the terms of an event by these ids. */
export async function replaceTerms(tx: Db, event: number, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('event_terms').where('event', '=', event).execute()
  if (ids.length > 0)
    await tx
      .insertInto('event_terms')
      .values(ids.map((term) => ({ event, term })))
      .execute()
}
