import { createHash } from 'node:crypto'
import sanitizer from 'sanitize-html/package.json' with { type: 'json' }
import packageJson from '../../../package.json' with { type: 'json' }
import { findCached } from '../../base/cache.ts'
import { blankColumns } from '../../base/fields/field.ts'
import { areTextsPrepared, showInTurn, showPrepared, type WantedText } from '../../base/text/long-texts.ts'
import { type EventIndex, type IndexedLinks, indexedLinks, isIndexed } from '../../store/memory/event-index.ts'
import { type EventMemory, mayBeBehind } from '../../store/memory/event-memory.ts'
import {
  bytesOf,
  type CountedJson,
  type EventPieces,
  findPiece,
  findPresented,
  isMissedAgain,
  keepLinked,
  keepPiece,
  LONG_RECORD,
  type Piece,
  type PresentedRecord,
  type PresentQueue,
  storePresented,
  termPiece,
  writeCounted,
} from '../../store/memory/event-pieces.ts'
import type { Db } from '../../store/storage/database.ts'
import { sharedFreeRows } from '../../store/storage/locks.ts'
import type { ImageRow, OrganizerRow, RecordKind, Taxonomy, TermRow, VenueRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import type { Context, Presenting } from '../declare/context.ts'
import type { Found, ListedJson } from '../declare/operations.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds, type LinkedType } from '../linked/linked-store.ts'
import { organizer, organizerRules, presentOrganizer } from '../linked/organizer.ts'
import { presentVenue, venue, venueRules } from '../linked/venue.ts'
import { anonymous } from '../people/caller.ts'
import { textsOfRecord, textsOfTerm } from '../records/record-store.ts'
import { writeTerm } from '../terms/term-present.ts'
import { compareTerms } from '../terms/term-store.ts'
import { event } from './event.ts'
import {
  CORE_COLUMNS,
  type CoreRow,
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

// Makes the JSON of listed events from memory or from rows, and queues events, venues and organizers to be stored presented.

/**
 * Loads the events that the index has found, without those that the index has dropped since: from memory where they are cached, else from the database.
 * Returns undefined for a list that was not found in the index, and for one that shows one occurrence of each series.
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

/** Loads the listed events with these ids, in the order of the ids, without those that are no longer public. Events of a window are not cached. */
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
  // A row that was read while the memory may have been behind the database serves this answer, but is not cached.
  const isCurrent = () => drops === pieces.drops && version === memory.version && !mayBeBehind(memory)
  const links = ids.map((id) => indexedLinks(index, id))
  const [venues, organizers] = [knownLinked(pieces, links, 'venues'), knownLinked(pieces, links, 'organizers')]
  const presented = await findPresented(context.db, formDigest(context), [
    ...ids,
    ...venues.missing,
    ...organizers.missing,
  ])
  await Promise.all([
    presentCores(memory, context, ids, presented),
    fillMissing<VenueRow>(memory, context, venueRules, presentVenue, venues, presented, isCurrent),
    fillMissing<OrganizerRow>(memory, context, organizerRules, presentOrganizer, organizers, presented, isCurrent),
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
    // The event may have been withdrawn since it was found in the index.
    if (!core) continue
    const recurrence = recurrences.get(id)
    const parts: EventJsonParts = {
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

/** Finds the venues or organizers of these events in memory, and lists the ids of those that memory lacks. */
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

/** Adds to `presented` the events that are not stored presented: they are presented from their rows, and queued to be stored. */
async function presentCores(
  { toPresent }: EventMemory,
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
    presentLater(toPresent.events, presenters.events, context, formDigest(context), row.id)
  })
}

/** Presents the terms that take long to present, so that memory has them when the events that show them are put together. */
async function presentTerms({ pieces, terms }: EventMemory, context: Context, ids: readonly number[]): Promise<void> {
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

/** Venues or organizers as JSON, by id: no bytes for one that events do not show. `missing` are the ids of those that memory lacks. */
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

/** Sets the bytes of the missing venues or organizers: from their presented records, or from their rows where there are none. */
async function fillMissing<Row extends VenueRow | OrganizerRow>(
  { pieces, toPresent }: EventMemory,
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
    if (row.image === null) presentLater(toPresent[type.table], presenter, context, formDigest(context), id)
  }
  if (isCurrent()) for (const id of missing) keepLinked(pieces[type.table], id, bytes.get(id) ?? HIDDEN)
}

/** The presenters of the records that are stored presented. */
export const presenters: {
  events: Presenter<CoreRow>
  venues: Presenter<VenueRow>
  organizers: Presenter<OrganizerRow>
} = {
  events: {
    kind: 'event',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      sharedFreeRows(db, db.selectFrom('events').select(CORE_COLUMNS).where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: presentCore,
  },
  venues: {
    kind: 'venue',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      sharedFreeRows(db, db.selectFrom('venues').selectAll().where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: (presenting, row) => presentLinked(row, () => presentVenue(presenting, row, undefined)),
  },
  organizers: {
    kind: 'organizer',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      sharedFreeRows(db, db.selectFrom('organizers').selectAll().where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: (presenting, row) => presentLinked(row, () => presentOrganizer(presenting, row, undefined)),
  },
}

/** Presents an event from its row. Returns undefined for an event that is not public. */
export function presentCore(presenting: Presenting, row: CoreRow): PresentedRecord | undefined {
  if (row.status !== 'publish') return undefined
  return { record: row.id, image: row.image, ...writeCore(presenting, asSeenBy(anonymous, row)) }
}

/**
 * Presents a venue or organizer for storing. Returns undefined for one that is not public, and for one with an image, since presented venues and
 * organizers have no place for an image.
 */
function presentLinked(row: VenueRow | OrganizerRow, present: () => object): PresentedRecord | undefined {
  if (row.status !== 'publish' || row.image !== null) return undefined
  return { record: row.id, image: null, members: JSON.stringify(present()), imageAt: 0, rare: '' }
}

const forms = new WeakMap<Presenting['site'], { url: string; form: string }>()

/**
 * Returns a digest of all that presented records depend on besides their rows: the site, the versions of the program, the sanitiser, ICU and the time
 * zone data, and sample records. Stored texts with another digest are not used.
 */
export function formDigest(presenting: Presenting): string {
  const { site } = presenting
  const known = forms.get(site)
  if (known?.url === site.url) return known.form
  const { icu, tz } = process.versions
  const probes = [
    writeCore(presenting, EVENT),
    presentVenue(presenting, VENUE, undefined),
    presentOrganizer(presenting, ORGANIZER, undefined),
  ]
  const parts = [site, packageJson.version, sanitizer.version, icu, tz, probes]
  const form = createHash('sha1').update(JSON.stringify(parts)).digest('base64url').slice(0, 10)
  forms.set(site, { url: site.url, form })
  return form
}

const TEXTS = {
  description:
    'A paragraph.\nAnother line\n\n<p onclick="x()">A <a href="javascript:x">link</a></p>\n<ul><li>a</li></ul>',
  excerpt: 'Less than < more',
}

const RECORD = {
  id: 1,
  author: 1,
  status: 'publish',
  slug: 'probe',
  date: '2026-01-02 03:04:05',
  date_utc: '2026-01-02 02:04:05',
  dated: 0,
  modified: '2026-02-03 04:05:06',
  modified_utc: '2026-02-03 03:05:06',
  image: null,
  trusted: 0,
  ...TEXTS,
}

const NAME = 'One & <b>“two”</b> — <script>three</script>'
const WEBSITE = 'https://example.org/?a=1&b=2'

// Sample records: when the program presents them in another way, the digest changes, even without a new version as during development.
const EVENT: CoreRow = {
  ...blankColumns(event.fields, NAME),
  ...RECORD,
  start_date: '2026-07-01 20:00:00',
  end_date: '2026-07-02 01:30:00',
  utc_start_date: '2026-07-01 18:00:00',
  utc_end_date: '2026-07-01 23:30:00',
  timezone: 'Europe/Berlin',
  cost: '["5","10 EUR","free"]',
  website: WEBSITE,
  show_map: 1,
  show_map_link: 0,
  featured: 1,
  online_from: '',
}
// The blank columns come from the declarations, so that the samples have every new field.
const VENUE: VenueRow = {
  ...blankColumns(venue.fields, NAME),
  ...RECORD,
  folded: '',
  search: '',
  show_map: 1,
  website: WEBSITE,
  geo_lat: 0,
  geo_lng: 7.25,
}
const ORGANIZER: OrganizerRow = {
  ...blankColumns(organizer.fields, NAME),
  ...RECORD,
  folded: '',
  search: '',
  website: WEBSITE,
}

/** How records of one kind are held and presented for storing. */
export interface Presenter<Row> {
  kind: RecordKind
  /** Holds and returns the rows of these records until the end of the transaction; rows that another transaction is changing are left out. */
  hold: (tx: Db, values: { ids: readonly number[] }) => Promise<Row[]>
  /** Returns the texts of a record that may take long to present. A record whose texts are not prepared is stored another time. */
  texts: (row: Row) => readonly WantedText[]
  /** Presents a record. Returns undefined for one that is not stored presented: it is not public, or is a venue or organizer with an image. */
  present: (presenting: Presenting, row: Row) => PresentedRecord | undefined
}

/** The number of records that are stored with one write: so many take a few milliseconds. */
const STORED_AT_ONCE = 64
const MOST_QUEUED = 4096

/** Queues a record to be stored presented, and stores the first ones of the queue once there are enough for a write. */
function presentLater<Row extends { id: number }>(
  toPresent: PresentQueue,
  presenter: Presenter<Row>,
  presenting: Presenting,
  form: string,
  id: number,
) {
  const { ids } = toPresent
  if (ids.size < MOST_QUEUED) ids.add(id)
  if (ids.size < STORED_AT_ONCE || toPresent.isStoring) return
  const some = [...ids].slice(0, STORED_AT_ONCE)
  for (const taken of some) ids.delete(taken)
  toPresent.isStoring = true
  toPresent
    .write(async (tx) => {
      const held = await presenter.hold(tx, { ids: some })
      const rows = held.filter((row) => areTextsPrepared(presenter.texts(row)))
      await storePresented(
        tx,
        form,
        rows.flatMap(
          (row) => showOrLeaveOut(presenting, presenter.kind, row.id, () => presenter.present(presenting, row)) ?? [],
        ),
      )
    })
    // Records that were not stored are presented from their rows the next time as well.
    .catch(() => undefined)
    .finally(() => {
      toPresent.isStoring = false
    })
}
