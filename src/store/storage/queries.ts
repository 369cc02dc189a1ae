import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type RawBuilder,
  type ReferenceExpression,
  type SqlBool,
  sql,
} from 'kysely'
import type { Box } from '../../base/fields/kinds.ts'
import { type Db, isPostgres } from './database.ts'
import { EARTH_RADIUS, radians } from './distance.ts'
import type { EventRow, Tables } from './schema.ts'
import { likePattern } from './search/word-search.ts'
import { listValue, statement } from './statement.ts'

// Conditions of queries that the databases say differently, or that several stores share.

/** The condition that a folded column contains this folded text, its `%` and `_` meaning themselves. */
export function contains(column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${typeof column === 'string' ? sql.ref(column) : column} like ${likePattern(text)} escape '\\'`
}

/** The condition that one line of a folded column contains all the words (rule 14.3: within one and the same field). */
export function oneLineContains(db: Db, column: string, words: readonly string[]): RawBuilder<SqlBool> {
  const whole = words.map((word) => contains(column, word))
  if (words.length === 1) return sql<SqlBool>`${sql.join(whole, sql` and `)}`
  const sameLine = isPostgres(db)
    ? sql`exists (select 1 from unnest(string_to_array(${sql.ref(column)}, chr(10))) as line where ${sql.join(
        words.map((word) => contains('line', word)),
        sql` and `,
      )})`
    : sql`line_contains_all(${sql.ref(column)}, ${JSON.stringify(words)})`
  return sql<SqlBool>`${sql.join([...whole, sameLine], sql` and `)}`
}

/**
 * A list for `in` and `not in` that is one value of a query: the query has the same text for every length, and a list may have more entries than a
 * statement may have values. An empty list matches nothing.
 */
export function wholeList<Entry extends string | number>(db: Db, entries: readonly Entry[]): RawBuilder<Entry> {
  const isPlain = entries.every((entry) => typeof entry === 'number')
  return listValue(db, isPlain, isPostgres(db) ? entries : JSON.stringify(entries))
}

/**
 * Whether lists, pages, feeds and messages tell everybody of an event: the one meaning of a public event, an occurrence of a series or not. One that
 * is hidden from lists is open to whoever has its address, and told of nowhere.
 */
export function isListed({ status, hide_from_listings }: Pick<EventRow, 'status' | 'hide_from_listings'>): boolean {
  return status === 'publish' && hide_from_listings === 0
}

/** The condition that `isListed` is true, in a form that no index has: with an index SQLite would look through all listed events for the few of one series. */
export function isInLists(record: ExpressionBuilder<Tables, 'events'>) {
  const isShown = record.and([record('status', '=', 'publish'), record('hide_from_listings', '=', 0)])
  return record(record.case().when(isShown).then(1).else(0).end(), '=', 1)
}

/** The rows of terms by their ids, in no order. */
export const selectTerms = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('id', 'in', value('ids')),
)

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

/** The condition that a venue's coordinates lie in a box. */
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
  const a = sql`power(sin(radians(${there.lat} - ${lat}::float8) / 2), 2) + cos(radians(${lat}::float8)) * cos(radians(${there.lat})) * power(sin(radians(${there.lng} - ${lng}::float8) / 2), 2)`
  return sql<number>`2 * ${sql.lit(EARTH_RADIUS)} * asin(least(1, sqrt(${a})))`
}

type Column = ReferenceExpression<Tables, keyof Tables> & string

/**
 * All rows of a query as one text of pairs of whole numbers, `12,7 12,9 13,7`; null for none. Making millions of rows would take longer than
 * finding them, and leave as much garbage.
 */
export function packPairs(db: Db, first: Column, second: Column, order: readonly Column[]): RawBuilder<string | null> {
  const aggregate = sql.raw(isPostgres(db) ? 'string_agg' : 'group_concat')
  const pair = sql`${sql.ref(first)} || ',' || ${sql.ref(second)}`
  return sql`${aggregate}(${pair}, ' ' order by ${sql.join(order.map((column) => sql.ref(column)))})`
}

const COMMA = ','.charCodeAt(0)
const BLANK = ' '.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

/** Visits the pairs of such a text, in order. */
export function eachPair(packed: string, visit: (first: number, second: number) => void): void {
  let first = 0
  let number = 0
  for (let i = 0; i < packed.length; i++) {
    const code = packed.charCodeAt(i)
    if (code === COMMA) {
      first = number
      number = 0
    } else if (code === BLANK) {
      visit(first, number)
      number = 0
    } else number = number * 10 + code - ZERO
  }
  if (packed !== '') visit(first, number)
}
