import type { Problem, ProblemCode } from '../../base/problems.ts'
import type { WantedText } from '../../base/text/long-texts.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordKind, Taxonomy, VersionedKind, WithdrawnEvent } from '../../store/storage/schema.ts'
import type { Sharing } from '../../store/storage/write-together.ts'
import type { Context } from './context.ts'

// Declares the operations that each resource offers to routes: find, load, create, update and remove.

/** The address by which an item route names its record. */
export type Address = { id: number } | { slug: string }

/**
 * One page of a list as it was found: the ids of its records in order, the number of all matching records,
 * and the parameters that links name.
 */
export interface Found<Row = unknown> {
  ids: readonly number[]
  total: number
  page: number
  perPage: number
  /** All parameters in effect except `page` and `per_page`, as the rest of a query string (rule 11.4). */
  effective: string
  /**
   * Parameters that `rest_url` alone shows, as the rest of a query string: they describe the list, but cannot
   * be requested.
   */
  shownOnly?: string | undefined
  /** The problem of a page past the end, for resources that have one (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** The rows of `ids`, in the same order, where the search for them has read the rows. */
  rows?: readonly Row[]
  /**
   * Reads the withdrawn events that the query would find if they had stayed public, some at a time, for
   * representations that tell of them.
   */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** True for a list collapsed to one occurrence of each series; loading then adds the next occurrences. */
  isCollapsed?: boolean
  /** The statuses of the list: loading leaves out rows that have another status by then. */
  statuses?: readonly string[]
  /** The revision of the index that the page was found in. */
  revision?: number
  /**
   * Finds the page in the index once more, as it is by then, without waiting. Returns undefined where the
   * index can no longer answer.
   */
  again?: (() => Pick<Found, 'ids' | 'total'> | undefined) | undefined
}

/** The records of a list as JSON, which is written from parts that are ready in memory. */
export interface ListedJson {
  count: number
  /** An upper bound of the bytes that all records take. */
  mostBytes: number
  /** An upper bound of the bytes that one record takes. */
  mostBytesOf: (i: number) => number
  /**
   * Returns a copy in which counts stay as they are now, for an answer that is written in several turns of
   * the event loop.
   */
  held: () => ListedJson
  /**
   * Writes record `i` into a buffer from `at` on, and returns the place behind its end. Adds the places of
   * the counts of terms to `counts`, if given.
   */
  write: (i: number, into: Buffer, at: number, counts?: number[]) => number
}

/** The extent of a record in an answer: as lists show it, or by itself with its linked data. */
export type Extent = 'listed' | 'single'

/** How a resource presents loaded records as objects of JSON. */
export interface Presentation<Loaded> {
  /** Returns the kind and id by which the log names a record that cannot be shown. */
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /** Returns the texts that the record shows, which may take long to prepare. */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /** Presents the record. @throws Error when it cannot be shown */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

/** Parsed values by field name. Each resource knows the types of its own values. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/**
 * A record that was written, and its answer. The answer is made in the same transaction, so that a record
 * that cannot be shown is not written.
 */
export interface WriteResult {
  id: number
  /** The id of the series of which a written event is an occurrence. */
  series?: number | null
  answer: object
}

/**
 * A write in two steps. `prepare` does everything that waits for other servers, such as fetching an image.
 * `write` runs in a transaction that its caller owns, perhaps together with other writes, and perhaps twice,
 * so it has no effect but on `tx`.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Does several writes that `mayShare` a transaction, and returns their results in the same order. It looks
   * up the records that the values refer to.
   * @throws Problem: each request is then answered as one that shares no transaction
   */
  writeAll?(tx: Tx, asked: readonly Sharing<PreparedWrite<Prepared>>[]): Promise<WriteResult[]>
  mayShare?(asked: Asked): boolean
}

/** A prepared write, and the context of its request. */
export interface PreparedWrite<Prepared = unknown> {
  prepared: Prepared
  context: Context
}

/** The row of the record to be changed, as it was found, and the sent values. */
export interface AskedUpdate<Row> {
  row: Row
  values: Values
}

/**
 * The operations of a resource that routes call. Routes hand `Row` and `Loaded` on without looking into them.
 */
export interface Operations<Row = unknown, Loaded = unknown> {
  /** The kind and id of a row's record, for `If-Match`; absent where records have no versions. */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /**
   * Finds one page of a list. Returns a promise unless memory can answer at once.
   * @throws Problem, at once or in the promise
   */
  find: (context: Context, query: Values) => Found<Row> | Promise<Found<Row>>
  /**
   * Loads the found records with all that lists show of them, in order, without those that are gone by now.
   */
  load: (context: Context, found: Found<Row>) => Promise<readonly Loaded[]>
  /** Finds all records of a list, for representations without pages. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<Found<Row>>
  /** Finds those of these records that a list with this query has, whatever their dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<Found<Row>>
  /**
   * Loads the same records as `load`, as JSON from memory. Undefined where memory cannot answer. Records of a
   * `window` are not cached.
   */
  loadJson?: (
    context: Context,
    found: Found,
    extent: 'page' | 'window',
  ) => ListedJson | undefined | Promise<ListedJson | undefined>
  /** Finds the record at an address, whether the caller may see it or not; undefined where there is none. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** Returns the problem of a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** Loads a located record with all that it shows. @throws Problem when the caller may not read it */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  /** Removes a record with the parameters that the resource declares for removals. */
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /**
     * Decides whether the caller may change a record; without a row, whether the caller has the right in
     * general.
     */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
