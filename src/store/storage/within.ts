import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Box } from '../../base/fields/kinds.ts'
import { type Db, isPostgres } from './database.ts'
import { EARTH_RADIUS, radians } from './distance.ts'
import type { Tables } from './schema.ts'

const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS) / 180

/** `lat` and `lng` are in degrees, `radius` in km. */
export interface Circle {
  lat: number
  lng: number
  radius: number
}

const ROUNDING = 1e-9

/**
 * Returns, in degrees, half the height and half the width of a box around the circle. The width is undefined
 * if the circle crosses the date line or contains a pole.
 */
export function boxAround(circle: Circle): { latitudes: number; longitudes: number | undefined } {
  const latitudes = circle.radius / KM_PER_DEGREE + ROUNDING
  const farthest = Math.abs(circle.lat) + latitudes
  const longitudes = farthest >= 90 ? 360 : latitudes / Math.cos(radians(farthest))
  const isBox = longitudes < 180 && Math.abs(circle.lng) + longitudes <= 180
  return { latitudes, longitudes: isBox ? longitudes : undefined }
}

/** Finds venues in a box around the circle by index, then compares their exact distances. */
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

/** The box may cross the date line (`west` greater than `east`). */
export function withinBox({ west, south, east, north }: Box): Expression<SqlBool> {
  const venues = expressionBuilder<Tables, 'venues'>()
  const isEast = venues('venues.geo_lng', '>=', west)
  const isWest = venues('venues.geo_lng', '<=', east)
  return venues.and([
    venues('venues.geo_lat', '>=', south),
    venues('venues.geo_lat', '<=', north),
    west <= east ? isEast.and(isWest) : isEast.or(isWest),
  ])
}

function distanceTo(db: Db, { lat, lng }: Circle): RawBuilder<number> {
  const there = { lat: sql.ref('venues.geo_lat'), lng: sql.ref('venues.geo_lng') }
  if (!isPostgres(db)) return sql<number>`distance_km(${lat}, ${lng}, ${there.lat}, ${there.lng})`
  const a = sql`power(sin(radians(${there.lat} - ${lat}::float8) / 2), 2)
    + cos(radians(${lat}::float8)) * cos(radians(${there.lat}))
    * power(sin(radians(${there.lng} - ${lng}::float8) / 2), 2)`
  return sql<number>`2 * ${sql.lit(EARTH_RADIUS)} * asin(least(1, sqrt(${a})))`
}
