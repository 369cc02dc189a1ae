import { sql } from 'kysely'
import { formatUtc } from '../../base/text/moments.ts'
import type { Db } from '../../store/storage/database.ts'
import { lockedRows } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { EventRow, ImportItemColumns, ImportSourceColumns } from '../../store/storage/schema.ts'
import { rowParts, wholeList } from '../../store/storage/sql-parts.ts'
import { statement } from '../../store/storage/statement.ts'
import { ImportError, message } from './import-messages.ts'
import type { ImportActColumns, ImportColumns } from './import-tables.ts'
import type { ItemKind } from './source-item.ts'

export async function sourceNumber(tx: Db, address: string): Promise<number> {
  await tx
    .insertInto('import_sources')
    .values({ address, token: '', options: '', holder: '', held_until_utc: '', origin: '' })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
  const { id } = await tx
    .selectFrom('import_sources')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return id
}

export async function findSource(db: Db, address: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('import_sources')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.id
}

export async function findOrigin(db: Db, address: string): Promise<ImportSourceColumns['origin']> {
  const query = db.selectFrom('import_sources').select('origin').where('address', '=', address)
  return (await query.executeTakeFirst())?.origin ?? ''
}

export async function saveOrigin(
  tx: Db,
  source: number,
  origin: ImportSourceColumns['origin'],
): Promise<void> {
  await tx.updateTable('import_sources').set({ origin }).where('id', '=', source).execute()
}

/**
 * Moves a source to a new address; of a source without events there only the runs stay. Without token and
 * position the next run reads everything.
 */
export async function moveSource(tx: Tx, source: number, address: string): Promise<void> {
  const empty = await findSource(tx, address)
  if (empty !== undefined) {
    await tx.deleteFrom('import_items').where('source', '=', empty).execute()
    await tx.updateTable('imports').set({ source }).where('source', '=', empty).execute()
    await tx.deleteFrom('import_sources').where('id', '=', empty).execute()
  }
  await tx.updateTable('imports').set({ position: '' }).where('source', '=', source).execute()
  await tx
    .updateTable('import_sources')
    .set({ address, token: '', options: '' })
    .where('id', '=', source)
    .execute()
}

export async function findHolder(
  db: Db,
  source: number,
): Promise<Pick<ImportSourceColumns, 'holder' | 'held_until_utc'>> {
  const query = db.selectFrom('import_sources').select(['holder', 'held_until_utc']).where('id', '=', source)
  return query.executeTakeFirstOrThrow()
}

