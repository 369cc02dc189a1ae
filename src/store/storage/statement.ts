import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DeleteResult,
  type Expression,
  type ExpressionBuilder,
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
import type { EventRow, Tables } from './schema.ts'
import { likePattern } from './search/word-search.ts'

// Statements for both databases, compiled once, and the conditions in them that stores share.

// Statements that are compiled once and run with other values.

/** The values of columns, and those they are compared with. */
type Scalar = string | number | bigint | null

/** A row to write, or columns to set; undefined ones are left out. */
type Columns = object

/** A value of a statement: a scalar, a list of scalars for `in`, a row or a list of rows to write. */
type Value = Scalar | readonly Scalar[] | Columns | readonly Columns[]

/** The place of a value in a query. */
type Place<T> = [T] extends [Scalar]
  ? RawBuilder<T>
  : T extends readonly (infer Entry)[]
    ? Place<Entry>[]
    : { [Name in keyof T]: RawBuilder<Exclude<T[Name], undefined>> }

/** The place of a value by its name; of a list or row, as many places as the value has. */
export type ValuePlaces<Values> = <Name extends keyof Values>(name: Name) => Place<Values[Name]>

/** Runs a statement with these values; returns the rows it selects or returns, else none. */
type Statement<Values, Row> = (db: Db, values: Values) => Promise<Row[]>

/** A query of the query builder. */
interface Query<Row> {
  compile: (db: Db) => CompiledQuery<Row>
}

/** Statements that return nothing have a result of the query builder in place of rows. */
type RowOf<Result> = Result extends InsertResult | UpdateResult | DeleteResult ? never : Result

/** A value in a compiled query: of a list its entry `at`, or `whole` the list as one value; of a row its `column`. */
interface Slot {
  name: string
  at: number | undefined
  column: string | undefined
  whole?: 'json' | 'array'
}

interface Compiled {
  query: CompiledQuery
  /** The slot of each parameter, or undefined where the query itself has a value. */
  slots: (Slot | undefined)[]
  /** How often it was run. */
  runs: number
  /** See `nameOf`. */
  name: string | undefined
}

/** Lists with more entries are one value; up to here a value for each entry is quicker. */
const LONGEST_PLACED = 128
/** Statements that write more rows at once are compiled each time; of the others so many are cached. */
const MOST_ROWS_KEPT = 32
const MOST_SHAPES = 200

/**
 * A query that is built and compiled once, and then run with other values, which costs a small part of building it each time:
 *
 *     const findEvent = statement<{ id: number }>()((db, value) => db.selectFrom('events').selectAll().where('id', '=', value('id')))
 *     const [row] = await findEvent(db, { id })
 *
 * It is the same on either database, inside transactions and outside. Rows are those of the query builder. A value has the type it is declared
 * with: a text or number, a list of them for `in` (of at least one entry), a row for `values` or `set`, or a list of rows with the same columns for
 * `values` (of at least one row). `build` is called once for each shape of the values, and must depend on nothing else. A limit is `sql.lit(number)`:
 * SQLite prepares a statement anew each time it is run with a parameter there.
 */
export function statement<Values extends Record<keyof Values, Value>>() {
  return <Result>(build: (db: Db, value: ValuePlaces<Values>) => Query<Result>): Statement<Values, RowOf<Result>> => {
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

/** A query of a statement; its name, if any, means this very text in every process. */
export interface NamedQuery extends CompiledQuery {
  name?: string | undefined
}

async function execute(db: Db, query: NamedQuery): Promise<unknown[]> {
  return (await db.executeQuery(query)).rows
}

/** Runs after which a statement is prepared on the server as well. */
const NAMED_AFTER = 8
/** The most names, since every session of a server keeps each of them. */
const MOST_NAMES = 200
/** The most characters of a statement with a name. */
const LONGEST_NAMED = 8000

const names = new Map<string, string>()

/**
 * The name under which a server may prepare a statement that is run again and again, or undefined. It is made from the text, so sessions that
 * several processes use in turn never have another statement under it.
 */
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

/** Runs a statement directly: its rows, or undefined when it cannot do so at the moment. */
export type Runner = (
  sql: string,
  parameters: readonly unknown[],
  name: string | undefined,
) => unknown[] | Promise<unknown[]> | undefined

type Dialect = 'sqlite' | 'postgres'

const directly = new WeakMap<Db, { dialect: Dialect; run: Runner }>()

/** Has `run` run the statements of a connection wherever it can; the query builder runs them elsewhere. */
export function runDirectly(db: Db, dialect: Dialect, run: Runner): void {
  directly.set(db, { dialect, run })
}

/**
 * Lets the event loop serve others in the middle of a long transaction. Statements of SQLite are run by the thread of all requests, so nobody is served
 * between them; those of PostgreSQL wait for their server anyway. Those that have `begun` are waited for on SQLite, since a failure that nobody waits
 * for in a turn ends the process.
 */
export async function passTurn(tx: Db, begun: readonly Promise<unknown>[] = []): Promise<void> {
  if (directly.get(tx)?.dialect !== 'sqlite') return
  await Promise.all(begun)
  await nextTurn()
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

/** Whether a value is a list that is asked for as a whole. Lists of rows to be written never are. */
function isLong(value: unknown): value is readonly Scalar[] {
  return Array.isArray(value) && value.length > LONGEST_PLACED && !isRow(value[0])
}

function placeOfList(db: Db, name: string, list: readonly Scalar[], slots: Set<unknown>): RawBuilder<unknown>[] {
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

/** The shape of the values that a compiled query depends on: the columns of rows, the length of lists; undefined for too many rows. */
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

/** Lists are padded with their last entry to the next power of two, so that few statements serve all lengths. */
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

/** Rows that are written with one statement. */
const MOST = 25
/** The remaining rows are written with a few statements of these sizes. A statement for every number of rows would be compiled for a single use. */
const SIZES = [16, 8, 4, 2, 1] as const

/** Rows in parts that are written with one statement each, in their order. */
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

/** The entries of a list in JSON, one a row in the column `value`. */
export function entriesOf(db: Db, listed: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`json_array_elements(${listed}::json)` : sql`json_each(${listed})`
}

/** Makes the list of one value of a query for `in`; the value is a list on PostgreSQL, and its JSON on SQLite. */
function listValue<Entry>(db: Db, isOfNumbers: boolean, value: unknown): RawBuilder<Entry> {
  if (!isPostgres(db)) return sql<Entry>`(select value from json_each(${value}))`
  const type = sql.raw(isOfNumbers ? 'bigint[]' : 'text[]')
  return sql<Entry>`(select unnest(${value}::${type}))`
}

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
