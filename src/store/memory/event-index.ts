import { utcToMs } from '../../base/text/moments.ts'
import { noPlaces, type Places } from './places.ts'
import {
  addSlot,
  emptySlots,
  removeSlot,
  type SortedSlots,
  sliceSlots,
  slotsInOrder,
} from './sorted-slots.ts'

/**
 * The in-memory index of listed public events, from which most anonymous list requests are answered. It has
 * no texts, only the values that lists sort and filter by. `event-memory.ts` keeps it in step with the
 * database.
 */
export interface EventIndex {
  /** Columns have an entry by slot. Times are local times in ms, computed as if they were UTC. */
  ids: Int32Array
  starts: Float64Array
  ends: Float64Array
  dates: Float64Array
  /** Where the postings of a slot begin in `links`, and how many there are. */
  linkStarts: Int32Array
  linkCounts: Uint16Array
  /** The posting number of the event's only venue, `NO_VENUE` or `SEVERAL_VENUES`. */
  venues: Int32Array
  /** The id of the series; 0 for a single event. */
  series: Int32Array
  links: Int32Array
  linksUsed: number
  slotCount: number
  /**
   * Slots below this number are in the order of lists, so they compare by number. Such a slot keeps its times
   * when its event moves, and is never reused.
   */
  ordered: number
  freeSlots: number[]
  /** The slot plus 1 by event id; 0 for events that are not listed. */
  slotOf: Int32Array
  all: SortedSlots
  /**
   * Posting lists by number. `postingOf` maps keys to these numbers; a `Cell` holds its own number. A list is
   * undefined until its first use; until then `noted` has its slots.
   */
  postings: (SortedSlots | undefined)[]
  /** Slots of all posting lists as first filled, list after list, and where each list ends. */
  noted: { slots: Int32Array<ArrayBuffer>; ends: Int32Array }
  postingOf: Map<number, number>
  postingKeys: number[]
  places: Places
  venueAccess: Map<number, readonly number[]>
  /**
   * `met`: by slot, the last gathering that met the slot. `gatherings`: the latest gathering (see
   * `gatherSlots`).
   */
  met: Uint32Array
  gatherings: number
}

export interface IndexedEvent {
  id: number
  start_date: string
  end_date: string
  date: string
  featured: boolean
  terms: readonly number[]
  /** The ancestors of `terms`, perhaps repeated; the event is in these too (rule 13.2). */
  ancestors: readonly number[]
  /** Ids of public venues, in the order in which the event has them. */
  venues: readonly number[]
  organizers: readonly number[]
  series: number
  access: readonly number[]
  free: boolean
  /** Index number of the way to attend; 0 if unknown. */
  attendance: number
}

const NO_VENUE = -1
export const SEVERAL_VENUES = -2

/**
 * Kinds of posting lists. `several` lists events with more than one venue; lists of other kinds have the
 * events of one record, with one flag or in one cell.
 */
export type PostingKind =
  | 'term'
  | 'venue'
  | 'organizer'
  | 'series'
  | 'featured'
  | 'located'
  | 'cell'
  | 'several'
  | 'access'
  | 'free'
  | 'attendance'
const KINDS: Record<PostingKind, number> = {
  term: 0,
  venue: 1,
  organizer: 2,
  featured: 3,
  located: 4,
  cell: 5,
  several: 6,
  series: 7,
  access: 8,
  free: 9,
  attendance: 10,
}
/**
 * Keys of consecutive ids differ by this, which exceeds the number of kinds, so that no two keys are equal.
 */
const KEY_STEP = 16
const keyOf = (kind: PostingKind, id: number) => id * KEY_STEP + KINDS[kind]

export function emptyIndex(events = 64, largestId = 256): EventIndex {
  return {
    ids: new Int32Array(events),
    starts: new Float64Array(events),
    ends: new Float64Array(events),
    dates: new Float64Array(events),
    linkStarts: new Int32Array(events),
    linkCounts: new Uint16Array(events),
    venues: new Int32Array(events),
    series: new Int32Array(events),
    links: new Int32Array(events * LINKS_EXPECTED),
    linksUsed: 0,
    slotCount: 0,
    ordered: 0,
    freeSlots: [],
    slotOf: new Int32Array(largestId + 1),
    all: emptySlots(),
    postings: [],
    noted: { slots: new Int32Array(0), ends: new Int32Array(0) },
    postingOf: new Map(),
    postingKeys: [],
    places: noPlaces(),
    venueAccess: new Map(),
    met: new Uint32Array(0),
    gatherings: 0,
  }
}

/**
 * Postings for which space is reserved per event, more than the average: terms, ancestors, a venue and its
 * cells, an organizer and three flags.
 */
const LINKS_EXPECTED = 14

/** The order of rule 11.7: by start, then publication date, then id. */
export const compareSlots = (index: EventIndex) => (a: number, b: number) =>
  a < index.ordered && b < index.ordered
    ? a - b
    : (index.starts[a] as number) - (index.starts[b] as number) ||
      (index.dates[a] as number) - (index.dates[b] as number) ||
      (index.ids[a] as number) - (index.ids[b] as number)

