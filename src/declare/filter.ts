import type { Kind } from '../fields/kinds.ts'
import type { Field } from './resource.ts'

/** How a parameter stands in the links of a list (rule 11.4): its place among the others, and its value, absent for `undefined`. */
export interface InLinks<Value, Shape> {
  place: number
  /** Of the value that was sent, if any, and of how the list was worked out. */
  value: (sent: Value | undefined, shape: Shape) => unknown
}

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
