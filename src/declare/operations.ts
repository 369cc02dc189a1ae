import type { Context } from '../context/context.ts'
import type { Problem, ProblemCode } from '../problems.ts'
import type { Db } from '../storage/database.ts'

/** How an item route names its record. */
export type Address = { id: number } | { slug: string }

/** The answer of a list: presented records in order, the total, and the parameters in effect, for links. */
export interface ListAnswer {
  items: object[]
  total: number
  page: number
  perPage: number
  /** Every parameter that shaped the list but `page` and `per_page`, as the rest of a query string (rule 11.4). */
  effective: string
  /** Parameters that only `rest_url` shows, since they describe the list and cannot be asked for. */
  shownOnly?: string
  /** The problem of a page past the end, for resources that have one (rule 11.3). */
  pastEnd?: ProblemCode
}

/** Parsed values by field name; each resource knows the types of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
export type Values = any

/**
 * A write in two steps. `prepare` does everything that waits for the outside, such as fetching an image. `write` runs in a transaction that its caller
 * owns, perhaps beside other writes and perhaps twice, so it uses nothing but `tx`; it gives the answer, since what cannot be shown is not written.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Db, prepared: Prepared, context: Context): Promise<object>
}

/** The record to be changed, as it was found, and the sent values. */
export interface AskedUpdate<Row> {
  row: Row
  values: Values
}

/** The operations of a resource that routes call. Only the resource's own functions look into `Row`. */
export interface Operations<Row = unknown> {
  list: (context: Context, query: Values) => Promise<ListAnswer>
  /** The record addressed, whether the caller may see it or not; undefined when there is none. */
  find: (context: Context, address: Address) => Promise<Row | undefined>
  /** The problem of a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** @throws Problem when the caller may not read it */
  read: (context: Context, row: Row) => Promise<object>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  rights: {
    create: (context: Context) => boolean
    /** Without a row: whether the caller has the right in general. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
