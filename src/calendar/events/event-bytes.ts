import { findCached } from '../../base/cache.ts'
import { areTextsPrepared, showInTurn, showPrepared } from '../../base/text/long-texts.ts'
import { isIndexed } from '../../store/memory/event-index.ts'
import { type EventMemory, readingFrom } from '../../store/memory/event-memory.ts'
import {
  cachePiece,
  type EventPiece,
  type SinglePiece,
  type WrittenJson,
  writePiece,
} from '../../store/memory/event-pieces.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, TermRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut, showRecord } from '../../store/storage/unshowable.ts'
import type { Context } from '../declare/context.ts'
import type { Address, FoundRecords, ReadRecord } from '../declare/operations.ts'
import { findVersion, idAt, isPossibleId, textsOfTerm } from '../records/record-store.ts'
import { termJson, writtenTerm } from '../terms/term-present.ts'
import type { LoadedEvent } from './event-filters.ts'
import { pieceOf, textsOfEvent } from './event-present.ts'
import {
  type EventLinks,
  findEvent,
  findEventLinks,
  findListedEvents,
  findNext,
  type LinkIds,
} from './event-store.ts'
import { asSeenBy } from './event-when.ts'
import { currentMemory } from './known-records.ts'

/** Loads listed events with their links, without those that left `statuses` since they were found. */
export async function loadEvents(
  context: Context,
  { ids, rows, statuses, isCollapsed }: FoundRecords<EventRow>,
): Promise<LoadedEvent[]> {
  const listed = rows ?? (await findListedEvents(context, ids))
  const present = statuses ? listed.filter(({ status }) => statuses.includes(status)) : listed
  const links = await findEventLinks(context.db, present)
  const next = isCollapsed ? await findNext(context.db, present) : new Map()
  return present.flatMap((row) => {
    const own = links.get(row.id)
    return own
      ? [
          {
            row: asSeenBy(context.caller, row),
            links: { ...own, ...(next.has(row.id) ? { next: next.get(row.id) } : {}) },
          },
        ]
      : []
  })
}

export async function linksOfEvent(db: Db, row: EventRow, known: LinkIds = {}): Promise<EventLinks> {
  const links = (await findEventLinks(db, [row], new Map([[row.id, known]]))).get(row.id)
  if (!links) throw new Error(`links of event ${row.id} were not looked up`)
  return links
}

/**
 * The JSON of listed events, which memory keeps for a page, not for a window. Undefined for a list that is
 * not from the index, or is collapsed.
 */
export function loadJson(
  context: Context,
  { ids, isIndexed: isFromMemory, isCollapsed }: FoundRecords,
  extent: 'page' | 'window',
): readonly WrittenJson[] | undefined | Promise<readonly WrittenJson[]> {
  const { memory } = context
  const index = memory?.index
  if (!index || !isFromMemory || isCollapsed) return undefined
  const pieces: EventPiece[] = []
  let missing: number[] | undefined
  for (const id of ids) {
    if (!isIndexed(index, id)) continue
    const piece = findCached(memory.pieces.listed, id)
    if (piece) pieces.push(piece)
    else {
      missing ??= []
      missing.push(id)
    }
  }
  const terms = (id: number) => memory.terms.get(id)
  return missing ? loadMissing(context, memory, ids, missing, extent) : writeAll(context, terms, pieces)
}

type FindTerm = (id: number) => TermRow | undefined

/** Joins pieces and terms into JSON; a promise only if a term has a long text to prepare. */
function writeAll(
  context: Context,
  findTerm: FindTerm,
  pieces: readonly EventPiece[],
): readonly WrittenJson[] | Promise<readonly WrittenJson[]> {
  let costly: TermRow[] | undefined
  const jsonOf = (id: number): Buffer => {
    const term = findTerm(id)
    if (!term) return NO_BYTES
    const known = writtenTerm(term)
    if (known) return known
    if (areTextsPrepared(textsOfTerm(term))) return termJson(context, term)
    costly ??= []
    costly.push(term)
    return NO_BYTES
  }
  const written = pieces.map((piece) => writePiece(piece, jsonOf))
  if (!costly) return written
  const prepared = showInTurn(costly, textsOfTerm, (term) => termJson(context, term))
  return prepared.then(() => writeAll(context, findTerm, pieces))
}

