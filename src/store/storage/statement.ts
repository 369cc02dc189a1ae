import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DeleteResult,
  type Expression,
  expressionBuilder,
  type InsertResult,
  type RawBuilder,
  type ReferenceExpression,
  type SqlBool,
  sql,
  type UpdateResult,
} from 'kysely'
import type { Box } from '../../base/fields/kinds.ts'
import { type Db, isPostgres } from './database.ts'
import { EARTH_RADIUS, radians } from './distance.ts'
import type { Tables } from './schema.ts'
import { likePattern } from './search/substring-search.ts'

// Statements compiled once and run with other values; SQL that databases write differently or stores share.

type Scalar = string | number | bigint | null

/** Undefined columns are left out. */
type Columns = object

/** A scalar, a list for `in`, a row or rows to write. */
type Value = Scalar | readonly Scalar[] | Columns | readonly Columns[]

type Place<T> = [T] extends [Scalar]
  ? RawBuilder<T>
  : T extends readonly (infer Entry)[]
    ? Place<Entry>[]
    : { [Name in keyof T]: RawBuilder<Exclude<T[Name], undefined>> }

export type ValuePlaces<Values> = <Name extends keyof Values>(name: Name) => Place<Values[Name]>

type Statement<Values, Row> = (db: Db, values: Values) => Promise<Row[]>

interface Query<Row> {
  compile: (db: Db) => CompiledQuery<Row>
}

type RowOf<Result> = Result extends InsertResult | UpdateResult | DeleteResult ? never : Result

/** The value `name`, entry `at` of that list, `column` of that row, or the `whole` list. */
interface Slot {
  name: string
  at: number | undefined
  column: string | undefined
  whole?: 'json' | 'array'
}

interface Compiled {
  query: CompiledQuery
  /** Undefined for a value of the query itself. */
  slots: (Slot | undefined)[]
  runs: number
  /** A server may prepare the query under it (`nameOf`). */
  name: string | undefined
}

/** A longer list is one value, which is slower for short ones. */
const LONGEST_PLACED = 128
/** Rows of a cached statement, and shapes for one; others are compiled each time. */
const MOST_ROWS_KEPT = 32
const MOST_SHAPES = 200

/**
 * Compiles a query once, since building it each time would cost many times as much.
 *
 * const findEvent = statement<{ id: number }>()((db, value) => select.where('id', '=', value('id')))
 * const [row] = await findEvent(db, { id })
 *
 * Works on either database, in transactions and outside. A value is a scalar, a list for `in` (not empty), a
 * row for `values` or `set`, or rows with the same columns (not empty). `build` is called once for each shape
 * of the values, and depends on nothing else. Write a limit as `sql.lit(number)`: with a parameter SQLite
 * prepares anew for each run.
 */
export function statement<Values extends Record<keyof Values, Value>>() {
  return <Result>(
    build: (db: Db, value: ValuePlaces<Values>) => Query<Result>,
  ): Statement<Values, RowOf<Result>> => {
    const known = { sqlite: new Map<string, Compiled>(), postgres: new Map<string, Compiled>() }
    const find = (db: Db, values: Values, dialect: Dialect): Compiled => {
      const shape = shapeOf(values)
      if (shape === undefined) return compile(db, build, values)
      const compiled = known[dialect]
      const found = compiled.get(shape)
      if (found) return found
      if (compiled.size >= MOST_SHAPES) compiled.clear()
      const made = compile(db, build, values)
      compiled.set(shape, made)
      return made
    }
    return async (db, values) => {
      const direct = directly.get(db)
      const dialect = direct?.dialect ?? (isPostgres(db) ? 'postgres' : 'sqlite')
      const compiled = find(db, values, dialect)
      const { query, slots } = compiled
      const parameters: unknown[] = []
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]
        parameters.push(slot ? readSlot(values, slot) : query.parameters[i])
      }
      const name = dialect === 'postgres' ? nameOf(compiled) : undefined
      const rows = direct?.run(query.sql, parameters, name) ?? execute(db, { ...query, parameters, name })
      return rows as RowOf<Result>[] | Promise<RowOf<Result>[]>
    }
  }
}

/** The name stands for the same SQL in every process. */
export interface NamedQuery extends CompiledQuery {
  name?: string | undefined
}

