import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import type { VersionedKind } from '../../store/storage/schema.ts'

/** Finds the record's status before it was trashed; undefined if the history does not tell. */
export async function formerStatus(db: Db, kind: VersionedKind, id: number): Promise<string | undefined> {
  const last = await db
    .selectFrom('history')
    .select('former')
    .where('kind', '=', kind)
    .where('record', '=', id)
    .where('former_bytes', '>', sql.lit(0))
    .where('action', '=', 'trash')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { status }: { status?: unknown } = last ? JSON.parse(last.former) : {}
  return typeof status === 'string' ? status : undefined
}
