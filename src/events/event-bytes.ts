import { findCached } from '../cache.ts'
import type { Context, Presenting } from '../declare/context.ts'
import type { Found, JsonPieces } from '../declare/operations.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds, type LinkedType } from '../linked/linked-store.ts'
import { organizerRules, presentOrganizer } from '../linked/organizer.ts'
import { presentVenue, venueRules } from '../linked/venue.ts'
import { type EventIndex, type IndexedLinks, isIndexed, linksOf } from '../memory/event-index.ts'
import { type EventMemory, mayBeBehind } from '../memory/event-memory.ts'
import {
  bytesOf,
  type CountedJson,
  type EventPieces,
  findPiece,
  isMissedAgain,
  keepLinked,
  keepPiece,
  type Piece,
  termPiece,
  writeCounted,
} from '../memory/event-pieces.ts'
import { findPresented, LONG_RECORD, type PresentedRecord } from '../memory/presented-records.ts'
import { textsOfRecord, textsOfTerm } from '../records/record-texts.ts'
import type { ImageRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { showOrLeaveOut } from '../storage/unshowable.ts'
import { writeTerm } from '../terms/term-present.ts'
import { areTextsPrepared, showInTurn, showPrepared } from '../text/long-texts.ts'
import {
  CORE_COLUMNS,
  type EventParts,
  imageText,
  isShown,
  joinParts,
  mostBytes,
  withRare,
  writeParts,
} from './event-present.ts'
import { formOf, keepLater, type Presenter, presentCore, presenters } from './presented-events.ts'
import { presentRecurrences } from './recurrence-present.ts'

/** The listed events that the index has found, without those it has dropped since: from memory, and the missing ones from the database. */
export function loadPieces(
  context: Context,
  { ids, revision, isCollapsed }: Found,
  extent: 'page' | 'window',
): JsonPieces | undefined | Promise<JsonPieces> {
  const { memory } = context
  const index = memory?.index
  if (!memory || !index || revision === undefined || isCollapsed) return undefined
  const listed = ids.filter((id) => isIndexed(index, id))
  const events = eventPieces(memory, index, listed, context, extent)
  return events instanceof Promise ? events.then(asJson) : asJson(events)
}

/** An event of a list: a piece that is kept, or the parts to write it from. */
export type ListedEvent = CountedJson | EventParts

function asJson(events: readonly ListedEvent[]): JsonPieces {
  const mostOf = (event: ListedEvent) => ('bytes' in event ? event.bytes.length : mostBytes(event))
  let most = 0
  for (const event of events) most += mostOf(event)
  return {
    count: events.length,
    mostBytes: most,
    mostBytesOf: (i) => mostOf(events[i] as ListedEvent),
    held: () => asJson(events.map(held)),
    write: (i, into, at, counts) => {
      const event = events[i] as ListedEvent
      return 'bytes' in event ? writeCounted(event, into, at, counts) : writeParts(event, into, at, counts)
    },
  }
}

/** Copies an event whose counts are to stay as they are. */
function held(event: ListedEvent): ListedEvent {
  const copy = ({ bytes, counts }: CountedJson) => ({ bytes: bytesOf(bytes), counts })
  if ('bytes' in event) return copy(event)
  return { ...event, categories: event.categories.map(copy), tags: event.tags.map(copy) }
}

/** The listed events with these ids, in that order; those of a window are not kept. */
export function eventPieces(
  memory: EventMemory,
  index: EventIndex,
  ids: readonly number[],
  context: Context,
  extent: 'page' | 'window',
): ListedEvent[] | Promise<ListedEvent[]> {
  const { pieces, terms } = memory
  const atHand: (Piece | undefined)[] = []
  const missing: number[] = []
  for (const id of ids) {
    const piece = findPiece(pieces, id, terms)
    atHand.push(piece)
    if (!piece) missing.push(id)
  }
  if (missing.length === 0) return atHand as Piece[]
  return presentMissing(memory, index, missing, context, extent).then((made) =>
    ids.flatMap((id, i) => atHand[i] ?? made.get(id) ?? []),
  )
}

const selectCores = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(CORE_COLUMNS).where('id', 'in', value('ids')),
)

