import type { Context } from '../context/context.ts'
import { asSent, type Filter } from '../declare/filter.ts'
import type { Parsed } from '../fields/field.ts'
import { count, flag, idsOrSlugs, parentId, readInteger, recordId, text } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { mayRead, seesOwn } from '../people/caller.ts'
import { isEvent } from '../records/record-checks.ts'
import type { EventRow, Taxonomy, TermRow } from '../storage/schema.ts'
import { fold } from '../text/fold.ts'
import { canonicalSlug } from '../text/slug.ts'
import {
  childOf,
  inUse,
  inUseOrAbove,
  knownTo,
  ofEvent,
  seesAllTerms,
  type TermCondition,
  withIds,
  withoutIds,
  withSlug,
  withText,
} from './term-conditions.ts'
import { ancestorsOf, isDigits, lookupsAmong, termMeant } from './term-meaning.ts'
import { isParent, isTermList } from './term-rules.ts'
import { findTermsByEntries } from './term-store.ts'

/** The parts of a list that several parameters make together, or that are there without any. */
type TermPart = 'page' | 'order' | 'use' | 'event'

/** What the plain meaning of filters leans on beside the term. */
export interface AroundTerms {
  context: Context
  terms: ReadonlyMap<number, TermRow>
  /** All events that have the term, whether the caller may see them or not. */
  eventsOf: (term: TermRow) => readonly EventRow[]
}

/** One parameter of lists of terms, which no index answers. */
export type TermFilter<Value> = Filter<
  Value,
  TermPart,
  (value: Value, taxonomy: Taxonomy, context: Context) => TermCondition | Promise<TermCondition>,
  never,
  undefined,
  (term: TermRow, value: Value, around: AroundTerms) => boolean
>

function termFilter<Value, const About extends string>(
  filter: TermFilter<Value> & { about: About },
): TermFilter<Value> & { about: About } {
  return filter
}

/** A parameter that makes a part of the list together with others. */
const partOf = (part: TermPart) => ({ sql: part, index: 'database' as const, accepts: part })

const ofPage = {
  page: termFilter({ ...pageFilters.page, ...partOf('page'), links: 'none' }),
  per_page: termFilter({
    kind: count,
    about: 'How many terms a page holds',
    default: '10',
    ...partOf('page'),
    links: 'none',
  }),
  search: termFilter({
    kind: text,
    about: 'Only terms with this text in their name or slug',
    within: limits.search,
    sql: withText,
    index: 'database',
    links: asSent(1),
    accepts: ({ folded, slug }, wanted) => folded.includes(fold(wanted)) || slug.includes(fold(wanted)),
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
      sql: async (entries, own, context) => withoutIds(context.db, await idsOf(context, own, entries)),
      index: 'database',
      links: asSent(2),
      accepts: (term, entries, { terms }) => !entries.some((entry) => isMeant(terms, term, entry)),
    }),
    include: termFilter({
      kind: idsOrSlugs,
      about: 'Only the terms with these ids',
      lookUp,
      sql: async (entries, own, context) => withIds(context.db, await idsOf(context, own, entries)),
      index: 'database',
      links: asSent(3),
      accepts: (term, entries, { terms }) => entries.some((entry) => isMeant(terms, term, entry)),
    }),
  }
}

/** The ids among the entries of `include` or `exclude`; slugs and names are looked up (rule 13.9). */
export async function idsOf(context: Context, taxonomy: Taxonomy, entries: readonly string[]): Promise<number[]> {
  const named = entries.filter((entry) => !isDigits(entry))
  const terms = await findTermsByEntries(context.db, taxonomy, named)
  const found = new Map(named.map((entry, at) => [entry, terms[at]?.id]))
  return entries.flatMap((entry) => (isDigits(entry) ? readInteger(entry) : found.get(entry)) ?? [])
}

function isMeant(terms: ReadonlyMap<number, TermRow>, { id, taxonomy }: TermRow, entry: string): boolean {
  return isDigits(entry) ? Number(entry) === id : termMeant(lookupsAmong(terms.values(), taxonomy), entry)?.id === id
}