async function execute(db: Db, query: NamedQuery): Promise<unknown[]> {
  return (await db.executeQuery(query)).rows
}

const NAMED_AFTER = 8
/** Every session of a server stores each. */
const MOST_NAMES = 200
const LONGEST_NAMED = 8000

const names = new Map<string, string>()

/** Made from the SQL text, so no session has another statement under it, even if processes use it in turn. */
function nameOf(compiled: Compiled): string | undefined {
  if (compiled.runs < NAMED_AFTER) {
    compiled.runs += 1
    return undefined
  }
  compiled.name ??= names.get(compiled.query.sql) ?? newName(compiled.query.sql)
  return compiled.name
}

function newName(text: string): string | undefined {
  if (names.size >= MOST_NAMES || text.length > LONGEST_NAMED) return undefined
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

/** Returns undefined if it cannot run the statement at the moment. */
export type Runner = (
  sql: string,
  parameters: readonly unknown[],
  name: string | undefined,
) => unknown[] | Promise<unknown[]> | undefined

type Dialect = 'sqlite' | 'postgres'

const directly = new WeakMap<Db, { dialect: Dialect; run: Runner }>()

/** The query builder runs statements of other connections. */
export function runDirectly(db: Db, dialect: Dialect, run: Runner): void {
  directly.set(db, { dialect, run })
}

/** SQLite runs in the thread of all requests: lets others be served within a long transaction. */
export async function passTurn(tx: Db): Promise<void> {
  if (directly.get(tx)?.dialect === 'sqlite') await nextTurn()
}

function compile<Values, Result>(
  db: Db,
  build: (db: Db, value: ValuePlaces<Values>) => Query<Result>,
  values: Values,
): Compiled {
  const slots = new Set<unknown>()
  const place = (name: string, at?: number, column?: string) => {
    const slot: Slot = { name, at, column }
    slots.add(slot)
    return sql.val(slot)
  }
  const places = (name: string) => {
    const value = (values as Record<string, unknown>)[name]
    return isLong(value) ? placeOfList(db, name, value, slots) : placesOf(value, name, place)
  }
  const query = build(db, places as ValuePlaces<Values>).compile(db)
  return {
    query,
    slots: query.parameters.map((parameter) => (slots.has(parameter) ? (parameter as Slot) : undefined)),
    runs: 0,
    name: undefined,
  }
}

function isLong(value: unknown): value is readonly Scalar[] {
  return Array.isArray(value) && value.length > LONGEST_PLACED && !isRow(value[0])
}

function placeOfList(
  db: Db,
  name: string,
  list: readonly Scalar[],
  slots: Set<unknown>,
): RawBuilder<unknown>[] {
  const slot: Slot = { name, at: undefined, column: undefined, whole: isPostgres(db) ? 'array' : 'json' }
  slots.add(slot)
  return [listValue(db, isOfNumbers(list), slot)]
}

const isOfNumbers = (list: readonly Scalar[]) => typeof list[0] !== 'string'

function placesOf(
  value: unknown,
  name: string,
  place: (name: string, at?: number, column?: string) => RawBuilder<unknown>,
): unknown {
  const columns = (row: object, at?: number) =>
    Object.fromEntries(columnsOf(row).map((column) => [column, place(name, at, column)]))
  if (!Array.isArray(value)) return isRow(value) ? columns(value) : place(name)
  const [first] = value
  if (isRow(first)) return value.map((_, at) => columns(first, at))
  return Array.from({ length: paddedLength(value.length) }, (_, at) => place(name, at))
}

/**
 * The shape has columns of rows and lengths of lists; undefined for too many rows.
 * @throws Error for an empty list
 */
function shapeOf(values: object): string | undefined {
  let shape = ''
  for (const name in values) {
    const value: unknown = values[name as keyof typeof values]
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) {
      shape += `${name} ${columnsOf(value).join(' ')};`
      continue
    }
    if (value.length === 0) throw new Error(`The list ${name} of a statement is empty.`)
    const [first] = value
    const { length } = value
    if (isRow(first) && length > MOST_ROWS_KEPT) return undefined
    if (isRow(first)) shape += `${name} ${length} ${columnsOf(first).join(' ')};`
    else if (!isLong(value)) shape += `${name} ${paddedLength(length)};`
    else shape += `${name} ${isOfNumbers(value) ? 'numbers' : 'texts'};`
  }
  return shape
}

