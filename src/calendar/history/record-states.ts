import { eventFields } from '../../base/fields/event-fields.ts'
import type { EventMembers } from '../../base/fields/event-members.ts'
import type { FieldsData } from '../../base/fields/field.ts'
import { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'
import type { WithValue } from '../../base/fields/member.ts'
import { recurrenceLines } from '../../base/recurrence/recurrence-text.ts'
import { untrashedSlug } from '../../base/text/slugs.ts'
import type { Db } from '../../store/storage/database.ts'
import type {
  EventRow,
  OrganizerRow,
  SeriesRow,
  Taxonomy,
  TermRow,
  VenueRow,
} from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { findSeriesByIds, selectEvents } from '../events/event-store.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { scheduleOf, whenAt } from '../series/series-schedule.ts'
import { readShared, type Shared } from '../series/series-store.ts'
import { findTermsByIds } from '../terms/term-store.ts'

// Reads the state of records: the values of their fields as requests send them. Imports, pushes and versions
// compare states and write them back.

export type StateKind = 'event' | 'series' | 'venue' | 'organizer' | Taxonomy

/** Values by field, as requests send them. */
export type RecordState = Readonly<Record<string, unknown>>

/** States by id of the record. Deleted records have no entry. */
export async function readStates(
  db: Db,
  kind: StateKind,
  ids: readonly number[],
): Promise<Map<number, RecordState>> {
  if (ids.length === 0) return new Map()
  if (kind === 'event') return eventStates(db, ids)
  if (kind === 'series') return seriesStates(db, ids)
  if (kind === 'venue') return linkedStates(venueFields, await findLinkedByIds<VenueRow>(db, venueRules, ids))
  if (kind === 'organizer')
    return linkedStates(organizerFields, await findLinkedByIds<OrganizerRow>(db, organizerRules, ids))
  const terms = (await findTermsByIds(db, ids)).filter(({ taxonomy }) => taxonomy === kind)
  return new Map(terms.map((term) => [term.id, termState(term)]))
}

function linkedStates(fields: FieldsData, rows: ReadonlyMap<number, object>): Map<number, RecordState> {
  return new Map([...rows].map(([id, row]) => [id, stateOf(fields, row)]))
}

const selectVenues = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('event_venues').selectAll().where('event', 'in', value('ids')).orderBy('position'),
)

const selectOrganizers = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('event_organizers').selectAll().where('event', 'in', value('ids')).orderBy('position'),
)

const selectTerms = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(['event', 'term', 'taxonomy'])
    .where('event', 'in', value('ids'))
    .orderBy('term'),
)

async function eventStates(db: Db, ids: readonly number[]): Promise<Map<number, RecordState>> {
  const { rows, venuesOf, organizersOf, termsOf } = await readLinked(db, ids)
  const withLinks = (row: EventRow) => {
    const own = termsOf.get(row.id) ?? []
    return eventState(row, {
      venue: (venuesOf.get(row.id) ?? []).map(({ venue }) => venue),
      organizer: (organizersOf.get(row.id) ?? []).map(({ organizer }) => organizer),
      categories: own.flatMap(({ term, taxonomy }) => (taxonomy === 'category' ? [term] : [])),
      tags: own.flatMap(({ term, taxonomy }) => (taxonomy === 'tag' ? [term] : [])),
    })
  }
  return new Map(rows.map((row) => [row.id, withLinks(row)]))
}

type LinkedIds = Record<WithValue<EventMembers, 'from', 'link'>, readonly number[]>

async function seriesStates(db: Db, ids: readonly number[]): Promise<Map<number, RecordState>> {
  const rows = await findSeriesByIds(db, ids)
  const terms = await findTermsByIds(db, [
    ...new Set([...rows.values()].flatMap((row) => readShared(row).terms)),
  ])
  const taxonomies = new Map(terms.map(({ id, taxonomy }) => [id, taxonomy]))
  return new Map(
    [...rows].map(([id, row]) => [id, seriesState(row, readShared(row), row.start_date, taxonomies)]),
  )
}

export function seriesState(
  row: SeriesRow,
  shared: Shared,
  start: string,
  taxonomies: Taxonomies,
): RecordState {
  const { venues, organizers, terms, ...columns } = shared
  const schedule = scheduleOf(row)
  return {
    ...stateOf(eventFields, { ...columns, ...whenAt(schedule, start), status: row.status }),
    cost: JSON.parse(columns.cost),
    recurrence: recurrenceLines(schedule.recurrence, schedule.start),
    venue: venues,
    organizer: organizers,
    ...byTaxonomy(terms, taxonomies),
  }
}

export type Taxonomies = ReadonlyMap<number, Taxonomy>

