import type { Problem, ProblemCode } from '../../base/problems.ts'
import type { WantedText } from '../../base/text/long-texts.ts'
import type { WrittenJson } from '../../store/memory/event-pieces.ts'
import type { Sharing } from '../../store/storage/commit-groups.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { RecordKind, Taxonomy, VersionedKind, WithdrawnEvent } from '../../store/storage/schema.ts'
import type { Context } from './context.ts'

// The operations of a resource: find, load, create, update, remove.

export type Address = { id: number } | { slug: string }

/** Ids in order, the total, and the parameters for links. */
export interface Found<Row = unknown> {
  ids: readonly number[]
  total: number
  page: number
  perPage: number
  /** All but `page` and `per_page`, as the rest of a query string (rule 11.4). */
  effective: string
  /** Of `rest_url` alone: they describe the list, but cannot be requested. */
  shownOnly?: string | undefined
  /** Of a page past the end (rule 11.3). */
  pastEnd?: ProblemCode | undefined
  /** Of `ids`, in the same order, where the search has read them. */
  rows?: readonly Row[]
  /** Those that the query would find if they had stayed public, some at a time. */
  withdrawn?: () => AsyncIterable<readonly WithdrawnEvent[]>
  /** To one occurrence of each series; loading adds the next ones. */
  isCollapsed?: boolean
  /** Loading leaves out rows with another status by then. */
  statuses?: readonly string[]
  /** True for events that the index in memory has found. */
  isIndexed?: true
}

/** A record by itself, and its version. */
export interface ReadRecord {
  record: object
  version: { id: number; sequence: number }
}

/** As lists show it, or by itself with linked data. */
export type Extent = 'listed' | 'single'

export interface Presentation<Loaded> {
  /** For the log. */
  nameOf: (loaded: Loaded) => { kind: RecordKind | Taxonomy | 'user'; id: number }
  /** They may take long to prepare. */
  textsOf: (loaded: Loaded, extent: Extent) => readonly WantedText[]
  /** @throws Error when it cannot be shown */
  present: (context: Context, loaded: Loaded, extent: Extent) => object
}

/** Each resource knows the types of its values. */
// biome-ignore lint/suspicious/noExplicitAny: the routes hand each resource what its own declaration parsed.
type Values = any

/** Made in the same transaction: a record that cannot be shown is not written. */
export interface WriteResult {
  id: number
  /** Of a written occurrence. */
  series?: number | null
  answer: object
}

/**
 * `prepare` does what waits for other servers. `write` runs in a transaction of its caller, perhaps with
 * other writes and perhaps twice, so it affects `tx` alone.
 */
export interface WriteSteps<Asked, Prepared = unknown> {
  prepare(context: Context, asked: Asked): Promise<Prepared>
  write(tx: Tx, prepared: Prepared, context: Context): Promise<WriteResult>
  /**
   * Writes that `mayShare` a transaction; results in order. Looks up the records of values.
   * @throws Problem: each request is then answered by itself
   */
  writeAll?(tx: Tx, asked: readonly Sharing<PreparedWrite<Prepared>>[]): Promise<WriteResult[]>
  mayShare?(asked: Asked): boolean
}

export interface PreparedWrite<Prepared = unknown> {
  prepared: Prepared
  context: Context
}

/** The row as it was found, and the sent values. */
export interface AskedUpdate<Row> {
  row: Row
  values: Values
}

/** Routes do not look into `Row` and `Loaded`. */
export interface Operations<Row = unknown, Loaded = unknown> {
  /** For `If-Match`; absent where records have no versions. */
  versioned?: { kind: VersionedKind; idOf: (row: Row) => number }
  /** A promise unless memory can answer at once. @throws Problem, at once or in the promise */
  find: (context: Context, query: Values) => Found<Row> | Promise<Found<Row>>
  /** With all that lists show, in order, without those gone by now. */
  load: (context: Context, found: Found<Row>) => Promise<readonly Loaded[]>
  /** For representations without pages. @throws Problem */
  findAll?: (context: Context, query: Values) => Promise<Found<Row>>
  /** Those that the list has, whatever their dates, in any order. */
  among?: (context: Context, ids: readonly number[], query: Values) => Promise<Found<Row>>
  /**
   * Loads the same records as `load` as JSON, which memory keeps but for those of a `window`. Undefined where
   * memory cannot answer.
   */
  loadJson?: (
    context: Context,
    found: Found,
    extent: 'page' | 'window',
  ) => readonly WrittenJson[] | undefined | Promise<readonly WrittenJson[]>
  /** Reads a public record by itself from memory; undefined where memory cannot answer. */
  readSingle?: (context: Context, address: Address) => Promise<ReadRecord | undefined>
  /** Finds the record at an address, whether the caller may see it or not; undefined where there is none. */
  locate: (context: Context, address: Address) => Promise<Row | undefined>
  /** Of a valid address without a record. */
  missing: (context: Context, address: Address) => Promise<Problem>
  /** @throws Problem when the caller may not read it */
  loadOne: (context: Context, row: Row) => Promise<Loaded>
  presentation: Presentation<Loaded>
  create: WriteSteps<Values>
  update: WriteSteps<AskedUpdate<Row>>
  remove: WriteSteps<Row>
  /** With the parameters declared for removals. */
  removeWith?: WriteSteps<AskedUpdate<Row>>
  rights: {
    create: (context: Context) => boolean
    /** Without a row, the right in general. */
    update: (context: Context, row?: Row) => boolean
    remove: (context: Context, row?: Row) => boolean
  }
}
