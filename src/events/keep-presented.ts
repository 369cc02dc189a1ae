import type { Presenting } from '../declare/context.ts'
import { keepPresented, type PresentedRecord, type Unkept } from '../memory/presented-records.ts'
import type { Db } from '../storage/database.ts'
import type { RecordKind } from '../storage/schema.ts'
import { showOrLeaveOut } from '../storage/unshowable.ts'
import { areTextsPrepared } from '../text/long-texts.ts'
import type { WantedText } from '../text/text-work.ts'

/** How records of a kind are presented and stored. */
export interface Presenter<Row> {
  kind: RecordKind
  /** Holds and returns the rows of these records until the end of the transaction; rows that another transaction is changing are left out. */
  hold: (tx: Db, values: { ids: readonly number[] }) => Promise<Row[]>
  /** The texts that take long to present; a record whose texts are not prepared is stored another time. */
  texts: (row: Row) => readonly WantedText[]
  /** Undefined for a record that is not stored presented: it is not public. */
  present: (presenting: Presenting, row: Row) => PresentedRecord | undefined
}

/** Records that are stored with one write, which takes a few milliseconds. */
const KEPT_AT_ONCE = 64
const MOST_UNKEPT = 4096

/** Queues a record to be stored presented. */
export function keepLater<Row extends { id: number }>(
  unkept: Unkept,
  presenter: Presenter<Row>,
  presenting: Presenting,
  form: string,
  id: number,
) {
  const { ids } = unkept
  if (ids.size < MOST_UNKEPT) ids.add(id)
  if (ids.size < KEPT_AT_ONCE || unkept.isKeeping) return
  const some = [...ids].slice(0, KEPT_AT_ONCE)
  for (const taken of some) ids.delete(taken)
  unkept.isKeeping = true
  unkept
    .write(async (tx) => {
      const held = await presenter.hold(tx, { ids: some })
      const rows = held.filter((row) => areTextsPrepared(presenter.texts(row)))
      await keepPresented(
        tx,
        form,
        rows.flatMap(
          (row) => showOrLeaveOut(presenting, presenter.kind, row.id, () => presenter.present(presenting, row)) ?? [],
        ),
      )
    })
    // They are presented from their rows the next time as well.
    .catch(() => undefined)
    .finally(() => {
      unkept.isKeeping = false
    })
}
