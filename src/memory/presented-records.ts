import type { Context, Presenting } from '../context/context.ts'
import { showOrLeaveOut } from '../records/unshowable.ts'
import type { Db } from '../storage/database.ts'
import type { RecordKind } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { areTextsPrepared } from '../text/long-texts.ts'
import type { WantedText } from '../text/text-work.ts'

/** A public record as lists show it, kept beside its row: every change of the row deletes it. */
export interface PresentedRecord {
  record: number
  /** The image to be shown in it, which may change by itself. */
  image: number | null
  /** Its own members as a JSON object, as if it had no image. */
  own: string
}

/** How records of a kind are presented and stored. */
export interface Presenter<Row> {
  kind: RecordKind
  /** Rows of these records, which cannot change until the end of the transaction; those that somebody is changing are left out. */
  hold: (tx: Db, values: { ids: readonly number[] }) => Promise<Row[]>
  /** The texts that take long to present; a record whose texts are not prepared is stored another time. */
  texts: (row: Row) => readonly WantedText[]
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

/** So many records are kept with one write, which takes a few milliseconds. */
const KEPT_AT_ONCE = 64
const MOST_UNKEPT = 4096

/** Queues a record to be stored presented. */
export function keepLater<Row extends { id: number }>(
  unkept: Unkept,
  presenter: Presenter<Row>,
  context: Context,
  form: string,
  id: number,
) {
  const { ids } = unkept
  if (ids.size < MOST_UNKEPT) ids.add(id)
  if (ids.size < KEPT_AT_ONCE || unkept.isKeeping) return
  const some = [...ids].slice(0, KEPT_AT_ONCE)
  for (const taken of some) ids.delete(taken)
  unkept.isKeeping = true
  context
    .write(async (tx) => {
      const held = await presenter.hold(tx, { ids: some })
      const rows = held.filter((row) => areTextsPrepared(presenter.texts(row)))
      await keepPresented(
        tx,
        form,
        rows.flatMap(
          (row) => showOrLeaveOut(context, presenter.kind, row.id, () => presenter.present(context, row)) ?? [],
        ),
      )
    })
    // They are presented from their rows the next time as well.
    .catch(() => undefined)
    .finally(() => {
      unkept.isKeeping = false
    })
}
