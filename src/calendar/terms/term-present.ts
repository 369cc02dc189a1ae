import type { Site } from '../../base/config.ts'
import type { embeddedTermMembers, MembersOf, termMembers } from '../../base/fields/member.ts'
import { renderTermName } from '../../base/text/html.ts'
import { renderedSafe } from '../../base/text/long-texts.ts'
import { bytesOf } from '../../store/memory/event-pieces.ts'
import type { Taxonomy, TermRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import type { Presenting } from '../declare/context.ts'
import { type Ancestors, TERM_LISTS } from './term-store.ts'

/** The taxonomy's name in answers (rule 7.5). */
export function taxonomyWord(site: Site, taxonomy: Taxonomy): string {
  return taxonomy === 'category' ? `${site.vendor}_events_cat` : 'post_tag'
}

function termUrls(site: Site, term: TermRow) {
  const collection = `${site.base}/${TERM_LISTS[term.taxonomy]}`
  const up = term.parent === 0 ? {} : { up: `${collection}/${term.parent}` }
  return { self: `${collection}/${term.id}`, collection, ...up }
}

/**
 * A term as answers show it (rule 7.1). A category's URL contains the slugs of its `ancestors`.
 * @throws Error for a damaged row
 */
export function presentTerm(site: Site, term: TermRow, ancestors: Ancestors) {
  return {
    id: term.id,
    count: term.count,
    description: renderedSafe(term.description),
    name: renderTermName(term.name),
    slug: term.slug,
    taxonomy: taxonomyWord(site, term.taxonomy),
    ...(term.taxonomy === 'category' ? { parent: term.parent } : {}),
    meta: [],
    url: termUrl(site, term, ancestors),
    urls: termUrls(site, term),
  } satisfies MembersOf<typeof termMembers>
}

function termUrl(site: Site, term: TermRow, ancestors: Ancestors): string {
  if (term.taxonomy === 'tag') return `${site.url}/tag/${term.slug}/`
  const path = [term.slug]
  for (
    let parent = ancestors.get(term.parent);
    parent && path.length < 100;
    parent = ancestors.get(parent.parent)
  )
    path.unshift(parent.slug)
  return `${site.url}/events/category/${path.join('/')}/`
}

/** The member `_links` of a single term (rule 7.2). */
export function termLinks(site: Site, term: TermRow) {
  const { self, collection, up } = { up: undefined, ...termUrls(site, term) }
  return { self: [{ href: self }], collection: [{ href: collection }], ...(up ? { up: [{ href: up }] } : {}) }
}

/** A term as events show it (rule 7.3). @throws Error for a damaged row */
export function embedTerm(site: Site, term: TermRow) {
  return {
    name: renderTermName(term.name),
    slug: term.slug,
    term_group: 0,
    term_taxonomy_id: term.id,
    taxonomy: taxonomyWord(site, term.taxonomy),
    description: renderedSafe(term.description),
    parent: term.parent,
    count: term.count,
    filter: 'raw',
    id: term.id,
    urls: termUrls(site, term),
  } satisfies Record<keyof typeof embeddedTermMembers, unknown>
}

/** JSON by row object: a changed term, or one with another count, is a new object. */
const written = new WeakMap<TermRow, Buffer>()

export const writtenTerm = (term: TermRow): Buffer | undefined => written.get(term)

/** A term as events show it. One that cannot be shown is reported and has no bytes. */
export function termJson(presenting: Presenting, term: TermRow): Buffer {
  const known = written.get(term)
  if (known) return known
  const show = () => JSON.stringify(embedTerm(presenting.site, term))
  const json = bytesOf(showOrLeaveOut(presenting, term.taxonomy, term.id, show) ?? '')
  written.set(term, json)
  return json
}
