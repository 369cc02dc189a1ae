import { boxAround, type Circle, distanceKm } from '../storage/geo.ts'

/** Where venues are, in cells of a grid, so that those near a point are found without looking at every one. */
export interface Places {
  /** By venue. */
  all: Map<number, Place>
  cells: Map<number, Place[]>
}

/** Degrees. */
interface Point {
  lat: number
  lng: number
}

interface Place extends Point {
  venue: number
}

const CELLS_PER_DEGREE = 4
/** More than there are in a row around the earth, so that no two cells have the same number. */
const ROW = 10_000

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
  const cell = cellOf(place)
  const neighbours = places.cells.get(cell)
  if (neighbours) neighbours.push(place)
  else places.cells.set(cell, [place])
}

/** The venues within a circle, in no order. */
export function venuesWithin(places: Places, circle: Circle): number[] {
  const venues: number[] = []
  const look = ({ venue, lat, lng }: Place) => {
    if (distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius) venues.push(venue)
  }
  const cells = cellsOf(circle, places.cells.size)
  if (cells) for (const cell of cells) places.cells.get(cell)?.forEach(look)
  else places.all.forEach(look)
  return venues
}

/** The cells that a circle reaches into; undefined for more than `most`, and where a box tells nothing. */
function cellsOf(circle: Circle, most: number): number[] | undefined {
  const { latitudes, longitudes } = boxAround(circle)
  if (longitudes === undefined) return undefined
  const [top, bottom] = [lineOf(circle.lat - latitudes), lineOf(circle.lat + latitudes)]
  const [left, right] = [lineOf(circle.lng - longitudes), lineOf(circle.lng + longitudes)]
  if ((bottom - top + 1) * (right - left + 1) > most) return undefined
  const cells: number[] = []
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) cells.push(row * ROW + column)
  return cells
}

const lineOf = (degrees: number) => Math.floor(degrees * CELLS_PER_DEGREE)
const cellOf = ({ lat, lng }: Point) => lineOf(lat) * ROW + lineOf(lng)

function leaveCell({ cells }: Places, place: Place): void {
  const cell = cellOf(place)
  const left = cells.get(cell)?.filter((other) => other !== place) ?? []
  if (left.length > 0) cells.set(cell, left)
  else cells.delete(cell)
}
