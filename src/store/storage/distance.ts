/** Mean radius of the earth in km. */
export const EARTH_RADIUS = 6371.0088
export const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The great-circle distance in km of two points, given in degrees, by the haversine formula. */
export function distanceKm(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const a =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lng2 - lng1) / 2) ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(a)))
}

/** A point on the earth as a vector of length 1 from its centre. */
export interface Direction {
  x: number
  y: number
  z: number
}

/** `lat` and `lng` are in degrees. */
export function directionOf(lat: number, lng: number): Direction {
  const [north, east] = [radians(lat), radians(lng)]
  return { x: Math.cos(north) * Math.cos(east), y: Math.cos(north) * Math.sin(east), z: Math.sin(north) }
}

/** The distance in km: that of `distanceKm` apart from rounding, in a fraction of its time. */
export function distanceBetween(a: Direction, b: Direction): number {
  const [x, y, z] = [a.x - b.x, a.y - b.y, a.z - b.z]
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(x * x + y * y + z * z) / 2))
}
