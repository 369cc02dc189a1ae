import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold } from '../../base/text/characters.ts'
import { singleLine } from '../../base/text/html.ts'
import { canonicalSlug, slugify } from '../../base/text/slugs.ts'
import type { Db } from '../../store/storage/database.ts'
import { formerOf } from '../../store/storage/history.ts'
import { holdName, lockedRows, lockedTerms } from '../../store/storage/locks.ts'
import { type RecordedChange, recordChange, type Tx } from '../../store/storage/recording.ts'
import type { Taxonomy, TermRow } from '../../store/storage/schema.ts'
import { entriesOf, wholeList } from '../../store/storage/sql-parts.ts'
import { selectTerms, statement } from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { dropSlugs, noteSlugs } from '../records/old-slugs.ts'
import { isPossibleId, type Listing, offsetOf, type PageRequest } from '../records/record-store.ts'

/** In the order in which writers handle them, so that these do not deadlock. */
export const TAXONOMIES: readonly Taxonomy[] = ['category', 'tag']
export const TERM_LISTS = { category: 'categories', tag: 'tags' } as const satisfies Record<Taxonomy, string>

export function termsApart<Term extends { taxonomy: Taxonomy }>(
  terms: readonly Term[],
): Record<'categories' | 'tags', Term[]> {
  const of = (wanted: Taxonomy) => terms.filter(({ taxonomy }) => taxonomy === wanted)
  return { categories: of('category'), tags: of('tag') }
}

const selectBySlug = statement<{ taxonomy: Taxonomy; slug: string }>()((db, value) =>
  db
    .selectFrom('terms')
    .selectAll()
    .where('taxonomy', '=', value('taxonomy'))
    .where('slug', '=', value('slug')),
)

export async function findTerm(db: Db, taxonomy: Taxonomy, id: number): Promise<TermRow | undefined> {
  const [term] = await findTermsByIds(db, [id])
  return term?.taxonomy === taxonomy ? term : undefined
}

/** Finds terms, in no particular order. Impossible ids are skipped. */
export async function findTermsByIds(db: Db, ids: readonly number[]): Promise<TermRow[]> {
  const possible = ids.filter(isPossibleId)
  return possible.length === 0 ? [] : selectTerms(db, { ids: possible })
}

export async function findTermBySlug(db: Db, taxonomy: Taxonomy, slug: string): Promise<TermRow | undefined> {
  const [term] = await selectBySlug(db, { taxonomy, slug: canonicalSlug(slug) })
  return term
}

/** Finds terms in any letter case, the oldest first. */
export async function findTermsByName(db: Db, taxonomy: Taxonomy, name: string): Promise<TermRow[]> {
  const rows = await selectByNames(db, { taxonomy, folded: [fold(name)] })
  return rows.filter((row) => nameKey(row.name) === nameKey(name))
}

const selectBySlugs = statement<{ taxonomy: Taxonomy; slugs: string[] }>()((db, value) =>
  db
    .selectFrom('terms')
    .selectAll()
    .where('taxonomy', '=', value('taxonomy'))
    .where('slug', 'in', value('slugs')),
)

export async function findTermIdsBySlugs(
  db: Db,
  taxonomy: Taxonomy,
  slugs: readonly string[],
): Promise<number[]> {
  return (await selectBySlugs(db, { taxonomy, slugs: slugs.map(canonicalSlug) })).map(({ id }) => id)
}

/** A term without its description, which may be long. */
export type NamedTerm = Omit<TermRow, 'description'>

export const NAMED = [
  'id',
  'taxonomy',
  'name',
  'slug',
  'parent',
  'count',
  'folded',
] as const satisfies (keyof NamedTerm)[]

export type TermIdsOfEvent = Record<Taxonomy, number[]>

export async function findTermIdsOf(db: Db, events: readonly number[]): Promise<Map<number, TermIdsOfEvent>> {
  const found = new Map<number, TermIdsOfEvent>()
  if (events.length === 0) return found
  const rows = await db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(['event', 'terms.id', 'taxonomy'])
    .where('event', 'in', wholeList(db, events))
    .orderBy('terms.id')
    .execute()
  for (const { event, id, taxonomy } of rows) {
    const own = found.get(event) ?? { category: [], tag: [] }
    own[taxonomy].push(id)
    found.set(event, own)
  }
  return found
}

const selectByNames = statement<{ taxonomy: Taxonomy; folded: string[] }>()((db, value) =>
  db
    .selectFrom('terms')
    .selectAll()
    .where('taxonomy', '=', value('taxonomy'))
    .where('folded', 'in', value('folded'))
    .orderBy('id'),
)

