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
  /** All parameters but `page` and `per_page`, as the rest of a query string for links (rule 11.4). */
  effective: string
  /** Query string of parameters that only `rest_url` shows, since they cannot be requested. */
  shownOnly?: string | undefined
  /** The problem code for a page past the end (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** The rows of `ids`, in that order; absent if only ids were read. */
  rows?: readonly Row[]
  /** Yields the withdrawn events that the query would find if they were public. */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** True if the list has one occurrence of each series; `load` then adds the next occurrences. */
  isCollapsed?: boolean
  /** Only rows that still have one of these statuses are loaded. */
  statuses?: readonly string[]
  isIndexed?: true
}

export interface ReadRecord {
  record: object
  version: { id: number; sequence: number }
}

/** An entry of a list, or a `single` record, to which some resources add linked data (JSON-LD). */
export type Extent = 'listed' | 'single'

export interface Presentation<Loaded> {
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /** The texts that may take long to render, to be prepared before `present`. */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /** The record as the API shows it. @throws Error when it cannot be shown */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/** `answer` is made in the same transaction, so that a record that cannot be shown is not written. */
export interface WriteResult {
  id: number
  series?: number | null
  answer: object
}

/**
 * The steps of a write. `prepare` waits for other servers, as for images. `write` runs in a transaction that
 * other writes may share; it may run twice, so it must change nothing outside `tx`.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Does writes for which `mayShare` is true, in order, in one transaction.
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
  /** Absent if records of the resource have no versions (`If-Match`). */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /**
   * Finds one page of a list; no promise if memory already has the result.
   * @throws Problem, at once or in the promise
   */
  find: (context: Context, query: Values) => FoundRecords<Row> | Promise<FoundRecords<Row>>
  /** Loads what a list shows of the found records, in order, without those gone by now. */
  load: (context: Context, found: FoundRecords<Row>) => Promise<readonly Loaded[]>
  /** Finds all records, for representations without pages. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<FoundRecords<Row>>
  /** The records of `ids` that match the query, whatever their dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<FoundRecords<Row>>
  /** Like `load`, but returns JSON, which memory keeps for a `page`. Undefined if memory cannot answer. */
  loadJson?: (
    context: Context,
    found: FoundRecords,
    extent: 'page' | 'window',
  ) => readonly WrittenJson[] | undefined | Promise<readonly WrittenJson[]>
  /**
   * Reads a public record from memory; else from the database, and keeps it in memory. Undefined if memory
   * cannot answer.
   */
  readSingle?: (context: Context, address: Address) => Promise<ReadRecord | undefined>
  /** Finds a record, even one that the caller may not see. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** The problem for a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** Loads what the answer for one record shows. @throws Problem when the caller may not read it */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /** Without `row`, tells whether the caller may update records of the resource at all. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
