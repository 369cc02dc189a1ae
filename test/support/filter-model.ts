import type { Context } from '../../src/context/context.ts'
import type { EventFilter, LoadedEvent } from '../../src/events/event-filter.ts'
import { type EventsQuery, eventFilters } from '../../src/events/event-filters.ts'
import { eventParts, eventSearch } from '../../src/events/event-list-parts.ts'
import { isShown } from '../../src/events/event-present.ts'
import { findEventLinks } from '../../src/events/event-store.ts'
import { eventWindow } from '../../src/events/event-window.ts'
import { isCollapsed } from '../../src/events/find-events.ts'
import {
  type FilteredRow,
  type LinkedFilter,
  type LinkedQuery,
  linkedParts,
  placedFilters,
} from '../../src/linked/linked-filters.ts'
import type { Db } from '../../src/storage/database.ts'
import type { EventRow, OrganizerRow, TermRow, VenueRow } from '../../src/storage/schema.ts'
import { categoryFilters, type TermFilter, type TermsQuery, termParts } from '../../src/terms/term-filters.ts'
import { fold } from '../../src/text/fold.ts'
import { canonicalSlug, slugify } from '../../src/text/slug.ts'
import type { Path } from './random-calendar.ts'

/** Everything that is in a calendar, as it is stored. */
export interface Stored {
  events: readonly LoadedEvent[]
  venues: readonly VenueRow[]
  organizers: readonly OrganizerRow[]
  terms: ReadonlyMap<number, TermRow>
}

export async function readStored(db: Db): Promise<Stored> {
  const [rows, venues, organizers, terms] = await Promise.all([
    db.selectFrom('events').selectAll().execute(),
    db.selectFrom('venues').selectAll().execute(),
    db.selectFrom('organizers').selectAll().execute(),
    db.selectFrom('terms').selectAll().execute(),
  ])
  const links = await findEventLinks(db, rows)
  const events = rows.flatMap((row) => {
    const own = links.get(row.id)
    return own ? [{ row, links: own }] : []
  })
  return { events, venues, organizers, terms: new Map(terms.map((term) => [term.id, term])) }
}

/**
 * The ids of a list in its order, on all pages: every record is asked whether it is in, by the plain meaning of each parameter.
 * @throws Problem
 */
export function listPlainly(stored: Stored, path: Path, query: object, context: Context): number[] {
  if (path === 'events') return listEvents(stored, query, context)
  if (path === 'venues') return listLinked(stored, stored.venues, query, context)
  if (path === 'organizers') return listLinked(stored, stored.organizers, query, context)
  return listTerms(stored, path === 'categories' ? 'category' : 'tag', query, context)
}

/** Whether the meaning of every parameter that was sent accepts a record; parts are asked apart. */
function acceptsEach<Row extends { accepts: unknown }>(
  rows: readonly (readonly [string, Row])[],
  query: object,
  accepts: (row: Row, value: unknown) => boolean,
): boolean {
  const sent = new Map<string, unknown>(Object.entries(query))
  return rows.every(([name, row]) => sent.get(name) === undefined || accepts(row, sent.get(name)))
}

const isLocated = ({ venues }: Stored, context: Context) =>
  venues.some((venue) => venue.geo_lat !== null && isShown(context, venue))

const eventRows = Object.entries(eventFilters) as [string, EventFilter<unknown>][]

/** Of each series only the first occurrence, if the query asks for that. */
function collapsed(events: readonly LoadedEvent[], query: EventsQuery): readonly LoadedEvent[] {
  if (!isCollapsed(query)) return events
  const met = new Set<number>()
  return events.filter(({ row: { series } }) => series === null || (!met.has(series) && met.add(series)))
}

function listEvents(stored: Stored, query: EventsQuery, context: Context): number[] {
  const window = eventWindow(query, context)
  const terms = {
    category: idsMeant(stored.terms, 'category', query.categories),
    tag: idsMeant(stored.terms, 'tag', query.tags),
  }
  const around = { context, window, terms, isLocated: isLocated(stored, context) }
  const { status, window: dates, place } = eventParts
  const listed = stored.events.filter(({ row, links }) => {
    const event = { row, links: { ...links, terms: [...links.categories, ...links.tags].map(({ id }) => id) } }
    return (
      [place, status, dates].every((part) => part.accepts(event, query, around)) &&
      (query.search === undefined || eventSearch.accepts(query.search, event)) &&
      acceptsEach(eventRows, query, ({ accepts }, value) =>
        typeof accepts === 'string' ? true : accepts(event, value, around),
      )
    )
  })
  const key = ({ row }: LoadedEvent) => [query.include ? '' : row.start_date, row.date].join(' ')
  const inOrder = listed.sort(
    (a, b) => compare(a.row.start_date, b.row.start_date) || compare(a.row.date, b.row.date) || a.row.id - b.row.id,
  )
  const shown = [...collapsed(inOrder, query)]
  return shown.sort((a, b) => compare(key(a), key(b)) || a.row.id - b.row.id).map(({ row }) => row.id)
}

