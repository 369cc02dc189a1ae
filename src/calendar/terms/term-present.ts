import type { Site } from '../../base/config.ts'
import type { Answer, embeddedTermMembers, termMembers } from '../../base/fields/member.ts'
import { renderTermName } from '../../base/text/html.ts'
import { renderedSafe } from '../../base/text/long-texts.ts'
import { type CountedJson, withCount } from '../../store/memory/event-pieces.ts'
import type { Taxonomy, TermRow } from '../../store/storage/schema.ts'
import { type Ancestors, TERM_LISTS } from './term-store.ts'

// Categories and tags as answers show them.

/** Rule 7.5. */
export function taxonomyWord(site: Site, taxonomy: Taxonomy): string {
  return taxonomy === 'category' ? `${site.vendor}_events_cat` : 'post_tag'
}

function termUrls(site: Site, term: TermRow) {
  const collection = `${site.base}/${TERM_LISTS[term.taxonomy]}`
  const up = term.parent === 0 ? {} : { up: `${collection}/${term.parent}` }
  return { self: `${collection}/${term.id}`, collection, ...up }
}

/** Rule 7.1; a category's address names its `ancestors`. @throws Error when it cannot be shown */
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
  } satisfies Answer<typeof termMembers>
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

/** Rule 7.2. */
export function termLinks(site: Site, term: TermRow) {
  const { self, collection, up } = { up: undefined, ...termUrls(site, term) }
  return { self: [{ href: self }], collection: [{ href: collection }], ...(up ? { up: [{ href: up }] } : {}) }
}

/** Rule 7.3. @throws Error when it cannot be shown */
export function embedTerm(site: Site, term: TermRow) {
  return {
    ...beforeCount(site, term),
    count: term.count,
    ...behindCount(site, term),
  } satisfies Record<keyof typeof embeddedTermMembers, unknown>
}

/**
 * Writes the same members as `embedTerm` as JSON with the place of the count in it.
 * @throws Error when the term cannot be shown
 */
export function writeTerm(site: Site, term: TermRow): CountedJson {
  const before = JSON.stringify(beforeCount(site, term)).slice(0, -1)
  return withCount(`${before},"count":`, term, `,${JSON.stringify(behindCount(site, term)).slice(1)}`)
}

function beforeCount(site: Site, term: TermRow) {
  return {
    name: renderTermName(term.name),
    slug: term.slug,
    term_group: 0,
    term_taxonomy_id: term.id,
    taxonomy: taxonomyWord(site, term.taxonomy),
    description: renderedSafe(term.description),
    parent: term.parent,
  }
}

function behindCount(site: Site, term: TermRow) {
  return { filter: 'raw', id: term.id, urls: termUrls(site, term) }
}