/** Finds terms by id, slug or name, in order. An entry without a term gives undefined (rule 13.2). */
export function findTermsByEntries(db: Db, taxonomy: Taxonomy, entries: readonly string[]): Promise<Meant> {
  return findMeant(db, taxonomy, entries, true)
}

/** Like `findTermsByEntries`, but digits are not read as ids (rule 22.4). */
export function findTermsByTexts(db: Db, taxonomy: Taxonomy, texts: readonly string[]): Promise<Meant> {
  return findMeant(db, taxonomy, texts, false)
}

type Meant = (TermRow | undefined)[]

async function findMeant(
  db: Db,
  taxonomy: Taxonomy,
  entries: readonly string[],
  areIds: boolean,
): Promise<Meant> {
  if (entries.length === 0) return []
  const lookupsIn = (rows: readonly TermRow[]) => {
    const lookups = lookupsAmong(rows, taxonomy)
    return areIds ? lookups : { ...lookups, byId: undefined }
  }
  const leftBy = (rows: readonly TermRow[]) => {
    const { bySlug, byId } = lookupsIn(rows)
    return entries.filter((entry) => termMeant({ bySlug, byId }, entry) === undefined)
  }
  let rows = await selectBySlugs(db, { taxonomy, slugs: entries.map(canonicalSlug) })
  const ids = areIds ? leftBy(rows).filter(isDigits) : []
  rows = rows.concat(await findTermsByIds(db, ids.map(Number)))
  const others = leftBy(rows)
  if (others.length > 0) {
    const [named, alike] = await Promise.all([
      selectByNames(db, { taxonomy, folded: others.map((entry) => fold(nameKey(entry))) }),
      selectBySlugs(db, { taxonomy, slugs: others.map(slugify) }),
    ])
    rows = rows.concat(named, alike)
  }
  const lookups = lookupsIn(rows)
  return entries.map((entry) => termMeant(lookups, entry))
}

/** Ids of the terms that entries mean, and of their descendants (rule 13.2). */
export async function findIdsByEntries(
  db: Db,
  taxonomy: Taxonomy,
  entries: readonly string[],
): Promise<number[]> {
  const terms = await findTermsByEntries(db, taxonomy, entries)
  const ids = terms.flatMap((term) => term?.id ?? [])
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive below as (
      select id from terms where id in ${wholeList(db, ids)}
      union select terms.id from terms join below on terms.parent = below.id
    ) select id from below
  `.execute(db)
  return [...new Set([...ids, ...rows.map(({ id }) => id)])]
}

export const MOST_TREE_LEVELS = 50

/**
 * `found` has the terms and their descendants; `levels` is the number of levels they span, counted to one
 * more than a tree may have.
 */
export async function levelsBelow(
  db: Db,
  ids: readonly number[],
): Promise<{ found: Set<number>; levels: number }> {
  const found = new Set(ids)
  let level = [...found]
  let levels = 0
  while (level.length > 0 && levels <= MOST_TREE_LEVELS) {
    levels += 1
    const { rows } = await sql<{
      id: number
    }>`select id from terms where parent in ${wholeList(db, level)}`.execute(db)
    level = rows.map(({ id }) => id).filter((id) => !found.has(id))
    for (const id of level) found.add(id)
  }
  return { found, levels }
}

/** Categories above others, by id. URLs contain their slugs, as in `arts/painting`. */
export type Ancestors = ReadonlyMap<number, NamedTerm>

export async function findAncestors(
  db: Db,
  terms: readonly Pick<TermRow, 'parent'>[],
): Promise<Map<number, NamedTerm>> {
  const parents = [...new Set(terms.map((term) => term.parent))].filter((id) => id !== 0)
  if (parents.length === 0) return new Map()
  const { rows } = await sql<NamedTerm>`
    with recursive above as (
      select id, parent from terms where id in ${wholeList(db, parents)}
      union select terms.id, terms.parent from terms join above on terms.id = above.parent
    ) select ${sql.join(NAMED.map((column) => sql.ref(`terms.${column}`)))} from above join terms using (id)
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export const TERM_ORDERS = ['name', 'id', 'slug', 'count', 'description', 'parent', 'include'] as const

/** The order of a list (rule 11.8). `included` has the ids in the order of `include`. */
export interface TermOrder {
  by: (typeof TERM_ORDERS)[number]
  isDescending: boolean
  included: readonly number[]
}

export type TermCondition = RawBuilder<SqlBool>

interface TermList {
  conditions: readonly TermCondition[]
  order: TermOrder
  isSearch: boolean
}

export async function listTerms(
  { db, readInLane }: Pick<Context, 'db' | 'readInLane'>,
  taxonomy: Taxonomy,
  { conditions, order, isSearch }: TermList,
  page: PageRequest,
): Promise<Listing<TermRow>> {
  const all = [sql<SqlBool>`taxonomy = ${taxonomy}`, ...conditions]
  const matching = db.selectFrom('terms').where(sql<SqlBool>`${sql.join(all, sql` and `)}`)
  const start = offsetOf(page)
  const column = ORDERED[order.by]
  if (column === undefined) {
    const [terms] = await readInLane(db, 'search', [matching.select(['id', beginning.as('description')])])
    const ids = sortTerms(terms, order).map(({ id }) => id)
    const rows = await findTermsByIds(db, ids.slice(start, start + page.perPage))
    return { rows: rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)), total: ids.length }
  }
  const direction = order.isDescending ? 'desc' : 'asc'
  const inOrder = matching.orderBy(column, direction).orderBy('id', direction)
  const [totals, rows] = await readInLane(db, isSearch ? 'search' : 'list', [
    matching.select((term) => term.fn.countAll<number>().as('total')),
    inOrder.selectAll().limit(page.perPage).offset(start),
  ])
  return { rows, total: Number(totals[0]?.total) }
}

