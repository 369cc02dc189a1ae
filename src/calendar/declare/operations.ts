import type { Problem, ProblemCode } from '../../base/problems.ts'
import type { WantedText } from '../../base/text/long-texts.ts'
import type { WrittenJson } from '../../store/memory/event-pieces.ts'
import type { Sharing } from '../../store/storage/commit-groups.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordKind, Taxonomy, VersionedKind, WithdrawnEvent } from '../../store/storage/schema.ts'
import type { Context } from './context.ts'

export type Address = { id: number } | { slug: string }

export interface FoundRecords<Row = unknown> {
  ids: readonly number[]
  total: number
  page: number
  perPage: number
  /**
   * All parameters of the list but `page` and `per_page`, as the rest of a query string for links (rule
   * 11.4).
   */
  effective: string
  /**
   * Query string of parameters that only `rest_url` has, since they describe the list but cannot be
   * requested.
   */
  shownOnly?: string | undefined
  /** The code of the problem that answers a page past the end (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** The rows of `ids`, in the same order; absent if the search has read only ids. */
  rows?: readonly Row[]
  /** Yields the withdrawn events that the query would find if they were still public. */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** True if the list has one occurrence of each series; `load` then adds the next occurrences to it. */
  isCollapsed?: boolean
  /** Loading leaves out rows that have got a status other than these since they were found. */
  statuses?: readonly string[]
  isIndexed?: true
}

export interface ReadRecord {
  record: object
  version: { id: number; sequence: number }
}

/**
 * How much of a record is presented: as an entry of a list, or as a `single` record, which also has its
 * linked data (JSON-LD).
 */
export type Extent = 'listed' | 'single'

export interface Presentation<Loaded> {
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /**
   * Returns the texts of the record that may take long to render, so that they can be prepared before
   * `present`.
   */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /**
   * Returns the record as the API shows it.
   * @throws Error when the record cannot be shown
   */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

/** Parsed values, untyped here since only the resource knows their types. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/**
 * The result of a write. `answer` is made in the same transaction, so that a record that cannot be shown is
 * not written.
 */
export interface WriteResult {
  id: number
  series?: number | null
  answer: object
}

/**
 * The two steps of a write. `prepare` does everything that waits for other servers, such as fetching images.
 * `write` runs in the transaction, which it may share with other writes; it may run twice, so it must change
 * nothing outside `tx`.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Does several writes, for each of which `mayShare` is true, in order and in one transaction.
   * @throws Problem: then each request is written alone
   */
  writeAll?(tx: Tx, asked: readonly Sharing<PreparedWrite<Prepared>>[]): Promise<WriteResult[]>
  mayShare?(asked: Asked): boolean
}

export interface PreparedWrite<Prepared = unknown> {
  prepared: Prepared
  context: Context
}

export interface AskedUpdate<Row> {
  row: Row
  values: Values
}

/** What routes call to serve a resource. `Row` and `Loaded` are opaque to them. */
export interface Operations<Row = unknown, Loaded = unknown> {
  /**
   * How to find the version of a record, for `If-Match`; absent if records of the resource have no versions.
   */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /**
   * Finds one page of a list. Returns a promise unless the in-memory index can answer at once.
   * @throws Problem, at once or in the promise
   */
  find: (context: Context, query: Values) => FoundRecords<Row> | Promise<FoundRecords<Row>>
  /**
   * Loads everything that a list shows of the found records, in order. Records that are gone by now are left
   * out.
   */
  load: (context: Context, found: FoundRecords<Row>) => Promise<readonly Loaded[]>
  /** Finds all records of a query, for representations without pages. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<FoundRecords<Row>>
  /** Finds the records of `ids` that match the query, whatever their dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<FoundRecords<Row>>
  /**
   * Like `load`, but returns JSON, which memory keeps unless the extent is `window`. Returns undefined if
   * memory cannot answer.
   */
  loadJson?: (
    context: Context,
    found: FoundRecords,
    extent: 'page' | 'window',
  ) => readonly WrittenJson[] | undefined | Promise<readonly WrittenJson[]>
  /** Reads a public record by way of the in-memory cache. Returns undefined if memory cannot answer. */
  readSingle?: (context: Context, address: Address) => Promise<ReadRecord | undefined>
  /** Finds a record, even if the caller may not see it. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** Returns the problem that answers a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /**
   * Loads everything that the answer for one record shows.
   * @throws Problem when the caller may not read the record
   */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /** Without a row, says whether the caller may update any record of the resource. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
