import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely'
import type { Asking } from '../declare/asking.ts'
import { type Caller, can, isLoggedIn } from '../people/caller.ts'
import type { Db } from '../storage/database.ts'
import type { RecordKind, RecordTable, Tables } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { canonicalSlug, numberedSlug } from '../text/slug.ts'

const selectKind = statement<{ id: number }>()((db, value) =>
  db.selectFrom('records').select('kind').where('id', '=', value('id')),
)

/** The kind of the record with this id, or undefined when there is none. */
export async function findKind(db: Db, id: number): Promise<RecordKind | undefined> {
  if (!isPossibleId(id)) return undefined
  const [row] = await selectKind(db, { id })
  return row?.kind
}

/** The largest id either database can hold. */
export const MAX_ID = 2 ** 31 - 1

/** Whether a number is one that a record can have as its id. */
export function isPossibleId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0 && id <= MAX_ID
}

const insertRecord = statement<{ kind: RecordKind }>()((db, value) =>
  db
    .insertInto('records')
    .values({ kind: value('kind') })
    .returning('id'),
)

/** The next id of the sequence that events, venues, organizers and images share. */
export async function nextRecordId(tx: Db, kind: RecordKind): Promise<number> {
  const [row] = await insertRecord(tx, { kind })
  if (!row) throw new Error('no row')
  return row.id
}

/** A statement for each of the tables that records have. */
export function forEachTable<Made>(make: (table: RecordTable) => Made): Record<RecordTable, Made> {
  return { events: make('events'), venues: make('venues'), organizers: make('organizers') }
}

const selectTakenSlugs = forEachTable((table) =>
  statement<{ slugs: string[]; id: number }>()((db, value) =>
    db
      .selectFrom(table)
      .select('slug')
      .where('slug', 'in', value('slugs'))
      .where('status', 'not in', ['draft', 'pending'])
      .where('id', '!=', value('id')),
  ),
)

/** Slugs that are tried together once the first is taken. */
const BATCH = 20

/** `base`, or `base-2`, `base-3` … : the first slug that no published record of the table has, but for the one with `own` as its id (contract 5.2). */
export async function freeSlug(tx: Db, table: RecordTable, base: string, own: number | undefined): Promise<string> {
  for (let from = 1, size = 1; ; from += size, size = Math.max(BATCH, size * 2)) {
    const slugs = Array.from({ length: size }, (_, i) => (from + i === 1 ? base : numberedSlug(base, from + i)))
    const rows = await selectTakenSlugs[table](tx, { slugs, id: own ?? 0 })
    const taken = new Set(rows.map((row) => row.slug))
    const free = slugs.find((candidate) => !taken.has(candidate))
    if (free !== undefined) return free
  }
}

const selectBySlug = forEachTable((table) =>
  statement<{ slug: string }>()((db, value) =>
    db
      .selectFrom(table)
      .select('id')
      .where('slug', '=', value('slug'))
      .orderBy((record) => record.case().when('status', 'in', ['draft', 'pending']).then(1).else(0).end())
      .orderBy('id')
      .limit(1),
  ),
)

/**
 * The id of the record with this slug, raw or percent-encoded, in any letter case and any status. Drafts may share a slug, with each other
 * and with one other record: that one comes first, then the lowest id (contract 5.2).
 */
export async function findIdBySlug(db: Db, table: RecordTable, slug: string): Promise<number | undefined> {
  const [row] = await selectBySlug[table](db, { slug: canonicalSlug(slug) })
  return row?.id
}

/** The condition that the caller may see a record in lists: published, their own, or any by the right to edit others' (contract 0.3.6). */
export function visibleTo(caller: Caller, table: RecordTable) {
  return (records: ExpressionBuilder<Tables, RecordTable>): ExpressionWrapper<Tables, RecordTable, SqlBool> => {
    const published = records(sql.ref(`${table}.status`), '=', 'publish')
    if (!isLoggedIn(caller)) return published
    if (can(caller, 'edit_others')) return records.and([])
    return records.or([published, records(sql.ref(`${table}.author`), '=', caller.id)])
  }
}

/** Whether the caller may see the record with this id in lists. */
export async function isVisible(db: Db, caller: Caller, table: RecordTable, id: number): Promise<boolean> {
  const found = db.selectFrom(table).select('id').where('id', '=', id).where(visibleTo(caller, table))
  return (await found.executeTakeFirst()) !== undefined
}

/** One page of a list, and how many records there are in all. */
export interface Listing<Row> {
  rows: Row[]
  total: number
}

export interface PageRequest {
  page: number
  perPage: number
}

/** Which page was asked for; more than the cap is the cap (contract 4.1). */
export function pageRequest(query: { page?: number; per_page?: number }, asking: Asking): PageRequest {
  return { page: query.page ?? 1, perPage: Math.min(query.per_page ?? 10, asking.site.pageSizeCap) }
}

/** The start of a page; past every possible end for page numbers no database could count to. */
export function offsetOf({ page, perPage }: PageRequest): number {
  return Math.min((page - 1) * perPage, MAX_ID)
}
