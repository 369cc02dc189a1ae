import { boxAround, type Circle, distanceKm } from '../storage/geo.ts'

/** Where venues are: in cells of three grids, each within one of the next coarser grid, so that what is near a point is found without looking at all. */
export interface Places {
  /** By venue. */
  all: Map<number, Place>
  /** Of all grids, by number. */
  cells: Map<number, Cell>
  /** Those of the coarsest grid. */
  coarsest: Set<Cell>
}

/** Degrees. */
interface Point {
  lat: number
  lng: number
}

interface Place extends Point {
  venue: number
}

export interface Cell {
  number: number
  /** Its centre, and how far from there the farthest of its corners may be, in km. */
  centre: Point
  reach: number
  /** Cells of the next finer grid that have venues; none of the finest. */
  cells: Set<Cell>
  /** Venues, in cells of the finest grid. */
  places: Place[]
}

/** Cells of a degree by grid: less than thirty kilometres, four, and half a one. Of a circle around a town few are left at the edge. */
const GRIDS = [4, 32, 256] as const
const [COARSEST] = GRIDS
/** More cells than there are in a row around the earth, and in a grid, so that no two have the same number. */
const ROW = 100_000
const GRID = 1e10

export function noPlaces(): Places {
  return { all: new Map(), cells: new Map(), coarsest: new Set() }
}

/** Notes where a venue is; undefined when it has no coordinates or is not public. */
export function putPlace(places: Places, venue: number, point: Point | undefined): void {
  const before = places.all.get(venue)
  if (before) leaveCells(places, before)
  places.all.delete(venue)
  if (!point) return
  const place = { venue, ...point }
  places.all.set(venue, place)
  enterCells(places, place)
}

/** What lies within a circle, in no order: cells that do so as a whole and have none in common, and the venues that do of all others. */
export function placesWithin(places: Places, circle: Circle): { cells: number[]; venues: number[] } {
  const cells: number[] = []
  const venues: number[] = []
  const look = (cell: Cell): void => {
    const distance = distanceTo(circle, cell.centre)
    // By the triangle inequality, for every point of the cell.
    if (distance - cell.reach > circle.radius) return
    if (distance + cell.reach <= circle.radius) {
      cells.push(cell.number)
      return
    }
    cell.cells.forEach(look)
    for (const place of cell.places) if (distanceTo(circle, place) <= circle.radius) venues.push(place.venue)
  }
  const near = numbersAround(circle, places.coarsest.size)
  if (!near) places.coarsest.forEach(look)
  for (const number of near ?? []) {
    const cell = places.cells.get(number)
    if (cell) look(cell)
  }
  return { cells, venues }
}

/** The numbers of the cells that a point is in, the coarsest first: whole numbers from 0 on. */
export function cellsOf({ lat, lng }: Point): number[] {
  return GRIDS.map((perDegree) => numberOf(lineOf(lat, perDegree), lineOf(lng, perDegree), perDegree))
}

const distanceTo = (from: Point, to: Point) => distanceKm(from.lat, from.lng, to.lat, to.lng)

/** The numbers of the coarsest cells that a circle may reach into; undefined for more than `most`, and where a box tells nothing. */
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

function enterCells({ cells, coarsest }: Places, place: Place): void {
  let siblings = coarsest
  for (const [i, number] of cellsOf(place).entries()) {
    const cell = cells.get(number) ?? emptyCell(place, number, GRIDS[i] as number)
    cells.set(number, cell)
    siblings.add(cell)
    siblings = cell.cells
    if (i === GRIDS.length - 1) cell.places.push(place)
  }
}

function emptyCell(place: Point, number: number, perDegree: number): Cell {
  const middleOf = (degrees: number) => (lineOf(degrees, perDegree) + 0.5) / perDegree
  const centre = { lat: middleOf(place.lat), lng: middleOf(place.lng) }
  const half = 0.5 / perDegree
  // From the centre to the edge nearer to the equator, which is the longer one, and along it: no way to a corner is longer.
  const edge = Math.max(0, Math.abs(centre.lat) - half)
  const reach = distanceKm(0, 0, half, 0) + distanceKm(edge, 0, edge, half)
  return { number, centre, reach, cells: new Set(), places: [] }
}

/** Takes a venue out of its cells, and out of the grids those that nothing is left in, from the finest on. */
function leaveCells({ cells, coarsest }: Places, place: Place): void {
  const path = cellsOf(place).map((number) => cells.get(number) as Cell)
  for (const [i, cell] of [...path.entries()].reverse()) {
    cell.places = cell.places.filter((other) => other !== place)
    if (cell.places.length > 0 || cell.cells.size > 0) return
    cells.delete(cell.number)
    const siblings = i === 0 ? coarsest : (path[i - 1] as Cell).cells
    siblings.delete(cell)
  }
}
