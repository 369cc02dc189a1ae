import { type SqlBool, sql } from 'kysely'
import { type Parsed, pageFilters } from '../../base/fields/field.ts'
import { count, flag, idsOrSlugs, parentId, readInteger, recordId, text } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { fold } from '../../base/text/characters.ts'
import { canonicalSlug } from '../../base/text/slugs.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import { contains, wholeList } from '../../store/storage/sql-parts.ts'
import type { Context } from '../declare/context.ts'
import { type Filter, linkWriter, type PartNarrowing, type SqlNarrowing } from '../declare/filter.ts'
import { type Caller, can, seesAll, seesOwn } from '../people/caller.ts'
import { isEvent } from '../records/record-rules.ts'
import { isVisible } from '../records/record-store.ts'
import { isParent, isTermList } from './term-rules.ts'
import { findTermsByEntries, isDigits, type TermCondition } from './term-store.ts'

type TermPart = 'use' | 'event'

type TermFilter<Value> = Filter<
  Value,
  TermPart,
  TermGround,
  SqlNarrowing<NoInfer<Value>, TermGround, TermCondition>
>

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

/** Ids of terms by entry: digits are ids, other entries are looked up as slugs and names (rule 13.9). */
export async function termIdsAmong(
  entries: readonly string[],
  { context, taxonomy }: TermGround,
): Promise<number[]> {
  const named = entries.filter((entry) => !isDigits(entry))
  const terms = await findTermsByEntries(context.db, taxonomy, named)
  const found = new Map(named.map((entry, at) => [entry, terms[at]?.id]))
  return entries.flatMap((entry) => (isDigits(entry) ? readInteger(entry) : found.get(entry)) ?? [])
}

const ofOrder = {
  order: termFilter({
    kind: text,
    about: 'The direction of the order: asc or desc',
    within: limits.word,
    part: 'none',
  }),
  orderby: termFilter({
    kind: text,
    about: 'What the terms are ordered by: name, id, slug, count, description, parent or include',
    within: limits.word,
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
  event: termFilter({ kind: recordId, about: 'The same as post', lookUp: isEvent, part: 'event' }),
  slug: termFilter({ kind: text, about: 'Only the term with this slug', within: limits.slug, sql: withSlug }),
}

/** The parameters of lists of categories (rule 13.9). */
export const categoryFilters = { ...ofPage, ...ofTaxonomy('category'), ...ofOrder, ...ofParent, ...ofUse }

export const tagFilters = { ...ofPage, ...ofTaxonomy('tag'), ...ofOrder, ...ofUse }

export type TermsQuery = Parsed<typeof categoryFilters>

export const termParts: Record<TermPart, PartNarrowing<TermsQuery, TermGround, TermCondition>> = {
  /**
   * Terms in use and, unless `parent` is sent, their ancestors; with `hide_empty=false`, all terms known to
   * the caller.
   */
  use: ({ hide_empty: isHidden = true, parent }, { taxonomy, context: { caller } }) => {
    if (!isHidden) return knownTo(caller, taxonomy)
    return taxonomy === 'category' && parent === undefined ? inUseOrAbove(taxonomy) : inUse
  },
  event: ({ event, post }, { context }) => {
    const asked = event ?? post
    return asked === undefined ? undefined : ofEvent(asked, context)
  },
}

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

interface TermGround {
  taxonomy: Taxonomy
  context: Context
}

/** Terms with the text in their name or slug (rule 14.4). */
export function withText(text: string): TermCondition {
  const words = fold(text)
  return sql<SqlBool>`(${contains('folded', words)} or ${contains('slug', words)})`
}

export function withTermIds(db: Db, ids: readonly number[]): TermCondition {
  return sql<SqlBool>`id in ${wholeList(db, ids)}`
}

export function withoutTermIds(db: Db, ids: readonly number[]): TermCondition {
  return sql<SqlBool>`id not in ${wholeList(db, ids)}`
}

export function childOf(parent: number): TermCondition {
  return sql<SqlBool>`parent = ${parent}`
}

function withSlug(slug: string): TermCondition {
  return sql<SqlBool>`slug = ${canonicalSlug(slug)}`
}

/** Condition for an event's terms; for no term if the event is not visible to the caller. */
export async function ofEvent(event: number, { db, caller }: Context): Promise<TermCondition> {
  if (!(await isVisible(db, caller, 'events', event))) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`id in (select term from event_terms where event = ${event})`
}

function inUseOrAbove(taxonomy: Taxonomy): TermCondition {
  return sql<SqlBool>`(count > 0 or id in (
    with recursive above (id) as (
      select parent from terms where taxonomy = ${taxonomy} and count > 0
      union select terms.parent from terms join above on terms.id = above.id)
    select id from above))`
}

export const inUse: TermCondition = sql<SqlBool>`count > 0`

function seesAllTerms(caller: Caller, taxonomy: Taxonomy): boolean {
  return seesAll(caller) || can(caller, taxonomy === 'category' ? 'manage_categories' : 'manage_tags')
}

/**
 * Condition for the terms that a caller sees: all for those who manage them or see all records; else terms in
 * use, their ancestors, terms of own events and of no event, since another name could reveal a draft.
 */
export function knownTo(caller: Caller, taxonomy: Taxonomy): TermCondition {
  if (seesAllTerms(caller, taxonomy)) return sql<SqlBool>`1 = 1`
  const own = seesOwn(caller) ? caller.id : 0
  return sql<SqlBool>`(${inUseOrAbove(taxonomy)}
    or not exists (select 1 from event_terms where event_terms.term = terms.id)
    or exists (select 1 from event_terms join events on events.id = event_terms.event
      where event_terms.term = terms.id and events.author = ${own}))`
}