/** Takes the lock of a source. @param before last holder read @returns false if another process was faster */
export async function takeSource(
  tx: Db,
  source: number,
  before: Pick<ImportSourceColumns, 'holder' | 'held_until_utc'>,
  holder: string,
  held_until_utc: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('import_sources')
    .set({ holder, held_until_utc })
    .where('id', '=', source)
    .where('holder', '=', before.holder)
    .where('held_until_utc', '=', before.held_until_utc)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

export async function isHeldBy(tx: Db, source: number, holder: string): Promise<boolean> {
  const query = tx
    .selectFrom('import_sources')
    .select('id')
    .where('id', '=', source)
    .where('holder', '=', holder)
  return (await lockedRows(tx, query).executeTakeFirst()) !== undefined
}

export async function keepSource(
  tx: Db,
  source: number,
  holder: string,
  held_until_utc: string,
): Promise<void> {
  await tx
    .updateTable('import_sources')
    .set(held_until_utc === '' ? { holder: '', held_until_utc } : { held_until_utc })
    .where('id', '=', source)
    .where('holder', '=', holder)
    .execute()
}

export async function findSourceToken(db: Db, address: string, options: string): Promise<string> {
  const row = await db
    .selectFrom('import_sources')
    .select(['token', 'options'])
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.options === options ? row.token : ''
}

export async function saveToken(tx: Db, source: number, token: string, options: string): Promise<void> {
  await tx.updateTable('import_sources').set({ token, options }).where('id', '=', source).execute()
}

const selectItems = statement<{ source: number; kind: string; identities: readonly string[] }>()(
  (db, value) =>
    db
      .selectFrom('import_items')
      .selectAll()
      .where('source', '=', value('source'))
      .where('kind', '=', value('kind'))
      .where('identity', 'in', value('identities')),
)

export async function findItems(
  db: Db,
  source: number,
  kind: ItemKind | 'image',
  identities: readonly string[],
): Promise<ImportItemColumns[]> {
  return identities.length === 0 ? [] : selectItems(db, { source, kind, identities })
}

export async function findElsewhere(
  db: Db,
  source: number | undefined,
  identities: readonly string[],
): Promise<(Pick<ImportItemColumns, 'kind' | 'identity' | 'record'> & { address: string })[]> {
  const others = await db
    .selectFrom('import_sources')
    .select('id')
    .where('id', '!=', source ?? 0)
    .execute()
  if (others.length === 0 || identities.length === 0) return []
  return db
    .selectFrom('import_items')
    .innerJoin('import_sources', 'import_sources.id', 'import_items.source')
    .select(['kind', 'identity', 'record', 'address'])
    .where(
      'import_items.source',
      'in',
      others.map(({ id }) => id),
    )
    .where('kind', 'in', ['event', 'series'])
    .where('identity', 'in', identities)
    .where('occurrence', '=', '')
    .execute()
}

/**
 * Finds records by their ids in the source: records imported from it or from a source that has moved here. An
 * unknown number counts as the id of a record here.
 */
export async function findNumbered(
  db: Db,
  source: number,
  kind: ItemKind,
  numbers: readonly string[],
): Promise<{ number: string; record: number }[]> {
  if (numbers.length === 0) return []
  const moved = db.selectFrom('import_sources').select('id').where('origin', '=', 'moved')
  const rows = await db
    .selectFrom('import_items')
    .select(['identity', 'record'])
    .where((item) => item.or([item('source', '=', source), item('source', 'in', moved)]))
    .where('kind', '=', kind)
    .where('identity', 'in', numbers)
    .where('occurrence', '=', '')
    .orderBy('source')
    .execute()
  const known = new Map(rows.reverse().map(({ identity, record }) => [identity, record]))
  return numbers.map((number) => ({ number, record: known.get(number) ?? Number(number) }))
}

const selectHeads = statement<{ source: number; kind: string; identities: readonly string[] }>()(
  (db, value) =>
    db
      .selectFrom('import_items')
      .select(['identity', 'record', 'sequence', 'digest', 'page'])
      .where('source', '=', value('source'))
      .where('kind', '=', value('kind'))
      .where('identity', 'in', value('identities'))
      .where('occurrence', '=', ''),
)

export async function findHeads(db: Db, source: number, kind: ItemKind, identities: readonly string[]) {
  return identities.length === 0 ? [] : selectHeads(db, { source, kind, identities })
}

const upsertItems = statement<{ rows: ImportItemColumns[] }>()((db, value) =>
  db
    .insertInto('import_items')
    .values(value('rows'))
    .onConflict((conflict) =>
      conflict.columns(['source', 'kind', 'identity', 'occurrence']).doUpdateSet((row) => ({
        record: row.ref('excluded.record'),
        sequence: row.ref('excluded.sequence'),
        digest: row.ref('excluded.digest'),
        written: row.ref('excluded.written'),
        kept: row.ref('excluded.kept'),
        page: row.ref('excluded.page'),
      })),
    ),
)

const insertActs = statement<{ rows: ImportActColumns[] }>()((db, value) =>
  db
    .insertInto('import_acts')
    .values(value('rows'))
    .onConflict((conflict) => conflict.columns(['run', 'kind', 'record']).doNothing()),
)

/**
 * Saves items, and acts for an undo. If an item's page is a path, which redirects to the record, a change of
 * the source is recorded.
 */
export async function saveItems(
  tx: Tx,
  items: readonly ImportItemColumns[],
  acts: readonly ImportActColumns[],
): Promise<void> {
  for (const { source, page } of items)
    if (page.startsWith('/'))
      recordChange(tx, { kind: 'source', record: source, wasPublic: false, isPublic: false })
  for (const rows of rowParts(items)) await upsertItems(tx, { rows })
  for (const rows of rowParts(acts)) await insertActs(tx, { rows })
}

/** Deletes the row: the next run takes the item for a new one. */
export async function deleteItem(
  tx: Db,
  item: Pick<ImportItemColumns, 'source' | 'kind' | 'identity' | 'occurrence'>,
): Promise<void> {
  await tx
    .deleteFrom('import_items')
    .where('source', '=', item.source)
    .where('kind', '=', item.kind)
    .where('identity', '=', item.identity)
    .where('occurrence', '=', item.occurrence)
    .execute()
}

export async function listItems(
  db: Db,
  source: number,
  kind: ItemKind,
  after: Pick<ImportItemColumns, 'identity' | 'occurrence'>,
  most: number,
): Promise<ImportItemColumns[]> {
  return db
    .selectFrom('import_items')
    .selectAll()
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where(sql<boolean>`(identity, occurrence) > (${after.identity}, ${after.occurrence})`)
    .orderBy('identity')
    .orderBy('occurrence')
    .limit(most)
    .execute()
}

export async function countLive(
  db: Db,
  source: number,
  kind: 'series' | 'event',
  records?: readonly number[],
): Promise<number> {
  if (records?.length === 0) return 0
  const { count } = await db
    .selectFrom('import_items')
    .innerJoin('events', kind === 'series' ? 'events.series' : 'events.id', 'import_items.record')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('import_items.source', '=', source)
    .where('import_items.kind', '=', kind)
    .where('import_items.occurrence', '=', '')
    .where('events.status', '!=', 'trash')
    .$if(records !== undefined, (query) =>
      query.where('import_items.record', 'in', wholeList(db, records ?? [])),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Counts events and series by status and by whether they are over: series if all their public dates are. */
export async function countStandings(
  db: Db,
  source: number,
  nowUtc: string,
): Promise<{ status: string; is_over: number; count: number | string }[]> {
  const coming = sql`select from_series.id from events from_series
    where from_series.series = r.id and from_series.status = 'publish'
      and from_series.utc_end_date >= ${nowUtc}`
  const isOver = { event: sql`r.utc_end_date < ${nowUtc}`, series: sql`not exists (${coming})` }
  const found = await Promise.all(
    (['event', 'series'] as const).map((kind) =>
      sql<{ status: string; is_over: number; count: number | string }>`
        select status, is_over, count(*) as count from (
          select r.status, case when ${isOver[kind]} then 1 else 0 end as is_over
          from import_items i join ${sql.table(kind === 'event' ? 'events' : 'series')} r on r.id = i.record
          where i.source = ${source} and i.kind = ${kind} and i.occurrence = ''
        ) standing group by status, is_over`.execute(db),
    ),
  )
  return found.flatMap(({ rows }) => rows)
}

export async function insertRun(
  tx: Db,
  run: Pick<ImportColumns, 'source' | 'user' | 'options'>,
  now: number,
): Promise<number> {
  const row = {
    ...run,
    started_utc: formatUtc(now),
    ended_utc: '',
    state: 'running',
    counts: '{}',
    position: '',
  } as const
  const { id } = await tx.insertInto('imports').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateRun(
  tx: Db,
  id: number,
  columns: Partial<Pick<ImportColumns, 'ended_utc' | 'state' | 'counts' | 'position'>>,
): Promise<void> {
  await tx.updateTable('imports').set(columns).where('id', '=', id).execute()
}

/** Where the newest run was interrupted. @returns an empty text if it was not, or began before `afterUtc` */
export async function findPosition(db: Db, source: number, afterUtc: string): Promise<string> {
  const row = await db
    .selectFrom('imports')
    .select(['state', 'position'])
    .where('source', '=', source)
    .where('started_utc', '>', afterUtc)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.state === 'running' || row?.state === 'failed' ? row.position : ''
}

export type ListedRun = ImportColumns & { address: string }

export async function listRuns(db: Db, most: number): Promise<ListedRun[]> {
  return runs(db).orderBy('imports.id', 'desc').limit(most).execute()
}

/** @throws ImportError when there is no such run */
export async function getRun(db: Db, id: number): Promise<ListedRun> {
  const run = await runs(db).where('imports.id', '=', id).executeTakeFirst()
  if (!run)
    throw new ImportError(message('There is no run {run}; kalends imports lists them.', { run: `${id}` }))
  return run
}

function runs(db: Db) {
  return db
    .selectFrom('imports')
    .innerJoin('import_sources', 'import_sources.id', 'imports.source')
    .selectAll('imports')
    .select('address')
}

/** Finds the latest run of the source after this one, except those that changed nothing or were undone. */
export async function findLaterRun(
  db: Db,
  { id, source }: Pick<ImportColumns, 'id' | 'source'>,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('imports')
    .select('id')
    .where('source', '=', source)
    .where('id', '>', id)
    .where('state', '!=', 'undone')
    .where((run) =>
      run.exists(run.selectFrom('import_acts').select('run').whereRef('run', '=', 'imports.id')),
    )
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.id
}

export const ABOVE_ALL = 2 ** 31

export async function listActs(
  db: Db,
  run: number,
  kind: ItemKind,
  below: number,
  most: number,
): Promise<ImportActColumns[]> {
  return db
    .selectFrom('import_acts')
    .selectAll()
    .where('run', '=', run)
    .where('kind', '=', kind)
    .where('record', '<', below)
    .orderBy('record', 'desc')
    .limit(most)
    .execute()
}

const selectAt = statement<{ ids: readonly number[]; starts: readonly string[] }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['id', 'series', 'recurrence_id', 'own'])
    .where('series', 'in', value('ids'))
    .where('recurrence_id', 'in', value('starts')),
)

export async function findOccurrencesAt(
  db: Db,
  ids: readonly number[],
  starts: readonly string[],
): Promise<Pick<EventRow, 'id' | 'series' | 'recurrence_id' | 'own'>[]> {
  return selectAt(db, { ids, starts })
}
