import { hash } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import { removeDeskRows } from '../../features/desk/desk-rows.ts'
import {
  type FormPlace,
  findUnmadeTerms,
  keepBeside,
  type UnmadeTerms,
} from '../../features/desk/review/proposal-store.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import { type PagedKind, type RecordTable, TABLE_OF } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, Operations, WriteResult, WriteSteps } from '../declare/operations.ts'
import { parseFields, parseNew, type RawValues } from '../declare/parse.ts'
import type { Fields } from '../declare/resource.ts'
import { formerStatus } from '../history/record-history.ts'
import { isLoggedIn, mayDelete } from '../people/caller.ts'
import { dropSlugs } from '../records/old-slugs.ts'
import { findVersion, isPossibleId, requireVersion, type WantedVersions } from '../records/record-store.ts'
import type { Served } from '../resources.ts'
import { makeOnce } from './idempotency.ts'

// Creates, updates, removes, restores and erases records for somebody who asks: REST answers requests by it,
// and the desk saves its forms by it.

/** Runs a write inside its transaction, together with other work of that transaction. */
export type Around<Done> = (tx: Tx, write: () => Promise<WriteResult>) => Promise<Done>

/**
 * The values sent for a new record, not yet parsed, and whether the sender has the general right to make one.
 */
export interface SentNew {
  fields: Fields
  raw: RawValues
  isAllowed: boolean
}

/**
 * Parses and writes a new record, in a transaction that it shares with others where possible.
 * @throws Problem
 */
export async function makeNew(context: Context, operations: Operations, sent: SentNew): Promise<WriteResult> {
  return (
    (await makeShared(context, operations, sent)) ??
    writeNew(context, operations, sent, (_tx, write) => write())
  )
}

/**
 * Writes a new record in a shared transaction. Undefined where it cannot share one, and where its values have
 * a fault: `writeNew` then names all faults.
 */