/** Columns to order by. `sortTerms` sorts by orders without a column. */
const ORDERED = {
  name: 'folded',
  id: 'id',
  slug: 'slug',
  count: 'count',
  parent: 'parent',
  description: undefined,
  include: undefined,
} as const

/** Cut, since sorting reads the descriptions of all terms. */
const beginning = sql<string>`substr(description, 1, 500)`

function sortTerms(terms: Pick<TermRow, 'id' | 'description'>[], { by, isDescending, included }: TermOrder) {
  const position = new Map(included.map((id, index) => [id, index]))
  const key = ({ id, description }: Pick<TermRow, 'id' | 'description'>) =>
    by === 'include' ? (position.get(id) ?? id) : fold(description)
  const direction = isDescending ? -1 : 1
  return terms
    .map((term) => ({ id: term.id, key: key(term) }))
    .sort((a, b) => direction * (compare(a.key, b.key) || a.id - b.id))
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const insertOne = statement<{ row: Omit<TermRow, 'id'> }>()((db, value) =>
  db.insertInto('terms').values(value('row')).returningAll(),
)

/** The first candidate that no term but `id` has. @throws Error if all are taken */
export async function freeTermSlug(
  tx: Db,
  taxonomy: Taxonomy,
  candidates: Iterable<string>,
  id: number,
): Promise<string> {
  for (const slug of candidates) {
    const [holder] = await selectBySlug(tx, { taxonomy, slug })
    if (!holder || holder.id === id) return slug
  }
  throw new Error('ran out of slugs')
}

/** Changes of a term count as public, since anybody may read a term by id. */
export function changeOf(record: number): RecordedChange {
  return { kind: 'term', record, wasPublic: true, isPublic: true }
}

/** A change of only the count, not of the events that show the term. */
function countOf(record: number): RecordedChange {
  return { ...changeOf(record), kind: 'count' }
}

export async function insertTerm(tx: Tx, term: Omit<TermRow, 'id' | 'count'>): Promise<TermRow> {
  const [row] = await insertOne(tx, { row: { ...term, count: 0 } })
  if (!row) throw new Error('no row')
  recordChange(tx, { ...changeOf(row.id), wasPublic: false }, { action: 'create', name: row.name })
  return row
}

export async function updateTerm(
  tx: Tx,
  term: TermRow,
  columns: Partial<Omit<TermRow, 'id' | 'taxonomy' | 'count'>>,
): Promise<void> {
  const { id, name, parent, taxonomy, slug: before } = term
  recordChange(
    tx,
    { ...changeOf(id), former: formerOf(term, columns) },
    { action: 'update', name: columns.name ?? name },
  )
  if (parent !== 0 && columns.parent !== undefined) recordChange(tx, countOf(parent))
  if (Object.keys(columns).length === 0) return
  const { slug = before } = columns
  await Promise.all([
    tx.updateTable('terms').set(columns).where('id', '=', id).execute(),
    noteSlugs(tx, taxonomy, id, { slug: before, isPublic: true }, { slug, isPublic: true }),
  ])
}

/** Deleting this many takes some milliseconds. */
const LINKS_AT_ONCE = 1000

async function deleteSomeLinks(tx: Tx, term: number): Promise<boolean> {
  const some = tx.selectFrom('event_terms').select('event').where('term', '=', term).orderBy('event')
  const events = tx.selectFrom('events').select(['id', 'status']).where('id', 'in', some.limit(LINKS_AT_ONCE))
  // Locked, so that nobody publishes or withdraws an event before the commit.
  const rows = await lockedRows(tx, events.orderBy('id')).execute()
  if (rows.length === 0) return false
  const ids = rows.map(({ id }) => id)
  await sql`delete from event_terms where term = ${term} and event in ${wholeList(tx, ids)}`.execute(tx)
  for (const { id, status } of rows) {
    const isPublic = status === 'publish'
    recordChange(tx, { kind: 'event', record: id, wasPublic: isPublic, isPublic })
  }
  return rows.length === LINKS_AT_ONCE
}

/** Deletes a term; children move to its parent (rule 22.5). Between steps, other requests get their turn. */
export async function deleteTerm(tx: Tx, term: TermRow): Promise<void> {
  await holdName(tx, `tree of ${term.taxonomy}`)
  const children = await tx
    .updateTable('terms')
    .set({ parent: term.parent })
    .where('parent', '=', term.id)
    .returning('id')
    .execute()
  for (const child of children) recordChange(tx, changeOf(child.id))
  // The parent may have been in lists only because this term was in use.
  if (term.parent !== 0) recordChange(tx, countOf(term.parent))
  while (await deleteSomeLinks(tx, term.id)) await nextTurn()
  await tx.deleteFrom('terms').where('id', '=', term.id).execute()
  await dropSlugs(tx, term.taxonomy, term.id)
  const gone = { isPublic: false, isDeleted: true }
  recordChange(tx, { ...countOf(term.id), ...gone })
  recordChange(tx, { ...changeOf(term.id), ...gone }, { action: 'delete', name: term.name })
}

/** Characters beyond U+FFFF, which JavaScript orders differently from databases. */
const SURROGATE = /[\ud800-\udfff]/

/** Orders terms by taxonomy, then by the code points of the folded name, then by id. */
export function compareTerms(a: TermRow, b: TermRow): number {
  if (a.taxonomy !== b.taxonomy) return a.taxonomy < b.taxonomy ? -1 : 1
  if (a.folded === b.folded) return a.id - b.id
  if (SURROGATE.test(a.folded) || SURROGATE.test(b.folded))
    return Buffer.compare(Buffer.from(a.folded), Buffer.from(b.folded))
  return a.folded < b.folded ? -1 : 1
}

const addToCounts = statement<{ shifts: string; ids: number[] }>()(
  (db, value) => sql<never>`update terms set count = count + events
    from (select cast(value ->> 0 as bigint) as term, cast(value ->> 1 as integer) as events
      from ${entriesOf(db, value('shifts'))}) as shifts
    where id = term and id in ${lockedTerms(db, value('ids'))}`,
)

export async function shiftCounts(tx: Tx, by: ReadonlyMap<number, number>): Promise<void> {
  const changed = [...by].filter(([, events]) => events !== 0)
  if (changed.length === 0) return
  for (const [id] of changed) recordChange(tx, countOf(id))
  await addToCounts(tx, { shifts: JSON.stringify(changed), ids: changed.map(([id]) => id) })
}

/** Without `byName`, names are not looked up. */
interface TermLookups<Found> {
  bySlug: (slug: string) => Found | undefined
  byId?: ((id: number) => Found | undefined) | undefined
  byName?: (key: string) => Found | undefined
}

/** The term meant: by slug, else id, else name, else the slug that the text gives (rule 13.2). */
export function termMeant<Found>(
  { bySlug, byId, byName }: TermLookups<Found>,
  entry: string,
): Found | undefined {
  const found = bySlug(canonicalSlug(entry)) ?? (isDigits(entry) ? byId?.(Number(entry)) : undefined)
  return found ?? (byName && (byName(nameKey(entry)) ?? bySlug(slugify(entry))))
}

export function isDigits(entry: string): boolean {
  return /^\d+$/.test(entry)
}

function nameKey(name: string): string {
  return singleLine(name).toLowerCase()
}

function lookupsAmong(rows: Iterable<TermRow>, taxonomy: Taxonomy): Required<TermLookups<TermRow>> {
  const slugs = new Map<string, TermRow>()
  const ids = new Map<number, TermRow>()
  const names = new Map<string, TermRow>()
  for (const term of rows) {
    if (term.taxonomy !== taxonomy) continue
    slugs.set(term.slug, term)
    ids.set(term.id, term)
    // A damaged name must make only its own term unshowable, not all lookups fail.
    const key = nameKey(String(term.name))
    const namesake = names.get(key)
    if (!namesake || term.id < namesake.id) names.set(key, term)
  }
  return { bySlug: (slug) => slugs.get(slug), byId: (id) => ids.get(id), byName: (key) => names.get(key) }
}
