import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './schema.ts'

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
