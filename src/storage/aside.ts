import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** How long a read takes that goes beside the others: a `list` some milliseconds, a `search` however long it takes to look through texts. */
export type Lane = 'list' | 'search'

/** A query of the query builder that selects. */
export interface ReadQuery<Row> {
  compile: () => CompiledQuery<Row>
}

/**
 * Runs queries that may take long on behalf of a reader, as `db` would, without holding up quick ones: in a thread where the database is a file,
 * and over a bounded share of the connections else. They see whatever was committed before the call, and on a file all of them the data of one moment.
 * Rejects with DatabaseUnavailable when too many such reads are under way.
 */
export type ReadAside = <Rows extends readonly unknown[] | []>(
  db: Kysely<Tables>,
  lane: Lane,
  queries: { [At in keyof Rows]: ReadQuery<Rows[At]> },
) => Promise<{ [At in keyof Rows]: Rows[At][] }>

/** Runs the queries on a connection as they are, at the same time where it can. */
export async function runQueries(db: Kysely<Tables>, queries: readonly ReadQuery<unknown>[]): Promise<unknown[][]> {
  const results = await Promise.all(queries.map((query) => db.executeQuery(query.compile())))
  return results.map(({ rows }) => rows)
}
