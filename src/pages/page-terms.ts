import type { Context } from '../context/context.ts'
import { listVenueNames, type NamedVenue } from '../linked/linked-store.ts'
import type { TermRow } from '../storage/schema.ts'
import { listTermsInUse, type TermInUse } from '../terms/term-store.ts'
import { plainText } from '../text/html.ts'
import { type Choice, type Choices, choicesOf } from './choices.ts'
import type { Scope } from './page-addresses.ts'

/** A category or tag as pages show it. */
export interface ShownTerm {
  id: number
  taxonomy: TermRow['taxonomy']
  name: string
  slug: string
  parent: number
  /** Slugs from the top of the tree down to its own. */
  slugs: readonly string[]
  count: number
  /** How many terms are above it. */
  depth: number
  /** The number of its colour, which it shares with the terms above and below. */
  hue: number
}

/** A venue as forms offer it. */
export interface OfferedVenue {
  id: number
  name: string
  isLocated: boolean
}

/** The terms and venues that pages know. */
export interface PageTerms {
  byId: ReadonlyMap<number, ShownTerm>
  /** In the order of the tree. */
  categories: readonly ShownTerm[]
  tags: readonly ShownTerm[]
  /** Empty where there are more than a form can offer. */
  venues: readonly OfferedVenue[]
  /** Their values in forms; `places` has the venues with coordinates. */
  choices: Readonly<Record<'categories' | 'tags' | 'venues' | 'places', Choices>>
}

const MOST_TERMS = 2000
const MOST_VENUES = 200
/** The number of colours in the style sheet. */
export const HUES = 12
/** The step between the colours of neighbouring categories: coprime to `HUES`, so that twelve categories have twelve colours. */
const HUE_STEP = 5
const DEEPEST = 100

/** Reads the categories, the tags in use and the venues of the calendar. */
export async function readTerms({ db }: Context): Promise<PageTerms> {
  const [terms, venues] = await Promise.all([listTermsInUse(db, MOST_TERMS), listVenueNames(db, MOST_VENUES + 1)])
  return termsFrom(shownTerms(terms), venues.length > MOST_VENUES ? [] : venues.map(offered))
}

function termsFrom(byId: ReadonlyMap<number, ShownTerm>, venues: readonly OfferedVenue[]): PageTerms {
  const shown = [...byId.values()]
  const categories = inTree(shown.filter(({ taxonomy }) => taxonomy === 'category'))
  const tags = shown.filter(({ taxonomy }) => taxonomy === 'tag')
  const choices = {
    categories: choicesOf(categories.map(termChoice)),
    tags: choicesOf(tags.map(termChoice)),
    venues: choicesOf(venues.map(venueChoice)),
    places: choicesOf(venues.filter(({ isLocated }) => isLocated).map(venueChoice)),
  }
  return { byId, categories, tags, venues, choices }
}

/** The indentation of a name for each term above it. */
const NEXT_LEVEL = '\u2003'
const MOST_LEVELS = 5

const termChoice = ({ slug, name, depth }: ShownTerm): Choice => ({
  value: slug,
  text: NEXT_LEVEL.repeat(Math.min(depth, MOST_LEVELS)) + name,
})

const venueChoice = ({ id, name }: OfferedVenue): Choice => ({ value: String(id), text: name })

/** No terms, for a page that looks nothing up. */
export const noTerms = (): PageTerms => termsFrom(new Map(), [])

const offered = (row: NamedVenue): OfferedVenue => ({
  id: row.id,
  name: plainText(row.venue),
  isLocated: row.geo_lat !== null && row.geo_lng !== null,
})

function shownTerms(rows: readonly TermInUse[]): Map<number, ShownTerm> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const roots = rows
    .filter(({ taxonomy, parent }) => taxonomy === 'category' && !byId.has(parent))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
  const hues = new Map(roots.map((id, rank) => [id, (rank * HUE_STEP) % HUES]))
  const shown = (row: TermInUse): ShownTerm => {
    const line = lineOf(row, byId)
    const { id, taxonomy, slug, parent, count } = row
    const slugs = line.map((term) => term.slug)
    const hue = hues.get(line[0]?.id ?? id) ?? id % HUES
    return { id, taxonomy, name: plainText(row.name) || slug, slug, parent, slugs, count, depth: line.length - 1, hue }
  }
  return new Map(rows.map((row) => [row.id, shown(row)]))
}

/** The terms above a term, the highest first, and itself. */
function lineOf(row: TermInUse, byId: ReadonlyMap<number, TermInUse>): TermInUse[] {
  const line = [row]
  for (let above = byId.get(row.parent); above && line.length < DEEPEST; above = byId.get(above.parent))
    line.unshift(above)
  return line
}

/** Each category followed by those below it. */
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

/** The term that a path names by its last slug, whatever slugs come before it. */
export function termAt(
  { byId }: PageTerms,
  { taxonomy, slugs }: Scope,
  canonical: (slug: string) => string,
): ShownTerm | undefined {
  const wanted = canonical(slugs.at(-1) ?? '')
  for (const term of byId.values()) if (term.taxonomy === taxonomy && term.slug === wanted) return term
  return undefined
}

export const scopeOf = ({ taxonomy, slugs }: ShownTerm): Scope => ({ taxonomy, slugs })
