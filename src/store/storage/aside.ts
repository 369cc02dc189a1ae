import { type CompiledQuery, type Expression, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { RecordTable, Tables } from './schema.ts'

// Long reads, which run beside quick ones.

/** The expected time of a long read: a `list` takes some milliseconds, a `search` as long as it takes to read the texts. */
export type Lane = 'list' | 'search'

/** A query of the query builder that selects. */
export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries that may take long, as `db` would, without holding up quick ones: in a thread on a SQLite file, over a bounded share of the
 * connections on PostgreSQL. They see everything that was committed before the call, and on a file all of them one snapshot. Rejects with
 * DatabaseUnavailable when too many such reads are under way.
 */
export type ReadAside = <Rows extends readonly unknown[] | []>(
  db: Kysely<Tables>,
  lane: Lane,
  queries: { [At in keyof Rows]: ReadQuery<Rows[At]> },
) => Promise<{ [At in keyof Rows]: Rows[At][] }>

/** Runs the queries on the connection itself, at the same time where it can. */
export async function runQueries(db: Kysely<Tables>, queries: readonly ReadQuery<unknown>[]): Promise<unknown[][]> {
  const results = await Promise.all(queries.map((query) => db.executeQuery(query.compile())))
  return results.map(({ rows }) => rows)
}

/** A row without its search text, and what was found beside its id. */
type FoundRow<Table extends RecordTable, Found> = Found & Omit<Selectable<Tables[Table]>, 'search'> & { search: '' }

/**
 * The rows of a table with the ids that a query in brackets finds, in this order. Finding, narrowing and ordering read indexes only, and rows are
 * read for the page alone. They come without the search text, which no answer shows and which is as long as all other texts together.
 */
export function foundRows<Table extends RecordTable, Found extends { id: number }>(
  db: Kysely<Tables>,
  table: Table,
  found: Expression<Found>,
  order: RawBuilder<unknown>,
): ReadQuery<FoundRow<Table, Found>> {
  const rows = sql.table(table)
  const query = sql<FoundRow<Table, Found>>`
    with found as materialized ${found}
    select found.*, ${rows}.*, '' as search from found join ${rows} on ${rows}.id = found.id order by ${order}`
  return { compile: () => query.compile(db) }
}

const BETWEEN_ROWS = '\u001e'
const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS'.length

/** An id, a time and one more text. */
export interface TimedRow {
  id: number
  time: string
  text: string
}

/** Many rows as one text, to be read with `rowsIn`: making a row of each costs more than finding it, and as much again when it comes from a thread. */
export const asOneText = (columns: Record<keyof TimedRow, Expression<unknown>>): RawBuilder<string | null> =>
  sql`string_agg(${columns.id} || ' ' || ${columns.time} || ' ' || replace(${columns.text}, ${BETWEEN_ROWS}, ' '), ${BETWEEN_ROWS})`

/** The rows of such a text; null is what no row makes. */
export const rowsIn = (rows: string | null): TimedRow[] =>
  (rows?.split(BETWEEN_ROWS) ?? []).map((row) => {
    const time = row.indexOf(' ') + 1
    const text = time + TIME_LENGTH
    return { id: Number(row.slice(0, time)), time: row.slice(time, text), text: row.slice(text + 1) }
  })
