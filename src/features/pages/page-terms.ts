import { plainText } from '../../base/text/html.ts'
import { canonicalSlug } from '../../base/text/slugs.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findAncestors, findTerm, findTermBySlug, type NamedTerm } from '../../calendar/terms/term-store.ts'
import type { Db } from '../../store/storage/database.ts'
import type { TermRow } from '../../store/storage/schema.ts'
import { findByOldSlug } from './old-paths.ts'
import type { TermPath } from './page-addresses.ts'
import { type Choice, type Choices, choicesOf } from './page-html.ts'
import { findTermsInUse, isInUse, listTermsInUse, listVenueNames, type NamedVenue } from './page-store.ts'

export interface ShownTerm {
  id: number
  taxonomy: TermRow['taxonomy']
  name: string
  slug: string
  parent: number
  /** From the top-level ancestor down to the term itself. */
  slugs: readonly string[]
  count: number
  depth: number
  /** Colour number, which a term has from its top-level ancestor. */
  hue: number
}

interface OfferedVenue {
  id: number
  name: string
  isLocated: boolean
}

export interface PageTerms {
  /** Terms by id: those with most events, their ancestors, and those that `learnTerms` added. */
  byId: Map<number, ShownTerm>
  /** Terms looked up by `learnTerms`; undefined for a term without published events. */
  learned: Map<number, ShownTerm | undefined>
  /** Top-level categories in order of name; `count` includes those below. */
  tops: readonly ShownTerm[]
  /** Empty if there are more than a form can offer. */
  venues: readonly OfferedVenue[]
  /** Markup of the form's lists; `places` has the venues with coordinates. */
  choices: Readonly<Record<'categories' | 'tags' | 'venues' | 'places', Choices>>
}

/** If there are more terms, forms have text fields in place of lists. */
const MOST_TERMS = 200
const MOST_VENUES = 200
const MOST_LEARNED = 5000
const HUES = 12
/** Coprime to `HUES`, so that the first twelve top-level categories differ in colour. */
const HUE_STEP = 5
const DEEPEST = 100

export async function readPageTerms({ db }: Context): Promise<PageTerms> {
  const [{ rows, isCut }, venues] = await Promise.all([
    readTermsInUse(db, MOST_TERMS),
    listVenueNames(db, MOST_VENUES + 1),
  ])
  return termsFrom(shownTerms(rows), isCut, venues.length > MOST_VENUES ? [] : venues.map(offered))
}

export async function readTermsAlone({ db }: Context): Promise<PageTerms> {
  const { rows, isCut } = await readTermsInUse(db, MOST_TERMS)
  return termsFrom(shownTerms(rows), isCut, [])
}

export async function listShownTerms({ db }: Context, most: number): Promise<ShownTerm[]> {
  return [...shownTerms((await readTermsInUse(db, most)).rows).values()].filter(({ count }) => count > 0)
}

type ByTaxonomy<Value> = Record<TermRow['taxonomy'], Value>

async function readTermsInUse(
  db: Db,
  most: number,
): Promise<{ rows: NamedTerm[]; isCut: ByTaxonomy<boolean> }> {
  const [categories, tags] = await Promise.all([
    listTermsInUse(db, 'category', most + 1),
    listTermsInUse(db, 'tag', most + 1),
  ])
  const isCut = { category: categories.length > most, tag: tags.length > most }
  const rows = [...categories.slice(0, most), ...tags.slice(0, most)]
  return { rows: await withAncestors(db, rows), isCut }
}

async function withAncestors(db: Db, rows: readonly NamedTerm[]): Promise<NamedTerm[]> {
  const byId = await findAncestors(db, rows)
  for (const row of rows) byId.set(row.id, row)
  return [...byId.values()].sort((a, b) => (a.folded < b.folded ? -1 : a.folded > b.folded ? 1 : a.id - b.id))
}

/** Adds missing terms to `byId`; those looked up are cached in `learned`. */
export async function learnTerms(
  { db }: Context,
  { byId, learned }: PageTerms,
  ids: readonly number[],
): Promise<void> {
  const missing = ids.filter((id) => !byId.has(id))
  const unknown = missing.filter((id) => !learned.has(id))
  const found = unknown.length === 0 ? [] : await withAncestors(db, await findTermsInUse(db, unknown))
  const shown = shownTerms(found, byId)
  for (const id of unknown) if (learned.size < MOST_LEARNED) learned.set(id, shown.get(id))
  for (const id of missing) {
    const term = shown.get(id) ?? learned.get(id)
    if (term) byId.set(id, term)
  }
}

