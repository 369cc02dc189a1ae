import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'
import { EARTH_RADIUS, radians } from './distance.ts'
import type { Tables } from './schema.ts'

const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS) / 180

/** A circle on the earth: centre in degrees, radius in km. */
export interface Circle {
  lat: number
  lng: number
  radius: number
}

/** The margin of a box around a circle in degrees, against rounding. */
const ROUNDING = 1e-9

/**
 * The degrees that a circle reaches to the north and south, and to the east and west: the latter is undefined when it crosses the date line or
 * holds a pole, where longitudes tell nothing.
 */
export function boxAround(circle: Circle): { latitudes: number; longitudes: number | undefined } {
  const latitudes = circle.radius / KM_PER_DEGREE + ROUNDING
  const farthest = Math.abs(circle.lat) + latitudes
  const longitudes = farthest >= 90 ? 360 : latitudes / Math.cos(radians(farthest))
  const isBox = longitudes < 180 && Math.abs(circle.lng) + longitudes <= 180
  return { latitudes, longitudes: isBox ? longitudes : undefined }
}

/** The condition that a venue's coordinates lie in the circle: a box that the index serves, then the exact distance. */
export function withinCircle(db: Db, circle: Circle): Expression<SqlBool> {
  const venues = expressionBuilder<Tables, 'venues'>()
  const { latitudes, longitudes } = boxAround(circle)
  const conditions = [
    venues('venues.geo_lat', '>=', circle.lat - latitudes),
    venues('venues.geo_lat', '<=', circle.lat + latitudes),
    sql<SqlBool>`${distanceTo(db, circle)} <= ${circle.radius}`,
  ]
  if (longitudes !== undefined) {
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
