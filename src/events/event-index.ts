import { type Circle, distanceKm } from '../storage/geo.ts'
import { countIds, hasId, type IdSet, listIds } from '../storage/id-set.ts'
import { utcToMs } from '../text/moments.ts'
import type { EventWindow } from './event-window.ts'
import {
  addSlot,
  appendSlot,
  eachSlot,
  emptySlots,
  lowerBound,
  type Order,
  removeSlot,
  type SortedSlots,
  sliceSlots,
} from './sorted-slots.ts'

/**
 * The listed public events of the calendar in memory: what anonymous lists are answered from. It holds no texts, only what lists are
 * ordered and narrowed by: about 60 bytes an event. The database stays the truth; `event-memory.ts` keeps this in step with it.
 */
export interface EventIndex {
  /** Columns by slot. Times are wall clocks in ms as if they were UTC. */
  ids: Int32Array
  starts: Float64Array
  ends: Float64Array
  dates: Float64Array
  /** Where the postings of a slot begin in `links`, and how many they are. */
  linkStarts: Int32Array
  linkCounts: Uint16Array
  links: Int32Array
  linksUsed: number
  slotCount: number
  freeSlots: number[]
  /** Slot + 1 by event id; 0 for events that are not listed. */
  slotOf: Int32Array
  /** All slots in the order of lists. */
  all: SortedSlots
  /** Slots by what they share; the number of a posting is found by its key. */
  postings: SortedSlots[]
  postingOf: Map<number, number>
  places: Map<number, { lat: number; lng: number }>
}

/** What the index must know of one event. */
export interface IndexedEvent {
  id: number
  start_date: string
  end_date: string
  date: string
  featured: boolean
  /** Terms it is assigned to, with all their ancestors. */
  terms: readonly number[]
  /** Venues it takes place at, as far as everybody may see them. */
  venues: readonly number[]
  organizers: readonly number[]
}

/** What a list is narrowed to: each group is a choice of postings, and an event must be in every group. */
export interface IndexQuery {
  window: EventWindow
  terms: readonly (readonly number[])[]
  venues: readonly number[] | undefined
  organizers: readonly number[] | undefined
  featured: boolean | undefined
  geoloc: boolean | undefined
  circle: Circle | undefined
  /** Ids that an event must be among, such as what a search found. */
  among: IdSet | undefined
}

/** A page of ids in order, and how many events match in all. */
export interface IndexPage {
  ids: number[]
  total: number
}

type PostingKind = 'term' | 'venue' | 'organizer' | 'featured' | 'located'
const KINDS: Record<PostingKind, number> = { term: 0, venue: 1, organizer: 2, featured: 3, located: 4 }
const keyOf = (kind: PostingKind, id: number) => id * 8 + KINDS[kind]

export function emptyIndex(): EventIndex {
  return {
    ids: new Int32Array(64),
    starts: new Float64Array(64),
    ends: new Float64Array(64),
    dates: new Float64Array(64),
    linkStarts: new Int32Array(64),
    linkCounts: new Uint16Array(64),
    links: new Int32Array(256),
    linksUsed: 0,
    slotCount: 0,
    freeSlots: [],
    slotOf: new Int32Array(256),
    all: emptySlots(),
    postings: [],
    postingOf: new Map(),
    places: new Map(),
  }
}

const compareSlots = (index: EventIndex) => (a: number, b: number) =>
  (index.starts[a] as number) - (index.starts[b] as number) ||
  (index.dates[a] as number) - (index.dates[b] as number) ||
  (index.ids[a] as number) - (index.ids[b] as number)

/** Adds an event that comes after all that are there, as when the index is filled in order. */
export function appendEvent(index: EventIndex, event: IndexedEvent): void {
  const slot = takeSlot(index, event)
  appendSlot(index.all, slot)
  const start = index.linkStarts[slot] as number
  const end = start + (index.linkCounts[slot] as number)
  for (let i = start; i < end; i++) appendSlot(listOf(index, index.links[i]), slot)
}

/** Adds an event, or puts it where it now belongs. */
export function putEvent(index: EventIndex, event: IndexedEvent): void {
  dropEvent(index, event.id)
  const slot = takeSlot(index, event)
  const order = compareSlots(index)
  addSlot(index.all, slot, order)
  for (const posting of postingsOf(index, slot)) addSlot(index.postings[posting] as SortedSlots, slot, order)
}

