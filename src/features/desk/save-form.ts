import { hash } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Operations, WriteResult } from '../../calendar/declare/operations.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { type Around, writeChange, writeNew, writeRemoval } from '../../calendar/editing/save-record.ts'
import { isLoggedIn, mayDelete } from '../../calendar/people/caller.ts'
import { dropSlugs } from '../../calendar/records/old-slugs.ts'
import { findVersion, type WantedVersions } from '../../calendar/records/record-store.ts'
import type { ServedResource } from '../../calendar/resources.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import { type PagedKind, type RecordTable, TABLE_OF } from '../../store/storage/schema.ts'
import { removeDeskRows } from './desk-rows.ts'
import { makeOnce } from './form-once.ts'
import { formerStatus } from './former-status.ts'
import { nameOfRow, permittedRecord, statusOf } from './permitted-record.ts'
import { type FormPlace, findUnmadeTerms, keepBeside, type UnmadeTerms } from './review/proposal-store.ts'

// Saves, removes, restores and deletes records as REST does, together with the desk's rows about them.

export interface Saved {
  id: number
  version: number
}

function savingFor(context: Context, served: ServedResource, formOf: FormPlace, unmade?: UnmadeTerms) {
  return async (tx: Tx, write: () => Promise<WriteResult>): Promise<WriteResult> => {
    const written = await write()
    await keepBeside(tx, context, served, { formOf, record: written.id }, unmade)
    return written
  }
}

/**
 * Creates a record. The same key and values within a day return the record already created.
 * @param key printable ASCII characters
 * @param form name of the form whose unsaved text is deleted
 * @throws Problem with faults by field in `details.params`; rest_idempotency_key_reused for other values
 */
export async function createRecord(
  context: Context,
  served: ServedResource,
  raw: RawValues,
  key?: string,
  form = '',
): Promise<Saved> {
  const { resource, operations } = served
  const isAllowed = isLoggedIn(context.caller) && operations.rights.create(context)
  const sent = { fields: resource.fields, raw, isAllowed }
  const fingerprint = async () => hash('sha256', `desk ${resource.path} ${JSON.stringify(raw)}`, 'base64')
  const saving = savingFor(context, served, { record: 0, form }, await findUnmadeTerms(context, served, raw))
  const id = await makeOnce({ key, fingerprint }, isAllowed, context, (storingId) =>
    writeNew(context, operations, sent, (tx, write) => storingId(tx, () => saving(tx, write))),
  )
  return savedAs(context, operations, { id })
}

export interface SaveExtras {
  unmade?: UnmadeTerms
  beside?: ((tx: Tx) => Promise<void>) | undefined
  form?: string | undefined
}

/**
 * Updates a record; if `version` is given, only while the record still has it.
 * @throws Problem with faults by field in `details.params`; rest_precondition_failed for another version
 */
export async function updateRecord(
  context: Context,
  served: ServedResource,
  id: number,
  raw: RawValues,
  version?: number,
  { unmade, beside, form = '' }: SaveExtras = {},
): Promise<Saved> {
  const { resource, operations } = served
  const mayAsk = isLoggedIn(context.caller) && operations.rights.update(context)
  const values = await parseFields(resource.fields, raw, context, { extent: 'partial', mayAsk })
  const row = await permittedRecord(context, operations, id, 'update')
  const saving = savingFor(
    context,
    served,
    { record: id, form },
    unmade ?? (await findUnmadeTerms(context, served, raw)),
  )
  const around: Around<WriteResult> = async (tx, write) => {
    const written = await saving(tx, write)
    await beside?.(tx)
    return written
  }
  const written = await writeChange(context, operations, { row, values }, wantedAt(id, version), around)
  return savedAs(context, operations, written)
}

/**
 * Moves a record to the trash; deletes a term, which has no trash.
 * @param raw options, such as the scope in a series
 * @throws Problem with faults by field in `details.params`; rest_forbidden; rest_precondition_failed for
 * another version
 */
