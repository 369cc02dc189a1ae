import type { Asking, Presenting } from '../declare/asking.ts'
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

/** How records of a kind come to be kept presented. */
export interface Presenter<Row> {
  /** Rows of these records, which cannot change until the end of the transaction; those that somebody is changing are left out. */
  hold: (tx: Db, values: { ids: readonly number[] }) => Promise<Row[]>
  /** Undefined for a record that is not kept: those that the public does not see. */
  present: (presenting: Presenting, row: Row) => PresentedRecord | undefined
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
  for (const presented of await select(db, { ids, form })) found.set(presented.record, presented)
  return found
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

/** So many records are kept with one write, which takes a few milliseconds. */
const KEPT_AT_ONCE = 64
const MOST_UNKEPT = 4096

/** Sees to it that a record will be kept presented. */
export function keepLater<Row>(unkept: Unkept, presenter: Presenter<Row>, asking: Asking, form: string, id: number) {
  const { ids } = unkept
  if (ids.size < MOST_UNKEPT) ids.add(id)
  if (ids.size < KEPT_AT_ONCE || unkept.isKeeping) return
  const some = [...ids].slice(0, KEPT_AT_ONCE)
  for (const taken of some) ids.delete(taken)
  unkept.isKeeping = true
  asking
    .write(async (tx) => {
      const rows = await presenter.hold(tx, { ids: some })
      await keepPresented(
        tx,
        form,
        rows.flatMap((row) => presenter.present(asking, row) ?? []),
      )
    })
    // They are presented from their rows the next time as well.
    .catch(() => undefined)
    .finally(() => {
      unkept.isKeeping = false
    })
}
