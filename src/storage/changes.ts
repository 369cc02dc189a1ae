import { sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './dialect.ts'
import type { RecordedChange } from './recording.ts'
import type { Tables } from './schema.ts'
import { statement } from './statement.ts'

// `changes` has one row for each record that has changed since the table was made, with its latest change: `position` follows the order
// of commits. On SQLite it is a number that every transaction takes one of; on PostgreSQL it is the id of the transaction, and a snapshot
// tells which of them a reader has seen (`postgres-changes.ts`).

/** The most changed records that `readChanges` gives; a reader that missed more starts afresh. */
export const MOST_CHANGES = 10_000

type ChangeRow = Omit<Tables['changes'], 'position' | 'revision'> & { position?: number; revision: number }

const upsert = statement<{ rows: ChangeRow[] }>()((db, value) =>
  db
    .insertInto('changes')
    .values(value('rows') as never)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'record']).doUpdateSet((row) => ({
        position: row.ref('excluded.position'),
        revision: sql<number>`changes.revision + 1`,
        was_public: sql<number>`case when changes.was_public + changes.is_public + excluded.was_public > 0 then 1 else 0 end`,
        is_public: row.ref('excluded.is_public'),
        deleted: row.ref('excluded.deleted'),
        changed_utc: row.ref('excluded.changed_utc'),
        user: row.ref('excluded.user'),
      })),
    ),
)

const selectPosition = statement<Record<never, never>>()((db) =>
  db.selectFrom('changes').select('position').orderBy('position', 'desc').limit(1),
)

/** Rows written with one statement. */
const ROWS_AT_ONCE = 500

/** Writes the latest change of each of these records, in this order. */
export async function saveChanges(
  tx: Db,
  changes: readonly RecordedChange[],
  changed_utc: string,
  user: number,
): Promise<void> {
  // PostgreSQL gives the position by itself.
  const numbered = isPostgres(tx)
    ? undefined
    : { position: Number((await selectPosition(tx, {}))[0]?.position ?? 0) + 1 }
  const rows = changes.map(({ kind, record, wasPublic, isPublic, isDeleted }) => ({
    kind,
    record,
    ...numbered,
    revision: 1,
    was_public: Number(wasPublic),
    is_public: Number(isPublic),
    deleted: Number(isDeleted === true),
    changed_utc,
    user,
  }))
  const writing: Promise<unknown>[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    writing.push(upsert(tx, { rows: rows.slice(at, at + ROWS_AT_ONCE) }))
  await Promise.all(writing)
}