function byTaxonomy(
  terms: readonly number[],
  taxonomies: Taxonomies,
): Record<'categories' | 'tags', number[]> {
  const of = (taxonomy: Taxonomy) =>
    terms.filter((id) => taxonomies.get(id) === taxonomy).sort((a, b) => a - b)
  return { categories: of('category'), tags: of('tag') }
}

/** Columns of a record and ids of its links; for a series, also the columns that occurrences share. */
export type VersionColumns = Readonly<Record<string, unknown>>

export async function readColumns(
  db: Db,
  kind: StateKind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, VersionColumns>> {
  if (ids.length === 0) return new Map()
  if (kind === 'event') return eventColumns(db, ids)
  if (kind === 'venue') return spread(await findLinkedByIds<VenueRow>(db, venueRules, ids))
  if (kind === 'organizer') return spread(await findLinkedByIds<OrganizerRow>(db, organizerRules, ids))
  if (kind === 'series')
    return new Map(
      [...(await findSeriesByIds(db, ids))].map(([id, row]) => [id, { ...readShared(row), ...row }]),
    )
  return new Map((await findTermsByIds(db, ids)).map((row) => [row.id, { ...row }]))
}

const spread = (rows: ReadonlyMap<number, object>) => new Map([...rows].map(([id, row]) => [id, { ...row }]))

async function eventColumns(db: Db, ids: readonly number[]): Promise<Map<number, VersionColumns>> {
  const { rows, venuesOf, organizersOf, termsOf } = await readLinked(db, ids)
  const withLinks = (row: EventRow) => ({
    ...row,
    venues: (venuesOf.get(row.id) ?? []).map(({ venue }) => venue),
    organizers: (organizersOf.get(row.id) ?? []).map(({ organizer }) => organizer),
    terms: (termsOf.get(row.id) ?? []).map(({ term }) => term),
  })
  return new Map(rows.map((row) => [row.id, withLinks(row)]))
}

async function readLinked(db: Db, ids: readonly number[]) {
  const [rows, venues, organizers, terms] = await Promise.all([
    selectEvents(db, { ids }),
    selectVenues(db, { ids }),
    selectOrganizers(db, { ids }),
    selectTerms(db, { ids }),
  ])
  return {
    rows,
    venuesOf: Map.groupBy(venues, ({ event }) => event),
    organizersOf: Map.groupBy(organizers, ({ event }) => event),
    termsOf: Map.groupBy(terms, ({ event }) => event),
  }
}

/** The state of columns, which may be those of a former version. */
export function stateFrom(kind: StateKind, columns: VersionColumns, taxonomies: Taxonomies): RecordState {
  if (kind === 'venue') return stateOf(venueFields, columns)
  if (kind === 'organizer') return stateOf(organizerFields, columns)
  if (kind === 'category' || kind === 'tag') return termState(columns as unknown as TermRow)
  if (kind === 'series') {
    const row = columns as unknown as SeriesRow
    return seriesState(row, columns as unknown as Shared, row.start_date, taxonomies)
  }
  const { venues, organizers, terms, ...row } = columns as unknown as EventRow & Pick<Shared, Linked>
  return eventState(row, { venue: venues, organizer: organizers, ...byTaxonomy(terms, taxonomies) })
}

type Linked = 'venues' | 'organizers' | 'terms'

export function eventState(row: EventRow, links: LinkedIds): RecordState {
  return { ...stateOf(eventFields, row), slug: untrashedSlug(row.slug), cost: JSON.parse(row.cost), ...links }
}

function stateOf(fields: FieldsData, row: object): RecordState {
  const columns: Record<string, unknown> = { ...row }
  const state: Record<string, unknown> = {}
  for (const name of carriedFields(fields)) {
    if (!(name in columns)) continue
    const show = fields[name]?.kind.show
    state[name] = show ? show(columns[name]) : (columns[name] ?? '')
  }
  return state
}

function termState({ name, description, slug, parent, taxonomy }: TermRow): RecordState {
  return taxonomy === 'category' ? { name, description, slug, parent } : { name, description, slug }
}

/**
 * Fields that states lack: authors are accounts of another calendar, the local date follows from the UTC
 * date, and the recurrence belongs to the series.
 */
const LEFT_BEHIND = new Set(['author', 'date', 'recurrence', 'recurrence_scope'])

const carried = new WeakMap<FieldsData, readonly string[]>()

/** Names of the fields that states have. */
export function carriedFields(fields: FieldsData): readonly string[] {
  const known = carried.get(fields)
  if (known) return known
  const names = Object.keys(fields).filter((name) => !LEFT_BEHIND.has(name))
  carried.set(fields, names)
  return names
}
