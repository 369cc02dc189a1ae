import { formatUtc } from '../../base/text/zones.ts'
import { countLater } from './changes.ts'
import type { Db } from './database.ts'
import { forgetFormer, type KeptFormer, keptFormer, NO_FORMER } from './former-values.ts'
import type { Act, Recording, Tx, Writer } from './recording.ts'
import type { HistoryColumns } from './schema.ts'

// The history of acts: written, listed and dropped.

/** A row to be added to the history, and how many transactions of the same commit have changed the record since. */
export type HistoryRow = Omit<HistoryColumns, 'id' | 'sequence'> & { later: number } & KeptFormer

/** Characters of a name, an address or a client that the history keeps. */
const LONGEST_TEXT = 200

/** The acts of transactions that are committed together, in their order. */
export function historyRows(recordings: readonly Recording[], time_utc: string): HistoryRow[] {
  const rows: HistoryRow[] = []
  const later = recordings.length > 1 ? countLater(recordings) : undefined
  for (const { changes, writer, keepsFormer } of recordings) {
    const origin = originOf(writer)
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (act)
        rows.push({
          ...rowOf({ kind, record, act }, origin, time_utc),
          ...(keepsFormer ? keptFormer(change) : NO_FORMER),
          later: later?.get(change) ?? 0,
        })
    }
  }
  return rows
}

/** Writes acts on what has no row, so that no change goes with them. `now` in milliseconds since the epoch. */
export async function insertActs(tx: Tx, acts: readonly DoneAct[], now: number): Promise<void> {
  const origin = originOf(tx.recording.writer)
  const rows = acts.map((done) => ({
    ...rowOf(done, origin, formatUtc(now)),
    sequence: 0,
    former: '',
    former_bytes: 0,
  }))
  if (rows.length > 0) await tx.insertInto('history').values(rows).execute()
}

/** An act and what it was done to. */
type DoneAct = Pick<HistoryRow, 'kind' | 'record'> & { act: Act }

type Origin = Pick<HistoryRow, 'user' | 'login' | 'address' | 'client' | 'request'>

function originOf({ user, login, address, client, request }: Writer): Origin {
  return {
    user,
    login: bounded(login),
    address: bounded(address),
    client: bounded(client),
    request: bounded(request),
  }
}

function rowOf({ kind, record, act }: DoneAct, origin: Origin, time_utc: string) {
  const { user, login, address, client, request } = origin
  return { time_utc, user, login, action: act.action, kind, record, name: bounded(act.name), address, client, request }
}

/**
 * The beginning of a text; no half of a character beyond the basic plane is left at its end. Empty for the value of a damaged row, which
 * may be no text.
 */
function bounded(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed()
}

/** Narrows the history; undefined where anything will do. */
export interface HistoryFilter {
  user?: { id: number } | { login: string } | undefined
  kind?: HistoryColumns['kind'] | undefined
  record?: number | undefined
  /** From this time on, and before this time, as `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined
  until?: string | undefined
}

/** The newest acts of the history, the newest first, `most` at the most. */
export async function listHistory(db: Db, filter: HistoryFilter, most: number): Promise<HistoryColumns[]> {
  const { user, kind, record, since, until } = filter
  let rows = db.selectFrom('history').selectAll()
  if (user) rows = 'id' in user ? rows.where('user', '=', user.id) : rows.where('login', '=', user.login)
  if (kind !== undefined) rows = rows.where('kind', '=', kind)
  if (record !== undefined) rows = rows.where('record', '=', record)
  if (since !== undefined) rows = rows.where('time_utc', '>=', since)
  if (until !== undefined) rows = rows.where('time_utc', '<', until)
  return rows.orderBy('id', 'desc').limit(most).execute()
}

/** Drops the oldest rows, `most` at the most, up to the first that is not from before a time. Returns how many were dropped. */
export async function dropHistory(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const oldest = await tx
    .selectFrom('history')
    .select(['id', 'time_utc', 'kind', 'record', 'sequence', 'former_bytes'])
    .orderBy('id')
    .limit(most)
    .execute()
  const stays = oldest.findIndex(({ time_utc }) => time_utc >= beforeUtc)
  const dropped = stays === -1 ? oldest : oldest.slice(0, stays)
  const last = dropped.at(-1)
  if (!last) return 0
  const withValues = dropped.filter(({ former_bytes }) => former_bytes > 0)
  await forgetFormer(tx, withValues, last.id)
  await tx.deleteFrom('history').where('id', '<=', last.id).execute()
  return dropped.length
}
