import { sql } from 'kysely'
import { type Db, recordChange } from '../storage/database.ts'
import { held, holdName } from '../storage/locks.ts'
import type { Taxonomy, TermRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { contains } from '../storage/text.ts'
import { fold } from '../text/fold.ts'
import { canonicalSlug } from '../text/slug.ts'
import { isPossibleId, type Listing, offsetOf, type PageRequest } from './record-store.ts'

const selectByIds = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('id', 'in', value('ids')),
)

const selectBySlug = statement<{ taxonomy: Taxonomy; slug: string }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('taxonomy', '=', value('taxonomy')).where('slug', '=', value('slug')),
)

const selectByName = statement<{ taxonomy: Taxonomy; folded: string }>()((db, value) =>
  db
    .selectFrom('terms')
    .selectAll()
    .where('taxonomy', '=', value('taxonomy'))
    .where('folded', '=', value('folded'))
    .orderBy('id'),
)

/** The term with this id, or undefined when the taxonomy has none. */
export async function findTerm(db: Db, taxonomy: Taxonomy, id: number): Promise<TermRow | undefined> {
  const [term] = await findTermsByIds(db, [id])
  return term?.taxonomy === taxonomy ? term : undefined
}

/** The terms with these ids, in no order. */
export async function findTermsByIds(db: Db, ids: readonly number[]): Promise<TermRow[]> {
  const possible = ids.filter(isPossibleId)
  return possible.length === 0 ? [] : selectByIds(db, { ids: possible })
}

export async function findTermBySlug(db: Db, taxonomy: Taxonomy, slug: string): Promise<TermRow | undefined> {
  const [term] = await selectBySlug(db, { taxonomy, slug: canonicalSlug(slug) })
  return term
}

/** Terms of exactly this name but for letter case, the oldest first. */
export async function findTermsByName(db: Db, taxonomy: Taxonomy, name: string): Promise<TermRow[]> {
  const rows = await selectByName(db, { taxonomy, folded: fold(name) })
  return rows.filter((row) => row.name.toLowerCase() === name.toLowerCase())
}

/** The term an entry of a filter means: its slug, else its id, else its name (contract 4.6). */
export async function findTermByEntry(db: Db, taxonomy: Taxonomy, entry: string): Promise<TermRow | undefined> {
  const bySlug = await findTermBySlug(db, taxonomy, entry)
  if (bySlug) return bySlug
  if (/^\d+$/.test(entry)) return findTerm(db, taxonomy, Number(entry))
  return (await findTermsByName(db, taxonomy, entry))[0]
}

/** The ids of these terms and of everything below them. */
export async function withDescendants(db: Db, ids: readonly number[]): Promise<number[]> {
  const found = new Set(ids)
  let level = [...found]
  while (level.length > 0) {
    const children = await db.selectFrom('terms').select('id').where('parent', 'in', level).execute()
    level = children.map((child) => child.id).filter((id) => !found.has(id))
    for (const id of level) found.add(id)
  }
  return [...found]
}

/** These terms' ancestors by id, for paths such as `arts/painting`. */
export async function findAncestors(db: Db, terms: readonly TermRow[]): Promise<Map<number, TermRow>> {
  const known = new Map<number, TermRow>()
  let wanted = parentsOf(terms)
  while (wanted.length > 0) {
    const rows = await selectByIds(db, { ids: wanted })
    for (const row of rows) known.set(row.id, row)
    wanted = parentsOf(rows).filter((id) => !known.has(id))
  }
  return known
}

function parentsOf(terms: readonly TermRow[]): number[] {
  return [...new Set(terms.map((term) => term.parent))].filter((id) => id !== 0)
}

/** A list of terms as asked for (contract 4.11); undefined members do not narrow it. */
export interface TermQuery {
  search: string | undefined
  exclude: readonly number[] | undefined
  include: readonly number[] | undefined
  hideEmpty: boolean
  parent: number | undefined
  event: number | undefined
  slug: string | undefined
  orderby: 'name' | 'id' | 'slug' | 'count' | 'description' | 'parent' | 'include'
  descending: boolean
  /** Whether empty ancestors of terms in use are listed too (categories without `parent`). */
  keepAncestors: boolean
}

/** One page of terms in order. Terms are few enough that order and page are made from the ids of all that match. */
export async function listTerms(
  db: Db,
  taxonomy: Taxonomy,
  query: TermQuery,
  page: PageRequest,
): Promise<Listing<TermRow>> {
  const matching = await matchingTerms(db, taxonomy, query).execute()
  const ancestors = query.keepAncestors ? await emptyAncestors(db, taxonomy, query, matching) : []
  const rows = sortTerms([...matching, ...ancestors], query)
  const start = offsetOf(page)
  return { rows: rows.slice(start, start + page.perPage), total: rows.length }
}