async function presentMissing(
  memory: EventMemory,
  index: EventIndex,
  ids: readonly number[],
  context: Context,
  extent: 'page' | 'window',
): Promise<Map<number, ListedEvent>> {
  const { version, pieces } = memory
  const { drops } = pieces
  // A row read during a change serves this answer and no later one.
  const isCurrent = () => drops === pieces.drops && version === memory.version && !mayBeBehind(memory)
  const links = ids.map((id) => linksOf(index, id))
  const [venues, organizers] = [knownLinked(pieces, links, 'venues'), knownLinked(pieces, links, 'organizers')]
  const presented = await findPresented(context.db, formOf(context), [...ids, ...venues.missing, ...organizers.missing])
  await Promise.all([
    presentCores(memory, context, ids, presented),
    presentLinked<VenueRow>(memory, context, venueRules, presentVenue, venues, presented, isCurrent),
    presentLinked<OrganizerRow>(memory, context, organizerRules, presentOrganizer, organizers, presented, isCurrent),
  ])
  await presentTerms(
    memory,
    context,
    links.flatMap(({ terms }) => terms),
  )
  const images = await findImages(
    context.db,
    ids.flatMap((id) => presented.get(id)?.image ?? []),
  )
  const occurrences = ids.filter((_, i) => links[i]?.series)
  const recurrences = await presentRecurrences(context, context.db, occurrences)
  // Caching all events of a window would evict the events that are read often.
  const mayKeep = extent === 'page' && isCurrent()
  const made = new Map<number, ListedEvent>()
  for (const [i, { terms, venues: places, organizers: hosts }] of links.entries()) {
    const id = ids[i] as number
    const core = presented.get(id)
    // It may have been taken back since it was found in the index.
    if (!core) continue
    const recurrence = recurrences.get(id)
    const parts: EventParts = {
      core: recurrence ? withRare(core, recurrence) : core,
      image: imageText(context, images.get(core.image ?? 0)),
      ...piecesOfTerms(memory, context, terms),
      venues: shownOf(venues, places),
      organizers: shownOf(organizers, hosts),
    }
    const isWorthIt = mayKeep && core.members.length <= LONG_RECORD && isMissedAgain(pieces, id)
    made.set(id, isWorthIt ? keepPiece(pieces, id, joinParts(parts)) : parts)
  }
  return made
}

/** The cached venues or organizers of these events. */
function knownLinked(pieces: EventPieces, links: readonly IndexedLinks[], kind: 'venues' | 'organizers'): LinkedPieces {
  const linked: LinkedPieces = { bytes: new Map(), missing: [] }
  for (const ofEvent of links) {
    for (const id of ofEvent[kind]) {
      if (linked.bytes.has(id)) continue
      const known = findCached(pieces[kind], id)
      linked.bytes.set(id, known ?? HIDDEN)
      if (!known) linked.missing.push(id)
    }
  }
  return linked
}

/** Presents the events that are not stored presented, from their rows, and adds them to the others. */
async function presentCores(
  { unkept }: EventMemory,
  context: Context,
  ids: readonly number[],
  presented: Map<number, PresentedRecord>,
): Promise<void> {
  const missing = ids.filter((id) => !presented.has(id))
  if (missing.length === 0) return
  await showInTurn(await selectCores(context.db, { ids: missing }), presenters.events.texts, (row) => {
    const made = showOrLeaveOut(context, 'event', row.id, () => presentCore(context, row))
    if (!made) return
    presented.set(row.id, made)
    keepLater(unkept.events, presenters.events, context, formOf(context), row.id)
  })
}

