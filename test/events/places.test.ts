import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type Cell, cellsOf, noPlaces, placesWithin, putPlace } from '../../src/store/memory/places.ts'
import { distanceKm } from '../../src/store/storage/distance.ts'
import { fc, rounds } from '../support/rounds.ts'

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true })
const point = fc.record({ lat: degrees(90), lng: degrees(180) })
const near = fc.oneof(
  fc.record({
    lat: fc.double({ min: 47, max: 48, noNaN: true }),
    lng: fc.double({ min: 8, max: 9, noNaN: true }),
  }),
  fc.record({ lat: degrees(1), lng: fc.constantFrom(-180, -179.9, 179.9, 180) }),
  fc.record({ lat: fc.constantFrom(-90, -89.9, 89.9, 90), lng: degrees(180) }),
  point,
)
const radius = fc.constantFrom(0, 0.5, 5, 30, 300, 3000, 20_100)

test('cells and venues within a circle are those whose distance says so, wherever, after any move', () => {
  const moves = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.option(near, { nil: undefined })), {
    maxLength: 80,
  })
  fc.assert(
    fc.property(moves, near, radius, (places, centre, radius) => {
      const grid = noPlaces()
      const model = new Map<number, { lat: number; lng: number }>()
      for (const [venue, place] of places) {
        putPlace(grid, venue, place)
        if (place) model.set(venue, place)
        else model.delete(venue)
      }
      const within = [...model].filter(
        ([, { lat, lng }]) => distanceKm(centre.lat, centre.lng, lat, lng) <= radius,
      )
      const { cells, venues } = placesWithin(grid, { ...centre, radius })
      const venuesIn = (cell: Cell): number[] => [
        ...cell.cells.flatMap(venuesIn),
        ...cell.places.map(({ venue }) => venue),
      ]
      const whole = cells.flatMap(venuesIn)
      deepEqual(
        [...whole, ...venues].sort((a, b) => a - b),
        within.map(([venue]) => venue).sort((a, b) => a - b),
      )
    }),
    { numRuns: rounds(60) },
  )
})

test('no two cells have one number: each row follows the one before, each grid the coarser one', () => {
  const numbersAt = (lat: number, lng: number) => cellsOf({ lat, lng })
  const step = 1 / 256
  for (const grid of numbersAt(0, 0).keys()) {
    for (let lat = -90 + step; lat <= 90; lat += 1) {
      const [last, first] = [numbersAt(lat - step, 180)[grid] ?? 0, numbersAt(lat, -180)[grid] ?? 0]
      ok(first > last || numbersAt(lat, 180)[grid] === last, `${lat}`)
    }
    const next = numbersAt(-90, -180)[grid + 1]
    if (next !== undefined) ok(next > (numbersAt(90, 180)[grid] ?? 0))
  }
})
