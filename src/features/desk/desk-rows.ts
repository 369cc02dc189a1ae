import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import type { BulkChangeColumns, ProposalColumns, UnsavedTextColumns } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

// Reads and writes the rows that the desk keeps beside records: unsaved texts, proposals, and what undoes
// bulk changes. No version, list or cache depends on these rows, so the record of changes has nothing of
// them. Also lists the imports and webhooks that fail.

/** The key of an unsaved text: its user, its record, and its form. */
export type UnsavedPlace = Pick<UnsavedTextColumns, 'user' | 'kind' | 'record' | 'form'>

const selectLastSaved = statement<{ user: number }>()<{
  rows: number
  last: string | null
  oldest: string | null
}>(
  (_db, value) =>
    sql`select count(*) as "rows", max(saved_utc) as last, min(saved_utc) as oldest from unsaved_texts where "user" = ${value('user')}`,
)

/** Returns how many unsaved texts a user has, and when the latest was saved; null for none. */
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

/** Stores a text in place of the former one. */
export async function keepUnsaved(tx: Db, row: UnsavedTextColumns): Promise<void> {
  await upsertUnsaved(tx, { row })
}

/** Returns all unsaved texts of a user, of every kind, the latest first. */
export function selectUnsaved(db: Db, user: number): Promise<UnsavedTextColumns[]> {
  return db
    .selectFrom('unsaved_texts')
    .selectAll()
    .where('user', '=', user)
    .orderBy('saved_utc', 'desc')
    .execute()
}

/**
 * Returns the unsaved text of a form, or without `form` the latest unsaved text of the record; undefined
 * where there is none.
 */
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

/** Removes the text that a user typed in a form of a record, or without a form in all its forms. */
export async function removeUnsaved(
  tx: Db,
  { user, kind, record, form }: Omit<UnsavedPlace, 'form'> & Partial<UnsavedPlace>,
): Promise<void> {
  const ofRecord = tx.deleteFrom('unsaved_texts').where((where) => where.and({ user, kind, record }))
  await (form === undefined ? ofRecord : ofRecord.where('form', '=', form)).execute()
}

/** Removes the unsaved texts and proposals of a deleted record. */
export async function removeDeskRows(tx: Db, kind: string, record: number): Promise<void> {
  await tx.deleteFrom('unsaved_texts').where('kind', '=', kind).where('record', '=', record).execute()
  await tx.deleteFrom('proposals').where('kind', '=', kind).where('record', '=', record).execute()
}

/** Removes the oldest unsaved texts of a user beyond `most`. */
export async function trimUnsaved(tx: Db, user: number, most: number): Promise<void> {
  await sql`delete from unsaved_texts where "user" = ${user} and (kind, record, form) in
    (select kind, record, form from unsaved_texts where "user" = ${user} order by saved_utc desc, kind, record, form limit 1000 offset ${sql.lit(most)})`.execute(
    tx,
  )
}

/** Drops at most `most` unsaved texts that were saved before a time. Returns how many. */
export async function dropUnsaved(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql`delete from unsaved_texts where ("user", kind, record, form) in
    (select "user", kind, record, form from unsaved_texts where saved_utc < ${beforeUtc} limit ${sql.lit(most)}) returning record`.execute(
    tx,
  )
  return rows.length
}

/** Drops at most `most` proposals that were decided before a time. Returns how many. */
export async function dropDecided(tx: Db, beforeUtc: string, most: number): Promise<number> {
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

/** Drops at most `most` undo records of bulk changes that were made before a time. Returns how many. */
export async function dropBulkChanges(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const old = tx
    .selectFrom('bulk_changes')
    .select('token')
    .where('done_utc', '<', beforeUtc)
    .limit(sql.lit(most))
  return (await tx.deleteFrom('bulk_changes').where('token', 'in', old).returning('token').execute()).length
}

/** Stores the undo record of a bulk change; a later part of the same change replaces its list of records. */
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

/**
 * Deletes the undo record of a bulk change, so that nobody can undo the change twice. Returns false where
 * there is none.
 */
export async function takeBulkChange(tx: Db, token: string): Promise<boolean> {
  const taken = await tx.deleteFrom('bulk_changes').where('token', '=', token).returning('token').execute()
  return taken.length > 0
}
