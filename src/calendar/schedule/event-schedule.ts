import { sql } from 'kysely'
import { formatUtc } from '../../base/text/moments.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { held } from '../../store/storage/locks.ts'
import { type Tx, writerBy } from '../../store/storage/recording.ts'
import type { RecordTable } from '../../store/storage/schema.ts'
import { publishEvent } from '../events/event-rules.ts'
import { showLinks } from '../events/event-store.ts'
import { updateLinked } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { freeSlug } from '../records/record-store.ts'
import { findDueSeries, publishSeries } from '../series/series-upkeep.ts'

// Publishes records whose date has come, and shows links of meetings that are about to begin.

/** Records changed with one write; others that are due follow with the next. */
const PUBLISHED_AT_ONCE = 200

/** Publishes all scheduled records whose date has come (rule 19.3), and shows the links of meetings that are about to begin. `now` in ms since the epoch. */
export async function publishDue(database: Database, now: number): Promise<void> {
  const nowUtc = formatUtc(now)
  for (const table of ['events', 'venues', 'organizers'] as const)
    await whileDue(database, findDue(database.read, table, nowUtc), (tx) => publish(tx, table, nowUtc))
  for (const { id } of await findDueSeries(database.read, nowUtc))
    await database.write((tx) => publishSeries(tx, id, nowUtc), writerBy('schedule'))
  await whileDue(database, findDueLinks(database.read, nowUtc), async (tx) => {
    const rows = await held(tx, findDueLinks(tx, nowUtc)).execute()
    await showLinks(tx, rows)
    return rows.length
  })
}

/** Writes again and again while a write has found as many records as it changes at once. */
async function whileDue(
  { write }: Database,
  due: { executeTakeFirst: () => Promise<unknown> },
  work: (tx: Tx) => Promise<number>,
): Promise<void> {
  if (!(await due.executeTakeFirst())) return
  while ((await write(work, writerBy('schedule'))) === PUBLISHED_AT_ONCE);
}

/** In the order of the index, which SQLite would not take for that of ids. */
function findDueLinks(db: Db, nowUtc: string) {
  const events = db.selectFrom('events').selectAll().where('online_from', '<>', sql.lit(''))
  return events.where('online_from', '<=', nowUtc).orderBy('online_from').limit(PUBLISHED_AT_ONCE)
}

function findDue<Table extends RecordTable>(db: Db, table: Table, nowUtc: string) {
  const events = db.selectFrom(table as 'events').selectAll()
  return events.where('status', '=', 'future').where('date_utc', '<=', nowUtc).orderBy('id').limit(PUBLISHED_AT_ONCE)
}

/** Publishes those that are due once they are held, and returns how many; another node may have been faster. */
async function publish(tx: Tx, table: RecordTable, nowUtc: string): Promise<number> {
  const rows = await held(tx, findDue(tx, table, nowUtc)).execute()
  for (const row of rows) {
    // Another record may have been published with its slug meanwhile.
    const slug = await freeSlug(tx, table, row.slug, row.id)
    if (table === 'events') await publishEvent(tx, row, slug)
    else await updateLinked(tx, table === 'venues' ? venueRules : organizerRules, row, { status: 'publish', slug })
  }
  return rows.length
}
