import type { Problem, ProblemCode } from '../problems.ts'
import type { Asking } from './asking.ts'

/** How an item route names its record. */
export type Address = { id: number } | { slug: string }

/** What a list answers: presented records in order, how many match in all, and the parameters in effect, for links. */
export interface ListAnswer {
  items: object[]
  total: number
  page: number
  perPage: number
  /** Every parameter that shaped the list but `page` and `per_page`, as the rest of a query string (contract 0.3.11). */
  effective: string
  /** Parameters that only the list's own address shows, since they tell what was done but cannot be asked for. */
  shownOnly?: string
  /** The problem of a page past the end, for resources that have one (contract 4.1, 4.2). */
  pastEnd?: ProblemCode
}

/** Parsed values by field name; each resource knows the types of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
export type Values = any

/** What the routes need of a resource. `Row` stays between the resource's own functions. */
export interface Operations<Row = unknown> {
  list: (asking: Asking, query: Values) => Promise<ListAnswer>
  /** The record addressed, whoever may see it; undefined when there is none. */
  find: (asking: Asking, address: Address) => Promise<Row | undefined>
  /** What to answer when `find` finds nothing although the address was in order. */
  missing: (asking: Asking, address: Address) => Promise<Problem>
  /** @throws Problem when the caller may not read it */
  read: (asking: Asking, row: Row) => Promise<object>
  create: (asking: Asking, values: Values) => Promise<object>
  update: (asking: Asking, row: Row, values: Values) => Promise<object>
  remove: (asking: Asking, row: Row) => Promise<object>
  rights: {
    create: (asking: Asking) => boolean
    /** Without a row: whether the caller has the right in general. */
    update: (asking: Asking, row?: Row) => boolean
    remove: (asking: Asking, row?: Row) => boolean
  }
}
