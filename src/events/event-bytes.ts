import { findKept } from '../common/generations.ts'
import { findImages } from '../common/images.ts'
import { findLinkedByIds, type LinkedType } from '../common/linked-store.ts'
import { findPresented, keepLater, type PresentedRecord, type Presenter } from '../common/presented-records.ts'
import { embedTerm } from '../common/term-present.ts'
import type { Asking, Presenting } from '../declare/asking.ts'
import { presentOrganizer } from '../organizers/organizer-present.ts'
import { organizerRules } from '../organizers/organizer-rules.ts'
import type { ImageRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { presentVenue } from '../venues/venue-present.ts'
import { venueRules } from '../venues/venue-rules.ts'
import { type EventIndex, linksOf } from './event-index.ts'
import type { EventMemory } from './event-memory.ts'
import {
  bytesOf,
  type EventParts,
  findPiece,
  joinPiece,
  keepLinked,
  keepPiece,
  type Piece,
  termPiece,
} from './event-pieces.ts'
import { isShown, OWN_COLUMNS, withImage } from './event-present.ts'
import { formOf, presenters, presentOwn } from './presented-events.ts'

/** The listed events with these ids as JSON, in that order: from memory, and from the database those that are not there. */
export function eventPieces(
  memory: EventMemory,
  index: EventIndex,
  ids: readonly number[],
  asking: Asking,
): Piece[] | Promise<Piece[]> {
  const found = ids.map((id) => findPiece(memory.pieces, id, memory.terms))
  const missing = ids.filter((_, i) => found[i] === undefined)
  if (missing.length === 0) return found as Piece[]
  return presentMissing(memory, index, missing, asking).then((presented) =>
    ids.flatMap((id, i) => found[i] ?? presented.get(id) ?? []),
  )
}

const selectOwn = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(OWN_COLUMNS).where('id', 'in', value('ids')),
)

async function presentMissing(
  memory: EventMemory,
  index: EventIndex,
  ids: readonly number[],
  asking: Asking,
): Promise<Map<number, Piece>> {
  const { version, pieces, terms } = memory
  const { drops } = pieces
  // What was read while something changed is good for this answer, but not for later ones.
  const isCurrent = () => drops === pieces.drops && version === memory.version && !memory.isBehind()
  const links = new Map(ids.map((id) => [id, linksOf(index, id)]))
  const [venues, organizers] = [knownLinked('venues'), knownLinked('organizers')]
  const kept = await findPresented(asking.db, formOf(asking), [...ids, ...venues.missing, ...organizers.missing])
  const [events] = await Promise.all([
    presentOwns(memory, asking, ids, kept),
    presentLinked<VenueRow>(memory, asking, venueRules, presentVenue, venues, kept, isCurrent),
    presentLinked<OrganizerRow>(memory, asking, organizerRules, presentOrganizer, organizers, kept, isCurrent),
  ])
  const images = await findImages(
    asking.db,
    events.flatMap(({ image }) => image ?? []),
  )
  const isKept = isCurrent()
  const presented = new Map<number, Piece>()
  for (const { record, image, own } of events) {
    const linked = links.get(record)
    if (!linked) continue
    const parts: EventParts = {
      own: withImage(own, images.get(image ?? 0), asking.images.mediaUrl),
      ...piecesOfTerms(memory, asking, linked.terms),
      venues: shownOf(venues, linked.venues),
      organizers: shownOf(organizers, linked.organizers),
    }
    const piece = joinPiece(pieces, parts, terms)
    if (isKept) keepPiece(pieces, record, piece)
    presented.set(record, piece)
  }
  return presented

  /** What memory has of the venues or organizers that these events show. */
  function knownLinked(kind: 'venues' | 'organizers'): LinkedPieces {
    const found: LinkedPieces = { bytes: new Map(), missing: [] }
    for (const own of links.values()) {
      for (const id of own[kind]) {
        if (found.bytes.has(id)) continue
        const known = findKept(pieces[kind], id)
        found.bytes.set(id, known ?? HIDDEN)
        if (!known) found.missing.push(id)
      }
    }
    return found
  }
}

