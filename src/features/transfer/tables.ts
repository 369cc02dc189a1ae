import { type RawBuilder, sql } from 'kysely'
import { type Db, isPostgres } from '../../store/storage/database.ts'
import type { FeatureTables } from '../../store/storage/migration.ts'

export interface TableShape {
  name: string
  columns: string[]
  key: string[]
  /** The column with values from the database (identity or autoincrement). */
  counter: string | undefined
}

export type Row = Record<string, unknown>

/**
 * Tables never copied, as they belong to one database and not to the calendar: migrations, editions, derived
 * tables, sessions and the like.
 */
const OWN = [
  'migrations',
  'changes_dropped',
  'editions',
  'words',
  'unindexed_events',
  'stems',
  'unstemmed',
  'named_stems',
  'name_stems',
  'kept_answers',
  'sessions',
  'sign_in_links',
  'zone_moves',
  'zone_changes',
]

const SECRET = ['credentials', 'desk_passwords']

export const secretTables = (features: readonly FeatureTables[]): readonly string[] => [
  ...SECRET,
  ...features.flatMap(({ secret = [] }) => secret),
]

/** Columns that the target fills: all copied changes are one transaction there, at new positions. */
const OWN_COLUMNS = new Set(['changes.position'])

const BATCH_ROWS = 500
const BATCH_VALUES = 30_000

interface ColumnRow {
  table: string
  column: string
  place: number | null
  counts: boolean | number
}

/** Tables of the calendar, each after those that its foreign keys refer to. */
export async function listTables(db: Db, features: readonly FeatureTables[] = []): Promise<TableShape[]> {
  const { rows } = await (isPostgres(db) ? postgresColumns : sqliteColumns).execute(db)
  const { rows: references } = await (isPostgres(db) ? postgresReferences : sqliteReferences).execute(db)
  const byTable = Map.groupBy(rows, ({ table }) => table)
  const own = new Set([...OWN, ...features.flatMap((feature) => feature.own ?? [])])
  const tables = [...byTable].filter(([name]) => !own.has(name)).map(([name, all]) => shapeOf(name, all))
  return referredFirst(tables, references)
}

function shapeOf(name: string, all: ColumnRow[]): TableShape {
  const columns = all.filter(({ column }) => !OWN_COLUMNS.has(`${name}.${column}`))
  const key = columns.filter(({ place }) => place !== null).sort((a, b) => Number(a.place) - Number(b.place))
  return {
    name,
    columns: columns.map(({ column }) => column),
    key: key.map(({ column }) => column),
    counter: columns.find(({ counts }) => counts)?.column,
  }
}

function referredFirst(tables: TableShape[], references: { table: string; to: string }[]): TableShape[] {
  const placed: TableShape[] = []
  let waiting = tables
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name))
    const isReady = ({ name }: TableShape) =>
      !references.some(({ table, to }) => table === name && to !== name && names.has(to))
    const ready = waiting.filter(isReady)
    if (ready.length === 0)
      throw new Error(`The tables ${[...names].join(', ')} refer to each other in a circle.`)
    // biome-ignore lint/plugin: tables of the database
    placed.push(...ready)
    waiting = waiting.filter((table) => !ready.includes(table))
  }
  return placed
}

/**
 * `counts`: the database assigns the values. On SQLite that includes `history.id`, without `autoincrement`,
 * which continues from the largest id.
 */
const sqliteColumns = sql<ColumnRow>`
  select l.name as "table", c.name as "column", nullif(c.pk, 0) as place,
    c.pk = 1 and (s.sql like '%autoincrement%' or s.name = 'history') as counts
  from pragma_table_list l join sqlite_schema s on s.name = l.name and s.type = 'table',
  pragma_table_info(l.name) c
  where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite\\_%' escape '\\'
  order by l.name, c.cid`

const sqliteReferences = sql<{ table: string; to: string }>`
  select l.name as "table", f."table" as "to" from pragma_table_list l, pragma_foreign_key_list(l.name) f
  where l.schema = 'main' and l.type = 'table'`

/** Tables of the current schema that belong to no extension. */
const OURS = sql`c.relkind = 'r' and c.relnamespace = (select oid from pg_namespace
  where nspname = current_schema())
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`

const postgresColumns = sql<ColumnRow>`
  select c.relname as "table", a.attname as "column", array_position(i.indkey::int2[], a.attnum) as place,
    a.attidentity <> '' as counts
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where ${OURS} order by c.relname, a.attnum`

const postgresReferences = sql<{ table: string; to: string }>`
  select c.relname as "table", r.relname as "to" from pg_constraint f
  join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
  where f.contype = 'f' and ${OURS}`

export async function countRows(db: Db, table: TableShape): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.table(table.name)}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function* readRows(db: Db, table: TableShape): AsyncGenerator<Row[]> {
  const { name, columns, key } = table
  if (key.length === 0) throw new Error(`The table ${name} has no primary key to read it by.`)
  const size = Math.min(BATCH_ROWS, Math.floor(BATCH_VALUES / columns.length))
  const order = sql.join(key.map((column) => sql.ref(column)))
  const all = sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}`
  let last: Row | undefined
  do {
    const place = last ? sql`where (${order}) > (${sql.join(key.map((column) => last?.[column]))})` : sql``
    const { rows } = await sql<Row>`${all} ${place} order by ${order} limit ${sql.lit(size)}`.execute(db)
    if (rows.length > 0) yield rows
    last = rows.length < size ? undefined : rows.at(-1)
  } while (last)
}

export async function insertRows(tx: Db, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
  const named = sql.join(columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(name)} (${named}) values ${sql.join(values)}`.execute(tx)
}

/** The next id, larger than all assigned so far. */
export async function findNextNumber(db: Db, { name }: TableShape, counter: string): Promise<number> {
  if (isPostgres(db)) {
    const { rows: found } = await sql<{
      sequence: string
    }>`select pg_get_serial_sequence(quote_ident(${name}), ${counter}) as sequence`.execute(db)
    const { rows } = await sql<{ next: number }>`
      select case when is_called then last_value + 1 else last_value end as next
      from ${sql.raw(found[0]?.sequence ?? '')}
    `.execute(db)
    return rows[0]?.next ?? 1
  }
  const { rows } = await sql<{
    next: number
  }>`select coalesce((select seq from sqlite_sequence where name = ${name}),
    (select max(${sql.ref(counter)}) from ${sql.table(name)}), 0) + 1 as next`.execute(db)
  return rows[0]?.next ?? 1
}

export async function setNextNumber(
  tx: Db,
  { name }: TableShape,
  counter: string,
  next: number,
): Promise<void> {
  if (isPostgres(tx)) {
    await sql`alter table ${sql.table(name)}
alter column ${sql.ref(counter)} restart with ${sql.lit(next)}`.execute(tx)
    return
  }
  await sql`delete from sqlite_sequence where name = ${name}`.execute(tx)
  await sql`insert into sqlite_sequence (name, seq) values (${name}, cast(${next - 1} as integer))`.execute(
    tx,
  )
}

/**
 * Updates the statistics of PostgreSQL's planner, which after many inserts would still plan for empty tables.
 * SQLite needs none.
 */
export async function gatherStatistics(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`analyze`.execute(db)
}

export function databaseSize(db: Db): RawBuilder<{ bytes: number | string }> {
  return isPostgres(db)
    ? sql`select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c where ${OURS}`
    : sql`select (p.page_count - f.freelist_count) * s.page_size as bytes
        from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`
}
