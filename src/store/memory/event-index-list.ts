import type { Box } from '../../base/fields/kinds.ts'
import { utcToMs } from '../../base/text/moments.ts'
import { DAY_MS, HOUR_MS } from '../../base/text/zones.ts'
import { addId, countIds, hasId, type IdSet, listIds, makeIdSet } from '../storage/id-set.ts'
import type { Circle } from '../storage/within.ts'
import {
  compareSlots,
  type EventIndex,
  type PostingKind,
  postingsFor,
  SEVERAL_VENUES,
  slotsOfPosting,
} from './event-index.ts'
import { placesInBox, placesWithin } from './places.ts'
import {
  type Bound,
  boundAt,
  eachRun,
  eachSlot,
  lowerBound,
  type Order,
  type Run,
  type SortedSlots,
  sliceSlots,
} from './sorted-slots.ts'

/** Bounds on starts and ends of events, in local time; an undefined bound is open. */
export interface EventWindow {
  /** The earliest start, inclusive; ignored if `startsAfter` is set. */
  from: string | undefined
  /** The latest start, inclusive; ignored if `endsBefore` is set. */
  to: string | undefined
  startsBefore: string | undefined
  startsAfter: string | undefined
  endsBefore: string | undefined
  endsAfter: string | undefined
}

/** Conditions that an event must all meet. Of a list of ids, the event must have at least one. */
export interface IndexQuery {
  window: EventWindow
  terms: readonly (readonly number[])[]
  venues: readonly number[] | undefined
  organizers: readonly number[] | undefined
  series: readonly number[] | undefined
  featured: boolean | undefined
  /** Indexes into `accessFacts`; an event must have all of these facts. */
  access: readonly number[]
  /** Index numbers of ways to attend (see `numberOfWay`); an event must have one of them. */
  attendance?: readonly number[] | undefined
  free?: boolean | undefined
  /** Hours of the day; an event must begin in one of them. An all-day event begins in none. */
  hours?: readonly number[] | undefined
  geoloc: boolean | undefined
  circle: Circle | undefined
  box?: Box | undefined
  /** True to list only the first occurrence of each series. */
  isCollapsed?: boolean
  /** Ids that events must be among, such as the result of a search. */
  among: IdSet | undefined
  ranking?: Ranking | undefined
}

/**
 * Sorts search results by where the words occur: `titled`, then `named`, then the rest. In each of these
 * groups, coming events precede past ones.
 */
export interface Ranking {
  /** `titled`: events with all words in the title; `named`: with each there or in a linked record's name. */
  titled: IdSet
  named: IdSet
  /** `YYYY-MM-DD`; events that ended before this day are past. */
  today: string
}

export interface IndexPage {
  ids: number[]
  total: number
}

/** Returns the ids of a page, and the exact total (rule 11.7). */
export function listIndexed(index: EventIndex, query: IndexQuery, offset: number, limit: number): IndexPage {
  if (!query.isCollapsed) return listEach(index, query, offset, limit)
  const { ids } = listEach(index, { ...query, ranking: undefined }, 0, index.slotCount)
  const met = new Set<number>()
  const first = ids.filter((id) => {
    const series = index.series[(index.slotOf[id] as number) - 1] as number
    if (series === 0) return true
    return met.has(series) ? false : Boolean(met.add(series))
  })
  const { ranking } = query
  if (!ranking) return { ids: first.slice(offset, offset + limit), total: first.length }
  const slots = first.map((id) => (index.slotOf[id] as number) - 1)
  return unorderedPage(index, slots, offset, limit, compareRanks(index, ranking))
}

function compareRanks(index: EventIndex, { titled, named, today }: Ranking): Order {
  const [order, day, { ids, starts, ends }] = [compareSlots(index), utcToMs(`${today} 00:00:00`), index]
  const rank = (slot: number) => {
    const id = ids[slot] as number
    const place = hasId(titled, id) ? 0 : hasId(named, id) ? 2 : 4
    return place + Number((ends[slot] as number) < day)
  }
  return (a, b) => {
    const [first, second] = [rank(a), rank(b)]
    if (first !== second) return first - second
    const isPast = first % 2 === 1
    return (isPast && (starts[b] as number) - (starts[a] as number)) || order(a, b)
  }
}

