import { findKept, type Generations } from '../common/generations.ts'
import { findImages } from '../common/images.ts'
import { findLinkedByIds, type LinkedType } from '../common/linked-store.ts'
import { embedTerm } from '../common/term-present.ts'
import type { Asking } from '../declare/asking.ts'
import { presentOrganizer } from '../organizers/organizer-present.ts'
import { organizerRules } from '../organizers/organizer-rules.ts'
import type { ImageRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { presentVenue } from '../venues/venue-present.ts'
import { venueRules } from '../venues/venue-rules.ts'
import { type EventIndex, linksOf } from './event-index.ts'
import type { EventMemory } from './event-memory.ts'
import { bytesOf, findPiece, joinPiece, keepLinked, keepPiece, type Piece, termPiece } from './event-pieces.ts'
import { isShown, OWN_COLUMNS, writeOwn } from './event-present.ts'

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

const findOwn = statement<{ ids: readonly number[] }>()((db, value) =>
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
  const linked = (kind: 'venues' | 'organizers') => [...links.values()].flatMap((own) => own[kind])
  const [rows, venues, organizers] = await Promise.all([
    findOwn(asking.db, { ids }),
    linkedBytes<VenueRow>(asking, venueRules, pieces.venues, linked('venues'), presentVenue, isCurrent),
    linkedBytes<OrganizerRow>(
      asking,
      organizerRules,
      pieces.organizers,
      linked('organizers'),
      presentOrganizer,
      isCurrent,
    ),
  ])
  const images = await findImages(
    asking.db,
    rows.flatMap((row) => row.image ?? []),
  )
  const isKept = isCurrent()
  const presented = new Map<number, Piece>()
  for (const row of rows) {
    const own = links.get(row.id)
    // It may have been taken back since it was found in the index.
    if (!own || row.status !== 'publish') continue
    const shown = own.terms.flatMap((id) => terms.get(id) ?? []).sort(compareTerms)
    const piecesOf = (taxonomy: Taxonomy) =>
      shown.flatMap((term) =>
        term.taxonomy === taxonomy ? termPiece(pieces, term.id, () => embedTerm(asking.site, term)) : [],
      )
    const parts = {
      own: writeOwn(asking, row, images.get(row.image ?? 0)),
      categories: piecesOf('category'),
      tags: piecesOf('tag'),
      venues: own.venues.flatMap((id) => venues.get(id) ?? []),
      organizers: own.organizers.flatMap((id) => organizers.get(id) ?? []),
    }
    const piece = joinPiece(pieces, parts, terms)
    if (isKept) keepPiece(pieces, row.id, piece)
    presented.set(row.id, piece)
  }
  return presented
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

/** Those of these venues or organizers that events show, as bytes by id. */
async function linkedBytes<Row extends VenueRow | OrganizerRow>(
  asking: Asking,
  type: LinkedType,
  kept: Generations<number, Buffer>,
  ids: readonly number[],
  present: (asking: Asking, row: Row, image: ImageRow | undefined) => object,
  isCurrent: () => boolean,
): Promise<ReadonlyMap<number, Buffer>> {
  if (ids.length === 0) return NONE
  const bytes = new Map<number, Buffer>()
  const missing: number[] = []
  for (const id of ids) {
    const known = bytes.get(id) ?? findKept(kept, id)
    if (known) bytes.set(id, known)
    else missing.push(id)
  }
  if (missing.length === 0) return withoutHidden(bytes)
  const rows = await findLinkedByIds<Row>(asking.db, type, [...new Set(missing)])
  const images = await findImages(
    asking.db,
    [...rows.values()].flatMap((row) => row.image ?? []),
  )
  const isKept = isCurrent()
  for (const [id, row] of rows) {
    const shown = isShown(asking, row)
      ? bytesOf(JSON.stringify(present(asking, row, images.get(row.image ?? 0))))
      : HIDDEN
    bytes.set(id, shown)
    if (isKept) keepLinked(kept, id, shown)
  }
  return withoutHidden(bytes)
}

const HIDDEN = Buffer.alloc(0)
const NONE: ReadonlyMap<number, Buffer> = new Map()

function withoutHidden(bytes: Map<number, Buffer>): Map<number, Buffer> {
  for (const [id, shown] of bytes) if (shown.length === 0) bytes.delete(id)
  return bytes
}