/** Presents terms that take long, so that they are in memory when the events that show them are put together. */
async function presentTerms({ pieces, terms }: EventMemory, context: Context, ids: readonly number[]): Promise<void> {
  const rows = [...new Set(ids)].flatMap((id) => terms.get(id) ?? [])
  const costly = rows.filter((row) => !areTextsPrepared(textsOfTerm(row)))
  await showInTurn(costly, textsOfTerm, (row) =>
    showOrLeaveOut(context, row.taxonomy, row.id, () =>
      termPiece(pieces, row.id, terms, () => writeTerm(context.site, row)),
    ),
  )
}

/** The terms of an event by name, categories and tags. */
function piecesOfTerms({ pieces, terms }: EventMemory, context: Context, ids: readonly number[]) {
  const rows: TermRow[] = []
  for (const id of ids) {
    const row = terms.get(id)
    if (row) rows.push(row)
  }
  rows.sort(compareTerms)
  const shown: Record<Taxonomy, Piece[]> = { category: [], tag: [] }
  for (const row of rows) {
    const show = () => termPiece(pieces, row.id, terms, () => writeTerm(context.site, row))
    const piece = showOrLeaveOut(context, row.taxonomy, row.id, show)
    if (piece) shown[row.taxonomy].push(piece)
  }
  return { categories: shown.category, tags: shown.tag }
}

/** Beyond the first 65,536 code points the order of JavaScript is another. */
const SURROGATE = /[\ud800-\udfff]/

/** Terms by name, as the databases order them: by code points. */
function compareTerms(a: TermRow, b: TermRow): number {
  // Two kinds of terms are not shown side by side.
  if (a.taxonomy !== b.taxonomy) return a.taxonomy < b.taxonomy ? -1 : 1
  if (a.folded === b.folded) return a.id - b.id
  if (SURROGATE.test(a.folded) || SURROGATE.test(b.folded))
    return Buffer.compare(Buffer.from(a.folded), Buffer.from(b.folded))
  return a.folded < b.folded ? -1 : 1
}

/** Venues or organizers as bytes by id, empty for those that events do not show; and the ids of those that memory lacks. */
interface LinkedPieces {
  bytes: Map<number, Buffer>
  missing: number[]
}

const HIDDEN = Buffer.alloc(0)

function shownOf({ bytes }: LinkedPieces, ids: readonly number[]): Buffer[] {
  const shown: Buffer[] = []
  for (const id of ids) {
    const known = bytes.get(id)
    if (known && known.length > 0) shown.push(known)
  }
  return shown
}

/** Presents the missing venues or organizers: from their presented records, or from their rows where there are none. */
async function presentLinked<Row extends VenueRow | OrganizerRow>(
  { pieces, unkept }: EventMemory,
  context: Context,
  type: LinkedType,
  present: (presenting: Presenting, row: Row, image: ImageRow | undefined) => object,
  { bytes, missing }: LinkedPieces,
  presented: ReadonlyMap<number, PresentedRecord>,
  isCurrent: () => boolean,
): Promise<void> {
  if (missing.length === 0) return
  for (const id of missing) bytes.set(id, bytesOf(presented.get(id)?.members ?? ''))
  const unknown = missing.filter((id) => !presented.has(id))
  const rows = await findLinkedByIds<Row>(context.db, type, unknown)
  const images = await findImages(
    context.db,
    [...rows.values()].flatMap((row) => row.image ?? []),
  )
  for (const [id, row] of rows) {
    if (!isShown(context, row)) continue
    const shown = await showPrepared(textsOfRecord(row, 'listed'), () =>
      showOrLeaveOut(context, type.kind, id, () => present(context, row, images.get(row.image ?? 0))),
    )
    if (!shown) continue
    bytes.set(id, bytesOf(JSON.stringify(shown)))
    const presenter = presenters[type.table] as Presenter<VenueRow | OrganizerRow>
    if (row.image === null) keepLater(unkept[type.table], presenter, context, formOf(context), id)
  }
  if (isCurrent()) for (const id of missing) keepLinked(pieces[type.table], id, bytes.get(id) ?? HIDDEN)
}
