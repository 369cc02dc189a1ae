import type { Taxonomy, TermRow } from '../storage/schema.ts'
import { canonicalSlug } from '../text/slug.ts'

/** The term that an entry of a filter means among these: its slug, else its id, else its name (rule 13.2). */
export function termMeant(terms: ReadonlyMap<number, TermRow>, taxonomy: Taxonomy, entry: string): TermRow | undefined {
  const own = [...terms.values()].filter((term) => term.taxonomy === taxonomy)
  const bySlug = own.find(({ slug }) => slug === canonicalSlug(entry))
  if (bySlug || /^\d+$/.test(entry)) return bySlug ?? own.find(({ id }) => id === Number(entry))
  const named = own.filter(({ name }) => name.toLowerCase() === entry.toLowerCase())
  return named.sort((a, b) => a.id - b.id)[0]
}

/** Whether one of these terms is meant by an entry, or is below one that is. */
export function isInAny(
  terms: ReadonlyMap<number, TermRow>,
  owned: readonly TermRow[],
  taxonomy: Taxonomy,
  entries: readonly string[],
): boolean {
  const wanted = new Set(entries.map((entry) => termMeant(terms, taxonomy, entry)?.id))
  return owned.some((term) => [term, ...ancestorsOf(terms, term)].some(({ id }) => wanted.has(id)))
}

/** The terms above one, the nearest first. */
export function ancestorsOf(terms: ReadonlyMap<number, TermRow>, { parent }: TermRow): TermRow[] {
  const above = terms.get(parent)
  return above ? [above, ...ancestorsOf(terms, above)] : []
}
