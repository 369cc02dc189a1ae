import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  dropEvent,
  type EventIndex,
  emptyIndex,
  type IndexedEvent,
  isMostlySpare,
  listNoted,
  noteEvent,
  putEvent,
} from '../../src/store/memory/event-index.ts'
import { listIndexed } from '../../src/store/memory/event-index-list.ts'
import { putPlace } from '../../src/store/memory/places.ts'
import { distanceKm } from '../../src/store/storage/distance.ts'
import { addId, hasId, makeIdSet } from '../../src/store/storage/id-set.ts'
import { fc, rounds } from '../support/rounds.ts'

const day = (number: number) => `2027-01-01 00:00:${String(number).padStart(2, '0')}`

const events: IndexedEvent[] = Array.from({ length: 600 }, (_, i) => ({
  id: 1 + ((i * 379) % 1000),
  start_date: day((i * 7) % 60),
  end_date: day((i * 7) % 60),
  date: day((i * 13) % 50),
  featured: i % 3 === 0,
  terms: i % 5 === 0 ? [1] : [2],
  ancestors: [],
  venues: [],
  organizers: [],
  series: 0,
  access: [],
  free: i % 4 === 0,
  attendance: i % 4,
}))

const anything = {
  terms: [],
  venues: undefined,
  organizers: undefined,
  series: undefined,
  access: [],
  featured: undefined,
  geoloc: undefined,
  circle: undefined,
  among: undefined,
}

type Query = Parameters<typeof listIndexed>[1]

function expectList(
  index: EventIndex,
  query: Query,
  expected: readonly IndexedEvent[],
  offset: number,
  most = 20,
) {
  deepEqual(listIndexed(index, query, offset, most), {
    ids: expected.slice(offset, offset + most).map(({ id }) => id),
    total: expected.length,
  })
}

const open = { startsBefore: undefined, startsAfter: undefined, endsBefore: undefined, endsAfter: undefined }

test('events among given ones are listed in order, as many as there are, few or many', () => {
  const index = emptyIndex()
  for (const event of events) putEvent(index, event)
  const asked = fc.record({
    ids: fc.oneof(
      fc.array(fc.integer({ min: 1, max: 1100 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 1100 }), { minLength: 100, maxLength: 900 }),
    ),
    from: fc.integer({ min: 0, max: 30 }),
    to: fc.integer({ min: 25, max: 59 }),
    endsAfter: fc.option(fc.integer({ min: 0, max: 59 }), { nil: undefined }),
    terms: fc.constantFrom<number[][]>([], [[1]], [[1, 2]], [[1], [2]]),
    featured: fc.constantFrom(undefined, true, false),
    offset: fc.integer({ min: 0, max: 30 }),
  })
  fc.assert(
    fc.property(asked, ({ ids, from, to, endsAfter, terms, featured, offset }) => {
      const among = makeIdSet(1100)
      for (const id of ids) addId(among, id)
      const window = { ...open, from: day(from), to: day(to) }
      const expected = events
        .filter(
          (event) => hasId(among, event.id) && event.start_date >= day(from) && event.start_date <= day(to),
        )
        .filter((event) => endsAfter === undefined || event.end_date > day(endsAfter))
        .filter((event) => terms.every((group) => group.some((term) => event.terms.includes(term))))
        .filter((event) => featured === undefined || event.featured === featured)
        .sort(compareEvents)
      const bounded = endsAfter === undefined ? window : { ...window, endsAfter: day(endsAfter) }
      expectList(index, { ...anything, window: bounded, terms, featured, among }, expected, offset)
    }),
    { numRuns: rounds(75) },
  )
})

test('an index that was filled in order lists its events in order after any changes', () => {
  const change = fc.record({
    id: fc.integer({ min: 1, max: 1000 }),
    start: fc.integer({ min: 0, max: 59 }),
    isGone: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), fc.integer({ min: 0, max: 59 }), (changes, from) => {
      const index = emptyIndex()
      const listed = new Map(events.map((event) => [event.id, event]))
      for (const event of [...events].sort(compareEvents)) noteEvent(index, event)
      listNoted(index)
      for (const { id, start, isGone } of changes) {
        const event = { ...(events[id % events.length] as IndexedEvent), id, start_date: day(start) }
        if (isGone) dropEvent(index, id)
        else putEvent(index, event)
        if (isGone) listed.delete(id)
        else listed.set(id, event)
      }
      for (const terms of [[], [[1]], [[2]], [[1, 2]]]) {
        const expected = [...listed.values()]
          .filter((event) => event.start_date >= day(from))
          .filter((event) => terms.every((group) => group.some((term) => event.terms.includes(term))))
          .sort(compareEvents)
        const window = { from: day(from), to: undefined, ...open }
        expectList(index, { ...anything, window, terms }, expected, 0, 1000)
      }
    }),
    { numRuns: rounds(50) },
  )
})

