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
  /** All parameters but `page` and `per_page`, as the rest of a query string (rule 11.4). */
  effective: string
  /** Parameters that stand in `rest_url` alone: they describe the list, but cannot be requested. */
  shownOnly?: string | undefined
  /** The problem of a page past the end (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** The rows of `ids`, in the same order, if the search has read them. */
  rows?: readonly Row[]
  /** Yields withdrawn events that the query would find if they had stayed public. */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** The list has one occurrence of each series; loading adds the next ones. */
  isCollapsed?: boolean
  /** Rows that have another status when they are loaded are left out. */
  statuses?: readonly string[]
  isIndexed?: true
}

export interface ReadRecord {
  record: object
  version: { id: number; sequence: number }
}

/** `single` adds linked data. */
export type Extent = 'listed' | 'single'

export interface Presentation<Loaded> {
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /** Texts that may take long to render. */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /** @throws Error when it cannot be shown */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

/** Each resource knows the types of its values. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/** The answer is made in the same transaction: a record that cannot be shown is not written. */
export interface WriteResult {
  id: number
  series?: number | null
  answer: object
}

/**
 * `prepare` does what waits for other servers. `write` may share its transaction and may run twice, so it
 * affects `tx` alone.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Does several writes that `mayShare` a transaction, in order.
   * @throws Problem: each request is then answered by itself
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

/** Routes do not look into `Row` and `Loaded`. */
export interface Operations<Row = unknown, Loaded = unknown> {
  /** Serves `If-Match`; absent if records have no versions. */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /** Returns a promise unless memory can answer at once. @throws Problem, at once or in the promise */
  find: (context: Context, query: Values) => FoundRecords<Row> | Promise<FoundRecords<Row>>
  /** Loads all that lists show, in order, without records that are gone by now. */
  load: (context: Context, found: FoundRecords<Row>) => Promise<readonly Loaded[]>
  /** Finds all records of a query, for representations without pages. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<FoundRecords<Row>>
  /** Finds those of `ids` that the list has, whatever their dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<FoundRecords<Row>>
  /**
   * Like `load`, but returns JSON, which memory keeps unless the extent is `window`. Undefined if memory
   * cannot answer.
   */
  loadJson?: (
    context: Context,
    found: FoundRecords,
    extent: 'page' | 'window',
  ) => readonly WrittenJson[] | undefined | Promise<readonly WrittenJson[]>
  /** Reads a public record from memory. Returns undefined if memory cannot answer. */
  readSingle?: (context: Context, address: Address) => Promise<ReadRecord | undefined>
  /** Finds a record whether the caller may see it or not. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** The problem of a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** @throws Problem when the caller may not read it */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /** Without a row, says whether the caller may update any. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