/** Takes an event out, if it is there. */
export function dropEvent(index: EventIndex, id: number): void {
  const slot = (index.slotOf[id] ?? 0) - 1
  if (slot < 0) return
  const order = compareSlots(index)
  removeSlot(index.all, slot, order)
  for (const posting of postingsOf(index, slot)) removeSlot(index.postings[posting] as SortedSlots, slot, order)
  index.slotOf[id] = 0
  index.freeSlots.push(slot)
}

/** Notes where a venue is, for circles; undefined when it has no coordinates or is not public. */
export function putPlace(index: EventIndex, venue: number, place: { lat: number; lng: number } | undefined): void {
  if (place) index.places.set(venue, place)
  else index.places.delete(venue)
}

/** True when the index has met events of this venue or organizer; others may not exist at all. */
export function hasEventsOf(index: EventIndex, kind: 'venue' | 'organizer', id: number): boolean {
  return index.postingOf.has(keyOf(kind, id))
}

/** One page of the list, and the exact total (contract 4.4): from sorted lists, without looking at every event where no two filters meet. */
export function listIndexed(index: EventIndex, query: IndexQuery, offset: number, limit: number): IndexPage {
  const groups = groupsOf(index, query)
  const bounds = boundsOf(query.window)
  const [first] = groups
  if (!bounds.ends && !query.among && (first === undefined || (groups.length === 1 && first.length === 1))) {
    const list = first === undefined ? index.all : listOf(index, first[0])
    const [from, to] = rangeOf(index, list, bounds)
    return {
      ids: idsOf(index, sliceSlots(list, Math.min(from + offset, to), Math.min(from + offset + limit, to))),
      total: to - from,
    }
  }
  return listMatching(index, groups, bounds, query.among, offset, limit)
}

const NOTHING = emptySlots()

function listOf(index: EventIndex, posting: number | undefined): SortedSlots {
  return (posting === undefined ? undefined : index.postings[posting]) ?? NOTHING
}

function idsOf(index: EventIndex, slots: readonly number[]): number[] {
  return slots.map((slot) => index.ids[slot] as number)
}

/** The choices an event must be in one of, each as numbers of postings. */
function groupsOf(index: EventIndex, query: IndexQuery): number[][] {
  const group = (kind: PostingKind, ids: readonly number[]) =>
    ids.flatMap((id) => index.postingOf.get(keyOf(kind, id)) ?? [])
  const groups = query.terms.map((ids) => group('term', ids))
  if (query.venues) groups.push(group('venue', query.venues))
  if (query.organizers) groups.push(group('organizer', query.organizers))
  if (query.featured !== undefined) groups.push(group('featured', [Number(query.featured)]))
  if (query.geoloc !== undefined) groups.push(group('located', [Number(query.geoloc)]))
  if (query.circle) groups.push(group('venue', venuesWithin(index, query.circle)))
  return groups
}

function venuesWithin(index: EventIndex, circle: Circle): number[] {
  // A degree of latitude is never shorter than 110.5 km, which rules most venues out without trigonometry.
  const latitudes = circle.radius / 110.5
  const venues: number[] = []
  for (const [venue, { lat, lng }] of index.places) {
    if (Math.abs(lat - circle.lat) <= latitudes && distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius)
      venues.push(venue)
  }
  return venues
}

interface Bounds {
  /** start >= or > */
  from: number
  /** start < or <= */
  to: number
  /** Whether `from` and `to` themselves are left out. */
  fromOpen: boolean
  toOpen: boolean
  ends: { before: number; after: number } | undefined
}

function boundsOf(window: EventWindow): Bounds {
  const { from, to, startsBefore, startsAfter, endsBefore, endsAfter } = window
  const start = startsAfter ?? from
  const latest = [endsBefore === undefined ? to : undefined, startsBefore]
    .filter((bound) => bound !== undefined)
    .sort()[0]
  const hasEnds = endsBefore !== undefined || endsAfter !== undefined
  return {
    from: start === undefined ? Number.NEGATIVE_INFINITY : utcToMs(start),
    fromOpen: startsAfter !== undefined,
    to: latest === undefined ? Number.POSITIVE_INFINITY : utcToMs(latest),
    toOpen: latest !== undefined && latest === startsBefore,
    ends: hasEnds
      ? {
          before: endsBefore === undefined ? Number.POSITIVE_INFINITY : utcToMs(endsBefore),
          after: endsAfter === undefined ? Number.NEGATIVE_INFINITY : utcToMs(endsAfter),
        }
      : undefined,
  }
}

