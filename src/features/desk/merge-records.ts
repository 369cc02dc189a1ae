import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { invalidParam, Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type LINK_KINDS, saveEvents } from '../../calendar/events/event-store.ts'
import { can, isLoggedIn } from '../../calendar/people/caller.ts'
import { dropOldest, type SlugKind, upsert } from '../../calendar/records/old-slugs.ts'
import type { ServedResource } from '../../calendar/resources.ts'
import { holdSeries, readShared, updateSeries } from '../../calendar/series/series-store.ts'
import { modifiedNow } from '../../calendar/series/series-writes.ts'
import { changeOf, freeTermSlug, levelsBelow, updateTerm } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import { lockedRows } from '../../store/storage/locks.ts'
import { recordChange, type Tx } from '../../store/storage/recording.ts'
import type { ImportItemColumns, PagedKind, Taxonomy, TermRow } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { permittedRecord, statusOf } from './permitted-record.ts'

type LinkKind = (typeof LINK_KINDS)[number]

export const LINKS = {
  venue: { kind: 'venues', table: 'event_venues', column: 'venue', order: 'position' },
  organizer: { kind: 'organizers', table: 'event_organizers', column: 'organizer', order: 'position' },
  category: { kind: 'terms', table: 'event_terms', column: 'term', order: 'term' },
  tag: { kind: 'terms', table: 'event_terms', column: 'term', order: 'term' },
} as const satisfies Record<string, { kind: LinkKind; table: string; column: string; order: string }>

export type MergedKind = keyof typeof LINKS

export function isMerged(kind: string): kind is MergedKind {
  return Object.hasOwn(LINKS, kind)
}

export const MOST_USES_COUNTED = 1000

/**
 * Counts the events that use each record: each date of a series counts, events in the trash do not.
 * @param most the count of a record stops here
 */
export async function countUses(
  db: Db,
  kind: MergedKind,
  ids: readonly number[],
  most = MOST_USES_COUNTED,
): Promise<Map<number, number>> {
  const { table, column } = LINKS[kind]
  const uses = new Map<number, number>()
  for (const id of new Set(ids)) {
    const { rows } = await sql<{ uses: number | string }>`select count(*) as uses from
      (select 1 from ${sql.table(table)} as l join events e on e.id = l.event
        where ${sql.ref(`l.${column}`)} = ${id} and e.status <> 'trash'
          limit ${sql.lit(most)}) as used`.execute(db)
    uses.set(id, Number(rows[0]?.uses ?? 0))
  }
  return uses
}

export async function isUsedInPublic(db: Db, kind: MergedKind, id: number): Promise<boolean> {
  const { table, column } = LINKS[kind]
  const { rows } = await sql`select 1 from ${sql.table(table)} as l join events e on e.id = l.event
    where ${sql.ref(`l.${column}`)} = ${id} and e.status = 'publish' limit 1`.execute(db)
  return rows.length > 0
}

const IN_A_PIECE = 100

/** Stores what an undo needs, in the transaction of each piece of a merge. */
export interface MergeLog {
  noteLinks: (tx: Tx, of: 'event' | 'series', former: ReadonlyMap<number, readonly number[]>) => Promise<void>
  noteRecord: (tx: Tx, gone: GoneRecord) => Promise<void>
}

export interface GoneRecord {
  status: string | undefined
  slug: string
  slugs: readonly string[]
  items: readonly Pick<ImportItemColumns, 'source' | 'identity' | 'occurrence'>[]
  term: TermRow | undefined
  children: readonly number[]
}

/**
 * Merges `from` into `into`: links to `from` then lead to `into`. `from` is trashed, or deleted if it is a
 * term. Events are changed in pieces; another call completes an interrupted merge.
 * @throws Problem rest_forbidden unless the caller may change both records and the events of others;
 * rest_invalid_param
 */
export async function mergeRecords(
  context: Context,
  served: ServedResource,
  from: number,
  into: number,
  log?: MergeLog,
): Promise<{ events: number; into: number }> {
  const { operations, resource } = served
  const kind = resource.name
  if ((!isMerged(kind) && kind !== 'event') || from === into) throw invalidParam('into')
  if (!isLoggedIn(context.caller) || !can(context.caller, 'edit_others')) throw new Problem('rest_forbidden')
  const gone = await permittedRecord(context, operations, from, 'remove')
  const stays = await permittedRecord(context, operations, into, 'update')
  if (statusOf(stays) === 'trash') throw invalidParam('into')
  let events = 0
  while (isMerged(kind)) {
    const moved = await context.write((tx) => moveSome(tx, context, kind, from, into, log))
    if (moved === 0) break
    events += moved
    await nextTurn()
  }
  const prepared = await operations.remove.prepare(context, gone)
  const below = isTerm(gone) ? await pathTo(context.db, gone, into) : []
  const { slug }: { slug?: unknown } = Object(gone)
  await context.write(async (tx) => {
    if (log) await log.noteRecord(tx, await describeGone(tx, kind, from, gone))
    if (isTerm(gone)) await adopt(tx, gone, into, below)
    await tx
      .updateTable('import_items')
      .set({ record: into })
      .where('kind', '=', kind)
      .where('record', '=', from)
      .execute()
    if (statusOf(gone) !== 'trash') await operations.remove.write(tx, prepared, context)
    if (wasAddressKnown(gone)) await passSlugs(tx, kind, { id: from, slug: String(slug) }, into)
  })
  return { events, into }
}

