import type { Kind } from '../fields/kinds.ts'
import { parameter } from '../text/query-text.ts'
import type { Field } from './resource.ts'

/**
 * How a parameter stands in the links of a list (rule 11.4): its place among the others, and its value, absent for `undefined`. `ofSent` gives
 * the value of a parameter that was sent, `ofList` the value of one that is always there, from the list as it was worked out.
 */
export type InLinks<Value, Shape> = { place: number } & (
  | { ofSent: (sent: Value) => unknown }
  | { ofList: (shape: Shape) => unknown }
)

/**
 * One parameter of a list with everything that follows from it. A part that several parameters make together is named in place of a function,
 * and worked out once for all of them.
 */
export interface Filter<Value, Part, Sql, Index, Shape, Accepts> extends Field {
  // biome-ignore lint/suspicious/noExplicitAny: what a column would keep is no matter of filters.
  kind: Kind<Value, any>
  /** How it narrows a query of the database. */
  sql: Part | Sql
  /** How it narrows a query of the index, or that the index cannot tell. */
  index: Part | 'database' | Index
  links: 'none' | InLinks<Value, Shape>
  /** Whether a record is in the list, said as plainly as can be: tests compare the others with it. */
  accepts: Part | Accepts
}

/** A parameter that links name as it was sent. */
export const asSent = (place: number) => ({ place, ofSent: (sent: unknown) => sent })

/** The rows of filters with their names, for those who go through all of them. */
type Rows<Query, Row> = readonly (readonly [name: keyof Query, row: Row])[]

/** What the query of each filter that was sent becomes; parts are left to what makes them. */
export function sentFilters<Query, Sql, Made>(
  rows: Rows<Query, { sql: string | Sql }>,
  query: Query,
  make: (sql: Sql, value: unknown) => Made,
): Made[] {
  return rows.flatMap(([name, { sql }]) =>
    query[name] === undefined || typeof sql === 'string' ? [] : [make(sql, query[name])],
  )
}

/** Writes the parameters of links as the rest of a query string: each that has a value, in the order of their places (rule 11.4). */
export function linkWriter<Query, Shape>(
  rows: Rows<Query, { links: 'none' | InLinks<unknown, Shape> }>,
): (query: Query, shape: Shape) => string {
  const linked = rows
    .flatMap(([name, { links }]) => (links === 'none' ? [] : [{ name: String(name), links }]))
    .sort((a, b) => a.links.place - b.links.place)
    .map((row, rank) => ({ ...row, rank }))
  const ofLists = linked.flatMap(({ name, links, rank }) => ('ofList' in links ? [{ name, rank, ...links }] : []))
  const ofSent = new Map(
    linked.flatMap(({ name, links, rank }) => ('ofSent' in links ? [[name, { rank, ...links }] as const] : [])),
  )
  const none = linked.map(() => '')
  return (query, shape) => {
    const texts = none.slice()
    for (const { name, rank, ofList } of ofLists) texts[rank] = parameter(name, ofList(shape))
    // Most lists are narrowed by a few of many parameters.
    for (const name in query) {
      const row = query[name] === undefined ? undefined : ofSent.get(name)
      if (row) texts[row.rank] = parameter(name, row.ofSent(query[name]))
    }
    let joined = ''
    for (const text of texts) joined += text
    return joined
  }
}
