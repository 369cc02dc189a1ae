import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { saveEvents } from '../../calendar/events/event-store.ts'
import { can, isLoggedIn } from '../../calendar/people/caller.ts'
import { resourceNamed, type ServedResource } from '../../calendar/resources.ts'
import { holdSeries, readShared, updateSeries } from '../../calendar/series/series-store.ts'
import { modifiedNow } from '../../calendar/series/series-writes.ts'
import { findTermsByIds, updateTerm } from '../../calendar/terms/term-store.ts'
import { lockedRows } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import type { MergeColumns } from './desk-tables.ts'
import {
  bringBackTerm,
  type GoneRecord,
  isMerged,
  LINKS,
  type MergedKind,
  type MergeLog,
  mergeRecords,
  replaced,
} from './merge-records.ts'
import { nameOfRow, permittedRecord, statusOf } from './permitted-record.ts'

export const MERGEABLE = ['venue', 'organizer', 'event', 'category', 'tag'] as const
export type Mergeable = (typeof MERGEABLE)[number]

export const mergeableIn = (text: string): Mergeable | undefined => MERGEABLE.find((kind) => kind === text)

export const mayMerge = ({ caller }: Pick<Context, 'caller'>): boolean =>
  isLoggedIn(caller) && can(caller, 'edit_others')

/**
 * Merges two records and stores the undo.
 * @throws Problem as `mergeRecords`
 */
export async function mergeForNow(
  context: Context,
  kind: Mergeable,
  from: number,
  into: number,
): Promise<{ events: number; merge: number }> {
  const served = resourceNamed(kind)
  if (!mayMerge(context)) throw new Problem('rest_forbidden')
  const gone = await permittedRecord(context, served.operations, from, 'remove')
  const stays = await permittedRecord(context, served.operations, into, 'update')
  const names = { gone_name: nameOfRow(kind, gone), into_name: nameOfRow(kind, stays) }
  const merge = await context.write((tx) => noteMerge(tx, context, { kind, gone: from, into, ...names }))
  const { events } = await mergeRecords(context, served, from, into, logOf(merge))
  return { events, merge }
}

async function noteMerge(
  tx: Tx,
  { caller, now }: Context,
  {
    kind,
    gone,
    into,
    ...names
  }: { kind: string; gone: number; into: number; gone_name: string; into_name: string },
): Promise<number> {
  const begun = await tx
    .selectFrom('desk_merges')
    .select('id')
    .where('kind', '=', kind)
    .where('gone', '=', gone)
    .where('into_record', '=', into)
    .where('state', '=', '')
    .executeTakeFirst()
  if (begun) return begun.id
  const row = {
    kind,
    gone,
    into_record: into,
    ...names,
    user: caller.id,
    done_utc: formatUtc(now),
    state: '',
  }
  const made = await tx.insertInto('desk_merges').values(row).returning('id').executeTakeFirstOrThrow()
  return made.id
}

function logOf(merge: number): MergeLog {
  return {
    noteLinks: async (tx, kind, former) => {
      const rows = [...former].map(([record, ids]) => ({ merge, kind, record, former: JSON.stringify(ids) }))
      if (rows.length > 0)
        await tx
          .insertInto('merged_links')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['merge', 'kind', 'record']).doNothing())
          .execute()
    },
    noteRecord: async (tx, gone) => {
      await tx
        .updateTable('desk_merges')
        .set({ state: JSON.stringify(gone) })
        .where('id', '=', merge)
        .execute()
    },
  }
}

/** Completed merges, latest first. */
export async function listMerges({ db }: Context, most: number): Promise<MergeColumns[]> {
  return db
    .selectFrom('desk_merges')
    .selectAll()
    .where('state', '<>', '')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
}

export async function findLatestMerge(
  { db, caller }: Context,
  kind: Mergeable,
  into: number,
): Promise<number | undefined> {
  const found = await db
    .selectFrom('desk_merges')
    .select('id')
    .where((where) => where.and({ kind, into_record: into, user: caller.id }))
    .where('state', '<>', '')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.id
}

const IN_A_PIECE = 100

