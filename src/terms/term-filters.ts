import { type Filter, linkWriter, type PartNarrowing, type SqlNarrowing } from '../declare/filter.ts'
import { type Parsed, pageFilters } from '../fields/field.ts'
import { count, flag, idsOrSlugs, parentId, readInteger, recordId, text } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { isEvent } from '../records/record-rules.ts'
import type { Taxonomy } from '../storage/schema.ts'
import {
  childOf,
  inUse,
  inUseOrAbove,
  knownTo,
  ofEvent,
  type TermCondition,
  type TermGround,
  withoutTermIds,
  withSlug,
  withTermIds,
  withText,
} from './term-conditions.ts'
import { isParent, isTermList } from './term-rules.ts'
import { findTermsByEntries, isDigits } from './term-store.ts'

/** The parts of a list that several parameters make together, or that are there without any. */
type TermPart = 'use' | 'event'

/** One parameter of lists of terms. */
type TermFilter<Value> = Filter<Value, TermPart, TermGround, SqlNarrowing<NoInfer<Value>, TermGround, TermCondition>>

function termFilter<Value, const About extends string>(
  filter: TermFilter<Value> & { about: About },
): TermFilter<Value> & { about: About } {
  return filter
}

const ofPage = {
  page: termFilter({ ...pageFilters.page, part: 'none', links: 'none' }),
  per_page: termFilter({
    kind: count,
    about: 'How many terms a page holds',
    default: '10',
    part: 'none',
    links: 'none',
  }),
  search: termFilter({
    kind: text,
    about: 'Only terms with this text in their name or slug',
    within: limits.search,
    sql: withText,
  }),
}

/** Terms that are left out or picked out; slugs and names are looked up. */
function ofTaxonomy(taxonomy: Taxonomy) {
  const lookUp = isTermList(taxonomy)
  return {
    exclude: termFilter({
      kind: idsOrSlugs,
      about: 'Leave out the terms with these ids',
      lookUp,
      sql: async (entries, ground) => withoutTermIds(ground.context.db, await termIdsAmong(entries, ground)),
    }),
    include: termFilter({
      kind: idsOrSlugs,
      about: 'Only the terms with these ids',
      lookUp,
      sql: async (entries, ground) => withTermIds(ground.context.db, await termIdsAmong(entries, ground)),
    }),
  }
}

/** The ids among the entries of `include` or `exclude`; slugs and names are looked up (rule 13.9). */
export async function termIdsAmong(entries: readonly string[], { context, taxonomy }: TermGround): Promise<number[]> {
  const named = entries.filter((entry) => !isDigits(entry))
  const terms = await findTermsByEntries(context.db, taxonomy, named)
  const found = new Map(named.map((entry, at) => [entry, terms[at]?.id]))
  return entries.flatMap((entry) => (isDigits(entry) ? readInteger(entry) : found.get(entry)) ?? [])
}

const ofOrder = {
  order: termFilter({
    kind: text,
    about: 'The direction of the order: asc or desc',
    part: 'none',
  }),
  orderby: termFilter({
    kind: text,
    about: 'What the terms are ordered by: name, id, slug, count, description, parent or include',
    part: 'none',
  }),
  hide_empty: termFilter({
    kind: flag,
    about: 'Leave out terms that no published event is assigned to',
    default: '1',
    part: 'use',
    links: { ofSent: (isHidden) => (isHidden === false ? 'false' : undefined) },
  }),
}

const ofParent = {
  parent: termFilter({
    kind: parentId,
    about: 'Only the children of the category with this id; 0 for those at the top',
    lookUp: isParent,
    sql: childOf,
  }),
}

const ofUse = {
  post: termFilter({
    kind: recordId,
    about: 'Only terms assigned to the event with this id',
    lookUp: isEvent,
    part: 'event',
  }),
  event: termFilter({
    kind: recordId,
    about: 'The same as post',
    lookUp: isEvent,
    part: 'event',
  }),
  slug: termFilter({
    kind: text,
    about: 'Only the term with this slug',
    within: limits.slug,
    sql: withSlug,
  }),
}

/** The parameters of lists of categories, one entry each (rule 13.9). */
export const categoryFilters = { ...ofPage, ...ofTaxonomy('category'), ...ofOrder, ...ofParent, ...ofUse }

/** The parameters of lists of tags, which are flat. */
export const tagFilters = { ...ofPage, ...ofTaxonomy('tag'), ...ofOrder, ...ofUse }

/** The parameters of a list once read; `parent` is of categories alone. */
export type TermsQuery = Parsed<typeof categoryFilters>

/** The parts that narrow lists. */
export const termParts: Record<TermPart, PartNarrowing<TermsQuery, TermGround, TermCondition>> = {
  /** Empty categories above others in use are listed too, unless the children of one are asked for. */
  use: ({ hide_empty: isHidden = true, parent }, { taxonomy, context: { caller } }) => {
    if (!isHidden) return knownTo(caller, taxonomy)
    return taxonomy === 'category' && parent === undefined ? inUseOrAbove(taxonomy) : inUse
  },
  event: ({ event, post }, { context }) => {
    const asked = event ?? post
    return asked === undefined ? undefined : ofEvent(asked, context)
  },
}

/** Writes the filters of links in the order that clients know. */
export const filterLinks = linkWriter<TermGround, typeof categoryFilters>(categoryFilters, [
  'search',
  'exclude',
  'include',
  'order',
  'orderby',
  'parent',
  'post',
  'event',
  'slug',
  'hide_empty',
])
