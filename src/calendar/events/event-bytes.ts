import { findCached } from '../../base/cache.ts'
import { areTextsPrepared, showInTurn, showPrepared } from '../../base/text/long-texts.ts'
import {
  type EventIndex,
  type IndexedLinks,
  indexedLinks,
  isIndexed,
} from '../../store/memory/event-index.ts'
import { type EventMemory, mayBeBehind } from '../../store/memory/event-memory.ts'
import {
  bytesOf,
  type CountedJson,
  type EventCore,
  type EventPieces,
  findPiece,
  keepLinked,
  keepPiece,
  LONG_RECORD,
  type Piece,
  termPiece,
  writeCounted,
} from '../../store/memory/event-pieces.ts'
import type { ImageRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import type { Context, Presenting } from '../declare/context.ts'
import type { Found, ListedJson } from '../declare/operations.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds, type LinkedType } from '../linked/linked-store.ts'
import { organizerRules, presentOrganizer } from '../linked/organizer.ts'
import { presentVenue, venueRules } from '../linked/venue.ts'
import { anonymous } from '../people/caller.ts'
import { textsOfRecord, textsOfTerm } from '../records/record-store.ts'
import { writeTerm } from '../terms/term-present.ts'
import { compareTerms } from '../terms/term-store.ts'
import {
  CORE_COLUMNS,
  type EventJsonParts,
  imageText,
  isShown,
  joinParts,
  mostBytes,
  withRare,
  writeCore,
  writeParts,
} from './event-present.ts'
import { asSeenBy } from './event-when.ts'
import { presentRecurrences } from './recurrence-present.ts'

// Makes the JSON of listed events from memory or from rows.

/**
 * Loads the events that the index has found, without those that the index has dropped since: from memory
 * where they are cached, else from the database. Returns undefined for a list that was not found in the
 * index, and for one that shows one occurrence of each series.
 */
export function loadJson(
  context: Context,
  { ids, revision, isCollapsed }: Found,
  extent: 'page' | 'window',
): ListedJson | undefined | Promise<ListedJson> {
  const { memory } = context
  const index = memory?.index
  if (!memory || !index || revision === undefined || isCollapsed) return undefined
  const listed = ids.filter((id) => isIndexed(index, id))
  const events = listedEvents(memory, index, listed, context, extent)
  return events instanceof Promise ? events.then(asJson) : asJson(events)
}

/** An event of a list: a piece, a copy of the bytes of a piece, or the parts to write the event from. */
export type ListedEvent = Piece | CountedJson | EventJsonParts

function asJson(events: readonly ListedEvent[]): ListedJson {
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

/** Returns a copy of an event in which the counts of its terms stay as they are now. */
function held(event: ListedEvent): ListedEvent {
  const copy = ({ bytes, counts }: CountedJson) => ({ bytes: bytesOf(bytes), counts })
  if ('bytes' in event) return copy(event)
  return { ...event, categories: event.categories.map(copy), tags: event.tags.map(copy) }
}

/**
 * Loads the listed events with these ids, in the order of the ids, without those that are no longer public.
 * Events of a window are not cached.
 */
export function listedEvents(
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
  // A row that was read while the memory may have been behind the database serves this answer, but is not
  // cached.
  const isCurrent = () => drops === pieces.drops && version === memory.version && !mayBeBehind(memory)
  const links = ids.map((id) => indexedLinks(index, id))
  const [venues, organizers] = [
    knownLinked(pieces, links, 'venues'),
    knownLinked(pieces, links, 'organizers'),
  ]
  const [cores] = await Promise.all([
    presentCores(context, ids),
    fillMissing<VenueRow>(memory, context, venueRules, presentVenue, venues, isCurrent),
    fillMissing<OrganizerRow>(memory, context, organizerRules, presentOrganizer, organizers, isCurrent),
  ])
  await presentTerms(
    memory,
    context,
    links.flatMap(({ terms }) => terms),
  )
  const images = await findImages(
    context.db,
    ids.flatMap((id) => cores.get(id)?.image ?? []),
  )
  const occurrences = ids.filter((_, i) => links[i]?.series)
  const recurrences = await presentRecurrences(context, context.db, occurrences)
  // Caching all events of a window would evict the events that are read often.
  const mayKeep = extent === 'page' && isCurrent()
  const made = new Map<number, ListedEvent>()
  for (const [i, { terms, venues: places, organizers: hosts }] of links.entries()) {
    const id = ids[i] as number
    const shown = cores.get(id)
    // The event may have been withdrawn since it was found in the index.
    if (!shown) continue
    const { core, image } = shown
    const recurrence = recurrences.get(id)
    const parts: EventJsonParts = {
      core: recurrence ? withRare(core, recurrence) : core,
      image: imageText(context, images.get(image ?? 0)),
      ...piecesOfTerms(memory, context, terms),
      venues: shownOf(venues, places),
      organizers: shownOf(organizers, hosts),
    }
    made.set(
      id,
      mayKeep && core.members.length <= LONG_RECORD ? keepPiece(pieces, id, joinParts(parts)) : parts,
    )
  }
  return made
}

/** Finds the venues or organizers of these events in memory, and lists the ids of those that memory lacks. */
function knownLinked(
  pieces: EventPieces,
  links: readonly IndexedLinks[],
  kind: 'venues' | 'organizers',
): LinkedPieces {
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

/** The core of an event, and the id of its image. */
interface ShownCore {
  core: EventCore
  image: number | null
}

/** Presents the cores of events from their rows, without those that are not public any more. */
async function presentCores(context: Context, ids: readonly number[]): Promise<Map<number, ShownCore>> {
  const cores = new Map<number, ShownCore>()
  const rows = await selectCores(context.db, { ids })
  await showInTurn(
    rows.filter(({ status }) => status === 'publish'),
    (row) => textsOfRecord(row, 'listed'),
    (row) => {
      const core = showOrLeaveOut(context, 'event', row.id, () =>
        writeCore(context, asSeenBy(anonymous, row)),
      )
      if (core) cores.set(row.id, { core, image: row.image })
    },
  )
  return cores
}

/**
 * Presents the terms that take long to present, so that memory has them when the events that show them are
 * put together.
 */
async function presentTerms(
  { pieces, terms }: EventMemory,
  context: Context,
  ids: readonly number[],
): Promise<void> {
  const rows = [...new Set(ids)].flatMap((id) => terms.get(id) ?? [])
  const costly = rows.filter((row) => !areTextsPrepared(textsOfTerm(row)))
  await showInTurn(costly, textsOfTerm, (row) =>
    showOrLeaveOut(context, row.taxonomy, row.id, () =>
      termPiece(pieces, row.id, terms, () => writeTerm(context.site, row)),
    ),
  )
}

/** Returns the pieces of an event's terms, categories and tags apart, each ordered by name. */
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

/**
 * Venues or organizers as JSON, by id: no bytes for one that events do not show. `missing` are the ids of
 * those that memory lacks.
 */
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

/** Sets the bytes of the missing venues or organizers from their rows. */
async function fillMissing<Row extends VenueRow | OrganizerRow>(
  { pieces }: EventMemory,
  context: Context,
  type: LinkedType,
  present: (presenting: Presenting, row: Row, image: ImageRow | undefined) => object,
  { bytes, missing }: LinkedPieces,
  isCurrent: () => boolean,
): Promise<void> {
  if (missing.length === 0) return
  const rows = await findLinkedByIds<Row>(context.db, type, missing)
  const images = await findImages(
    context.db,
    [...rows.values()].flatMap((row) => row.image ?? []),
  )
  for (const [id, row] of rows) {
    if (!isShown(context, row)) continue
    const shown = await showPrepared(textsOfRecord(row, 'listed'), () =>
      showOrLeaveOut(context, type.kind, id, () => present(context, row, images.get(row.image ?? 0))),
    )
    if (shown) bytes.set(id, bytesOf(JSON.stringify(shown)))
  }
  if (isCurrent()) for (const id of missing) keepLinked(pieces[type.table], id, bytes.get(id) ?? HIDDEN)
}