/** The places in a list that lie within the bounds of the start. */
function rangeOf(index: EventIndex, list: SortedSlots, { from, to, fromOpen, toOpen }: Bounds): [number, number] {
  const { starts } = index
  const first = lowerBound(list, (slot) =>
    fromOpen ? (starts[slot] as number) <= from : (starts[slot] as number) < from,
  )
  const end = lowerBound(list, (slot) => (toOpen ? (starts[slot] as number) < to : (starts[slot] as number) <= to))
  return [first, Math.max(first, end)]
}

/** Walking a list takes so many times less for a slot than finding the slot of an id and putting it in order. */
const WALKS_PER_ID = 64

/** A page of what is in every group: the smallest group is walked, the others are asked. */
function listMatching(
  index: EventIndex,
  groups: number[][],
  bounds: Bounds,
  among: IdSet | undefined,
  offset: number,
  limit: number,
): IndexPage {
  const weigh = (postings: number[]) => {
    const ranges = postings.map((posting) => ({
      list: listOf(index, posting),
      range: rangeOf(index, listOf(index, posting), bounds),
    }))
    return { postings, ranges, weight: ranges.reduce((sum, { range: [from, to] }) => sum + to - from, 0) }
  }
  const [first, end] = rangeOf(index, index.all, bounds)
  const everything = { postings: [], ranges: [{ list: index.all, range: [first, end] }], weight: end - first }
  const weighed = groups.length === 0 ? [everything] : groups.map(weigh).sort((a, b) => a.weight - b.weight)
  const [smallest = everything, ...others] = weighed
  if (among && countIds(among) * WALKS_PER_ID < smallest.weight) {
    const slots = slotsAmong(index, groups, bounds, among)
    return { ids: idsOf(index, slots.slice(offset, offset + limit)), total: slots.length }
  }
  const accepts = acceptance(index, others, bounds, among)
  const [only] = smallest.ranges
  if (only && smallest.ranges.length === 1) {
    const page: number[] = []
    let total = 0
    eachSlot(only.list, only.range[0], only.range[1], (slot) => {
      if (!accepts(slot)) return
      if (total >= offset && page.length < limit) page.push(slot)
      total++
    })
    return { ids: idsOf(index, page), total }
  }
  const lists = smallest.ranges.map(({ list, range: [from, to] }) => {
    const found: number[] = []
    eachSlot(list, from, to, (slot) => {
      if (accepts(slot)) found.push(slot)
    })
    return found
  })
  const slots = mergeAll(lists, compareSlots(index))
  return { ids: idsOf(index, slots.slice(offset, offset + limit)), total: slots.length }
}

/** Whether a slot that is within the bounds of the start is in these groups and within all else. */
function acceptance(
  index: EventIndex,
  groups: readonly { postings: number[] }[],
  { ends }: Bounds,
  among: IdSet | undefined,
): (slot: number) => boolean {
  const { ids } = index
  // A search may leave a million slots to look at one by one.
  if (among && groups.length === 0 && !ends) return (slot) => hasId(among, ids[slot] as number)
  const wanted = groups.map(({ postings }) => new Set(postings))
  return (slot) =>
    (!among || hasId(among, ids[slot] as number)) &&
    (!ends || ((index.ends[slot] as number) < ends.before && (index.ends[slot] as number) > ends.after)) &&
    wanted.every((postings) => hasPosting(index, slot, postings))
}

/** The slots that are in every group and within the bounds, in order, starting from the ids. */
function slotsAmong(index: EventIndex, groups: number[][], bounds: Bounds, among: IdSet): number[] {
  const wanted = groups.map((postings) => new Set(postings))
  const { from, to, fromOpen, toOpen, ends } = bounds
  const isWithin = (start: number, end: number) =>
    (fromOpen ? start > from : start >= from) &&
    (toOpen ? start < to : start <= to) &&
    (!ends || (end < ends.before && end > ends.after))
  return listIds(among)
    .map((id) => (index.slotOf[id] ?? 0) - 1)
    .filter((slot) => slot >= 0 && isWithin(index.starts[slot] as number, index.ends[slot] as number))
    .filter((slot) => wanted.every((postings) => hasPosting(index, slot, postings)))
    .sort(compareSlots(index))
}

