import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import type { Pruning } from '../../store/storage/pruning.ts'
import { statement } from '../../store/storage/statement.ts'
import type { BulkChangeColumns, ProposalColumns, UnsavedTextColumns } from './desk-tables.ts'

// Tables of the desk whose changes are not recorded, since no version, list or cache depends on them.

export type UnsavedPlace = Pick<UnsavedTextColumns, 'user' | 'kind' | 'record' | 'form'>

const selectLastSaved = statement<{ user: number }>()<{
  rows: number
  last: string | null
  oldest: string | null
}>(
  (_db, value) =>
    sql`select count(*) as "rows", max(saved_utc) as last, min(saved_utc) as oldest from unsaved_texts
      where "user" = ${value('user')}`,
)

export async function findLastSaved(db: Db, user: number): Promise<{ rows: number; last: string | null }> {
  const [found] = await selectLastSaved(db, { user })
  return { rows: Number(found?.rows ?? 0), last: found?.last ?? null }
}

const upsertUnsaved = statement<{ row: UnsavedTextColumns }>()((db, value) =>
  db
    .insertInto('unsaved_texts')
    .values(value('row'))
    .onConflict((conflict) =>
      conflict.columns(['user', 'kind', 'record', 'form']).doUpdateSet((row) => ({
        version: row.ref('excluded.version'),
        values: row.ref('excluded.values'),
        saved_utc: row.ref('excluded.saved_utc'),
      })),
    ),
)

export async function keepUnsaved(tx: Db, row: UnsavedTextColumns): Promise<void> {
  await upsertUnsaved(tx, { row })
}

export function selectUnsaved(db: Db, user: number): Promise<UnsavedTextColumns[]> {
  return db
    .selectFrom('unsaved_texts')
    .selectAll()
    .where('user', '=', user)
    .orderBy('saved_utc', 'desc')
    .execute()
}

/** Finds a user's unsaved text for a record; without `form`, the latest of all forms. */
export function findUnsavedRow(
  db: Db,
  { user, kind, record, form }: Omit<UnsavedPlace, 'form'> & { form?: string | undefined },
): Promise<UnsavedTextColumns | undefined> {
  const texts = db.selectFrom('unsaved_texts').selectAll().where('user', '=', user).where('kind', '=', kind)
  return texts
    .where('record', '=', record)
    .$if(form !== undefined, (those) => those.where('form', '=', form ?? ''))
    .orderBy('saved_utc', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function removeUnsaved(
  tx: Db,
  { user, kind, record, form }: Omit<UnsavedPlace, 'form'> & Partial<UnsavedPlace>,
): Promise<void> {
  const ofRecord = tx.deleteFrom('unsaved_texts').where((where) => where.and({ user, kind, record }))
  await (form === undefined ? ofRecord : ofRecord.where('form', '=', form)).execute()
}

export async function removeDeskRows(tx: Db, kind: string, record: number): Promise<void> {
  await tx.deleteFrom('unsaved_texts').where('kind', '=', kind).where('record', '=', record).execute()
  await tx.deleteFrom('proposals').where('kind', '=', kind).where('record', '=', record).execute()
}

export async function trimUnsaved(tx: Db, user: number, most: number): Promise<void> {
  await sql`delete from unsaved_texts where "user" = ${user} and (kind, record, form) in
    (select kind, record, form from unsaved_texts where "user" = ${user} order by saved_utc desc, kind,
      record, form limit 1000 offset ${sql.lit(most)})`.execute(tx)
}

async function dropUnsaved(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql`delete from unsaved_texts where ("user", kind, record, form) in
    (select "user", kind, record, form from unsaved_texts where saved_utc < ${beforeUtc}
      limit ${sql.lit(most)}) returning record`.execute(tx)
  return rows.length
}

async function dropDecided(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const decided: ProposalColumns['state'][] = ['published', 'withdrawn']
  const old = tx
    .selectFrom('proposals')
    .select('id')
    .where('state', 'in', decided)
    .where('changed_utc', '<', beforeUtc)
  const rows = await tx
    .deleteFrom('proposals')
    .where('id', 'in', old.limit(sql.lit(most)))
    .returning('id')
    .execute()
  return rows.length
}

async function dropBulkChanges(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const old = tx
    .selectFrom('bulk_changes')
    .select('token')
    .where('done_utc', '<', beforeUtc)
    .limit(sql.lit(most))
  return (await tx.deleteFrom('bulk_changes').where('token', 'in', old).returning('token').execute()).length
}

/** Stores the undo of a bulk change; a later part of the same change replaces the list of records. */
export async function keepBulkChange(tx: Db, row: BulkChangeColumns): Promise<void> {
  await tx
    .insertInto('bulk_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ records: row.records }))
    .execute()
}

export function findBulkChange(db: Db, token: string): Promise<BulkChangeColumns | undefined> {
  return db.selectFrom('bulk_changes').selectAll().where('token', '=', token).executeTakeFirst()
}

/** Deletes the undo, so that nobody can use it twice; returns false if there is none. */
export async function takeBulkChange(tx: Db, token: string): Promise<boolean> {
  const taken = await tx.deleteFrom('bulk_changes').where('token', '=', token).returning('token').execute()
  return taken.length > 0
}

const MERGE_DAYS = 30

async function dropMergedLinks(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql`delete from merged_links where (merge, kind, record) in
    (select l.merge, l.kind, l.record from desk_merges m join merged_links l on l.merge = m.id
      where m.done_utc < ${beforeUtc} limit ${sql.lit(most)}) returning record`.execute(tx)
  return rows.length
}

async function dropMerges(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql`delete from desk_merges where id in
    (select id from desk_merges m where done_utc < ${beforeUtc}
      and not exists (select 1 from merged_links where merge = m.id)
        limit ${sql.lit(most)}) returning id`.execute(tx)
  return rows.length
}

/** Deletes merges, unsaved texts and decided proposals after 30 days, and undos of bulk changes after one. */
export const deskPrunings: readonly Pruning[] = [
  { days: 30, drop: dropUnsaved },
  { days: 30, drop: dropDecided },
  { days: MERGE_DAYS, drop: dropMergedLinks },
  { days: MERGE_DAYS, drop: dropMerges },
  { days: 1, drop: dropBulkChanges },
]
