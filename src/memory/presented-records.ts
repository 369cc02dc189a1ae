import type { Db } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'

/** A public record as lists show it, kept beside its row: every change of the row deletes it. */
export interface PresentedRecord {
  record: number
  /** The image to be shown in it, which may change by itself. */
  image: number | null
  /** Its own members as a JSON object, as if it had no image. */
  own: string
}

const select = statement<{ ids: readonly number[]; form: string }>()((db, value) =>
  db
    .selectFrom('presented_records')
    .select(['record', 'image', 'own'])
    .where('record', 'in', value('ids'))
    .where('form', '=', value('form')),
)

/** Those of these records that are kept presented in this form. */
export async function findPresented(
  db: Db,
  form: string,
  ids: readonly number[],
): Promise<Map<number, PresentedRecord>> {
  const found = new Map<number, PresentedRecord>()
  for (const presented of await select(db, { ids, form }))
    if (isWhole(presented)) found.set(presented.record, presented)
  return found
}

/** Whether the text looks like one that was stored, as far as a quick look tells: lists copy it as it stands. */
function isWhole({ record, own }: PresentedRecord): boolean {
  return own.startsWith(`{"id":${record},`) && own.endsWith('}')
}

const upsert = statement<{ rows: (PresentedRecord & { form: string })[] }>()((db, value) =>
  db
    .insertInto('presented_records')
    .values(value('rows'))
    .onConflict((conflict) =>
      conflict.column('record').doUpdateSet((row) => ({
        form: row.ref('excluded.form'),
        image: row.ref('excluded.image'),
        own: row.ref('excluded.own'),
      })),
    ),
)

/** Keeps records presented whose rows were written or held by this transaction. */
export async function keepPresented(tx: Db, form: string, records: readonly PresentedRecord[]): Promise<void> {
  if (records.length > 0) await upsert(tx, { rows: records.map((record) => ({ ...record, form })) })
}

/** Records that were presented from their rows, and are kept presented once there are enough of them for one write. */
export interface Unkept {
  ids: Set<number>
  isKeeping: boolean
}

export function noneUnkept(): Unkept {
  return { ids: new Set(), isKeeping: false }
}