/**
 * Adds an event to the columns; `listNoted` makes the posting lists afterwards. Events must come in the order
 * of lists. An event that moves during the reading may come again, and is then ignored.
 */
export function noteEvent(index: EventIndex, event: IndexedEvent): void {
  if ((index.slotOf[event.id] ?? 0) === 0) takeSlot(index, event)
}

/** Builds all posting lists at once, since to build one by one would leave much garbage. */
export function listNoted(index: EventIndex): void {
  const { slotCount, linkStarts, linkCounts, links } = index
  const ends = new Int32Array(index.postings.length)
  const eachLink = (visit: (posting: number, slot: number) => void) => {
    for (let slot = 0; slot < slotCount; slot++) {
      const start = linkStarts[slot] as number
      const end = start + (linkCounts[slot] as number)
      for (let i = start; i < end; i++) visit(links[i] as number, slot)
    }
  }
  eachLink((posting) => {
    ends[posting] = (ends[posting] as number) + 1
  })
  let sum = 0
  for (let posting = 0; posting < ends.length; posting++) {
    const size = ends[posting] as number
    ends[posting] = sum
    sum += size
  }
  const slots = new Int32Array(sum)
  eachLink((posting, slot) => {
    const at = ends[posting] as number
    slots[at] = slot
    ends[posting] = at + 1
  })
  index.noted = { slots, ends }
  index.ordered = slotCount
  index.all = slotsInOrder(Int32Array.from({ length: slotCount }, (_, slot) => slot))
}

export function putEvent(index: EventIndex, event: IndexedEvent): void {
  if (isAsItStands(index, event)) return
  dropEvent(index, event.id)
  const slot = takeSlot(index, event)
  const order = compareSlots(index)
  addSlot(index.all, slot, order)
  for (const posting of postingsOf(index, slot)) addSlot(openList(index, posting), slot, order)
}

function isAsItStands(index: EventIndex, event: IndexedEvent): boolean {
  const slot = (index.slotOf[event.id] ?? 0) - 1
  if (slot < 0) return false
  const isThen =
    index.starts[slot] === utcToMs(event.start_date) &&
    index.ends[slot] === utcToMs(event.end_date) &&
    index.dates[slot] === dateOf(event)
  if (!isThen) return false
  const start = index.linkStarts[slot] as number
  const postings = gatherPostings(index, event)
  return (
    postings.length === index.linkCounts[slot] &&
    postings.every((posting, i) => index.links[start + i] === posting)
  )
}

export function dropEvent(index: EventIndex, id: number): void {
  const slot = (index.slotOf[id] ?? 0) - 1
  if (slot < 0) return
  const order = compareSlots(index)
  removeSlot(index.all, slot, order)
  for (const posting of postingsOf(index, slot)) removeSlot(openList(index, posting), slot, order)
  index.slotOf[id] = 0
  if (slot >= index.ordered) index.freeSlots.push(slot)
}

export function isIndexed(index: EventIndex, id: number): boolean {
  return (index.slotOf[id] ?? 0) > 0
}

/** An index is rebuilt only above this number of unused postings. */
const SPARE_POSTINGS = 10_000

/** True if most posting numbers belong to cells without venues; only a rebuilt index does without these. */
export function isMostlySpare({ postings, postingOf, places }: EventIndex): boolean {
  return postings.length > SPARE_POSTINGS + 2 * (postingOf.size + places.cells.size)
}

export function postingsFor(index: EventIndex, kind: PostingKind, ids: Iterable<number>): number[] {
  const postings: number[] = []
  for (const id of ids) {
    const posting = index.postingOf.get(keyOf(kind, id))
    if (posting !== undefined) postings.push(posting)
  }
  return postings
}

/** True if the index has, or once had, events of the record. */
export function hasEventsOf(index: EventIndex, kind: 'venue' | 'organizer', id: number): boolean {
  return index.postingOf.has(keyOf(kind, id))
}

/** Returns the ids of events of the term or its descendants, in the order of lists. */
export function eventsOfTerm(index: EventIndex, id: number): number[] {
  const list = slotsOfPosting(index, index.postingOf.get(keyOf('term', id)))
  return sliceSlots(list, 0, list.size).map((slot) => index.ids[slot] as number)
}

const NOTHING = emptySlots()

export function slotsOfPosting(index: EventIndex, posting: number | undefined): SortedSlots {
  return posting === undefined ? NOTHING : openList(index, posting)
}

/** Returns a posting list, made at its first use, since most lists are never used. */
function openList(index: EventIndex, posting: number): SortedSlots {
  const open = index.postings[posting]
  if (open) return open
  const { slots, ends } = index.noted
  const isNoted = posting < ends.length
  const list = isNoted
    ? slotsInOrder(slots.subarray(posting === 0 ? 0 : ends[posting - 1], ends[posting]))
    : emptySlots()
  index.postings[posting] = list
  return list
}

