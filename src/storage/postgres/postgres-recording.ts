import { sql } from 'kysely'
import { formatUtc } from '../../text/zones.ts'
import { keysToLevel, type LatestChange, latestChanges, levelSequences, onChanged } from '../changes.ts'
import { type HistoryRow, historyRows } from '../history.ts'
import { TELL, toldChanges } from '../outbox.ts'
import type { Tx } from '../recording.ts'
import { statement } from '../statement.ts'

// The table's default gives each change its position: the id of the transaction.
const upsert = statement<{ rows: LatestChange[] }>()(
  (_db, value) => sql`
    insert into changes (kind, record, sequence, was_public, is_public, deleted, changed_utc, "user")
    values ${sql.join(
      value('rows').map(
        (row) =>
          sql`(${row.kind}, ${row.record}, ${row.sequence}, ${row.was_public}, ${row.is_public}, ${row.deleted}, ${row.changed_utc}, ${row.user})`,
      ),
    )} ${sql.raw(onChanged('greatest(changes.sequence + 1, excluded.sequence)'))}`,
)

const level = statement<{ keys: string }>()(
  (_db, value) => sql`with keys as materialized
    (select kind, record from jsonb_to_recordset(${value('keys')}::jsonb) as k(kind text, record bigint))
    ${sql.raw(levelSequences('select kind, record from keys'))}`,
)

const insertHistory = statement<{ rows: Omit<HistoryRow, 'later'>[] }>()((db, value) =>
  db.insertInto('history').values(
    value('rows').map((row) => ({
      ...row,
      sequence: sql<number>`(select sequence from changes where kind = ${row.kind} and record = ${row.record})`,
    })),
  ),
)

const insertDeliveries = statement<{ changes: string }>()(
  (_db, value) => sql`${sql.raw(TELL.before)} jsonb_to_recordset(${value('changes')}::jsonb)
    as c(kind text, record bigint, verb text, public_verb text, with_series integer, later integer, message text, time text) ${sql.raw(TELL.after)}`,
)

/** Rows written with one statement. */
const ROWS_AT_ONCE = 500

/**
 * Writes what a transaction has recorded, as its last step. All statements have begun when the function returns. Rows of `changes` are locked only
 * from here to the commit, and always in the same order, so that writers cannot deadlock.
 */
export async function saveRecording(tx: Tx): Promise<void> {
  if (tx.recording.changes.size === 0) return
  const time = formatUtc(Date.now())
  const latest = latestChanges([tx.recording], time).sort(byRecord)
  const changes = inParts(latest).map((rows) => upsert(tx, { rows }))
  const keys = keysToLevel(latest)
  const levelled = keys === undefined ? [] : [level(tx, { keys })]
  const rows = historyRows([tx.recording], time).map(({ later: _later, ...row }) => row)
  const acts = inParts(rows).map((some) => insertHistory(tx, { rows: some }))
  const told = toldChanges([tx.recording], time)
  const deliveries = told === undefined ? [] : [insertDeliveries(tx, { changes: told })]
  await Promise.all([...changes, ...levelled, ...acts, ...deliveries])
}

function byRecord(a: LatestChange, b: LatestChange): number {
  return a.kind === b.kind ? a.record - b.record : a.kind < b.kind ? -1 : 1
}

function inParts<Row>(rows: Row[]): Row[][] {
  if (rows.length === 0) return []
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, part) =>
    rows.slice(part * ROWS_AT_ONCE, (part + 1) * ROWS_AT_ONCE),
  )
}
