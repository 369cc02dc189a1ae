import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { formatUtc } from '../../../base/text/zones.ts'
import { type Change, type Cursor, type Database, type Db, isPostgres } from '../database.ts'
import {
  forgetVersions,
  type HistoryRow,
  historyRows,
  KEEP_TEXTS,
  keysToForget,
  keysToLevel,
  type LatestChange,
  latestChanges,
  levelSequences,
  MOST_CHANGES,
  onChanged,
  textsOf,
  WEBHOOK_INSERT,
  webhookChanges,
} from '../history.ts'
import { byRecord, type Tx } from '../recording.ts'
import { rowParts } from '../sql-parts.ts'
import { statement } from '../statement.ts'

// Cursors and the table `changes` on PostgreSQL. A database sequence numbers transactions as they ask, not as
// they commit, so it cannot tell which commits a client has seen. Instead, the position of a change is the id
// of its transaction, and a cursor is a snapshot: the set of transactions whose changes its client has seen.
// What the current snapshot sees and the cursor does not was committed in between.
//
// A record has one row in `changes`, with the transaction that changed it last. Each writer locks the row
// until its commit, so the last to write it was also the last to commit. A client that has not seen the
// commit of one of several writers has not seen the last one either, so it finds the row, even if the last
// transaction has a smaller id than an earlier one.
//
// A cursor is written as the end (all transactions from this id on are unseen), then the ids below the end
// that were still running, as in `14-11-12`. The end follows the greatest position in the table, not the
// current transactions, so that the cursor stays the same on every node while nothing changes. The end may
// decrease when a transaction with a small id overwrites the row with the greatest position. But no cursor
// stands for two states: the last committed transaction always has a row, and only cursors from then on see
// it.

/**
 * Gives new positions to changes of a database moved from another server, whose transaction ids are above any
 * of this server. Otherwise they would look new to every client for a long time.
 */
export async function adoptForeignChanges(tx: Db): Promise<void> {
  if (!isPostgres(tx)) return
  await sql`update changes set position = pg_current_xact_id() where position > pg_current_xact_id()`.execute(
    tx,
  )
  await sql`update changes_dropped set before = '0' where before > pg_current_xact_id()`.execute(tx)
}

/** SQL for `cursorOf`. `changes.position` sorts by number; a bare `position` would mean the selected text. */
export const CURSOR_COLUMNS =
  'pg_current_snapshot()::text as present, ' +
  '(select position::text from changes order by changes.position desc limit 1) as last'

export interface CursorColumns {
  present: string
  last: string | null
}

export function cursorOf({ present, last }: CursorColumns): Cursor {
  const [, , running = ''] = present.split(':')
  const end = BigInt(last ?? 0) + 1n
  return [end, ...running.split(',').filter((id) => id !== '' && BigInt(id) < end)].join('-')
}

/**
 * Returns a snapshot as PostgreSQL writes it: the first transaction that may be running, the end, running
 * ids.
 */
function asSnapshot(cursor: Cursor): string {
  const [end = '', ...running] = cursor.split('-')
  return `${running[0] ?? end}:${end}:${running}`
}

const selectCursor = statement<Record<never, never>>()(
  () => sql<CursorColumns>`select ${sql.raw(CURSOR_COLUMNS)}`,
)

export async function presentCursor(db: Db): Promise<Cursor> {
  const [row] = await selectCursor(db, {})
  if (!row) throw new Error('no snapshot')
  return cursorOf(row)
}

type Unseen = CursorColumns & { lost: boolean } & { [Name in keyof Change]: Change[Name] | null }

const selectUnseen = statement<{ snapshot: string }>()((_db, value) => {
  const seen = sql`${value('snapshot')}::pg_snapshot`
  return sql<Unseen>`
    select present.*, kind, record, pg_snapshot_xmin(${seen}) < (select before from changes_dropped)
      or pg_snapshot_xmax(${seen}) > pg_snapshot_xmax(present.present::pg_snapshot) as lost
    from (select ${sql.raw(CURSOR_COLUMNS)}) as present
    left join (
      select kind, record from changes
      where position >= pg_snapshot_xmin(${seen}) and not pg_visible_in_snapshot(position, ${seen})
      limit ${MOST_CHANGES + 1}
    ) as unseen on true
  `
})

/** Returns each changed record once; `'too old'` is as in `Database.readChanges`. */
export async function findChanges(db: Db, since: Cursor): ReturnType<Database['readChanges']> {
  const rows = await selectUnseen(db, { snapshot: asSnapshot(since) })
  const [row] = rows
  if (!row || row.lost || rows.length > MOST_CHANGES) return 'too old'
  const changes = rows.flatMap(({ kind, record }) =>
    kind === null || record === null ? [] : [{ kind, record }],
  )
  return { changes, cursor: cursorOf(row) }
}

/** SQL condition: a row of `changes` was committed after the cursor `from`, and not after the cursor `to`. */
export function committedBetween(from: Cursor, to: Cursor): RawBuilder<SqlBool> {
  const [unseen, seen] = [asSnapshot(from), asSnapshot(to)]
  return sql<SqlBool>`(changes.position >= pg_snapshot_xmin(${unseen}::pg_snapshot)
    and not pg_visible_in_snapshot(changes.position, ${unseen}::pg_snapshot)
    and pg_visible_in_snapshot(changes.position, ${seen}::pg_snapshot))`
}

