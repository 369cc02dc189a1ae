import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../declare/context.ts'
import { type Caller, can, seesAll, seesOwn } from '../people/caller.ts'
import { isVisible } from '../records/record-store.ts'
import type { Db } from '../storage/database.ts'
import { contains, wholeList } from '../storage/queries.ts'
import type { Taxonomy } from '../storage/schema.ts'
import { fold } from '../text/fold.ts'
import { canonicalSlug } from '../text/slug.ts'

/** A list of terms as its filters know it: of which taxonomy, and who asks. */
export interface TermGround {
  taxonomy: Taxonomy
  context: Context
}

/** A condition on terms. */
export type TermCondition = RawBuilder<SqlBool>

/** Terms with this text in their name or slug (rule 14.4). */
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

export function withSlug(slug: string): TermCondition {
  return sql<SqlBool>`slug = ${canonicalSlug(slug)}`
}

/** Terms of an event; none if the caller may not see the event. */
export async function ofEvent(event: number, { db, caller }: Context): Promise<TermCondition> {
  if (!(await isVisible(db, caller, 'events', event))) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`id in (select term from event_terms where event = ${event})`
}

/** Terms of published events, and the terms above them. */
export function inUseOrAbove(taxonomy: Taxonomy): TermCondition {
  return sql<SqlBool>`(count > 0 or id in (
    with recursive above (id) as (
      select parent from terms where taxonomy = ${taxonomy} and count > 0
      union select terms.parent from terms join above on terms.id = above.id)
    select id from above))`
}

export const inUse: TermCondition = sql<SqlBool>`count > 0`

/** Whether a caller sees all terms: those who may make terms do, and those who see all events. */
function seesAllTerms(caller: Caller, taxonomy: Taxonomy): boolean {
  return seesAll(caller) || can(caller, taxonomy === 'category' ? 'manage_categories' : 'manage_tags')
}

/**
 * The terms that lists without `hide_empty` show the caller. A caller who does not see all terms sees those in use and their ancestors, those of
 * their own events, and those without any event. The name of a term that came with a draft betrays the draft, so lists leave it out; it can
 * be read by its id, as recorded from the reference (`term-counts`).
 */
export function knownTo(caller: Caller, taxonomy: Taxonomy): TermCondition {
  if (seesAllTerms(caller, taxonomy)) return sql<SqlBool>`1 = 1`
  const own = seesOwn(caller) ? caller.id : 0
  return sql<SqlBool>`(${inUseOrAbove(taxonomy)}
    or not exists (select 1 from event_terms where event_terms.term = terms.id)
    or exists (select 1 from event_terms join events on events.id = event_terms.event
      where event_terms.term = terms.id and events.author = ${own}))`
}