/** Lists single events and every occurrence, mostly from sorted posting lists, without testing each event. */
function listEach(index: EventIndex, query: IndexQuery, offset: number, limit: number): IndexPage {
  const choices = indexChoices(index, query)
  const bounds = boundsOf(index, query)
  const isPlain = !bounds.ends && !bounds.hours
  const [first] = choices
  if (isPlain && !query.among && (!first || (choices.length === 1 && first.postings.length === 1))) {
    const { list, from, to } = rangeWithin(
      first ? slotsOfPosting(index, first.postings[0]) : index.all,
      bounds,
    )
    return {
      ids: idsOf(index, sliceSlots(list, Math.min(from + offset, to), Math.min(from + offset + limit, to))),
      total: to - from,
    }
  }
  const isApart = isPlain && !query.among && choices.length === 1 && first?.isApart
  if (isApart && isCountedSooner(index, first, bounds, offset + limit))
    return listApart(index, first, bounds, offset, limit)
  const order = query.ranking && compareRanks(index, query.ranking)
  return listMatching(index, choices, bounds, query.among, offset, limit, order)
}

function idsOf(index: EventIndex, slots: readonly number[]): number[] {
  return slots.map((slot) => index.ids[slot] as number)
}

interface Choice {
  kind: PostingKind
  postings: readonly number[]
  /** True if no event but those with several venues is in two of the postings (see `countRepeated`). */
  isApart: boolean
}

export function indexChoices(index: EventIndex, query: IndexQuery): Choice[] {
  const choices: Choice[] = []
  const choose = (kind: PostingKind, ids: readonly number[] | undefined) => {
    if (ids)
      choices.push({ kind, postings: postingsFor(index, kind, new Set(ids)), isApart: kind === 'venue' })
  }
  for (const ids of query.terms) choose('term', ids)
  choose('venue', query.venues)
  choose('organizer', query.organizers)
  choose('series', query.series)
  for (const fact of query.access) choose('access', [fact])
  choose('attendance', query.attendance)
  choose('free', query.free === undefined ? undefined : [Number(query.free)])
  choose('featured', query.featured === undefined ? undefined : [Number(query.featured)])
  choose('located', query.geoloc === undefined ? undefined : [Number(query.geoloc)])
  for (const { cells, venues } of [
    ...(query.circle ? [placesWithin(index.places, query.circle)] : []),
    ...(query.box ? [placesInBox(index.places, query.box)] : []),
  ]) {
    const postings = postingsFor(index, 'venue', venues)
    // A cell whose venues have no events has no posting list.
    for (const { posting } of cells) if (posting !== undefined) postings.push(posting)
    choices.push({ kind: 'cell', postings, isApart: true })
  }
  return choices
}

export interface SlotBounds {
  from: Bound
  to: Bound
  ends: { before: number; after: number } | undefined
  /** By hour of the day: 1 if an event may begin in it, else 0. */
  hours: Uint8Array | undefined
}

export function hourSet(hours: readonly number[]): Uint8Array {
  const set = new Uint8Array(24)
  for (const hour of hours) set[hour] = 1
  return set
}

/** True if an event begins in one of the `hours`. An all-day event (midnight to 23:59:59) never does. */
function isAtHour(hours: Uint8Array, start: number, end: number): boolean {
  const at = ((start % DAY_MS) + DAY_MS) % DAY_MS
  return (
    hours[Math.floor(at / HOUR_MS)] === 1 && !(at === 0 && (((end + 1000) % DAY_MS) + DAY_MS) % DAY_MS === 0)
  )
}

export function boundsOf(
  { starts, ordered }: EventIndex,
  { window, hours }: Pick<IndexQuery, 'window' | 'hours'>,
): SlotBounds {
  const { from, to, startsBefore, startsAfter, endsBefore, endsAfter } = window
  const start = startsAfter ?? from
  const last = endsBefore === undefined ? to : undefined
  const isBefore = startsBefore !== undefined && (last === undefined || startsBefore <= last)
  const latest = isBefore ? startsBefore : last
  const hasEnds = endsBefore !== undefined || endsAfter !== undefined
  return {
    from: boundAt(
      starts,
      ordered,
      start === undefined ? Number.NEGATIVE_INFINITY : utcToMs(start),
      startsAfter !== undefined,
    ),
    to: boundAt(
      starts,
      ordered,
      latest === undefined ? Number.POSITIVE_INFINITY : utcToMs(latest),
      !isBefore,
    ),
    ends: hasEnds
      ? {
          before: endsBefore === undefined ? Number.POSITIVE_INFINITY : utcToMs(endsBefore),
          after: endsAfter === undefined ? Number.NEGATIVE_INFINITY : utcToMs(endsAfter),
        }
      : undefined,
    hours: hours && hourSet(hours),
  }
}

/** Visiting this many slots takes about as long as finding and sorting the slot of one id. */
const WALKS_PER_ID = 64
/** Visiting this many slots takes about as long as finding the bounds of a window in one posting list. */
const WALKS_PER_POSTING = 128
/** A choice with more postings is weighed by the full sizes of its lists, without their bounds. */
const FEW_POSTINGS = 16