/** True if rows of `changes` since the cursor were deleted, or the cursor is newer than the database. */
export async function isForgotten(db: Db, cursor: Cursor): Promise<boolean> {
  const seen = sql`${asSnapshot(cursor)}::pg_snapshot`
  const { rows } = await sql<{
    lost: boolean
  }>`select pg_snapshot_xmin(${seen}) < (select before from changes_dropped)
    or pg_snapshot_xmax(${seen}) > pg_snapshot_xmax(pg_current_snapshot()) as lost`.execute(db)
  return rows[0]?.lost !== false
}

export function positionValue(position: string): RawBuilder<number | string> {
  return sql`${position}::xid8`
}

/** Deletes at most `most` rows of records deleted before `beforeUtc`, but none at the greatest position. */
export async function dropTombstones(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ position: string }>`
    delete from changes where (kind, record) in (
      select kind, record from changes
      where deleted = 1 and changed_utc < ${beforeUtc}
        and position < (select position from changes order by changes.position desc limit 1)
      limit ${most})
    returning position::text as position
  `.execute(tx)
  const last = rows.reduce(
    (latest, { position }) => (BigInt(position) > latest ? BigInt(position) : latest),
    0n,
  )
  const before = String(last + 1n)
  if (rows.length > 0)
    await sql`update changes_dropped set before = ${before}::xid8 where before < ${before}::xid8`.execute(tx)
  return rows.length
}

const upsert = statement<{ rows: LatestChange[] }>()(
  (_db, value) => sql`
    insert into changes (kind, record, sequence, was_public, is_public, deleted, changed_utc, "user",
    known_from)
    values ${sql.join(
      value('rows').map(
        (row) =>
          sql`(${row.kind}, ${row.record}, ${row.sequence}, ${row.was_public}, ${row.is_public},
            ${row.deleted}, ${row.changed_utc}, ${row.user}, ${row.known_from})`,
      ),
    )} ${sql.raw(onChanged('greatest(changes.sequence + 1, excluded.sequence)'))}`,
)

const level = statement<{ keys: string }>()(
  (_db, value) => sql`${changed(value('keys'))} ${sql.raw(levelSequences(CHANGED))}`,
)

const forget = statement<{ keys: string }>()(
  (_db, value) => sql`${changed(value('keys'))} ${sql.raw(forgetVersions(CHANGED))}`,
)

const CHANGED = 'select kind, record from keys'

function changed(keys: RawBuilder<string>) {
  return sql`with keys as materialized
    (select kind, record from jsonb_to_recordset(${keys}::jsonb) as k(kind text, record bigint))`
}

const insertHistory = statement<{ rows: Omit<HistoryRow, 'later' | 'texts'>[] }>()((db, value) =>
  db.insertInto('history').values(
    value('rows').map((row) => ({
      ...row,
      sequence: sql<number>`(select sequence from changes where kind = ${row.kind}
        and record = ${row.record})`,
    })),
  ),
)

const keepTexts = statement<{ texts: string }>()(
  (_db, value) => sql`${sql.raw(KEEP_TEXTS.before)} select hash, bytes, text, ${sql.raw(KEEP_TEXTS.last)}
    from jsonb_to_recordset(${value('texts')}::jsonb) as t(hash text, bytes integer,
    text text) ${sql.raw(KEEP_TEXTS.after)}`,
)

const endVersions = statement<{ kind: string; record: number }>()(
  (_db, value) => sql`update history set former = '', former_bytes = 0
    where kind = ${value('kind')} and record = ${value('record')} and former_bytes > 0`,
)

const insertDeliveries = statement<{ changes: string }>()(
  (_db, value) => sql`${sql.raw(WEBHOOK_INSERT.before)} jsonb_to_recordset(${value('changes')}::jsonb)
    as c(kind text, record bigint, verb text, public_verb text, with_series integer, later integer,
      message text, time text) ${sql.raw(WEBHOOK_INSERT.after)}`,
)

/**
 * Writes the recording of a transaction, as its last step; all statements have been sent when the call
 * returns. Rows of `changes` are locked only from here to the commit, always in the same order, so writers
 * cannot deadlock.
 */
export async function saveRecording(tx: Tx): Promise<void> {
  if (tx.recording.changes.size === 0) return
  const time = formatUtc(Date.now())
  const latest = latestChanges([tx.recording], time).sort(byRecord)
  const changes = Array.from(rowParts(latest), (some) => upsert(tx, { rows: some }))
  const keys = keysToLevel(latest)
  const levelled = keys === undefined ? [] : [level(tx, { keys })]
  const forgotten = keysToForget([tx.recording])
  const forgetting = forgotten === undefined ? [] : [forget(tx, { keys: forgotten })]
  const acting = historyRows([tx.recording], time)
  const rows = acting.map(({ later: _later, texts: _texts, ...row }) => row)
  const acts = Array.from(rowParts(rows), (some) => insertHistory(tx, { rows: some }))
  const removed = rows.filter(({ action }) => action === 'delete')
  const ended = removed.map(({ kind, record }) => endVersions(tx, { kind, record }))
  const texts = textsOf(acting)
  const kept = texts.length === 0 ? [] : [keepTexts(tx, { texts: JSON.stringify(texts) })]
  const messages = webhookChanges([tx.recording], time)
  const deliveries = messages === undefined ? [] : [insertDeliveries(tx, { changes: messages })]
  await Promise.all([...changes, ...levelled, ...forgetting, ...acts, ...ended, ...kept, ...deliveries])
}