function postingsOf(index: EventIndex, slot: number): number[] {
  const start = index.linkStarts[slot] as number
  return [...index.links.subarray(start, start + (index.linkCounts[slot] as number))]
}

/** The publication date in ms. 0 if it is malformed, since it only breaks ties between equal starts. */
const dateOf = ({ date }: IndexedEvent) => utcToMs(date) || 0

function takeSlot(index: EventIndex, event: IndexedEvent): number {
  const slot = index.freeSlots.pop() ?? index.slotCount++
  if (slot >= index.ids.length) widenColumns(index)
  if (event.id >= index.slotOf.length) index.slotOf = widened(index.slotOf, event.id + 1)
  index.ids[slot] = event.id
  index.starts[slot] = utcToMs(event.start_date)
  index.ends[slot] = utcToMs(event.end_date)
  index.dates[slot] = dateOf(event)
  index.slotOf[event.id] = slot + 1
  writeLinks(index, slot, event)
  return slot
}

/** Reused by `gatherPostings`, since a million events pass through it. */
const scratch: number[] = []

function gatherPostings(index: EventIndex, event: IndexedEvent): number[] {
  scratch.length = 0
  const addPosting = (posting: number) => {
    if (!scratch.includes(posting)) scratch.push(posting)
  }
  const add = (kind: PostingKind, id: number) => addPosting(postingFor(index, keyOf(kind, id)))
  let isLocated = false
  for (const id of event.terms) add('term', id)
  for (const id of event.ancestors) add('term', id)
  for (const id of event.venues) {
    add('venue', id)
    for (const fact of index.venueAccess.get(id) ?? []) add('access', fact)
    const place = index.places.all.get(id)
    if (!place) continue
    for (const cell of place.path) {
      cell.posting ??= newPosting(index, KINDS.cell)
      addPosting(cell.posting)
    }
    isLocated = true
  }
  if (event.venues.length > 1) add('several', 1)
  for (const id of event.organizers) add('organizer', id)
  for (const fact of event.access) add('access', fact)
  if (event.series !== 0) add('series', event.series)
  if (event.attendance !== 0) add('attendance', event.attendance)
  add('free', Number(event.free))
  add('featured', Number(event.featured))
  add('located', Number(isLocated))
  return scratch
}

function postingFor(index: EventIndex, key: number): number {
  const known = index.postingOf.get(key)
  if (known !== undefined) return known
  const posting = newPosting(index, key)
  index.postingOf.set(key, posting)
  return posting
}

function newPosting(index: EventIndex, key: number): number {
  const posting = index.postings.push(undefined) - 1
  index.postingKeys[posting] = key
  return posting
}

function writeLinks(index: EventIndex, slot: number, event: IndexedEvent): void {
  const postings = gatherPostings(index, event)
  if (index.linksUsed + postings.length > index.links.length) compactLinks(index, postings.length)
  index.links.set(postings, index.linksUsed)
  index.linkStarts[slot] = index.linksUsed
  index.linkCounts[slot] = postings.length
  index.venues[slot] = venueOf(index, event)
  index.series[slot] = event.series
  index.linksUsed += postings.length
}

function venueOf(index: EventIndex, { venues }: IndexedEvent): number {
  const [only] = venues
  if (only === undefined) return NO_VENUE
  return venues.length > 1 ? SEVERAL_VENUES : postingFor(index, keyOf('venue', only))
}

/** Drops the links of unused slots, and makes space for `more` new ones. */
function compactLinks(index: EventIndex, more: number): void {
  let live = 0
  for (let slot = 0; slot < index.slotCount; slot++)
    if (isLive(index, slot)) live += index.linkCounts[slot] as number
  const next = new Int32Array(Math.max(256, Math.ceil((live + more) * 1.5)))
  let used = 0
  for (let slot = 0; slot < index.slotCount; slot++) {
    if (!isLive(index, slot)) continue
    const start = index.linkStarts[slot] as number
    next.set(index.links.subarray(start, start + (index.linkCounts[slot] as number)), used)
    index.linkStarts[slot] = used
    used += index.linkCounts[slot] as number
  }
  index.links = next
  index.linksUsed = used
}

function isLive(index: EventIndex, slot: number): boolean {
  return index.slotOf[index.ids[slot] as number] === slot + 1
}

function widenColumns(index: EventIndex): void {
  const wanted = index.ids.length + 1
  index.ids = widened(index.ids, wanted)
  index.starts = widened(index.starts, wanted)
  index.ends = widened(index.ends, wanted)
  index.dates = widened(index.dates, wanted)
  index.linkStarts = widened(index.linkStarts, wanted)
  index.linkCounts = widened(index.linkCounts, wanted)
  index.venues = widened(index.venues, wanted)
  index.series = widened(index.series, wanted)
}

function widened<Column extends Int32Array | Float64Array | Uint16Array>(
  column: Column,
  least: number,
): Column {
  const wider = new (column.constructor as new (length: number) => Column)(
    Math.max(least, Math.ceil(column.length * 1.5)),
  )
  wider.set(column)
  return wider
}