const NO_BYTES = Buffer.alloc(0)

async function loadMissing(
  context: Context,
  memory: EventMemory,
  ids: readonly number[],
  missing: readonly number[],
  extent: 'page' | 'window',
): Promise<readonly WrittenJson[]> {
  const { listed } = memory.pieces
  const known = new Map(ids.map((id) => [id, findCached(listed, id)]))
  const isCurrent = readingFrom(memory)
  const loaded = await loadEvents(context, { ...ANY_PAGE, ids: missing })
  const made = await showInTurn(
    loaded,
    ({ row, links }) => textsOfEvent(row, links, 'listed'),
    ({ row, links }) => {
      const show = () => pieceOf(context, row, links, 'listed')
      return { id: row.id, piece: showOrLeaveOut(context, 'event', row.id, show) }
    },
  )
  // Keeping all events of a window would evict those that are read often.
  const mayKeep = extent === 'page' && isCurrent()
  for (const { id, piece } of made) {
    known.set(id, piece)
    if (piece && mayKeep) cachePiece(listed, id, piece)
  }
  const findTerm = withTermsOf(memory, loaded)
  return writeAll(
    context,
    findTerm,
    ids.flatMap((id) => known.get(id) ?? []),
  )
}

const ANY_PAGE = { total: 0, page: 1, perPage: 1, effective: '', statuses: ['publish'] }

/** Makes a function that finds terms in memory, then in `loaded`, which may have terms that memory lacks. */
function withTermsOf(memory: EventMemory, loaded: readonly Pick<LoadedEvent, 'links'>[]): FindTerm {
  const read = new Map<number, TermRow>()
  for (const { links } of loaded)
    for (const terms of [links.categories, links.tags])
      for (const term of terms) if (!memory.terms.has(term.id)) read.set(term.id, term)
  return (id) => memory.terms.get(id) ?? read.get(id)
}

/**
 * Reads one public event from memory; else from the database, and keeps it in memory. Undefined for other
 * events, and if memory may not answer this caller.
 */
export async function readSingle(context: Context, address: Address): Promise<ReadRecord | undefined> {
  const memory = currentMemory(context)
  if (!memory?.index) return undefined
  const id = await idAt(context, 'events', address)
  if (id === undefined || !isPossibleId(id)) return undefined
  const known = findCached(memory.pieces.single, id)
  const isCurrent = readingFrom(memory)
  const { piece, loaded } = known ? { piece: known, loaded: [] } : await loadSingle(context, id)
  if (!piece) return undefined
  if (!known && isCurrent()) cachePiece(memory.pieces.single, id, piece)
  const [record] = await writeAll(context, withTermsOf(memory, loaded), [piece])
  return record && { record, version: { id, sequence: piece.sequence } }
}

/** Reads the version before the event, so that the version is never later than the event. */
async function loadSingle(
  context: Context,
  id: number,
): Promise<{ piece?: SinglePiece; loaded: readonly Pick<LoadedEvent, 'links'>[] }> {
  const { sequence } = await findVersion(context.db, 'event', id)
  const row = await findEvent(context.db, id)
  if (row?.status !== 'publish') return { loaded: [] }
  const links = await linksOfEvent(context.db, row)
  const seen = asSeenBy(context.caller, row)
  const piece = await showPrepared(textsOfEvent(row, links, 'single'), () =>
    showRecord('event', id, () => pieceOf(context, seen, links, 'single')),
  )
  return { piece: { ...piece, sequence }, loaded: [{ links }] }
}
