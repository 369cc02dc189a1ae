import { boxAround, type Circle, distanceKm } from '../storage/geo.ts'

/** Where venues are, in cells of a grid, so that those near a point are found without looking at every one. */
export interface Places {
  /** By venue. */
  all: Map<number, Place>
  cells: Map<number, Cell>
}

/** Degrees. */
interface Point {
  lat: number
  lng: number
}

interface Place extends Point {
  venue: number
}

interface Cell {
  /** Its centre, and how far from there the farthest of its corners may be, in km. */
  centre: Point
  reach: number
  places: Place[]
}

/** Cells of seven kilometres and less: few in a circle around a town, and many enough to tell its parts. */
const CELLS_PER_DEGREE = 16
/** More than there are in a row around the earth, so that no two cells have the same number. */
const ROW = 20_000

export function noPlaces(): Places {
  return { all: new Map(), cells: new Map() }
}

/** Notes where a venue is; undefined when it has no coordinates or is not public. */
export function putPlace(places: Places, venue: number, point: Point | undefined): void {
  const before = places.all.get(venue)
  if (before) leaveCell(places, before)
  places.all.delete(venue)
  if (!point) return
  const place = { venue, ...point }
  places.all.set(venue, place)
  const number = cellOf(place)
  const cell = places.cells.get(number) ?? emptyCell(place)
  cell.places.push(place)
  places.cells.set(number, cell)
}

/** What lies within a circle, in no order: cells that do so as a whole, and the venues that do of all other cells. */
export function placesWithin(places: Places, circle: Circle): { cells: number[]; venues: number[] } {
  const cells: number[] = []
  const venues: number[] = []
  const look = (number: number, cell: Cell) => {
    // By the triangle inequality, for every point of the cell.
    if (distanceTo(circle, cell.centre) + cell.reach <= circle.radius) cells.push(number)
    else for (const place of cell.places) if (distanceTo(circle, place) <= circle.radius) venues.push(place.venue)
  }
  const near = cellsAround(circle, places.cells.size)
  for (const number of near ?? places.cells.keys()) {
    const cell = places.cells.get(number)
    if (cell) look(number, cell)
  }
  return { cells, venues }
}

/** The number of the cell that a point is in: a whole number from 0 on. */
export function cellOf({ lat, lng }: Point): number {
  return cellAt(lineOf(lat), lineOf(lng))
}

const distanceTo = (from: Point, to: Point) => distanceKm(from.lat, from.lng, to.lat, to.lng)

/** The numbers of the cells that a circle may reach into; undefined for more than `most`, and where a box tells nothing. */
function cellsAround(circle: Circle, most: number): number[] | undefined {
  const { latitudes, longitudes } = boxAround(circle)
  if (longitudes === undefined) return undefined
  const [top, bottom] = [lineOf(circle.lat - latitudes), lineOf(circle.lat + latitudes)]
  const [left, right] = [lineOf(circle.lng - longitudes), lineOf(circle.lng + longitudes)]
  if ((bottom - top + 1) * (right - left + 1) > most) return undefined
  const cells: number[] = []
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) cells.push(cellAt(row, column))
  return cells
}

const lineOf = (degrees: number) => Math.floor(degrees * CELLS_PER_DEGREE)
const cellAt = (row: number, column: number) => (row + 90 * CELLS_PER_DEGREE) * ROW + column + 180 * CELLS_PER_DEGREE

function emptyCell(place: Point): Cell {
  const middleOf = (degrees: number) => (lineOf(degrees) + 0.5) / CELLS_PER_DEGREE
  const centre = { lat: middleOf(place.lat), lng: middleOf(place.lng) }
  const half = 0.5 / CELLS_PER_DEGREE
  // From the centre to the edge nearer to the equator, which is the longer one, and along it: no way to a corner is longer.
  const edge = Math.max(0, Math.abs(centre.lat) - half)
  const reach =
    distanceKm(0, 0, half, 0) + Math.max(distanceKm(edge, 0, edge, half), distanceKm(centre.lat, 0, centre.lat, half))
  return { centre, reach, places: [] }
}

function leaveCell({ cells }: Places, place: Place): void {
  const number = cellOf(place)
  const cell = cells.get(number)
  if (!cell) return
  cell.places = cell.places.filter((other) => other !== place)
  if (cell.places.length === 0) cells.delete(number)
}
