import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Db } from '../storage/database.ts'
import { type Tx, writerBy } from '../storage/recording.ts'
import type { Tables } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'

// Public records that are stored presented beside their rows.

/** The core of an event: what it says of itself as JSON, without what it links to and as if it had no image. */
export interface EventCore {
  /** An object with the members that all have. */
  members: string
  /** Where in it the value of `image` stands, which is `false`; 0 for venues and organizers, which have no such member then. */
  imageAt: number
  /** An object with the members that only some events have, which come after all others; empty for none. */
  rare: string
}

/** A public record that is stored presented beside its row: every change of the row deletes it. */
export interface PresentedRecord extends EventCore {
  record: number
  /** The image that it shows, which may change by itself. */
  image: number | null
}

/** Bytes of a record that is read by itself: fifty of the longest would be a hundred megabytes in one turn of the event loop. */
export const LONG_RECORD = 200_000

const select = statement<{ ids: readonly number[]; form: string }>()((db, value) =>
  db
    .selectFrom('presented_records')
    .select(['record', 'image', 'image_at', 'rare'])
    .select(
      sql<string | null>`case when octet_length(members) <= ${sql.lit(LONG_RECORD)} then members end`.as('members'),
    )
    .where('record', 'in', value('ids'))
    .where('form', '=', value('form')),
)

const selectLong = statement<{ id: number; form: string }>()((db, value) =>
  db
    .selectFrom('presented_records')
    .select('members')
    .where('record', '=', value('id'))
    .where('form', '=', value('form')),
)

/** Finds those of these records that are stored presented in this form. */
export async function findPresented(
  db: Db,
  form: string,
  ids: readonly number[],
): Promise<Map<number, PresentedRecord>> {
  const presented = new Map<number, PresentedRecord>()
  for (const { record, image, members: short, image_at: imageAt, rare } of await select(db, { ids, form })) {
    const members = short ?? (await readLong(db, record, form))
    if (isWhole(record, members, rare)) presented.set(record, { record, image, members, imageAt, rare })
  }
  return presented
}

async function readLong(db: Db, id: number, form: string): Promise<string> {
  const [row] = await selectLong(db, { id, form })
  await nextTurn()
  return row?.members ?? ''
}

/** Looks quickly whether a stored text is complete: lists copy it as it is. */
function isWhole(record: number, members: string, rare: string): boolean {
  return members.startsWith(`{"id":${record},`) && members.endsWith('}') && (rare === '' || rare.endsWith('}'))
}

const upsert = statement<{ rows: Tables['presented_records'][] }>()((db, value) =>
  db
    .insertInto('presented_records')
    .values(value('rows'))
    .onConflict((conflict) =>
      conflict.column('record').doUpdateSet((row) => ({
        form: row.ref('excluded.form'),
        image: row.ref('excluded.image'),
        members: row.ref('excluded.members'),
        image_at: row.ref('excluded.image_at'),
        rare: row.ref('excluded.rare'),
      })),
    ),
)

/** Stores presented records whose rows this transaction wrote or holds. */
export async function storePresented(tx: Tx, form: string, records: readonly PresentedRecord[]): Promise<void> {
  const rows = records.map(({ imageAt, ...record }) => ({ ...record, image_at: imageAt, form }))
  if (rows.length > 0) await upsert(tx, { rows })
}

/** Ids of records that are to be stored presented, many with one write. */
export interface PresentQueue {
  ids: Set<number>
  isStoring: boolean
  /** Writes in the name of the service, not of whoever happens to read. */
  write: (work: (tx: Tx) => Promise<void>) => Promise<void>
}

/** Makes a queue without records. */
export function emptyQueue({ write }: Pick<Database, 'write'>): PresentQueue {
  return { ids: new Set(), isStoring: false, write: (work) => write(work, writerBy('presented records')) }
}