/**
 * Undoes a merge: the merged record returns with its slugs and imports, and events get their links back. If
 * an event's links were edited since, the merged record only replaces the other one there. Another call
 * completes an interrupted undo.
 * @returns undefined if already undone or unknown; `merged since` if the remaining record was merged later:
 * that merge has to be undone first
 * @throws Problem rest_gone if the record was deleted for good
 */
export async function putApart(
  context: Context,
  merge: number,
): Promise<MergeColumns | 'merged since' | undefined> {
  if (!mayMerge(context)) throw new Problem('rest_forbidden')
  const found = await context.db
    .selectFrom('desk_merges')
    .selectAll()
    .where('id', '=', merge)
    .where('state', '<>', '')
    .executeTakeFirst()
  const kind = found && mergeableIn(found.kind)
  if (!found || !kind) return undefined
  const gone: GoneRecord = JSON.parse(found.state)
  if (!(await bringBack(context, kind, found, gone))) return 'merged since'
  if (isMerged(kind))
    while (await context.write((tx) => relinkSome(tx, context, kind, found))) await nextTurn()
  await context.write((tx) => tx.deleteFrom('desk_merges').where('id', '=', merge).execute())
  return found
}

/** Restores the merged record; false if the remaining one has been merged since. */
async function bringBack(
  context: Context,
  kind: Mergeable,
  merge: MergeColumns,
  gone: GoneRecord,
): Promise<boolean> {
  const { gone: id, into_record: into } = merge
  const served = resourceNamed(kind)
  const restore = gone.term === undefined ? await prepareRestored(context, served, id, gone) : undefined
  return context.write(async (tx) => {
    if (await isMergedSince(tx, merge)) return false
    if (gone.term) await restoreTerm(tx, gone.term, gone.children, into)
    // Publishing deletes the record's present slug from `old_slugs`, so the slugs are moved first.
    await tx
      .updateTable('old_slugs')
      .set({ record: id })
      .where('kind', '=', kind)
      .where('record', '=', into)
      .where('slug', 'in', [...gone.slugs, gone.slug])
      .execute()
    await restore?.(tx)
    for (const { source, identity, occurrence } of gone.items)
      await tx
        .updateTable('import_items')
        .set({ record: id })
        .where((where) => where.and({ kind, source, identity, occurrence, record: into }))
        .execute()
    return true
  })
}

async function isMergedSince(tx: Tx, { id, kind, into_record: gone }: MergeColumns): Promise<boolean> {
  const later = await tx
    .selectFrom('desk_merges')
    .select('id')
    .where((where) => where.and({ kind, gone }))
    .where('id', '>', id)
    .where('state', '<>', '')
    .limit(1)
    .executeTakeFirst()
  return later !== undefined
}

/** Prepares restoring the record; undefined if it is not in the trash, or was there before the merge. */
async function prepareRestored(
  context: Context,
  { resource, operations }: ServedResource,
  id: number,
  { status }: GoneRecord,
): Promise<((tx: Tx) => Promise<unknown>) | undefined> {
  const row = await operations.locate(context, { id })
  if (row === undefined) throw new Problem('rest_gone')
  if (statusOf(row) !== 'trash' || status === 'trash') return undefined
  await permittedRecord(context, operations, id, 'update')
  const values = await parseFields(resource.fields, { status: status ?? 'draft' }, context, {
    extent: 'partial',
    mayAsk: true,
  })
  const ready = await operations.update.prepare(context, { row, values })
  return (tx) => operations.update.write(tx, ready, context)
}

async function restoreTerm(
  tx: Tx,
  term: NonNullable<GoneRecord['term']>,
  children: readonly number[],
  into: number,
): Promise<void> {
  const [there] = await findTermsByIds(tx, [term.id])
  if (there) return
  const [parent] = term.parent === 0 ? [] : await findTermsByIds(tx, [term.parent])
  await bringBackTerm(tx, { ...term, parent: parent?.id ?? 0 })
  for (const child of await findTermsByIds(tx, [...children]))
    if (child.parent === into) await updateTerm(tx, child, { parent: term.id })
}

