import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'
import type { Tables } from './schema.ts'

const EARTH_RADIUS = 6371.0088
const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS) / 180
const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Great-circle distance in km between two points given in degrees (haversine). */
export function distanceKm(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const a =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lng2 - lng1) / 2) ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(a)))
}

/** A circle on the earth: centre in degrees, radius in km. */
export interface Circle {
  lat: number
  lng: number
  radius: number
}

/** The condition that a venue's coordinates lie in the circle: a box that the index serves, then the exact distance. */
export function withinCircle(db: Db, venues: ExpressionBuilder<Tables, 'venues'>, circle: Circle) {
  const latitudes = circle.radius / KM_PER_DEGREE
  const reach = Math.cos(radians(Math.min(90, Math.abs(circle.lat) + latitudes)))
  const longitudes = reach <= 0 ? 360 : latitudes / reach
  const conditions = [
    venues('venues.geo_lat', '>=', circle.lat - latitudes),
    venues('venues.geo_lat', '<=', circle.lat + latitudes),
    sql<SqlBool>`${distanceTo(db, circle)} <= ${circle.radius}`,
  ]
  // A box that crosses the date line or a pole is left to the exact distance.
  if (longitudes < 180 && Math.abs(circle.lng) + longitudes <= 180) {
    conditions.push(
      venues('venues.geo_lng', '>=', circle.lng - longitudes),
      venues('venues.geo_lng', '<=', circle.lng + longitudes),
    )
  }
  return venues.and(conditions)
}

function distanceTo(db: Db, { lat, lng }: Circle): RawBuilder<number> {
  const there = { lat: sql.ref('venues.geo_lat'), lng: sql.ref('venues.geo_lng') }
  if (!isPostgres(db)) return sql<number>`distance_km(${lat}, ${lng}, ${there.lat}, ${there.lng})`
  const a = sql`power(sin(radians(${there.lat} - ${lat}::float8) / 2), 2) + cos(radians(${lat}::float8)) * cos(radians(${there.lat})) * power(sin(radians(${there.lng} - ${lng}::float8) / 2), 2)`
  return sql<number>`2 * ${sql.lit(EARTH_RADIUS)} * asin(least(1, sqrt(${a})))`
}
