import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DeleteResult,
  type InsertResult,
  type RawBuilder,
  sql,
  type UpdateResult,
} from 'kysely'
import { type Db, isPostgres } from './database.ts'
import { listValue } from './sql-parts.ts'

type Scalar = string | number | bigint | null

/** A row to write; undefined columns are left out. */
type Columns = object

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

/** What a parameter takes: the value `name`, its entry `at`, a `column` of that row, or the `whole` list. */
interface Slot {
  name: string
  at: number | undefined
  column: string | undefined
  whole?: 'json' | 'array'
}

interface Compiled {
  query: CompiledQuery
  /** A slot for each parameter; undefined where the query itself sets the value. */
  slots: (Slot | undefined)[]
  runs: number
  /** The name under which a server may prepare the query (`nameOf`). */
  name: string | undefined
}

/** A longer list is passed as one parameter, which would be slower for short lists. */
const LONGEST_PLACED = 128
/**
 * With more rows than `MOST_ROWS_KEPT`, a statement is compiled anew each time. At `MOST_SHAPES` shapes, the
 * compiled queries of a statement are dropped.
 */
const MOST_ROWS_KEPT = 32
const MOST_SHAPES = 200

/**
 * Compiles a query for repeated use, since building it takes longer than running it.
 *
 * const findEvent = statement<{ id: number }>()((db, value) => select.where('id', '=', value('id')))
 * const [row] = await findEvent(db, { id })
 *
 * A value is a scalar, a list for `in` (not empty), a row for `values` or `set`, or several rows with the
 * same columns (not empty). `build` is called once for each shape of the values, and must depend on nothing
 * else. Write a limit as `sql.lit(number)`: with a parameter, SQLite prepares the statement anew each time.
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

/** `name` is that of the prepared statement, and means the same SQL in every process. */
export interface NamedQuery extends CompiledQuery {
  name?: string | undefined
}

async function execute(db: Db, query: NamedQuery): Promise<unknown[]> {
  return (await db.executeQuery(query)).rows
}

const NAMED_AFTER = 8
/** Maximum names, since each session of the server stores every statement. */
const MOST_NAMES = 200
const LONGEST_NAMED = 8000

const names = new Map<string, string>()

/**
 * Returns a name for the prepared statement once the query has run a few times. The name is a hash of the
 * SQL, so that a session which processes use in turn never has another statement of this name.
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

/** Runs SQL on a connection without the query builder; undefined if the connection cannot run it now. */
export type Runner = (
  sql: string,
  parameters: readonly unknown[],
  name: string | undefined,
) => unknown[] | Promise<unknown[]> | undefined

type Dialect = 'sqlite' | 'postgres'

const directly = new WeakMap<Db, { dialect: Dialect; run: Runner }>()

/** Makes `run` run the statements on `db`, instead of the query builder. */
export function runDirectly(db: Db, dialect: Dialect, run: Runner): void {
  directly.set(db, { dialect, run })
}

/** Serves other requests during a long transaction on SQLite, which runs in the same thread. */
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
 * Returns a text that is equal for values which can share a compiled statement: columns of rows and lengths
 * of lists. Undefined if there are too many rows to cache.
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

/** The power of two to which a list is padded by its last entry, so that few statements suffice. */
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

export const selectTerms = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('id', 'in', value('ids')),
)