export async function removeRecord(
  context: Context,
  served: ServedResource,
  id: number,
  raw: RawValues = {},
  version?: number,
): Promise<Saved> {
  const { resource, operations } = served
  const values = await parseFields(resource.removal ?? {}, raw, context)
  const row = await permittedRecord(context, operations, id, 'remove')
  const asked = { row, values }
  const written = await writeRemoval(
    context,
    operations,
    asked,
    wantedAt(id, version),
    removing(context, served, id),
  )
  return savedAs(context, operations, written)
}

/**
 * Takes a record out of the trash and restores its status: draft if that is unknown, pending if the caller
 * may not set it.
 * @throws Problem rest_precondition_failed for a record that is not in the trash
 */
export async function untrashRecord(
  context: Context,
  served: ServedResource,
  id: number,
  version?: number,
): Promise<Saved> {
  const row = await permittedRecord(context, served.operations, id, 'update')
  if (statusOf(row) !== 'trash') throw new Problem('rest_precondition_failed')
  const kind = served.operations.versioned?.kind
  const status = kind && (await formerStatus(context.db, kind, id))
  return updateRecord(context, served, id, { status: status ?? 'draft' }, version)
}

/** Also deletes the desk's rows about a term; other records keep theirs, as they may be restored. */
function removing(context: Context, served: ServedResource, id: number): Around<WriteResult> {
  const { name } = served.resource
  if (name !== 'category' && name !== 'tag') return savingFor(context, served, { record: id })
  return async (tx, write) => {
    const written = await write()
    await removeDeskRows(tx, name, id)
    return written
  }
}

export function wantedAt(id: number, version: number | undefined): WantedVersions {
  return version === undefined ? 'any' : [{ id, sequence: version }]
}

/** Returns a record's id and present version; 0 for a kind without versions. */
export async function savedAs(
  context: Context,
  { versioned }: Operations,
  { id }: Pick<WriteResult, 'id'>,
): Promise<Saved> {
  const version = versioned ? (await findVersion(context.db, versioned.kind, id)).sequence : 0
  return { id, version }
}

function hasTrash(kind: string): kind is PagedKind {
  return kind === 'event' || kind === 'venue' || kind === 'organizer'
}

/**
 * Deletes a record in the trash for good.
 * @throws Problem rest_forbidden; rest_precondition_failed outside the trash; rest_gone
 */
export async function eraseRecord(
  tx: Tx,
  { resource }: ServedResource,
  id: number,
  context: Context,
): Promise<WriteResult> {
  const kind = resource.name
  if (!hasTrash(kind)) throw new Problem('rest_forbidden')
  const table: RecordTable = TABLE_OF[kind]
  await holdRecord(tx, table, id)
  const row = await tx.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Problem('rest_gone')
  if (!mayDelete(context.caller, row)) throw new Problem('rest_forbidden')
  if (row.status !== 'trash') throw new Problem('rest_precondition_failed')
  const gone = { kind, record: id, wasPublic: false, isPublic: false, isDeleted: true }
  recordChange(tx, gone, { action: 'delete', name: nameOfRow(kind, row) })
  await tx.deleteFrom(table).where('id', '=', id).execute()
  if ('series' in row && row.series !== null) await eraseEmptySeries(tx, row.series)
  await tx.deleteFrom('records').where('id', '=', id).execute()
  await dropSlugs(tx, kind, id)
  await removeDeskRows(tx, kind, id)
  return { id, answer: { id } }
}

async function eraseEmptySeries(tx: Tx, id: number): Promise<void> {
  const date = await tx.selectFrom('events').select('id').where('series', '=', id).limit(1).executeTakeFirst()
  if (date) return
  const gone = await tx
    .deleteFrom('series')
    .where('id', '=', id)
    .where('status', '=', 'trash')
    .returning('title')
    .execute()
  for (const { title } of gone) {
    const change = { kind: 'series', record: id, wasPublic: false, isPublic: false, isDeleted: true } as const
    recordChange(tx, change, { action: 'delete', name: title })
    await tx.deleteFrom('records').where('id', '=', id).execute()
  }
}
