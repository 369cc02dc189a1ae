import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from '../storage/database.ts'
import { type Tx, writerBy } from '../storage/recording.ts'
import { statement } from '../storage/statement.ts'

/** A public record as lists show it, stored beside its row: every change of the row deletes it. */
export interface PresentedRecord {
  record: number
  /** The image that it shows, which may change by itself. */
  image: number | null
  /** Its own members as a JSON object, as if it had no image; of an event, behind a line end, those that come last. */
  own: string
}

/** Bytes of a record that is read by itself: fifty of the longest would be a hundred megabytes in one turn of the event loop. */
export const LONG_RECORD = 200_000

const select = statement<{ ids: readonly number[]; form: string }>()((db, value) =>
  db
    .selectFrom('presented_records')
    .select(['record', 'image'])
    .select(sql<string | null>`case when octet_length(own) <= ${sql.lit(LONG_RECORD)} then own end`.as('own'))
    .where('record', 'in', value('ids'))
    .where('form', '=', value('form')),
)

const selectLong = statement<{ id: number; form: string }>()((db, value) =>
  db
    .selectFrom('presented_records')
    .select(['record', 'image', 'own'])
    .where('record', '=', value('id'))
    .where('form', '=', value('form')),
)

/** The records among these that are stored presented in this form. */
export async function findPresented(
  db: Db,
  form: string,
  ids: readonly number[],
): Promise<Map<number, PresentedRecord>> {
  const found = new Map<number, PresentedRecord>()
  const add = (presented: PresentedRecord) => {
    if (isWhole(presented)) found.set(presented.record, presented)
  }
  const long: number[] = []
  for (const { own, ...record } of await select(db, { ids, form })) {
    if (own === null) long.push(record.record)
    else add({ ...record, own })
  }
  for (const id of long) {
    for (const presented of await selectLong(db, { id, form })) add(presented)
    await nextTurn()
  }
  return found
}

/** Whether the text looks complete, at a quick look: lists copy it as it is. */
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

/** Stores presented records whose rows this transaction wrote or holds. */
export async function keepPresented(tx: Tx, form: string, records: readonly PresentedRecord[]): Promise<void> {
  if (records.length > 0) await upsert(tx, { rows: records.map((record) => ({ ...record, form })) })
}

/** Records that were presented from their rows and wait to be stored, many with one write. */
export interface Unkept {
  ids: Set<number>
  isKeeping: boolean
  /** In the name of the service, not of whoever happens to read. */
  write: (work: (tx: Tx) => Promise<void>) => Promise<void>
}

export function noneUnkept({ write }: Pick<Database, 'write'>): Unkept {
  return { ids: new Set(), isKeeping: false, write: (work) => write(work, writerBy('presented records')) }
}