async function describeGone(
  tx: Tx,
  kind: PagedKind | Taxonomy,
  id: number,
  row: unknown,
): Promise<GoneRecord> {
  const slugs = await tx
    .selectFrom('old_slugs')
    .select('slug')
    .where('kind', '=', kind)
    .where('record', '=', id)
    .execute()
  const items = await tx
    .selectFrom('import_items')
    .select(['source', 'identity', 'occurrence'])
    .where('kind', '=', kind)
    .where('record', '=', id)
    .limit(MOST_ITEMS)
    .execute()
  const children = isTerm(row)
    ? await tx.selectFrom('terms').select('id').where('parent', '=', id).execute()
    : []
  return {
    status: statusOf(row),
    slug: String(Object(row).slug),
    slugs: slugs.map(({ slug }) => slug),
    items,
    term: isTerm(row) ? row : undefined,
    children: children.map((child) => child.id),
  }
}

/** More than enough: an import source has a record a few times at most. */
const MOST_ITEMS = 1000

const isTerm = (row: unknown): row is TermRow => typeof row === 'object' && row !== null && 'taxonomy' in row

const wasAddressKnown = (row: unknown) => isTerm(row) || statusOf(row) === 'publish'

/** Children of the merged term that are `into` or above it, and so cannot become its children. */
async function pathTo(db: Db, { id }: TermRow, into: number): Promise<number[]> {
  const children = await db.selectFrom('terms').select('id').where('parent', '=', id).execute()
  const above: number[] = []
  for (const child of children) if ((await levelsBelow(db, [child.id])).found.has(into)) above.push(child.id)
  return above
}

async function adopt(tx: Tx, { id }: TermRow, into: number, not: readonly number[]): Promise<void> {
  const children = await tx.selectFrom('terms').selectAll().where('parent', '=', id).orderBy('id').execute()
  for (const child of children) if (!not.includes(child.id)) await updateTerm(tx, child, { parent: into })
}

async function moveSome(
  tx: Tx,
  context: Context,
  kind: MergedKind,
  from: number,
  into: number,
  log: MergeLog | undefined,
): Promise<number> {
  const { table, column, order, kind: links } = LINKS[kind]
  const { rows: some } = await sql<{ id: number; series: number | null }>`
    select e.id, e.series from events e where e.id in
      (select event from ${sql.table(table)} where ${sql.ref(column)} = ${from} order by event
        limit ${sql.lit(IN_A_PIECE)})
    order by e.id`.execute(tx)
  if (some.length === 0) return 0
  // Every writer locks a series before its dates, which prevents deadlocks.
  for (const series of new Set(some.flatMap((row) => row.series ?? [])))
    await moveShared(tx, series, links, from, into, context, log)
  const ids = some.map(({ id }) => id)
  const rows = await lockedRows(
    tx,
    tx.selectFrom('events').selectAll().where('id', 'in', wholeList(tx, ids)).orderBy('id'),
  ).execute()
  const { rows: linked } = await sql<{ event: number; id: number }>`
    select event, ${sql.ref(column)} as id from ${sql.table(table)} where event in ${wholeList(tx, ids)}
    order by event, ${sql.ref(order)}`.execute(tx)
  const had = Map.groupBy(linked, ({ event }) => event)
  const moved = rows.filter(({ id }) => had.get(id)?.some((link) => link.id === from))
  await log?.noteLinks(
    tx,
    'event',
    new Map(moved.map(({ id }) => [id, (had.get(id) ?? []).map((link) => link.id)])),
  )
  await saveEvents(
    tx,
    moved.map((before) => {
      const ids = (had.get(before.id) ?? []).map((link) => link.id)
      return { before, values: modifiedNow(context), links: { [links]: replaced(ids, from, into) } }
    }),
  )
  return rows.length
}

export function replaced(ids: readonly number[], from: number, into: number): number[] {
  return [...new Set(ids.map((id) => (id === from ? into : id)))]
}

/** Changes the links that a series' dates share, so that future dates get `into`, too. */
async function moveShared(
  tx: Tx,
  id: number,
  links: LinkKind,
  from: number,
  into: number,
  { now }: Context,
  log: MergeLog | undefined,
): Promise<void> {
  const series = await holdSeries(tx, id)
  if (!series) return
  const shared = readShared(series)
  if (!shared[links].includes(from)) return
  await log?.noteLinks(tx, 'series', new Map([[id, shared[links]]]))
  const columns = { ...shared, [links]: replaced(shared[links], from, into) }
  await updateSeries(tx, series, { shared: JSON.stringify(columns), modified_utc: formatUtc(now) })
}

/** Makes present and former slugs of `from` redirect to `into`. */
export async function passSlugs(
  tx: Tx,
  kind: SlugKind,
  from: { id: number; slug: string },
  into: number,
): Promise<void> {
  await tx
    .updateTable('old_slugs')
    .set({ record: into })
    .where('kind', '=', kind)
    .where('record', '=', from.id)
    .execute()
  if (from.slug !== '')
    await upsert(tx, { row: { kind, slug: from.slug, record: into, left_utc: new Date().toISOString() } })
  await dropOldest(tx, { kind, record: into })
}

/** Restores a deleted term with its id. It gets another slug if a new term has taken its own. */
export async function bringBackTerm(tx: Tx, { slug, ...term }: TermRow): Promise<void> {
  const free = await freeTermSlug(tx, term.taxonomy, slugsLike(slug), term.id)
  await tx
    .insertInto('terms')
    .values({ ...term, slug: free, count: 0 })
    .execute()
  recordChange(tx, { ...changeOf(term.id), wasPublic: false }, { action: 'create', name: term.name })
}

function* slugsLike(slug: string): Generator<string> {
  yield slug
  for (let number = 2; number < MOST_LIKE; number += 1) yield `${slug}-${number}`
}

const MOST_LIKE = 1000