/** Lists are padded with the last entry, so that few statements serve all lengths. */
function paddedLength(length: number): number {
  return length === 1 ? length : 2 ** (32 - Math.clz32(length - 1))
}

function columnsOf(row: object): string[] {
  return Object.keys(row).filter((column) => row[column as keyof typeof row] !== undefined)
}

function isRow(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readSlot(values: object, { name, at, column, whole }: Slot): unknown {
  const value = (values as Record<string, unknown>)[name]
  if (whole) return whole === 'json' ? JSON.stringify(value) : value
  const entry = at === undefined ? value : (value as unknown[])[Math.min(at, (value as unknown[]).length - 1)]
  return column === undefined ? entry : (entry as Record<string, unknown>)[column]
}

const MOST = 25
/** Sizes of the remaining parts: a statement for every number would be compiled for a single use. */
const SIZES = [16, 8, 4, 2, 1] as const

export function* rowParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; ) {
    const size = sizeFor(rows.length - at)
    yield rows.slice(at, at + size)
    at += size
  }
}

function sizeFor(left: number): number {
  return left >= MOST ? MOST : (SIZES.find((size) => size <= left) ?? 1)
}

export function entriesOf(db: Db, listed: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`json_array_elements(${listed}::json)` : sql`json_each(${listed})`
}

/** `value` is a list on PostgreSQL, its JSON on SQLite. */
function listValue<Entry>(db: Db, isOfNumbers: boolean, value: unknown): RawBuilder<Entry> {
  if (!isPostgres(db)) return sql<Entry>`(select value from json_each(${value}))`
  const type = sql.raw(isOfNumbers ? 'bigint[]' : 'text[]')
  return sql<Entry>`(select unnest(${value}::${type}))`
}

// SQL that databases write differently, or stores share.

/** `%` and `_` stand for themselves. */
export function contains(column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  const place = typeof column === 'string' ? sql.ref(column) : column
  return sql<SqlBool>`${place} like ${likePattern(text)} escape '\\'`
}

/** Rule 14.3: all words within one field. */
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
 * As one value, so the query has the same text for every length, and the list may exceed the values of a
 * statement. An empty list matches nothing.
 */
export function wholeList<Entry extends string | number>(
  db: Db,
  entries: readonly Entry[],
): RawBuilder<Entry> {
  const isPlain = entries.every((entry) => typeof entry === 'number')
  return listValue(db, isPlain, isPostgres(db) ? entries : JSON.stringify(entries))
}

export const selectTerms = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('id', 'in', value('ids')),
)

const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS) / 180

/** Degrees; `radius` is in km. */
export interface Circle {
  lat: number
  lng: number
  radius: number
}

const ROUNDING = 1e-9

/**
 * Degrees to north and south, and to east and west; the latter are undefined across the date line or with a
 * pole.
 */
export function boxAround(circle: Circle): { latitudes: number; longitudes: number | undefined } {
  const latitudes = circle.radius / KM_PER_DEGREE + ROUNDING
  const farthest = Math.abs(circle.lat) + latitudes
  const longitudes = farthest >= 90 ? 360 : latitudes / Math.cos(radians(farthest))
  const isBox = longitudes < 180 && Math.abs(circle.lng) + longitudes <= 180
  return { latitudes, longitudes: isBox ? longitudes : undefined }
}

/** An index finds the box, then the exact distance decides. */
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

/** The box may cross the date line. */
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

type Column = ReferenceExpression<Tables, keyof Tables> & string

/**
 * Writes `12,7 12,9 13,7`; null for no rows. Millions of rows would take longer than finding them, and leave
 * as much garbage.
 */
export function packPairs(
  db: Db,
  first: Column,
  second: Column,
  order: readonly Column[],
): RawBuilder<string | null> {
  const aggregate = sql.raw(isPostgres(db) ? 'string_agg' : 'group_concat')
  const pair = sql`${sql.ref(first)} || ',' || ${sql.ref(second)}`
  return sql`${aggregate}(${pair}, ' ' order by ${sql.join(order.map((column) => sql.ref(column)))})`
}

const COMMA = ','.charCodeAt(0)
const BLANK = ' '.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

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
