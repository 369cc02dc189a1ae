import type { Taxonomy, TermRow } from '../storage/schema.ts'
import { singleLine } from '../text/html.ts'
import { canonicalSlug, slugify } from '../text/slug.ts'

/** The places in which the terms of a taxonomy are looked up. Without names, only slugs and ids are found. */
export interface TermLookups<Found> {
  bySlug: (slug: string) => Found | undefined
  byId?: ((id: number) => Found | undefined) | undefined
  /** The oldest term with this name, as `nameKey` makes it. */
  byName?: (key: string) => Found | undefined
}

/** The term that an entry names: by its slug, else its id, else its name, else the slug that a term of this name gets (rule 13.2). */
export function termMeant<Found>({ bySlug, byId, byName }: TermLookups<Found>, entry: string): Found | undefined {
  const found = bySlug(canonicalSlug(entry)) ?? (isDigits(entry) ? byId?.(Number(entry)) : undefined)
  return found ?? (byName && (byName(nameKey(entry)) ?? bySlug(slugify(entry))))
}

/** Whether an entry may be an id. */
export function isDigits(entry: string): boolean {
  return /^\d+$/.test(entry)
}

/** A name as names are compared: in any letter case, and tidied as those of terms are. */
export function nameKey(name: string): string {
  return singleLine(name).toLowerCase()
}

/** Lookups among those of these terms that are of a taxonomy. */
export function lookupsAmong(rows: Iterable<TermRow>, taxonomy: Taxonomy): Required<TermLookups<TermRow>> {
  const slugs = new Map<string, TermRow>()
  const ids = new Map<number, TermRow>()
  const names = new Map<string, TermRow>()
  for (const term of rows) {
    if (term.taxonomy !== taxonomy) continue
    slugs.set(term.slug, term)
    ids.set(term.id, term)
    // A name that is no text makes its term unshowable, and takes no other along.
    const key = nameKey(String(term.name))
    const namesake = names.get(key)
    if (!namesake || term.id < namesake.id) names.set(key, term)
  }
  return { bySlug: (slug) => slugs.get(slug), byId: (id) => ids.get(id), byName: (key) => names.get(key) }
}
