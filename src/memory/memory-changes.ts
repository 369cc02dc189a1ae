import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../storage/database.ts'
import { selectTerms } from '../storage/queries.ts'
import type { ChangeColumns, Taxonomy, TermRow } from '../storage/schema.ts'
import type { Reporting } from '../storage/unshowable.ts'
import { dropEvent, type EventIndex, eventsOfTerm, noteRevision, putEvent } from './event-index.ts'
import { type EventsAmong, eventsLinkedTo, readEvents, readIndex, readPlaces } from './event-index-read.ts'
import { dropAllPieces, dropLinked, dropPiece, dropTerm, type EventPieces } from './event-pieces.ts'

/** The part of the memory that changes of records are applied to. */
export interface EventState {
  /** The listed public events; undefined until they have been read for the first time. */
  index: EventIndex | undefined
  pieces: EventPieces
  terms: Map<number, TermRow>
  /** Ids by slug. */
  termIds: TermIds
}

/** The ids of the terms of each taxonomy, by slug. */
export type TermIds = Readonly<Record<Taxonomy, Map<string, number>>>

export function termIdsOf(terms: Iterable<TermRow>): TermIds {
  const ids: TermIds = { category: new Map(), tag: new Map() }
  for (const { taxonomy, slug, id } of terms) ids[taxonomy].set(slug, id)
  return ids
}

/** Where changed records are read. */
export interface RecordSource {
  db: Db
  /** Aborts reading everything anew. */
  signal: AbortSignal
  reporting: Reporting
}

type ChangedRecord = Pick<ChangeColumns, 'kind' | 'record'>

const EVENTS_AT_ONCE = 100
/** Above this many events that one change touches, reading all of them anew is quicker. */
const RELOAD_ABOVE = 20_000

/** Reads the changed records and brings the state in step with them. Does nothing before the index was read. */
export async function applyChanges(
  state: EventState,
  source: RecordSource,
  changes: readonly ChangedRecord[],
): Promise<void> {
  const { index, pieces } = state
  if (!index) return
  const [events, terms] = [idsOf(changes, 'event'), idsOf(changes, 'term', 'count')]
  if (idsOf(changes, 'image').length > 0) dropAllPieces(pieces)
  // Most changes are a few events and the counts of their terms: one round trip reads both.
  const first = events.slice(0, EVENTS_AT_ONCE)
  const [rows, found] = await Promise.all([
    terms.length === 0 ? [] : selectTerms(source.db, { ids: terms }),
    readEvents(source.db, first, source.reporting),
  ])
  const touched = applyTerms(state, index, terms, rows)
  applyEvents(state, index, first, found)
  for (const id of events.slice(EVENTS_AT_ONCE)) touched.add(id)
  await applyPlaces(index, source, idsOf(changes, 'venue'))
  for (const kind of ['venue', 'organizer'] as const) {
    for (const id of await applyLinked(pieces, source, kind, idsOf(changes, kind))) touched.add(id)
  }
  if (touched.size > RELOAD_ABOVE) await readIndexAgain(state, source)
  else await refreshEvents(state, index, source, [...touched])
}

function idsOf(changes: readonly ChangedRecord[], ...kinds: ChangeColumns['kind'][]): number[] {
  return [...new Set(changes.flatMap(({ kind, record }) => (kinds.includes(kind) ? [record] : [])))]
}

async function applyPlaces(index: EventIndex, { db }: RecordSource, venues: readonly number[]): Promise<void> {
  if (venues.length > 0) noteRevision(index)
  await readPlaces(db, index, venues)
}

/** Drops the pieces of changed venues or organizers. Returns the events linked to them. */
function applyLinked(
  pieces: EventPieces,
  { db }: RecordSource,
  kind: 'venue' | 'organizer',
  ids: readonly number[],
): Promise<number[]> {
  for (const id of ids) dropLinked(pieces, `${kind}s`, id)
  return eventsLinkedTo(db, kind, ids)
}

async function readIndexAgain(state: EventState, { db, signal, reporting }: RecordSource): Promise<void> {
  dropAllPieces(state.pieces)
  state.index = await readIndex(db, state.terms, signal, reporting)
}

async function refreshEvents(
  state: EventState,
  index: EventIndex,
  { db, reporting }: RecordSource,
  ids: readonly number[],
): Promise<void> {
  for (let i = 0; i < ids.length; i += EVENTS_AT_ONCE) {
    const some = ids.slice(i, i + EVENTS_AT_ONCE)
    applyEvents(state, index, some, await readEvents(db, some, reporting))
    // One change of a venue may touch thousands of events; other requests are answered meanwhile.
    if (i + EVENTS_AT_ONCE < ids.length) await nextTurn()
  }
}

function applyEvents(state: EventState, index: EventIndex, ids: readonly number[], found: EventsAmong): void {
  const events = found(state.terms)
  for (const id of ids) {
    dropPiece(state.pieces, id)
    const event = events.get(id)
    if (event) putEvent(index, event)
    else dropEvent(index, id)
  }
}

/** Applies changed terms. Returns the events whose lists change: the events of moved or deleted terms, and of all terms below them. */
function applyTerms(
  state: EventState,
  index: EventIndex,
  ids: readonly number[],
  rows: readonly TermRow[],
): Set<number> {
  const touched = new Set<number>()
  if (ids.length === 0) return touched
  const now = new Map(rows.map((row) => [row.id, row]))
  state.pieces.countsVersion++
  for (const id of ids) {
    const [before, after] = [state.terms.get(id), now.get(id)]
    replaceTerm(state, id, after)
    if (before && sameButCount(before, after)) continue
    if (before) dropPiecesOf(state.pieces, before, after)
    noteRevision(index)
    if (before && before.parent !== after?.parent) for (const event of eventsOfTerm(index, id)) touched.add(event)
  }
  return touched
}

function replaceTerm(state: EventState, id: number, after: TermRow | undefined): void {
  const { terms, termIds } = state
  const before = terms.get(id)
  if (after) terms.set(id, after)
  else terms.delete(id)
  if (before && termIds[before.taxonomy].get(before.slug) === id) termIds[before.taxonomy].delete(before.slug)
  if (after) termIds[after.taxonomy].set(after.slug, id)
}

/** Drops the pieces that show a term as it was. */
function dropPiecesOf(pieces: EventPieces, before: TermRow, after: TermRow | undefined): void {
  dropTerm(pieces, before.id)
  // No public event shows a term whose count is 0.
  if (before.count > 0 || (after?.count ?? 0) > 0) dropAllPieces(pieces)
}

function sameButCount(a: TermRow, b: TermRow | undefined): boolean {
  return (
    b !== undefined &&
    a.name === b.name &&
    a.slug === b.slug &&
    a.description === b.description &&
    a.parent === b.parent
  )
}