test('events of any of some venues are listed in order and once, by venues or by events', () => {
  const index = emptyIndex()
  const placed = events.map((event, i) => ({
    ...event,
    venues: i % 7 === 0 ? [] : i % 5 === 0 ? [1 + (i % 40), 41 + (i % 3)] : [1 + (i % 40)],
    organizers: i % 2 === 0 ? [100] : [],
  }))
  for (const event of placed) putEvent(index, event)
  const asked = fc.record({
    venues: fc.array(fc.integer({ min: 1, max: 45 }), { minLength: 1, maxLength: 45 }),
    organizers: fc.constantFrom(undefined, [100]),
    from: fc.integer({ min: 0, max: 59 }),
    to: fc.integer({ min: 0, max: 59 }),
    offset: fc.constantFrom(0, 7, 150, 400),
  })
  fc.assert(
    fc.property(asked, ({ venues, organizers, from, to, offset }) => {
      const window = { from: day(from), to: day(to), ...open }
      const expected = placed
        .filter((event) => event.start_date >= day(from) && event.start_date <= day(to))
        .filter((event) => event.venues.some((venue) => venues.includes(venue)))
        .filter((event) => !organizers || event.organizers.length > 0)
        .sort(compareEvents)
      expectList(index, { ...anything, window, venues, organizers }, expected, offset)
    }),
    { numRuns: rounds(75) },
  )
})

test('events within a circle are listed in order and once, whatever part of the grid it covers', () => {
  const index = emptyIndex()
  const spots = Array.from({ length: 60 }, (_, i) => ({ lat: 47 + (i % 8) / 90, lng: 8 + (i % 7) / 70 }))
  for (const [i, spot] of spots.entries()) putPlace(index.places, 1 + i, i % 10 === 9 ? undefined : spot)
  // With this many events, the lists of some cells are shorter than the window.
  const placed = Array.from({ length: 6000 }, (_, i) => ({
    ...(events[i % events.length] as IndexedEvent),
    id: 1 + i,
    venues: i % 11 === 0 ? [] : i % 13 === 0 ? [1 + (i % 60), 1 + ((i * 7) % 60)] : [1 + (i % 60)],
  }))
  for (const event of placed) putEvent(index, event)
  const asked = fc.record({
    circle: fc.record({
      lat: fc.double({ min: 46.95, max: 47.15, noNaN: true }),
      lng: fc.double({ min: 7.95, max: 8.15, noNaN: true }),
      radius: fc.constantFrom(0.5, 2, 5, 9, 40),
    }),
    from: fc.integer({ min: 0, max: 59 }),
    featured: fc.constantFrom(undefined, undefined, true),
    offset: fc.constantFrom(0, 7, 150, 400),
  })
  fc.assert(
    fc.property(asked, ({ circle, from, featured, offset }) => {
      const isNear = (venue: number) => {
        const spot = index.places.all.get(venue)
        return spot !== undefined && distanceKm(circle.lat, circle.lng, spot.lat, spot.lng) <= circle.radius
      }
      const expected = placed
        .filter((event) => event.start_date >= day(from) && event.venues.some(isNear))
        .filter((event) => featured === undefined || event.featured === featured)
        .sort(compareEvents)
      const window = { from: day(from), to: undefined, ...open }
      expectList(index, { ...anything, window, featured, circle }, expected, offset)
    }),
    { numRuns: rounds(75) },
  )
})

const compareEvents = (a: IndexedEvent, b: IndexedEvent) =>
  compare(a.start_date, b.start_date) || compare(a.date, b.date) || a.id - b.id
const compare = (a: string, b: string) => Number(a > b) - Number(a < b)

test('an index is told to be worth making anew once venues have left far more cells than they are in', () => {
  const index = emptyIndex()
  const event = { ...(events[0] as IndexedEvent), venues: [7] }
  const move = (lat: number, lng: number) => {
    putPlace(index.places, 7, { lat, lng })
    putEvent(index, event)
  }
  for (let i = 0; i < 1000; i++) move((i % 120) - 60, (i % 300) - 150)
  equal(isMostlySpare(index), false)
  for (let i = 0; i < 4000; i++) move((i % 119) - 60 + (i % 97) / 100, (i % 301) - 150)
  equal(isMostlySpare(index), true)
})