/** Ordered lists as one, each slot once: neighbours are merged until one list is left. */
function mergeAll(lists: number[][], order: Order): number[] {
  let left = lists.filter((list) => list.length > 0)
  while (left.length > 1) {
    const merged: number[][] = []
    for (let i = 0; i < left.length; i += 2) merged.push(merge(left[i] ?? [], left[i + 1] ?? [], order))
    left = merged
  }
  return left[0] ?? []
}

function merge(a: number[], b: number[], order: Order): number[] {
  const merged: number[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const difference = order(a[i] as number, b[j] as number)
    if (difference <= 0) merged.push(a[i++] as number)
    else merged.push(b[j] as number)
    if (difference >= 0) j++
  }
  while (i < a.length) merged.push(a[i++] as number)
  while (j < b.length) merged.push(b[j++] as number)
  return merged
}

function hasPosting(index: EventIndex, slot: number, postings: ReadonlySet<number>): boolean {
  const start = index.linkStarts[slot] as number
  const end = start + (index.linkCounts[slot] as number)
  for (let i = start; i < end; i++) if (postings.has(index.links[i] as number)) return true
  return false
}

function postingsOf(index: EventIndex, slot: number): number[] {
  const start = index.linkStarts[slot] as number
  return [...index.links.subarray(start, start + (index.linkCounts[slot] as number))]
}

/** Writes an event into the columns and returns its slot; it is in no list yet. */
function takeSlot(index: EventIndex, event: IndexedEvent): number {
  const slot = index.freeSlots.pop() ?? index.slotCount++
  if (slot >= index.ids.length) widenColumns(index)
  if (event.id >= index.slotOf.length) index.slotOf = widened(index.slotOf, event.id + 1)
  index.ids[slot] = event.id
  index.starts[slot] = utcToMs(event.start_date)
  index.ends[slot] = utcToMs(event.end_date)
  index.dates[slot] = utcToMs(event.date)
  index.slotOf[event.id] = slot + 1
  writeLinks(index, slot, event)
  return slot
}

/** Postings of an event, reused from one to the next since a million events pass through here. */
const scratch: number[] = []

function gatherPostings(index: EventIndex, event: IndexedEvent): number[] {
  scratch.length = 0
  const add = (kind: PostingKind, id: number) => {
    const posting = postingFor(index, keyOf(kind, id))
    if (!scratch.includes(posting)) scratch.push(posting)
  }
  let isLocated = false
  for (const id of event.terms) add('term', id)
  for (const id of event.venues) {
    add('venue', id)
    isLocated ||= index.places.has(id)
  }
  for (const id of event.organizers) add('organizer', id)
  add('featured', Number(event.featured))
  add('located', Number(isLocated))
  return scratch
}

function postingFor(index: EventIndex, key: number): number {
  const known = index.postingOf.get(key)
  if (known !== undefined) return known
  const posting = index.postings.push(emptySlots()) - 1
  index.postingOf.set(key, posting)
  return posting
}

function writeLinks(index: EventIndex, slot: number, event: IndexedEvent): void {
  const postings = gatherPostings(index, event)
  if (index.linksUsed + postings.length > index.links.length) compactLinks(index, postings.length)
  index.links.set(postings, index.linksUsed)
  index.linkStarts[slot] = index.linksUsed
  index.linkCounts[slot] = postings.length
  index.linksUsed += postings.length
}

/** Leaves behind the links of events that have moved on, and makes room for more. */
function compactLinks(index: EventIndex, more: number): void {
  let live = 0
  for (let slot = 0; slot < index.slotCount; slot++) if (isLive(index, slot)) live += index.linkCounts[slot] as number
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
}

function widened<Column extends Int32Array | Float64Array | Uint16Array>(column: Column, least: number): Column {
  const wider = new (column.constructor as new (length: number) => Column)(
    Math.max(least, Math.ceil(column.length * 1.5)),
  )
  wider.set(column)
  return wider
}
