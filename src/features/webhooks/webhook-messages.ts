import type { Db } from '../../store/storage/database.ts'
import type { ChangeColumns } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'

/** Returns the sequence of each record's last change, by id; records that never changed are missing. */
export async function findSequences(
  db: Db,
  kind: ChangeColumns['kind'],
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('changes')
    .select(['record', 'sequence'])
    .where('kind', '=', kind)
    .where('record', 'in', wholeList(db, ids))
    .execute()
  return new Map(rows.map(({ record, sequence }) => [record, sequence]))
}
