import { type Direction, directionOf, distanceBetween, distanceKm } from '../storage/distance.ts'
import { boxAround, type Circle } from '../storage/geo.ts'

/** Where venues are: in cells of three grids, each within one of the next coarser grid, so that venues near a point are found without looking at all. */
export interface Places {
  /** By venue. */
  all: Map<number, Place>
  /** Of all grids, by number. */
  cells: Map<number, Cell>
  /** Those of the coarsest grid. */
  coarsest: Cell[]
}

/** Degrees. */
interface Point {
  lat: number
  lng: number
}

interface Place extends Point {
  venue: number
  /** The cells it is in, the coarsest first. */
  path: readonly Cell[]
}

export interface Cell {
  number: number
  /** The list of the events that take place in it, for the index to note. */
  posting: number | undefined
  /** Its centre, and how far from there the farthest of its corners may be, in km. */
  centre: Direction
  reach: number
  /** Cells of the next finer grid that have venues; none of the finest. */
  cells: Cell[]
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
  return { all: new Map(), cells: new Map(), coarsest: [] }
}

/** Notes where a venue is; undefined when it has no coordinates or is not public. */
export function putPlace(places: Places, venue: number, point: Point | undefined): void {
  const before = places.all.get(venue)
  if (before && before.lat === point?.lat && before.lng === point.lng) return
  if (before) leaveCells(places, before)
  places.all.delete(venue)
  if (!point) return
  places.all.set(venue, enterCells(places, venue, point))
}

/** What lies within a circle, in no order: cells that do so as a whole and have none in common, and the venues that do of all others. */
export function placesWithin(places: Places, circle: Circle): { cells: Cell[]; venues: number[] } {
  const { lat, lng, radius } = circle
  const centre = directionOf(lat, lng)
  const cells: Cell[] = []
  const venues: number[] = []
  const look = (cell: Cell): void => {
    const distance = distanceBetween(centre, cell.centre)
    // By the triangle inequality, for every point of the cell.
    if (distance - cell.reach > radius) return
    if (distance + cell.reach <= radius) {
      cells.push(cell)
      return
    }
    for (const finer of cell.cells) look(finer)
    for (const place of cell.places) if (distanceKm(lat, lng, place.lat, place.lng) <= radius) venues.push(place.venue)
  }
  const near = numbersAround(circle, places.coarsest.length)
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
  // From the centre to the edge nearer to the equator, which is the longer one, and along it: no way to a corner is longer.
  const edge = Math.max(0, Math.abs(lat) - half)
  const reach = distanceKm(0, 0, half, 0) + distanceKm(edge, 0, edge, half)
  return { number, posting: undefined, centre: directionOf(lat, lng), reach, cells: [], places: [] }
}

/** Takes a venue out of its cells, and out of the grids those that nothing is left in, from the finest on. */
function leaveCells({ cells, coarsest }: Places, place: Place): void {
  for (const [i, cell] of [...place.path.entries()].reverse()) {
    cell.places = cell.places.filter((other) => other !== place)
    if (cell.places.length > 0 || cell.cells.length > 0) return
    cells.delete(cell.number)
    const siblings = place.path[i - 1]?.cells ?? coarsest
    siblings.splice(siblings.indexOf(cell), 1)
  }
}
