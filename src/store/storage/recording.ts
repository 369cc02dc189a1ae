import type { Kysely } from 'kysely'
import type { ChangeColumns, Tables } from './schema.ts'

// Collects the changes that a transaction makes, with their writer, for the record of changes and the
// history.

/** The writer of a change, and where they write from, for the history. Unknown values are empty texts. */
export interface Writer {
  /** User id; 0 for the command line, the schedule and the service itself. */
  user: number
  login: string
  /** Network address of the client. */
  address: string
  /**
   * The program that the client says it is, the command of the command line, or the part of the service that
   * writes by itself.
   */
  client: string
  /** The id of the request, as the answer and the log have it. */
  request: string
}

/** Returns the writer of what the service or a command does by itself, on behalf of no user. */
export function writerBy(client: string): Writer {
  return { user: 0, login: '', address: '', client, request: '' }
}

/** A record that a transaction creates, changes or removes. */
export interface RecordedChange {
  kind: ChangeColumns['kind']
  record: number
  /** True when the public could see the record before, and when it can see the record from now on. */
  wasPublic: boolean
  isPublic: boolean
  /**
   * True when public lists left the record out before, and when they leave it out from now on. Webhooks for
   * the public do not tell of a record left out.
   */
  wasHidden?: boolean | undefined
  isHidden?: boolean | undefined
  isDeleted?: boolean
  /** The former values of the columns and links that change. */
  former?: FormerValues | undefined
  /** The writer of this change, where writes of several writers share the transaction. */
  by?: Writer | undefined
}

/** Former values by the name of their column, and former lists of ids by the name of their link. */
export type FormerValues = Readonly<Record<string, unknown>>

/**
 * The acts that the history records; `role`, `grant` and `revoke` are acts on users and their credentials.
 */
export type WriteAction =
  | 'create'
  | 'update'
  | 'publish'
  | 'trash'
  | 'restore'
  | 'delete'
  | 'role'
  | 'grant'
  | 'revoke'

/**
 * The act behind a change. A change that only follows from another one has no act, such as a changed count of
 * a term.
 */
export interface Act {
  action: WriteAction
  /** Title or name of the record. */
  name: string
}

export interface Recorded extends RecordedChange {
  act: Act | undefined
}

/** The changes of a transaction, each record once. They are written when the transaction ends. */
export interface Recording {
  writer: Writer
  changes: Map<string, Recorded>
  /**
   * The recordings of the earlier transactions of the same commit. This transaction reads their changes,
   * which have no sequence yet.
   */
  earlier: readonly Recording[]
  /** True where the history keeps the former values of the changes. */
  keepsFormer: boolean
}

/**
 * The inside of a transaction that writes. Only `database.write` makes one. Every function of a store that
 * inserts, changes or removes rows takes a `Tx` and records the change in it, so that no change goes
 * unrecorded.
 */
export type Tx = Kysely<Tables> & { readonly recording: Recording }

/** Adds an empty recording to a connection within a transaction, and returns the same object. */
export function recordingOf(db: Kysely<Tables>, writer: Writer, earlier: readonly Recording[] = []): Tx {
  return Object.assign(db, {
    recording: { writer, changes: new Map<string, Recorded>(), earlier, keepsFormer: true },
  })
}

/** Returns true when an earlier transaction of the same commit has changed the record. */
export function isChangedEarlier(
  { recording }: Tx,
  { kind, record }: Pick<RecordedChange, 'kind' | 'record'>,
): boolean {
  return recording.earlier.some(({ changes }) => changes.has(`${kind} ${record}`))
}

/**
 * Records a change of a function of a store. Two changes of one record become one: from the state before the
 * first to that after the second.
 */
export function recordChange({ recording: { changes } }: Tx, change: RecordedChange, act?: Act): void {
  const key = `${change.kind} ${change.record}`
  const before = changes.get(key)
  changes.set(key, {
    ...change,
    wasPublic: before?.wasPublic ?? change.wasPublic,
    wasHidden: (before ?? change).wasHidden,
    isHidden: change.isHidden ?? before?.isHidden,
    former: { ...change.former, ...before?.former },
    // To make a record and remove it leaves the act `delete`; to make a record and change it leaves the act
    // `create`.
    act: act?.action === 'delete' ? act : (before?.act ?? act),
  })
}

/**
 * Adds former values that only become known while a record is written to the recorded change of the record.
 */
export function noteFormer(
  { recording: { changes } }: Tx,
  kind: RecordedChange['kind'],
  record: number,
  former: FormerValues,
): void {
  const change = changes.get(`${kind} ${record}`)
  if (change) change.former = { ...former, ...change.former }
}

type OfRecord = { kind: string; record: number }

/**
 * Compares two records by the order in which every writer locks rows, so that no two writers wait for each
 * other.
 */
export function byRecord(a: OfRecord, b: OfRecord): number {
  return a.kind === b.kind ? a.record - b.record : a.kind < b.kind ? -1 : 1
}