interface Range {
  list: SortedSlots
  from: number
  to: number
}

interface Source {
  choice: Choice | undefined
  weight: number
  ranges: () => Range[]
}

function sourceOf(index: EventIndex, choice: Choice, bounds: SlotBounds): Source {
  const lists = choice.postings.map((posting) => slotsOfPosting(index, posting))
  if (lists.length > FEW_POSTINGS) {
    const weight = lists.reduce((sum, { size }) => sum + size, lists.length * WALKS_PER_POSTING)
    return { choice, weight, ranges: () => lists.map((list) => rangeWithin(list, bounds)) }
  }
  const ranges = lists.map((list) => rangeWithin(list, bounds))
  return { choice, weight: ranges.reduce((sum, { from, to }) => sum + to - from, 0), ranges: () => ranges }
}

export function rangeWithin(list: SortedSlots, bounds: SlotBounds): Range {
  const from = lowerBound(list, bounds.from)
  return { list, from, to: Math.max(from, lowerBound(list, bounds.to)) }
}

export function leastSource(index: EventIndex, choices: readonly Choice[], bounds: SlotBounds): Source {
  const all = rangeWithin(index.all, bounds)
  let least: Source = { choice: undefined, weight: all.to - all.from, ranges: () => [all] }
  for (const choice of choices) {
    const source = sourceOf(index, choice, bounds)
    if (source.weight < least.weight) least = source
  }
  return least
}

/** Visits the slots of the choice with the fewest, and tests each slot against the other choices. */
function listMatching(
  index: EventIndex,
  choices: readonly Choice[],
  bounds: SlotBounds,
  among: IdSet | undefined,
  offset: number,
  limit: number,
  order: Order | undefined,
): IndexPage {
  const least = leastSource(index, choices, bounds)
  if (among && countIds(among) * WALKS_PER_ID < least.weight) {
    return unorderedPage(index, slotsAmong(index, choices, bounds, among), offset, limit, order)
  }
  const others = choices.filter((choice) => choice !== least.choice)
  const accepts = acceptanceOf(index, others, bounds, among)
  const ranges = least.ranges()
  const [only] = ranges
  if (!only || ranges.length > 1 || order)
    return unorderedPage(index, gatherSlots(index, ranges, accepts), offset, limit, order)
  const page: number[] = []
  let total = 0
  eachRun(only.list, only.from, only.to, (slots, from, to) => {
    for (let i = from; i < to; i++) {
      const slot = slots[i] as number
      if (!accepts(slot)) continue
      if (total >= offset && page.length < limit) page.push(slot)
      total++
    }
  })
  return { ids: idsOf(index, page), total }
}

const ASKED_PER_POSTING = 16

/** True if counting the posting lists costs less than testing every event of the window. */
function isCountedSooner(index: EventIndex, { postings }: Choice, bounds: SlotBounds, end: number): boolean {
  const { from, to } = rangeWithin(index.all, bounds)
  return end <= PICKED && postings.length * ASKED_PER_POSTING < to - from
}

function listApart(
  index: EventIndex,
  choice: Choice,
  bounds: SlotBounds,
  offset: number,
  limit: number,
): IndexPage {
  const order = compareSlots(index)
  const end = offset + limit
  const first: number[] = []
  let total = 0
  for (const posting of choice.postings) {
    const { list, from, to } = rangeWithin(slotsOfPosting(index, posting), bounds)
    total += to - from
    eachSlot(list, from, to, (slot) => putFirst(first, slot, end, order))
  }
  return { ids: idsOf(index, first.slice(offset, end)), total: total - countRepeated(index, choice, bounds) }
}

/** Returns how often the posting lists repeat an event: one with several venues is in several lists. */
function countRepeated(index: EventIndex, { postings }: Choice, bounds: SlotBounds): number {
  const several = rangeWithin(slotsOfPosting(index, postingsFor(index, 'several', [1])[0]), bounds)
  if (several.from === several.to) return 0
  const wanted = postingSet(index, postings)
  let repeated = 0
  eachRun(several.list, several.from, several.to, (slots, from, to) => {
    for (let i = from; i < to; i++)
      repeated += Math.max(0, countPostings(index, slots[i] as number, wanted) - 1)
  })
  return repeated
}

/** Returns each accepted slot once, unsorted. */
export function gatherSlots(
  index: EventIndex,
  ranges: readonly Range[],
  accepts: (slot: number) => boolean,
): number[] {
  if (index.met.length < index.slotCount) index.met = new Uint32Array(index.ids.length)
  const { met } = index
  // Stamps start again at 1 before they exceed the 32 bits of the column.
  if (index.gatherings === 0xffff_ffff) met.fill(0)
  index.gatherings = index.gatherings === 0xffff_ffff ? 1 : index.gatherings + 1
  const gathering = index.gatherings
  const slots: number[] = []
  const visit: Run = (run, from, to) => {
    for (let i = from; i < to; i++) {
      const slot = run[i] as number
      if (met[slot] === gathering || !accepts(slot)) continue
      met[slot] = gathering
      slots.push(slot)
    }
  }
  for (const { list, from, to } of ranges) eachRun(list, from, to, visit)
  return slots
}