const ofOrder = {
  order: termFilter({
    kind: text,
    about: 'The direction of the order: asc or desc',
    ...partOf('order'),
    links: asSent(4),
  }),
  orderby: termFilter({
    kind: text,
    about: 'What the terms are ordered by: name, id, slug, count, description, parent or include',
    ...partOf('order'),
    links: asSent(5),
  }),
  hide_empty: termFilter({
    kind: flag,
    about: 'Leave out terms that no published event is assigned to',
    default: '1',
    ...partOf('use'),
    links: { place: 10, ofSent: (isHidden) => (isHidden === false ? 'false' : undefined) },
  }),
}

const ofParent = {
  parent: termFilter({
    kind: parentId,
    about: 'Only the children of the category with this id; 0 for those at the top',
    lookUp: isParent,
    sql: childOf,
    index: 'database',
    links: asSent(6),
    accepts: ({ parent }, wanted) => parent === wanted,
  }),
}

const ofUse = {
  post: termFilter({
    kind: recordId,
    about: 'Only terms assigned to the event with this id',
    lookUp: isEvent,
    ...partOf('event'),
    links: asSent(7),
  }),
  event: termFilter({
    kind: recordId,
    about: 'The same as post',
    lookUp: isEvent,
    ...partOf('event'),
    links: asSent(8),
  }),
  slug: termFilter({
    kind: text,
    about: 'Only the term with this slug',
    within: limits.slug,
    sql: withSlug,
    index: 'database',
    links: asSent(9),
    accepts: ({ slug }, wanted) => slug === canonicalSlug(wanted),
  }),
}

/** The parameters of lists of categories, one entry each (rule 13.9). Links name them in the order of their places. */
export const categoryFilters = { ...ofPage, ...ofTaxonomy('category'), ...ofOrder, ...ofParent, ...ofUse }

/** The parameters of lists of tags, which are flat. */
export const tagFilters = { ...ofPage, ...ofTaxonomy('tag'), ...ofOrder, ...ofUse }

/** The parameters of a list once read; `parent` is of categories alone. */
export type TermsQuery = Parsed<typeof categoryFilters>

interface TermPartRules {
  sql: (query: TermsQuery, taxonomy: Taxonomy, context: Context) => TermCondition | Promise<TermCondition> | undefined
  accepts: (term: TermRow, query: TermsQuery, around: AroundTerms) => boolean
}

/** The parts that narrow lists. */
export const termParts: Record<Exclude<TermPart, 'page' | 'order'>, TermPartRules> = {
  /** Empty categories above others in use are listed too, unless the children of one are asked for. */
  use: {
    sql: ({ hide_empty: isHidden = true, parent }, taxonomy, { caller }) => {
      if (!isHidden) return knownTo(caller, taxonomy)
      return taxonomy === 'category' && parent === undefined ? inUseOrAbove(taxonomy) : inUse
    },
    accepts: (term, { hide_empty: isHidden = true, parent }, { context: { caller }, terms, eventsOf }) => {
      const isUsed = term.count > 0
      const isAbove = [...terms.values()].some(
        (other) =>
          other.taxonomy === term.taxonomy &&
          other.count > 0 &&
          ancestorsOf(terms, other).some(({ id }) => id === term.id),
      )
      if (isHidden) return isUsed || (term.taxonomy === 'category' && parent === undefined && isAbove)
      const events = eventsOf(term)
      const isOwn = seesOwn(caller) && events.some(({ author }) => author === caller.id)
      return isUsed || isAbove || isOwn || events.length === 0 || seesAllTerms(caller, term.taxonomy)
    },
  },
  event: {
    sql: ({ event, post }, _taxonomy, context) => {
      const asked = event ?? post
      return asked === undefined ? undefined : ofEvent(asked, context)
    },
    accepts: (term, { event, post }, { context, eventsOf }) => {
      const asked = event ?? post
      return asked === undefined || eventsOf(term).some((one) => one.id === asked && mayRead(context.caller, one))
    },
  },
}
