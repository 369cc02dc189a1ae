import type { Kysely } from 'kysely'
import type { ChangeColumns, Tables } from './schema.ts'

// Records the changes of a transaction while it runs.

/** The writer of a change, and where they write from, for the history. Unknown values are empty texts. */
export interface Writer {
  /** User id; 0 for the command line, the schedule and the service itself. */
  user: number
  login: string
  /** Network address of the client. */
  address: string
  /** The program the client says it is, the command of the command line, or the part of the service that writes by itself. */
  client: string
  /** The id of the request in the answer and in the log. */
  request: string
}

/** The service, or a command of the command line, writing by itself. */
export function writerBy(client: string): Writer {
  return { user: 0, login: '', address: '', client, request: '' }
}

/** A record that a transaction creates, changes or removes. */
export interface RecordedChange {
  kind: ChangeColumns['kind']
  record: number
  /** Whether the public could see the record before, and can see it from now on. */
  wasPublic: boolean
  isPublic: boolean
  /** Whether lists left it out before, and leave it out from now on, so that nobody is told of it. */
  wasHidden?: boolean | undefined
  isHidden?: boolean | undefined
  isDeleted?: boolean
  /** The former values of what changes. */
  former?: FormerValues | undefined
  /** The writer, where several share the transaction. */
  by?: Writer | undefined
}

/** Former values by the name of their column, and lists of ids by the name of a link. */
export type FormerValues = Readonly<Record<string, unknown>>

/** The acts that the history tells of: `role`, `grant` and `revoke` are about users and their credentials. */
export type WriteAction = 'create' | 'update' | 'publish' | 'trash' | 'restore' | 'delete' | 'role' | 'grant' | 'revoke'

/** The act behind a change. A change that only follows from another, such as a changed count, has none. */
export interface Act {
  action: WriteAction
  /** Title or name of the record. */
  name: string
}

export interface Recorded extends RecordedChange {
  act: Act | undefined
}

/** The changes of a transaction, each record once, written when it ends. */
export interface Recording {
  writer: Writer
  changes: Map<string, Recorded>
  /** The recordings of the transactions before it that share its commit: their changes show in its reads, and have no sequence yet. */
  earlier: readonly Recording[]
  /** Whether the history keeps the former values of what was changed. */
  keepsFormer: boolean
}

/**
 * The inside of a transaction that writes. Only `database.write` makes one, and every function of a store that inserts, changes or removes
 * rows takes it and records the change in it, so no change goes unrecorded.
 */
export type Tx = Kysely<Tables> & { readonly recording: Recording }

/** Makes a connection within a transaction one that records; it is the same object. */
export function recordingOf(db: Kysely<Tables>, writer: Writer, earlier: readonly Recording[] = []): Tx {
  return Object.assign(db, { recording: { writer, changes: new Map<string, Recorded>(), earlier, keepsFormer: true } })
}

/** Whether a transaction that shares the commit of this one has changed a record before it. */
export function isChangedEarlier(
  { recording }: Tx,
  { kind, record }: Pick<RecordedChange, 'kind' | 'record'>,
): boolean {
  return recording.earlier.some(({ changes }) => changes.has(`${kind} ${record}`))
}

/** Records a change: for the functions of stores that make it. A record that changes twice in a transaction is recorded once. */
export function recordChange({ recording: { changes } }: Tx, change: RecordedChange, act?: Act): void {
  const key = `${change.kind} ${change.record}`
  const before = changes.get(key)
  changes.set(key, {
    ...change,
    wasPublic: before?.wasPublic ?? change.wasPublic,
    wasHidden: (before ?? change).wasHidden,
    isHidden: change.isHidden ?? before?.isHidden,
    former: { ...change.former, ...before?.former },
    // A transaction that makes a record and removes it has done both; one that makes it and then changes it has made it.
    act: act?.action === 'delete' ? act : (before?.act ?? act),
  })
}

/** Adds former values to the recorded change of a record: those that are found only while it is written. */
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

/** The order in which writers hold the rows of records. */
export function byRecord(a: OfRecord, b: OfRecord): number {
  return a.kind === b.kind ? a.record - b.record : a.kind < b.kind ? -1 : 1
}
