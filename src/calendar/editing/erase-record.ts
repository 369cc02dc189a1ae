import { Problem } from '../../base/problems.ts'
import { removeDeskRows } from '../../store/storage/desk-rows.ts'
import { type HeldTable, holdRecord } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { RecordTable } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { WriteResult } from '../declare/operations.ts'
import { mayDelete } from '../people/caller.ts'
import { dropSlugs } from '../records/old-slugs.ts'
import type { Served } from '../resources.ts'

// Deletes records for good that are in the trash.

/** The kinds of records that go to the trash before they are deleted for good. */
const ERASED = { event: 'events', venue: 'venues', organizer: 'organizers' } as const satisfies Record<
  string,
  RecordTable
>
type ErasedKind = keyof typeof ERASED

/** Returns true for kinds whose records go to the trash first. */
export function hasTrash(kind: string): kind is ErasedKind {
  return Object.hasOwn(ERASED, kind)
}

/**
 * Deletes a record that is in the trash for good, in the transaction of its caller. Nothing brings it back; the history tells who did it.
 * @throws Problem rest_forbidden; rest_precondition_failed for a record that is not in the trash; rest_gone
 */
export async function eraseRecord(tx: Tx, { resource }: Served, id: number, context: Context): Promise<WriteResult> {
  const kind = resource.name
  if (!hasTrash(kind)) throw new Problem('rest_forbidden')
  const table: RecordTable & HeldTable = ERASED[kind]
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

/** The title or name of a row. */
export function nameOfRow(kind: string, row: unknown): string {
  const columns: Record<string, unknown> = { ...Object(row) }
  return String(columns[kind === 'event' ? 'title' : kind] ?? columns.name ?? columns.title ?? '')
}

/** A series in the trash goes with the last of its dates. */
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
