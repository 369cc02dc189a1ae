import { countPublished } from '../events/event-rules.ts'
import { findTermIds } from '../events/event-store.ts'
import { noteChanges } from '../storage/changes.ts'
import { type Database, type Db, recordChange } from '../storage/database.ts'
import type { RecordTable } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'

const KINDS = { events: 'event', venues: 'venue', organizers: 'organizer' } as const

/** Publishes scheduled records whose date has come (rule 19.3). `now` in ms since the epoch. */
export async function publishDue(database: Database, now: number): Promise<void> {
  const nowUtc = formatUtc(now)
  for (const table of ['events', 'venues', 'organizers'] as const) {
    const due = await findDue(database.read, table, nowUtc)
    if (due.length > 0) await database.write((tx) => publish(tx, table, nowUtc))
  }
}

function findDue(db: Db, table: RecordTable, nowUtc: string) {
  return db
    .selectFrom(table)
    .select('id')
    .where('status', '=', 'future')
    .where('date_utc', '<=', nowUtc)
    .orderBy('id')
    .limit(200)
    .execute()
}

async function publish(tx: Db, table: RecordTable, nowUtc: string): Promise<void> {
  for (const { id } of await findDue(tx, table, nowUtc)) {
    const publishing = tx.updateTable(table).set({ status: 'publish' }).where('id', '=', id)
    // Another node may have been faster.
    const { numUpdatedRows } = await publishing.where('status', '=', 'future').executeTakeFirst()
    if (numUpdatedRows === 0n) continue
    if (table === 'events') {
      const terms = (await findTermIds(tx, id)).map((term) => term.id)
      await noteChanges(tx, await countPublished(tx, terms))
    }
    await recordChange(tx, KINDS[table], id)
  }
}
