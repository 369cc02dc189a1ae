import { sql } from 'kysely'
import type { Db } from '../../store/storage/database.ts'
import type { PushItemColumns } from '../../store/storage/schema.ts'

// The SQL of records that were pushed to other services.

/** The number of a target; a new target gets one. */
export async function targetNumber(tx: Db, address: string): Promise<number> {
  await tx
    .insertInto('push_targets')
    .values({ address })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
  const { id } = await tx
    .selectFrom('push_targets')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return id
}

/** The number of a target that has been pushed to before, if it has. */
export async function findTarget(db: Db, address: string): Promise<number | undefined> {
  const row = await db.selectFrom('push_targets').select('id').where('address', '=', address).executeTakeFirst()
  return row?.id
}

/** The stored rows of these records at a target, by record. */
export async function findPushed(
  db: Db,
  target: number | undefined,
  kind: string,
  records: readonly number[],
): Promise<Map<number, PushItemColumns>> {
  if (target === undefined || records.length === 0) return new Map()
  const rows = await db
    .selectFrom('push_items')
    .selectAll()
    .where('target', '=', target)
    .where('kind', '=', kind)
    .where('record', 'in', records)
    .execute()
  return new Map(rows.map((row) => [row.record, row]))
}

/** The stored rows of a target for records of a kind with ids above `after`, in order, at most `most`. */
export async function listPushed(
  db: Db,
  target: number,
  kind: string,
  after: number,
  most: number,
): Promise<PushItemColumns[]> {
  return db
    .selectFrom('push_items')
    .selectAll()
    .where('target', '=', target)
    .where('kind', '=', kind)
    .where('record', '>', after)
    .orderBy('record')
    .limit(most)
    .execute()
}

/** Stores the state of a record at a target. */
export async function savePushed(tx: Db, rows: readonly PushItemColumns[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('push_items')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['target', 'kind', 'record']).doUpdateSet((row) => ({
        remote: row.ref('excluded.remote'),
        sent: row.ref('excluded.sent'),
        seen: row.ref('excluded.seen'),
      })),
    )
    .execute()
}

/** Forgets records that the target no longer has. */
export async function forgetPushed(tx: Db, { target, kind, record }: PushItemColumns): Promise<void> {
  await tx
    .deleteFrom('push_items')
    .where(sql<boolean>`(target, kind, record) = (${target}, ${kind}, ${record})`)
    .execute()
}
