import { boxAround, type Circle, distanceKm } from '../storage/geo.ts'

/** Where venues are: in cells of a grid, and these in areas, so that what is near a point is found without looking at all there is. */
export interface Places {
  /** By venue. */
  all: Map<number, Place>
  cells: Map<number, Cell>
  areas: Map<number, Set<Cell>>
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
  number: number
  /** Its centre, and how far from there the farthest of its corners may be, in km. */
  centre: Point
  reach: number
  places: Place[]
}

/** Cells of less than two kilometres: most of those that a circle around a town touches lie within it. */
const CELLS_PER_DEGREE = 64
const AREAS_PER_DEGREE = 4
/** More than there are of either in a row around the earth, so that no two have the same number. */
const ROW = 50_000

export function noPlaces(): Places {
  return { all: new Map(), cells: new Map(), areas: new Map() }
}

/** Notes where a venue is; undefined when it has no coordinates or is not public. */
export function putPlace(places: Places, venue: number, point: Point | undefined): void {
  const before = places.all.get(venue)
  if (before) leaveCell(places, before)
  places.all.delete(venue)
  if (!point) return
  const place = { venue, ...point }
  places.all.set(venue, place)
  const cell = places.cells.get(cellOf(place)) ?? openCell(places, place)
  cell.places.push(place)
}

/** What lies within a circle, in no order: cells that do so as a whole, and the venues that do of all other cells. */
export function placesWithin(places: Places, circle: Circle): { cells: number[]; venues: number[] } {
  const cells: number[] = []
  const venues: number[] = []
  const look = (cell: Cell) => {
    const distance = distanceTo(circle, cell.centre)
    // By the triangle inequality, for every point of the cell.
    if (distance + cell.reach <= circle.radius) cells.push(cell.number)
    else if (distance - cell.reach <= circle.radius)
      for (const place of cell.places) if (distanceTo(circle, place) <= circle.radius) venues.push(place.venue)
  }
  const near = areasAround(circle, places.areas.size) ?? places.areas.keys()
  for (const area of near) places.areas.get(area)?.forEach(look)
  return { cells, venues }
}

/** The number of the cell that a point is in: a whole number from 0 on. */
export function cellOf({ lat, lng }: Point): number {
  return numberOf(lineOf(lat, CELLS_PER_DEGREE), lineOf(lng, CELLS_PER_DEGREE), CELLS_PER_DEGREE)
}

const areaOf = ({ lat, lng }: Point) =>
  numberOf(lineOf(lat, AREAS_PER_DEGREE), lineOf(lng, AREAS_PER_DEGREE), AREAS_PER_DEGREE)

const distanceTo = (from: Point, to: Point) => distanceKm(from.lat, from.lng, to.lat, to.lng)

/** The numbers of the areas that a circle may reach into; undefined for more than `most`, and where a box tells nothing. */
function areasAround(circle: Circle, most: number): number[] | undefined {
  const { latitudes, longitudes } = boxAround(circle)
  if (longitudes === undefined) return undefined
  const line = (degrees: number) => lineOf(degrees, AREAS_PER_DEGREE)
  const [top, bottom] = [line(circle.lat - latitudes), line(circle.lat + latitudes)]
  const [left, right] = [line(circle.lng - longitudes), line(circle.lng + longitudes)]
  if ((bottom - top + 1) * (right - left + 1) > most) return undefined
  const areas: number[] = []
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) areas.push(numberOf(row, column, AREAS_PER_DEGREE))
  return areas
}

const lineOf = (degrees: number, perDegree: number) => Math.floor(degrees * perDegree)
const numberOf = (row: number, column: number, perDegree: number) =>
  (row + 90 * perDegree) * ROW + column + 180 * perDegree

function openCell({ cells, areas }: Places, place: Place): Cell {
  const cell = emptyCell(place)
  cells.set(cell.number, cell)
  const area = areaOf(place)
  areas.set(area, (areas.get(area) ?? new Set()).add(cell))
  return cell
}

function emptyCell(place: Point): Cell {
  const middleOf = (degrees: number) => (lineOf(degrees, CELLS_PER_DEGREE) + 0.5) / CELLS_PER_DEGREE
  const centre = { lat: middleOf(place.lat), lng: middleOf(place.lng) }
  const half = 0.5 / CELLS_PER_DEGREE
  // From the centre to the edge nearer to the equator, which is the longer one, and along it: no way to a corner is longer.
  const edge = Math.max(0, Math.abs(centre.lat) - half)
  const reach = distanceKm(0, 0, half, 0) + distanceKm(edge, 0, edge, half)
  return { number: cellOf(place), centre, reach, places: [] }
}

function leaveCell({ cells, areas }: Places, place: Place): void {
  const cell = cells.get(cellOf(place))
  if (!cell) return
  cell.places = cell.places.filter((other) => other !== place)
  if (cell.places.length > 0) return
  cells.delete(cell.number)
  areas.get(areaOf(place))?.delete(cell)
}