/** The own members of these events: as they are kept presented, and from their rows where they are not. */
async function presentOwns(
  { unkept }: EventMemory,
  asking: Asking,
  ids: readonly number[],
  kept: ReadonlyMap<number, PresentedRecord>,
): Promise<PresentedRecord[]> {
  const events = ids.flatMap((id) => kept.get(id) ?? [])
  if (events.length === ids.length) return events
  for (const row of await selectOwn(asking.db, { ids: ids.filter((id) => !kept.has(id)) })) {
    const presented = presentOwn(asking, row)
    // It may have been taken back since it was found in the index.
    if (!presented) continue
    events.push(presented)
    keepLater(unkept.events, presenters.events, asking, formOf(asking), row.id)
  }
  return events
}

/** The terms of an event by name, categories and tags. */
function piecesOfTerms({ pieces, terms }: EventMemory, asking: Asking, ids: readonly number[]) {
  const shown: Record<Taxonomy, Piece[]> = { category: [], tag: [] }
  for (const term of ids.flatMap((id) => terms.get(id) ?? []).sort(compareTerms))
    shown[term.taxonomy].push(termPiece(pieces, term.id, () => embedTerm(asking.site, term)))
  return { categories: shown.category, tags: shown.tag }
}

/** Beyond the first 65,536 code points the order of JavaScript is another. */
const SURROGATE = /[\ud800-\udfff]/

/** Terms by name, as the databases order them: by code points. */
function compareTerms(a: TermRow, b: TermRow): number {
  if (a.folded === b.folded) return a.id - b.id
  if (SURROGATE.test(a.folded) || SURROGATE.test(b.folded))
    return Buffer.compare(Buffer.from(a.folded), Buffer.from(b.folded))
  return a.folded < b.folded ? -1 : 1
}

/** Venues or organizers as bytes by id, empty for those that events do not show, and those that memory does not know. */
interface LinkedPieces {
  bytes: Map<number, Buffer>
  missing: number[]
}

const HIDDEN = Buffer.alloc(0)

function shownOf({ bytes }: LinkedPieces, ids: readonly number[]): Buffer[] {
  return ids.flatMap((id) => {
    const shown = bytes.get(id)
    return shown && shown.length > 0 ? shown : []
  })
}

/** Presents the venues or organizers that are missing: as they are kept presented, and from their rows where they are not. */
async function presentLinked<Row extends VenueRow | OrganizerRow>(
  { pieces, unkept }: EventMemory,
  asking: Asking,
  type: LinkedType,
  present: (presenting: Presenting, row: Row, image: ImageRow | undefined) => object,
  { bytes, missing }: LinkedPieces,
  kept: ReadonlyMap<number, PresentedRecord>,
  isCurrent: () => boolean,
): Promise<void> {
  if (missing.length === 0) return
  for (const id of missing) bytes.set(id, bytesOf(kept.get(id)?.own ?? ''))
  const unknown = missing.filter((id) => !kept.has(id))
  const rows = await findLinkedByIds<Row>(asking.db, type, unknown)
  const images = await findImages(
    asking.db,
    [...rows.values()].flatMap((row) => row.image ?? []),
  )
  for (const [id, row] of rows) {
    if (!isShown(asking, row)) continue
    bytes.set(id, bytesOf(JSON.stringify(present(asking, row, images.get(row.image ?? 0)))))
    const presenter = presenters[type.table] as Presenter<VenueRow | OrganizerRow>
    if (row.image === null) keepLater(unkept[type.table], presenter, asking, formOf(asking), id)
  }
  if (isCurrent()) for (const id of missing) keepLinked(pieces[type.table], id, bytes.get(id) ?? HIDDEN)
}