async function makeShared(
  context: Context,
  { create }: Operations,
  { fields, raw, isAllowed }: SentNew,
): Promise<WriteResult | undefined> {
  const { writeAll } = create
  if (!writeAll || !context.writeShared || !isAllowed) return undefined
  try {
    const values = parseNew(fields, raw, context)
    if (!create.mayShare?.(values)) return undefined
    const prepared = await create.prepare(context, values)
    return await context.writeShared(writeAll, { prepared, context })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Parses a new record and writes it within `around`. @throws Problem */
export async function writeNew<Done>(
  context: Context,
  { create }: Operations,
  { fields, raw, isAllowed }: SentNew,
  around: Around<Done>,
): Promise<Done> {
  const values = await parseFields(fields, raw, context, { extent: 'whole', mayAsk: isAllowed })
  return writeAlone(create, values, context, around)
}

/**
 * Writes parsed values to a record that the caller may change, if it still has a wanted version.
 * @throws Problem
 */
export function writeChange<Done>(
  context: Context,
  operations: Operations,
  asked: AskedUpdate<unknown>,
  wanted: WantedVersions,
  around: Around<Done>,
): Promise<Done> {
  return writeAlone(operations.update, asked, context, onlyAt(operations, asked.row, wanted, around))
}

/** Removes a record that the caller may remove, if it still has a wanted version. @throws Problem */
export function writeRemoval<Done>(
  context: Context,
  operations: Operations,
  asked: AskedUpdate<unknown>,
  wanted: WantedVersions,
  around: Around<Done>,
): Promise<Done> {
  const { remove, removeWith } = operations
  const within = onlyAt(operations, asked.row, wanted, around)
  return removeWith
    ? writeAlone(removeWith, asked, context, within)
    : writeAlone(remove, asked.row, context, within)
}

/** Does one write in a transaction of its own. */
async function writeAlone<Asked, Done>(
  { prepare, write }: WriteSteps<Asked>,
  asked: Asked,
  context: Context,
  around: Around<Done>,
): Promise<Done> {
  const prepared = await prepare(context, asked)
  return context.write((tx) => around(tx, () => write(tx, prepared, context)))
}

/** Adds to a write the check that its record still has a wanted version. */
function onlyAt<Done>(
  { versioned }: Operations,
  row: unknown,
  wanted: WantedVersions,
  around: Around<Done>,
): Around<Done> {
  if (wanted === 'any' || !versioned) return around
  return (tx, write) =>
    around(tx, async () => {
      await requireVersion(tx, versioned.kind, versioned.idOf(row), wanted)
      return write()
    })
}

/** A record that was saved, with the version that it has since: the next save may want this version. */
export interface Saved {
  id: number
  version: number
}

/**
 * Adds to a write the further work of a save at the desk, such as removing the unsaved text of the record.
 */
function savingFor(context: Context, served: Served, formOf: FormPlace, unmade?: UnmadeTerms) {
  return async (tx: Tx, write: () => Promise<WriteResult>): Promise<WriteResult> => {
    const written = await write()
    await keepBeside(tx, context, served, { formOf, record: written.id }, unmade)
    return written
  }
}

/**
 * Saves a new record as a create over REST does. Called again with the same key and values within a day,
 * returns the record of the first call.
 * @param key printable ASCII characters that name one act of the user
 * @param form the form whose unsaved text the record replaces
 * @throws Problem with the faults by field in `details.params`; rest_idempotency_key_reused for a key of
 * other values
 */
export async function createRecord(
  context: Context,
  served: Served,
  raw: RawValues,
  key?: string,
  form = '',
): Promise<Saved> {
  const { resource, operations } = served
  const isAllowed = isLoggedIn(context.caller) && operations.rights.create(context)
  const sent = { fields: resource.fields, raw, isAllowed }
  const fingerprint = async () => hash('sha256', `desk ${resource.path} ${JSON.stringify(raw)}`, 'base64')
  const saving = savingFor(context, served, { record: 0, form }, await findUnmadeTerms(context, served, raw))
  const id = await makeOnce({ key, fingerprint }, isAllowed, context, (keepingId) =>
    writeNew(context, operations, sent, (tx, write) => keepingId(tx, () => saving(tx, write))),
  )
  return savedAs(context, operations, { id })
}

/** Further work of a save in its transaction. */
export interface SaveExtras {
  /** The names of terms that wait, where they have been found before. */
  unmade?: UnmadeTerms
  beside?: ((tx: Tx) => Promise<void>) | undefined
  /** The form whose unsaved text the save replaces. */
  form?: string | undefined
}

/**
 * Saves the sent fields of a record as an update over REST does; given a version, only if the record still
 * has it.
 * @throws Problem with the faults by field in `details.params`; rest_precondition_failed where the record has
 * another version
 */
export async function updateRecord(
  context: Context,
  served: Served,
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
 * Moves a record to the trash, or removes a term, as a deletion over REST does.
 * @param raw the fields that the resource declares for removals, such as the scope in a series
 * @throws Problem
 */
export async function removeRecord(
  context: Context,
  served: Served,
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
 * Takes a record out of the trash, with the status that it had before; as a draft where the history does not
 * know that, and as pending where the caller may not give it.
 * @throws Problem rest_precondition_failed for a record that is not in the trash
 */
export async function untrashRecord(
  context: Context,
  served: Served,
  id: number,
  version?: number,
): Promise<Saved> {
  const row = await permittedRecord(context, served.operations, id, 'update')
  if (statusOf(row) !== 'trash') throw new Problem('rest_precondition_failed')
  const kind = served.operations.versioned?.kind
  const status = kind && (await formerStatus(context.db, kind, id))
  return updateRecord(context, served, id, { status: status ?? 'draft' }, version)
}

/** Returns the status of a row; undefined for a row without one. */
export function statusOf(row: unknown): string | undefined {
  const { status }: { status?: unknown } = Object(row)
  return typeof status === 'string' ? status : undefined
}

/**
 * Finds a record that the caller may update or remove.
 * @throws Problem rest_forbidden, or that of a record that is not there
 */
export async function permittedRecord(
  context: Context,
  operations: Operations,
  id: number,
  change: 'update' | 'remove',
): Promise<unknown> {
  const may = operations.rights[change]
  if (!isLoggedIn(context.caller) || !may(context)) throw new Problem('rest_forbidden')
  const row = isPossibleId(id) ? await operations.locate(context, { id }) : undefined
  if (row === undefined) throw await operations.missing(context, { id })
  if (!may(context, row)) throw new Problem('rest_forbidden')
  return row
}

/**
 * Adds to a removal the further work at the desk: all that is kept beside a term goes with the term; a record
 * in the trash may come back.
 */
function removing(context: Context, served: Served, id: number): Around<WriteResult> {
  const { name } = served.resource
  if (name !== 'category' && name !== 'tag') return savingFor(context, served, { record: id })
  return async (tx, write) => {
    const written = await write()
    await removeDeskRows(tx, name, id)
    return written
  }
}

/** Returns the wanted version of a write for the version that a form knows: any where it knows none. */
export function wantedAt(id: number, version: number | undefined): WantedVersions {
  return version === undefined ? 'any' : [{ id, sequence: version }]
}

/** Returns the id and the present version of a record that was written; 0 for a kind without versions. */
export async function savedAs(
  context: Context,
  { versioned }: Operations,
  { id }: Pick<WriteResult, 'id'>,
): Promise<Saved> {
  const version = versioned ? (await findVersion(context.db, versioned.kind, id)).sequence : 0
  return { id, version }
}

// Deletes for good the records that are in the trash.

/** Returns true for kinds whose records go to the trash before they are deleted for good. */
function hasTrash(kind: string): kind is PagedKind {
  return kind === 'event' || kind === 'venue' || kind === 'organizer'
}

/**
 * Deletes for good a record that is in the trash, in the transaction of its caller. Nothing brings it back;
 * the history tells who did it.
 * @throws Problem rest_forbidden without the right, or for a kind without a trash; rest_precondition_failed
 * for a record that is not in the trash; rest_gone
 */
export async function eraseRecord(
  tx: Tx,
  { resource }: Served,
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

/** Returns the title or name of a row; empty for a row without one. */
export function nameOfRow(kind: string, row: unknown): string {
  const columns: Record<string, unknown> = { ...Object(row) }
  return String(columns[kind === 'event' ? 'title' : kind] ?? columns.name ?? columns.title ?? '')
}

/** Deletes a series that is in the trash when the last of its dates is gone. */
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