type Terms = Stored['terms']

/** The term that an entry means, by a plain reading of rule 13.2. */
function termMeant(terms: Terms, taxonomy: TermRow['taxonomy'], entry: string): TermRow | undefined {
  const own = [...terms.values()].filter((term) => term.taxonomy === taxonomy).sort((a, b) => a.id - b.id)
  return (
    own.find(({ slug }) => slug === canonicalSlug(entry)) ??
    own.find(({ id }) => String(id) === entry) ??
    own.find(({ name }) => name.toLowerCase() === entry.toLowerCase()) ??
    own.find(({ slug }) => slug === slugify(entry))
  )
}

/** The terms that entries mean, and all below them. */
function idsMeant(terms: Terms, taxonomy: TermRow['taxonomy'], entries: readonly string[] = []): ReadonlySet<number> {
  const meant = new Set(entries.map((entry) => termMeant(terms, taxonomy, entry)?.id ?? 0))
  const isMeant = ({ id, parent }: TermRow): boolean => {
    const above = terms.get(parent)
    return meant.has(id) || (above !== undefined && isMeant(above))
  }
  return new Set([...terms.values()].filter(isMeant).map(({ id }) => id))
}

const linkedRows = Object.entries(placedFilters) as unknown as [string, LinkedFilter<unknown>][]

function listLinked(stored: Stored, records: readonly FilteredRow[], query: LinkedQuery, context: Context): number[] {
  const eventsOf = (id: number): EventRow[] =>
    stored.events
      .filter(({ links }) => [...links.venues, ...links.organizers].some((record) => record.id === id))
      .map(({ row }) => row)
  const listed = records.filter((record) => {
    const around = { context, events: eventsOf(record.id), isLocated: isLocated(stored, context) }
    return (
      [linkedParts.place, linkedParts.status].every((part) => part.accepts(record, query, around)) &&
      acceptsEach(linkedRows, query, ({ accepts }, value) =>
        typeof accepts === 'string' ? true : accepts(record, value, around),
      )
    )
  })
  return listed.sort((a, b) => compare(b.date, a.date) || b.id - a.id).map(({ id }) => id)
}

const termRows = Object.entries(categoryFilters) as unknown as [string, TermFilter<unknown>][]

function listTerms(stored: Stored, taxonomy: TermRow['taxonomy'], query: TermsQuery, context: Context): number[] {
  const { terms } = stored
  const eventsOf = (term: TermRow) =>
    stored.events
      .filter(({ links }) => [...links.categories, ...links.tags].some(({ id }) => id === term.id))
      .map(({ row }) => row)
  const around = { context, terms, eventsOf }
  const listed = [...terms.values()].filter(
    (term) =>
      term.taxonomy === taxonomy &&
      Object.values(termParts).every((part) => part.accepts(term, query, around)) &&
      acceptsEach(termRows, query, ({ accepts }, value) =>
        typeof accepts === 'string' ? true : accepts(term, value, around),
      ),
  )
  const key = orderOf(stored, taxonomy, query)
  const direction = query.order?.toLowerCase() === 'desc' ? -1 : 1
  return listed.sort((a, b) => direction * (compare(key(a), key(b)) || a.id - b.id)).map(({ id }) => id)
}

/** By what terms are ordered (rule 11.8). */
function orderOf({ terms }: Stored, taxonomy: TermRow['taxonomy'], { orderby, include = [] }: TermsQuery) {
  const places = new Map(
    include.map((entry, place) => [/^\d+$/.test(entry) ? Number(entry) : termMeant(terms, taxonomy, entry)?.id, place]),
  )
  const keys: Record<string, (term: TermRow) => string | number> = {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    count: ({ count }) => count,
    parent: ({ parent }) => parent,
    description: ({ description }) => fold(description),
    include: ({ id }) => places.get(id) ?? id,
  }
  return keys[orderby ?? ''] ?? (({ folded }: TermRow) => folded)
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
