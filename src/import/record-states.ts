import type { MadeEvent } from '../events/event-rules.ts'
import { findSeriesByIds } from '../events/event-store.ts'
import { eventFields } from '../fields/event-fields.ts'
import type { FieldsData } from '../fields/field.ts'
import { organizerFields, venueFields } from '../fields/linked-fields.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { recurrenceLines } from '../recurrence/write-recurrence.ts'
import { scheduleOf, whenAt } from '../series/series-schedule.ts'
import { readShared } from '../series/series-store.ts'
import type { Db } from '../storage/database.ts'
import type { EventRow, OrganizerRow, SeriesRow, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import { untrashedSlug } from '../text/slug.ts'
import type { LinkName } from './shown-records.ts'
import { carriedFields, type ItemKind } from './source-item.ts'

/** The fields of a record that an import may write, in the form the interface accepts: sent unchanged, they restore this state. */
export type RecordState = Readonly<Record<string, unknown>>

/** The present states of these records, by id; deleted records have none. */
export async function readStates(db: Db, kind: ItemKind, ids: readonly number[]): Promise<Map<number, RecordState>> {
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

const selectEvents = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').selectAll().where('id', 'in', value('ids')),
)

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
  const [rows, venues, organizers, terms] = await Promise.all([
    selectEvents(db, { ids }),
    selectVenues(db, { ids }),
    selectOrganizers(db, { ids }),
    selectTerms(db, { ids }),
  ])
  const venuesOf = Map.groupBy(venues, ({ event }) => event)
  const organizersOf = Map.groupBy(organizers, ({ event }) => event)
  const termsOf = Map.groupBy(terms, ({ event }) => event)
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

/** The state of an event that has just been made. */
export function stateOfMade({ row, links, categories, tags }: MadeEvent): RecordState {
  return eventState(row, { venue: links.venues ?? [], organizer: links.organizers ?? [], categories, tags })
}

/** The ids of what an event is linked to, terms in the order of their ids. */
type LinkedIds = Record<LinkName, readonly number[]>

/** The fields that all occurrences of a series have in common, with the times and the rule that it counts from. */
async function seriesStates(db: Db, ids: readonly number[]): Promise<Map<number, RecordState>> {
  const rows = await findSeriesByIds(db, ids)
  const terms = await findTermsByIds(db, [...new Set([...rows.values()].flatMap((row) => readShared(row).terms))])
  const taxonomies = new Map(terms.map(({ id, taxonomy }) => [id, taxonomy]))
  return new Map([...rows].map(([id, row]) => [id, seriesState(row, row.start_date, taxonomies)]))
}

/** The fields that the occurrence of a series at an original start shares with the others. */
export async function likeOthers(db: Db, row: SeriesRow, start: string): Promise<RecordState> {
  const terms = await findTermsByIds(db, readShared(row).terms)
  const { recurrence: _recurrence, ...state } = seriesState(
    row,
    start,
    new Map(terms.map(({ id, taxonomy }) => [id, taxonomy])),
  )
  return state
}

function seriesState(row: SeriesRow, start: string, taxonomies: ReadonlyMap<number, Taxonomy>): RecordState {
  const { venues, organizers, terms, ...columns } = readShared(row)
  const ofTaxonomy = (taxonomy: Taxonomy) => terms.filter((id) => taxonomies.get(id) === taxonomy).sort((a, b) => a - b)
  const schedule = scheduleOf(row)
  return {
    ...stateOf(eventFields, { ...columns, ...whenAt(schedule, start), status: row.status }),
    cost: JSON.parse(columns.cost),
    recurrence: recurrenceLines(schedule.recurrence, schedule.start),
    venue: venues,
    organizer: organizers,
    categories: ofTaxonomy('category'),
    tags: ofTaxonomy('tag'),
  }
}

function eventState(row: EventRow, links: LinkedIds): RecordState {
  return { ...stateOf(eventFields, row), slug: untrashedSlug(row.slug), cost: JSON.parse(row.cost), ...links }
}

/** The declared fields that a row has as columns. */
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
