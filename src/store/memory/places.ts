import { type Box, isInBox } from '../../base/fields/kinds.ts'
import { type Direction, directionOf, distanceBetween, distanceKm } from '../storage/distance.ts'
import { boxAround, type Circle } from '../storage/within.ts'

// Finds the venues in a circle or box by the cells of three nested grids, without a look at all venues.

export interface Places {
  all: Map<number, Place>
  cells: Map<number, Cell>
  coarsest: Cell[]
}

/** In degrees. */
interface Point {
  lat: number
  lng: number
}

interface Place extends Point {
  venue: number
  path: readonly Cell[]
}

export interface Cell {
  number: number
  /** The posting number of the events in the cell, set by the index. */
  posting: number | undefined
  /** `reach` is the distance in km from the centre to the farthest corner, or a little more. */
  centre: Direction
  reach: number
  /** Cells of the next finer grid that have venues; none in the finest. */
  cells: Cell[]
  /** Empty except in the finest grid. */
  places: Place[]
}

/**
 * Cells per degree, coarsest first. Cells are up to 30, 4 and 0.5 km wide, so only few venues at the edge of
 * a circle around a town must be tested.
 */
const GRIDS = [4, 32, 256] as const
const [COARSEST] = GRIDS
/**
 * Factors that make cell numbers unique: `ROW` exceeds the cells of a row around the earth, `GRID` those of a
 * grid.
 */
const ROW = 100_000
const GRID = 1e10

export function noPlaces(): Places {
  return { all: new Map(), cells: new Map(), coarsest: [] }
}

/** Places a venue, or removes it if `point` is undefined: a venue without coordinates, or not public. */
export function putPlace(places: Places, venue: number, point: Point | undefined): void {
  const before = places.all.get(venue)
  if (before && before.lat === point?.lat && before.lng === point.lng) return
  if (before) leaveCells(places, before)
  places.all.delete(venue)
  if (!point) return
  places.all.set(venue, enterCells(places, venue, point))
}

/** Disjoint cells that lie within an area, and the other venues in the area, unsorted. */
interface Within {
  cells: Cell[]
  venues: number[]
}

/** Finds the venues in a box, which may cross the date line. */
export function placesInBox(places: Places, box: Box): Within {
  const within: Within = { cells: [], venues: [] }
  const look = (cell: Cell): void => {
    const [south, west, size] = cornerOf(cell)
    const [isEast, isWest] = [west >= box.west, west + size <= box.east]
    const isWithin = box.west <= box.east ? isEast && isWest : isEast || isWest
    if (isWithin && south >= box.south && south + size <= box.north) {
      within.cells.push(cell)
      return
    }
    for (const finer of cell.cells) look(finer)
    for (const { venue, lat, lng } of cell.places) if (isInBox(box, lat, lng)) within.venues.push(venue)
  }
  places.coarsest.forEach(look)
  return within
}

export function placesWithin(places: Places, circle: Circle): Within {
  const { lat, lng, radius } = circle
  const centre = directionOf(lat, lng)
  const cells: Cell[] = []
  const venues: number[] = []
  const look = (cell: Cell): void => {
    const distance = distanceBetween(centre, cell.centre)
    // By the triangle inequality both tests hold for every point of the cell.
    if (distance - cell.reach > radius) return
    if (distance + cell.reach <= radius) {
      cells.push(cell)
      return
    }
    for (const finer of cell.cells) look(finer)
    for (const place of cell.places)
      if (distanceKm(lat, lng, place.lat, place.lng) <= radius) venues.push(place.venue)
  }
  const near = numbersAround(circle, places.coarsest.length)
  if (!near) places.coarsest.forEach(look)
  for (const number of near ?? []) {
    const cell = places.cells.get(number)
    if (cell) look(cell)
  }
  return { cells, venues }
}

export function cellsOf({ lat, lng }: Point): number[] {
  return GRIDS.map((perDegree) => numberOf(lineOf(lat, perDegree), lineOf(lng, perDegree), perDegree))
}

/**
 * Returns the numbers of the coarsest cells that a circle may reach; undefined if there are more than `most`,
 * or if the circle has no bounds of longitude.
 */
function numbersAround(circle: Circle, most: number): number[] | undefined {
  const { latitudes, longitudes } = boxAround(circle)
  if (longitudes === undefined) return undefined
  const line = (degrees: number) => lineOf(degrees, COARSEST)
  const [top, bottom] = [line(circle.lat - latitudes), line(circle.lat + latitudes)]
  const [left, right] = [line(circle.lng - longitudes), line(circle.lng + longitudes)]
  if ((bottom - top + 1) * (right - left + 1) > most) return undefined
  const numbers: number[] = []
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) numbers.push(numberOf(row, column, COARSEST))
  return numbers
}

const lineOf = (degrees: number, perDegree: number) => Math.floor(degrees * perDegree)
const numberOf = (row: number, column: number, perDegree: number) =>
  perDegree * GRID + (row + 90 * perDegree) * ROW + column + 180 * perDegree

function cornerOf({ number }: Cell): [south: number, west: number, size: number] {
  const perDegree = Math.floor(number / GRID)
  const row = Math.floor((number % GRID) / ROW) - 90 * perDegree
  const column = (number % ROW) - 180 * perDegree
  return [row / perDegree, column / perDegree, 1 / perDegree]
}

function enterCells({ cells, coarsest }: Places, venue: number, point: Point): Place {
  const path: Cell[] = []
  const place = { venue, ...point, path }
  let siblings = coarsest
  for (const [i, number] of cellsOf(point).entries()) {
    const known = cells.get(number)
    const cell = known ?? emptyCell(point, number, GRIDS[i] as number)
    if (!known) {
      cells.set(number, cell)
      siblings.push(cell)
    }
    siblings = cell.cells
    path.push(cell)
  }
  path.at(-1)?.places.push(place)
  return place
}

function emptyCell(point: Point, number: number, perDegree: number): Cell {
  const middleOf = (degrees: number) => (lineOf(degrees, perDegree) + 0.5) / perDegree
  const [lat, lng] = [middleOf(point.lat), middleOf(point.lng)]
  const half = 0.5 / perDegree
  // The distance from the centre to the edge nearer the equator, which is the longer one, plus half this
  // edge: no corner is farther away.
  const edge = Math.max(0, Math.abs(lat) - half)
  const reach = distanceKm(0, 0, half, 0) + distanceKm(edge, 0, edge, half)
  return { number, posting: undefined, centre: directionOf(lat, lng), reach, cells: [], places: [] }
}

function leaveCells({ cells, coarsest }: Places, place: Place): void {
  for (const [i, cell] of [...place.path.entries()].reverse()) {
    cell.places = cell.places.filter((other) => other !== place)
    if (cell.places.length > 0 || cell.cells.length > 0) return
    cells.delete(cell.number)
    const siblings = place.path[i - 1]?.cells ?? coarsest
    siblings.splice(siblings.indexOf(cell), 1)
  }
}
