import type { Kysely } from 'kysely'
import type { ChangeColumns, Tables } from './schema.ts'

/** Unknown values are empty. */
export interface Writer {
  /** 0 for the command line, the schedule and the service. */
  user: number
  login: string
  address: string
  /** The User-Agent, a command, or a part of the service. */
  client: string
  /** The id of the request, as in answer and log. */
  request: string
}

export function writerBy(client: string): Writer {
  return { user: 0, login: '', address: '', client, request: '' }
}

export interface RecordedChange {
  kind: ChangeColumns['kind']
  record: number
  /** Whether the public could see the record before, and can from now on. */
  wasPublic: boolean
  isPublic: boolean
  /**
   * Whether public lists left the record out before, and do so from now on; public webhooks do not get such
   * records.
   */
  wasHidden?: boolean | undefined
  isHidden?: boolean | undefined
  isDeleted?: boolean
  former?: FormerValues | undefined
  by?: Writer | undefined
}

/** Values by column, and lists of ids by link. */
export type FormerValues = Readonly<Record<string, unknown>>

/** `role`, `grant` and `revoke` are for users and credentials. */
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

/** A change that follows from another has no act, such as a count of a term. */
export interface Act {
  action: WriteAction
  name: string
}

export interface Recorded extends RecordedChange {
  act: Act | undefined
}

/** Has each record once; written when the transaction ends. */
export interface Recording {
  writer: Writer
  changes: Map<string, Recorded>
  /** Earlier transactions of the same commit, whose changes this one reads and which have no sequence yet. */
  earlier: readonly Recording[]
  keepsFormer: boolean
}

/**
 * Only `database.write` makes one. Every function that changes rows takes a `Tx` and records in it, so that
 * no change goes unrecorded.
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
    // Made and removed is `delete`, made and changed `create`.
    act: act?.action === 'delete' ? act : (before?.act ?? act),
  })
}

/** Adds values that are known only while the record is written. */
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

/** Every writer locks rows in this order, so that no two wait for each other. */
export function byRecord(a: OfRecord, b: OfRecord): number {
  return a.kind === b.kind ? a.record - b.record : a.kind < b.kind ? -1 : 1
}