function matchingTerms(db: Db, taxonomy: Taxonomy, query: TermQuery) {
  let terms = db.selectFrom('terms').selectAll().where('taxonomy', '=', taxonomy)
  if (query.hideEmpty) terms = terms.where('count', '>', 0)
  if (query.include) terms = terms.where('id', 'in', [...query.include])
  if (query.exclude) terms = terms.where('id', 'not in', [...query.exclude])
  if (query.parent !== undefined) terms = terms.where('parent', '=', query.parent)
  if (query.slug !== undefined) terms = terms.where('slug', '=', canonicalSlug(query.slug))
  if (query.search !== undefined) {
    const words = fold(query.search)
    terms = terms.where((term) => term.or([contains('folded', words), contains('slug', words)]))
  }
  if (query.event !== undefined) {
    const event = query.event
    terms = terms.where('id', 'in', (links) =>
      links.selectFrom('event_terms').select('term').where('event', '=', event),
    )
  }
  return terms
}

async function emptyAncestors(db: Db, taxonomy: Taxonomy, query: TermQuery, matching: TermRow[]): Promise<TermRow[]> {
  const present = new Set(matching.map((term) => term.id))
  const ancestors = [...(await findAncestors(db, matching)).values()].filter((term) => !present.has(term.id))
  if (ancestors.length === 0) return []
  const narrowed = await matchingTerms(db, taxonomy, { ...query, hideEmpty: false })
    .where(
      'id',
      'in',
      ancestors.map((term) => term.id),
    )
    .execute()
  return narrowed
}

function sortTerms(terms: TermRow[], query: TermQuery): TermRow[] {
  const position = new Map(query.include?.map((id, index) => [id, index]))
  const keys: Record<TermQuery['orderby'], (term: TermRow) => string | number> = {
    name: (term) => term.folded,
    id: (term) => term.id,
    slug: (term) => term.slug,
    count: (term) => term.count,
    description: (term) => fold(term.description),
    parent: (term) => term.parent,
    include: (term) => position.get(term.id) ?? term.id,
  }
  const key = keys[query.orderby]
  const direction = query.descending ? -1 : 1
  return terms.sort((a, b) => direction * (compare(key(a), key(b)) || a.id - b.id))
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const selectSlugHolder = statement<{ taxonomy: Taxonomy; slug: string }>()((db, value) =>
  db.selectFrom('terms').select('id').where('taxonomy', '=', value('taxonomy')).where('slug', '=', value('slug')),
)

const insertOne = statement<{ row: Omit<TermRow, 'id'> }>()((db, value) =>
  db.insertInto('terms').values(value('row')).returningAll(),
)

/** `base`, or `base-2` … : the first slug that no other term of the taxonomy has. */
export async function freeTermSlug(
  tx: Db,
  taxonomy: Taxonomy,
  candidates: Iterable<string>,
  id: number,
): Promise<string> {
  for (const slug of candidates) {
    const [holder] = await selectSlugHolder(tx, { taxonomy, slug })
    if (!holder || holder.id === id) return slug
  }
  throw new Error('ran out of slugs')
}

export async function insertTerm(tx: Db, term: Omit<TermRow, 'id' | 'count'>): Promise<TermRow> {
  const [row] = await insertOne(tx, { row: { ...term, count: 0 } })
  if (!row) throw new Error('no row')
  await recordChange(tx, 'term', row.id)
  return row
}

export async function updateTerm(
  tx: Db,
  id: number,
  columns: Partial<Omit<TermRow, 'id' | 'taxonomy' | 'count'>>,
): Promise<void> {
  if (Object.keys(columns).length > 0) await tx.updateTable('terms').set(columns).where('id', '=', id).execute()
  await recordChange(tx, 'term', id)
}

/** Removes a term: its events lose it, its children move up to its parent (contract 6). */
export async function deleteTerm(tx: Db, term: TermRow): Promise<void> {
  await holdName(tx, `tree of ${term.taxonomy}`)
  const children = await tx
    .updateTable('terms')
    .set({ parent: term.parent })
    .where('parent', '=', term.id)
    .returning('id')
    .execute()
  for (const child of children) await recordChange(tx, 'term', child.id)
  await tx.deleteFrom('event_terms').where('term', '=', term.id).execute()
  await tx.deleteFrom('terms').where('id', '=', term.id).execute()
  await recordChange(tx, 'term', term.id)
}

const changeCounts = statement<{ ids: number[]; more: number[] }>()((db, value) =>
  db
    .updateTable('terms')
    .set((term) => ({
      count: sql`${term.ref('count')} + case when id in (${sql.join(value('more'))}) then 1 else -1 end`,
    }))
    .where('id', 'in', (terms) =>
      // One statement holds them all in the order of ids, so that concurrent writers do not wait for each other in a circle.
      held(db, terms.selectFrom('terms').select('id').where('id', 'in', value('ids')).orderBy('id')),
    ),
)

/** Counts one event more, and one fewer, for these terms. The caller notes that they changed. */
export async function adjustCounts(tx: Db, more: readonly number[], fewer: readonly number[]): Promise<void> {
  const ids = [...more, ...fewer]
  // No term has the id 0, and lists are not empty.
  if (ids.length > 0) await changeCounts(tx, { ids, more: more.length > 0 ? [...more] : [0] })
}
