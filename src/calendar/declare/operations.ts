import type { Deflated } from '../../base/gzip.ts'
import type { Problem, ProblemCode } from '../../base/problems.ts'
import type { WantedText } from '../../base/text/long-texts.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordKind, Taxonomy, VersionedKind, WithdrawnEvent } from '../../store/storage/schema.ts'
import type { Sharing } from '../../store/storage/write-together.ts'
import type { Context } from './context.ts'

// The interface that each resource offers to routes: find, load, create, update, remove.

/** How an item route names its record. */
export type Address = { id: number } | { slug: string }

/** One page of a list as it was found: the records in order, how many match in all, and the parameters in effect, for links. */
export interface Found<Row = unknown> {
  ids: readonly number[]
  total: number
  page: number
  perPage: number
  /** All parameters of the list except `page` and `per_page`, as the rest of a query string (rule 11.4). */
  effective: string
  /** Parameters that only `rest_url` shows, since they describe the list and cannot be asked for. */
  shownOnly?: string | undefined
  /** The problem of a page past the end, for resources that have one (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** The rows of `ids`, in their order, where finding has read them. */
  rows?: readonly Row[]
  /** Events that the same query would find if they had stayed public, some at a time: for representations that tell of them. */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** True for a list collapsed to one occurrence of each series; loading then adds the next occurrences. */
  isCollapsed?: boolean
  /** The statuses of the list; loading leaves out rows that have another one by then. */
  statuses?: readonly string[]
  /** The revision of the index that the page was found in. */
  revision?: number
  /** Finds the page in the index again, as it is at that time, without waiting; returns undefined if the index can no longer answer. */
  again?: (() => Pick<Found, 'ids' | 'total'> | undefined) | undefined
}

/** Records as JSON, each as the list shows it, from parts that memory keeps ready to be copied. */
export interface ListedJson {
  count: number
  /** An upper bound of the bytes that all records take. */
  mostBytes: number
  /** An upper bound of the bytes that one record takes. */
  mostBytesOf: (i: number) => number
  /** A copy as of now, for records that are written in several turns while counts may change. */
  held: () => ListedJson
  /**
   * Writes one into a buffer, from `at` on, and returns where it ends; `counts`, if any, gets the places of numbers in it that change by themselves.
   */
  write: (i: number, into: Buffer, at: number, counts?: number[]) => number
  /** The deflate blocks of one that memory keeps, as of now. Those that are missing are made and kept: for a record that was asked for again, or for any. */
  blocks: (i: number, making: 'none' | 'asked again' | 'any') => Deflated | undefined
}

/** Whether a record is shown as lists show it, or by itself with all that belongs to it. */
export type Extent = 'listed' | 'single'

/** How a resource presents loaded records as objects of JSON. */
export interface Presentation<Loaded> {
  /** The kind and id by which the log names a record that cannot be shown. */
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /** The texts it is shown with, which may take long. */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /** Throws when the record cannot be shown. */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

/** Parsed values by field name; each resource knows the types of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/** A record that was written, and the answer, which is made with it so that a record that cannot be shown is not written. */
export interface WriteResult {
  id: number
  /** The series that a written event is a date of. */
  series?: number | null
  answer: object
}

/**
 * A write in two steps. `prepare` does everything that waits for the outside, such as fetching an image. `write` runs in a transaction that its caller
 * owns, perhaps beside other writes and perhaps twice, so it uses nothing but `tx`.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Does several such writes, of values that `mayShare` a transaction, after looking up the records that they refer to. The results are in the same
   * order. Where it throws a Problem, the request is answered as one that shares nothing.
   */
  writeAll?(tx: Tx, asked: readonly Sharing<PreparedWrite<Prepared>>[]): Promise<WriteResult[]>
  mayShare?(asked: Asked): boolean
}

/** A prepared write, and the context of its request. */
export interface PreparedWrite<Prepared = unknown> {
  prepared: Prepared
  context: Context
}

/** The record to be changed, as it was found, and the sent values. */
export interface AskedUpdate<Row> {
  row: Row
  values: Values
}

/** The operations of a resource that routes call. Only the resource's own functions look into `Row` and `Loaded`. */
export interface Operations<Row = unknown, Loaded = unknown> {
  /** Which record a row is, for `If-Match`; absent where records have no versions. */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /** One page of a list; a promise unless memory answers at once. @throws Problem, at once or later */
  find: (context: Context, query: Values) => Found<Row> | Promise<Found<Row>>
  /** The records found with all that lists show of them, in order, without those that are gone. */
  load: (context: Context, found: Found<Row>) => Promise<readonly Loaded[]>
  /** All that a list finds, without pages, for representations that have none. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<Found<Row>>
  /** Finds which of these records a list with this query has, without regard to dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<Found<Row>>
  /** Loads the same records as `load`, as JSON from memory; undefined if memory does not have them. Records of a window are not cached. */
  loadJson?: (
    context: Context,
    found: Found,
    extent: 'page' | 'window',
  ) => ListedJson | undefined | Promise<ListedJson | undefined>
  /** The record addressed, whether the caller may see it or not; undefined when there is none. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** The problem of a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** A located record with all that it shows. @throws Problem when the caller may not read it */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  /** Removes a record with the parameters that the resource declares for removals. */
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /** Without a row: whether the caller has the right in general. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