/** Restores the links of some events and series; false when none are left. */
async function relinkSome(tx: Tx, context: Context, kind: MergedKind, merge: MergeColumns): Promise<boolean> {
  const some = await tx
    .selectFrom('merged_links')
    .selectAll()
    .where('merge', '=', merge.id)
    // Series first: every writer locks a series before its dates.
    .orderBy('kind', 'desc')
    .orderBy('record')
    .limit(IN_A_PIECE)
    .execute()
  if (some.length === 0) return false
  const formerOf = (of: 'event' | 'series') =>
    new Map(some.flatMap((row) => (row.kind === of ? [[row.record, formerIds(row.former)] as const] : [])))
  for (const [id, former] of formerOf('series')) await relinkSeries(tx, context, kind, { id, former }, merge)
  await relinkEvents(tx, context, kind, formerOf('event'), merge)
  for (const { kind: of, record } of some)
    await tx
      .deleteFrom('merged_links')
      .where((where) => where.and({ merge: merge.id, kind: of, record }))
      .execute()
  return true
}

function formerIds(text: string): number[] {
  const list: unknown = JSON.parse(text)
  return Array.isArray(list) ? list.filter((id) => typeof id === 'number') : []
}

async function relinkSeries(
  tx: Tx,
  { now }: Context,
  kind: MergedKind,
  { id, former }: { id: number; former: readonly number[] },
  merge: MergeColumns,
): Promise<void> {
  const links = LINKS[kind].kind
  const series = await holdSeries(tx, id)
  if (!series) return
  const shared = readShared(series)
  const columns = { ...shared, [links]: linksApart(shared[links], former, merge) }
  await updateSeries(tx, series, { shared: JSON.stringify(columns), modified_utc: formatUtc(now) })
}

async function relinkEvents(
  tx: Tx,
  context: Context,
  kind: MergedKind,
  formers: ReadonlyMap<number, readonly number[]>,
  merge: MergeColumns,
): Promise<void> {
  const { table, column, order, kind: links } = LINKS[kind]
  const ids = [...formers.keys()]
  if (ids.length === 0) return
  const rows = await lockedRows(
    tx,
    tx.selectFrom('events').selectAll().where('id', 'in', wholeList(tx, ids)).orderBy('id'),
  ).execute()
  const { rows: linked } = await sql<{ event: number; id: number }>`
    select event, ${sql.ref(column)} as id from ${sql.table(table)} where event in ${wholeList(tx, ids)}
    order by event, ${sql.ref(order)}`.execute(tx)
  const present = Map.groupBy(linked, ({ event }) => event)
  await saveEvents(
    tx,
    rows.map((before) => {
      const now = (present.get(before.id) ?? []).map(({ id }) => id)
      const list = linksApart(now, formers.get(before.id) ?? [], merge)
      return { before, values: modifiedNow(context), links: { [links]: list } }
    }),
  )
}

/**
 * Returns an event's links once the merge is undone: the former ones if nobody has edited the links since,
 * else the present ones, with `gone` again in place of `into`.
 */
function linksApart(
  present: readonly number[],
  former: readonly number[],
  { gone, into_record: into }: Pick<MergeColumns, 'gone' | 'into_record'>,
): number[] {
  const merged = new Set(replaced(former, gone, into))
  if (present.length === merged.size && present.every((id) => merged.has(id))) return [...former]
  if (present.includes(gone) || !present.includes(into)) return [...present]
  return former.includes(into) ? [...present, gone] : present.map((id) => (id === into ? gone : id))
}

export async function keepApart(tx: Tx, kind: Mergeable, ids: readonly [number, number]): Promise<void> {
  const [one, other] = inOrder(ids)
  await tx
    .insertInto('kept_apart')
    .values({ kind, one, other })
    .onConflict((conflict) => conflict.columns(['kind', 'one', 'other']).doNothing())
    .execute()
}

const inOrder = ([one, other]: readonly [number, number]): readonly [number, number] =>
  one < other ? [one, other] : [other, one]

export async function findKeptApart({ db }: Context, kind: Mergeable): Promise<Set<string>> {
  const rows = await db
    .selectFrom('kept_apart')
    .select(['one', 'other'])
    .where('kind', '=', kind)
    .limit(MOST_APART)
    .execute()
  return new Set(rows.map(({ one, other }) => pairName([one, other])))
}

const MOST_APART = 10_000

export const pairName = (ids: readonly [number, number]): string => inOrder(ids).join(' ')