/** A page that ends at or before this offset may be picked without sorting all slots. */
const PICKED = 200

function unorderedPage(
  index: EventIndex,
  slots: number[],
  offset: number,
  limit: number,
  order: Order = compareSlots(index),
): IndexPage {
  const end = offset + limit
  const first = end <= PICKED && end * 4 < slots.length ? pickFirst(slots, end, order) : slots.sort(order)
  return { ids: idsOf(index, first.slice(offset, end)), total: slots.length }
}

function pickFirst(slots: readonly number[], count: number, order: Order): number[] {
  const first: number[] = []
  for (const slot of slots) putFirst(first, slot, count, order)
  return first
}

function putFirst(first: number[], slot: number, count: number, order: Order): boolean {
  const last = first.at(-1)
  if (last !== undefined && first.length === count && order(last, slot) < 0) return false
  let at = first.length
  while (at > 0 && order(first[at - 1] as number, slot) > 0) at--
  if (first[at - 1] === slot) return true
  first.splice(at, 0, slot)
  if (first.length > count) first.pop()
  return true
}

export type AskedTimes = Partial<Pick<EventWindow, 'startsAfter' | 'startsBefore' | 'endsAfter'>>

type Test = (slot: number) => boolean

/** Returns a test of all conditions except the bounds of the start, which the tested slots meet already. */
export function acceptanceOf(
  index: EventIndex,
  choices: readonly Choice[],
  { ends, hours }: SlotBounds,
  among: IdSet | undefined,
): Test {
  const { ids } = index
  const tests: Test[] = []
  if (among) tests.push((slot) => hasId(among, ids[slot] as number))
  if (ends) {
    const { before, after } = ends
    tests.push((slot) => (index.ends[slot] as number) < before && (index.ends[slot] as number) > after)
  }
  if (hours) tests.push((slot) => isAtHour(hours, index.starts[slot] as number, index.ends[slot] as number))
  for (const choice of choices) tests.push(choiceTest(index, choice))
  // A single test is returned as it is, since a search or a circle may leave a million slots to test.
  const [first, ...more] = tests
  if (!first) return () => true
  if (more.length === 0) return first
  return (slot) => first(slot) && more.every((test) => test(slot))
}

function choiceTest(index: EventIndex, { kind, postings }: Choice): Test {
  const wanted = postingSet(index, postings)
  const { venues } = index
  if (kind !== 'venue') return (slot) => hasPosting(index, slot, wanted)
  return (slot) => {
    const venue = venues[slot] as number
    return venue >= 0 ? hasId(wanted, venue) : venue === SEVERAL_VENUES && hasPosting(index, slot, wanted)
  }
}

function slotsAmong(
  index: EventIndex,
  choices: readonly Choice[],
  bounds: SlotBounds,
  among: IdSet,
): number[] {
  const tests = choices.map((choice) => choiceTest(index, choice))
  const { from, to, ends, hours } = bounds
  const isWithin = (start: number, end: number) =>
    (from.isOpen ? start > from.key : start >= from.key) &&
    (to.isOpen ? start <= to.key : start < to.key) &&
    (!ends || (end < ends.before && end > ends.after)) &&
    (!hours || isAtHour(hours, start, end))
  return listIds(among)
    .map((id) => (index.slotOf[id] ?? 0) - 1)
    .filter((slot) => slot >= 0 && isWithin(index.starts[slot] as number, index.ends[slot] as number))
    .filter((slot) => tests.every((test) => test(slot)))
}

function postingSet(index: EventIndex, postings: readonly number[]): IdSet {
  const set = makeIdSet(index.postings.length)
  for (const posting of postings) addId(set, posting)
  return set
}

function countPostings(index: EventIndex, slot: number, wanted: IdSet): number {
  const start = index.linkStarts[slot] as number
  const end = start + (index.linkCounts[slot] as number)
  let count = 0
  for (let i = start; i < end; i++) count += Number(hasId(wanted, index.links[i] as number))
  return count
}

function hasPosting(index: EventIndex, slot: number, wanted: IdSet): boolean {
  const start = index.linkStarts[slot] as number
  const end = start + (index.linkCounts[slot] as number)
  for (let i = start; i < end; i++) if (hasId(wanted, index.links[i] as number)) return true
  return false
}
