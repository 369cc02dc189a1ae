import type { Kysely } from 'kysely'
import type { ChangeColumns, Tables } from './schema.ts'

/** Who makes a change, for the history. Unknown texts are empty. */
export interface Writer {
  /** The id of the user; 0 for the command line, the schedule and the service. */
  user: number
  login: string
  address: string
  /** The User-Agent, a command, or a part of the service. */
  client: string
  /** The id of the HTTP request, as in the response header and the log. */
  request: string
}

export function writerBy(client: string): Writer {
  return { user: 0, login: '', address: '', client, request: '' }
}

export interface RecordedChange {
  kind: ChangeColumns['kind']
  record: number
  /** True if the public sees the record before the change (`wasPublic`) and after it (`isPublic`). */
  wasPublic: boolean
  isPublic: boolean
  /** True if public lists hide the record before the change (`wasHidden`) and after it (`isHidden`). */
  wasHidden?: boolean | undefined
  isHidden?: boolean | undefined
  isDeleted?: boolean
  former?: FormerValues | undefined
  by?: Writer | undefined
}

/** The values before a change, by column; for links, lists of ids. */
export type FormerValues = Readonly<Record<string, unknown>>

/** `role` is for users, `grant` and `revoke` are for credentials. */
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

/** What someone did. A change that only follows from another, such as of a term's count, has no act. */
export interface Act {
  action: WriteAction
  name: string
}

export interface Recorded extends RecordedChange {
  act: Act | undefined
}

/** What a transaction has changed, with one entry for each record; saved at the end of the transaction. */
export interface Recording {
  writer: Writer
  changes: Map<string, Recorded>
  /** Recordings of earlier transactions in the same commit, whose changes have no sequences yet. */
  earlier: readonly Recording[]
  keepsFormer: boolean
}

/**
 * A transaction that writes, created only by `database.write`. Every function that changes rows takes a `Tx`,
 * and records the change in it.
 */
export type Tx = Kysely<Tables> & { readonly recording: Recording }

export function recordingOf(db: Kysely<Tables>, writer: Writer, earlier: readonly Recording[] = []): Tx {
  return Object.assign(db, {
    recording: { writer, changes: new Map<string, Recorded>(), earlier, keepsFormer: true },
  })
}

export function isChangedEarlier(
  { recording }: Tx,
  { kind, record }: Pick<RecordedChange, 'kind' | 'record'>,
): boolean {
  return recording.earlier.some(({ changes }) => changes.has(`${kind} ${record}`))
}

export function recordChange({ recording: { changes } }: Tx, change: RecordedChange, act?: Act): void {
  const key = `${change.kind} ${change.record}`
  const before = changes.get(key)
  changes.set(key, {
    ...change,
    wasPublic: before?.wasPublic ?? change.wasPublic,
    wasHidden: (before ?? change).wasHidden,
    isHidden: change.isHidden ?? before?.isHidden,
    former: { ...change.former, ...before?.former },
    // The first act stays (created, then changed: `create`), but `delete` replaces it.
    act: act?.action === 'delete' ? act : (before?.act ?? act),
  })
}

/** Adds former values to a change that has been recorded; else does nothing. */
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

/** Compares by kind, then id: the order in which all writers lock rows, so no two deadlock. */
export function byRecord(a: OfRecord, b: OfRecord): number {
  return a.kind === b.kind ? a.record - b.record : a.kind < b.kind ? -1 : 1
}
