import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Operations } from '../../calendar/declare/operations.ts'
import { isLoggedIn } from '../../calendar/people/caller.ts'
import { isPossibleId } from '../../calendar/records/record-store.ts'

export function statusOf(row: unknown): string | undefined {
  const { status }: { status?: unknown } = Object(row)
  return typeof status === 'string' ? status : undefined
}

/**
 * Returns the record if the caller may update or remove it.
 * @throws Problem rest_forbidden, or the problem for a record that does not exist
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

export function nameOfRow(kind: string, row: unknown): string {
  const columns: Record<string, unknown> = { ...Object(row) }
  return String(columns[kind === 'event' ? 'title' : kind] ?? columns.name ?? columns.title ?? '')
}