/** Finds the term of a path by its last slug, present or former; undefined if pages do not show it. */
export async function findTermAt(
  context: Context,
  { byId }: PageTerms,
  { taxonomy, slugs }: TermPath,
): Promise<ShownTerm | undefined> {
  const { db } = context
  const slug = slugs.at(-1) ?? ''
  const former = async () => {
    const id = await findByOldSlug(db, taxonomy, canonicalSlug(slug))
    return id === undefined ? undefined : findTerm(db, taxonomy, id)
  }
  const row = (await findTermBySlug(db, taxonomy, slug)) ?? (await former())
  if (row === undefined) return undefined
  const known = byId.get(row.id)
  if (known || !(await isInUse(db, row))) return known
  return shownTerms(await withAncestors(db, [row]), byId).get(row.id)
}

function termsFrom(
  byId: Map<number, ShownTerm>,
  isCut: ByTaxonomy<boolean>,
  venues: readonly OfferedVenue[],
): PageTerms {
  const shown = [...byId.values()]
  const categories = inTree(shown.filter(({ taxonomy }) => taxonomy === 'category'))
  const tags = shown.filter(({ taxonomy }) => taxonomy === 'tag')
  const choices = {
    categories: choicesOf(categories.map(termChoice), isCut.category),
    tags: choicesOf(tags.map(termChoice), isCut.tag),
    venues: choicesOf(venues.map(venueChoice)),
    places: choicesOf(venues.filter(({ isLocated }) => isLocated).map(venueChoice)),
  }
  return { byId, learned: new Map(), tops: topsOf(categories), venues, choices }
}

function topsOf(categories: readonly ShownTerm[]): ShownTerm[] {
  const trees = Map.groupBy(categories, ({ slugs }) => slugs[0])
  return categories
    .filter(({ depth }) => depth === 0)
    .map((top) => ({ ...top, count: (trees.get(top.slug) ?? []).reduce((sum, { count }) => sum + count, 0) }))
}

const NEXT_LEVEL = '\u2003'
const MOST_LEVELS = 5

const termChoice = ({ slug, name, depth }: ShownTerm): Choice => ({
  value: slug,
  text: NEXT_LEVEL.repeat(Math.min(depth, MOST_LEVELS)) + name,
})

const venueChoice = ({ id, name }: OfferedVenue): Choice => ({ value: String(id), text: name })

/** No terms, for a page that must not read from the database. */
export const noTerms = (): PageTerms => termsFrom(new Map(), { category: false, tag: false }, [])

const offered = (row: NamedVenue): OfferedVenue => ({
  id: row.id,
  name: plainText(row.venue),
  isLocated: row.geo_lat !== null && row.geo_lng !== null,
})

/**
 * Adds slugs, depth and colour to terms.
 * @param known terms already shown, which pass their colours on to those below; without these, top categories
 * get new ones
 */
function shownTerms(
  rows: readonly NamedTerm[],
  known?: ReadonlyMap<number, ShownTerm>,
): Map<number, ShownTerm> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const roots = rows
    .filter(({ taxonomy, parent }) => taxonomy === 'category' && !byId.has(parent))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
  const hues = known ? undefined : new Map(roots.map((id, rank) => [id, (rank * HUE_STEP) % HUES]))
  const shown = (row: NamedTerm): ShownTerm => {
    const line = lineOf(row, byId)
    const { id, taxonomy, slug, parent, count } = row
    const slugs = line.map((term) => term.slug)
    const top = line[0]?.id ?? id
    const hue = known?.get(top)?.hue ?? hues?.get(top) ?? top % HUES
    return {
      id,
      taxonomy,
      name: plainText(row.name) || slug,
      slug,
      parent,
      slugs,
      count,
      depth: line.length - 1,
      hue,
    }
  }
  return new Map(rows.map((row) => [row.id, shown(row)]))
}

function lineOf(row: NamedTerm, byId: ReadonlyMap<number, NamedTerm>): NamedTerm[] {
  const line = [row]
  for (let above = byId.get(row.parent); above && line.length < DEEPEST; above = byId.get(above.parent))
    line.unshift(above)
  return line
}

function inTree(categories: readonly ShownTerm[]): ShownTerm[] {
  const below = Map.groupBy(categories, ({ parent }) => parent)
  const known = new Set(categories.map(({ id }) => id))
  const ordered: ShownTerm[] = []
  const add = (term: ShownTerm) => {
    ordered.push(term)
    if (term.depth < DEEPEST) for (const child of below.get(term.id) ?? []) add(child)
  }
  for (const term of categories) if (!known.has(term.parent)) add(term)
  return ordered
}

export const scopeOf = ({ taxonomy, slugs }: ShownTerm): TermPath => ({ taxonomy, slugs })
