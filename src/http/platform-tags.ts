import { isVisible, type Listing, MAX_ID, type PageRequest, pageRequest } from '../common/record-store.ts'
import { termFields, termFilters } from '../common/term-fields.ts'
import { presentTerm, termLinks } from '../common/term-present.ts'
import { createTerm, mayManageTerms } from '../common/term-rules.ts'
import { findTerm, listTerms, type TermQuery } from '../common/term-store.ts'
import type { Site } from '../config.ts'
import type { Asking } from '../declare/asking.ts'
import { ids, integer, settledText, words } from '../declare/kinds.ts'
import type { ListAnswer } from '../declare/operations.ts'
import { defineResource, type Parsed } from '../declare/resource.ts'
import type { MessageText } from '../locales/messages.ts'
import { Problem } from '../problems.ts'
import type { Db } from '../storage/database.ts'
import type { TermRow } from '../storage/schema.ts'
import { parametersOf } from '../text/query-text.ts'
import { canonicalSlug } from '../text/slug.ts'
import { offer } from './platform-resource.ts'

const about = (text: MessageText) => text

const ORDERS: readonly TermQuery['orderby'][] = ['name', 'id', 'slug', 'count', 'description', 'parent', 'include']

const tag = defineResource({
  name: 'tag',
  path: 'tags',
  title: 'Tag',
  addresses: { id: { id: { kind: integer, about: 'The id of the tag', required: true } } },
  fields: termFields,
  filters: {
    ...termFilters.page,
    search: { ...termFilters.page.search, kind: settledText },
    exclude: { kind: ids, about: 'Leave out the terms with these ids' },
    include: { kind: ids, about: 'Only the terms with these ids' },
    order: { ...termFilters.order.order, default: 'asc', valid: (value) => value === 'asc' || value === 'desc' },
    orderby: {
      ...termFilters.order.orderby,
      default: 'name',
      valid: (value) => ORDERS.some((order) => order === value),
    },
    hide_empty: { ...termFilters.order.hide_empty, default: false },
    post: termFilters.use.post,
    slug: { kind: words, about: about('Only the terms with these slugs') },
  },
})

/** Event tags as clients of the platform list, read and make them (contract 12). */
export const tags = offer<TermRow>(tag, {
  list,
  find: async (asking, address) => ('id' in address ? findTerm(asking.db, 'tag', address.id) : undefined),
  missing: async () => new Problem('rest_term_invalid'),
  read: async (asking, term) => presentTag(asking.site, term),
  create: async (asking, values) => presentTag(asking.site, await asking.write((tx) => createTerm(tx, 'tag', values))),
  rights: { create: (asking) => mayManageTerms(asking.caller, 'tag'), update: () => false, remove: () => false },
})

async function list(asking: Asking, asked: Parsed<typeof tag.filters>): Promise<ListAnswer> {
  const page = pageRequest(asked, asking)
  const { page: _page, per_page: _perPage, ...filters } = asked
  // Whoever may not see an event learns nothing of its tags either.
  const isHidden = asked.post !== undefined && !(await isVisible(asking.db, asking.caller, 'events', asked.post))
  const { rows, total } = isHidden ? { rows: [], total: 0 } : await listTags(asking.db, asked, page)
  return {
    items: rows.map((term) => presentTag(asking.site, term)),
    total,
    ...page,
    effective: parametersOf(filters),
    pastEnd: 'rest_post_invalid_page_number',
  }
}

async function listTags(db: Db, asked: Parsed<typeof tag.filters>, page: PageRequest): Promise<Listing<TermRow>> {
  const include = await idsAskedFor(db, asked.include?.filter(isPossible), asked.slug)
  const exclude = asked.exclude?.filter(isPossible)
  if (include?.length === 0) return { rows: [], total: 0 }
  const query: TermQuery = {
    search: asked.search,
    include,
    exclude: exclude?.length ? exclude : undefined,
    hideEmpty: asked.hide_empty ?? false,
    parent: undefined,
    event: asked.post,
    slug: undefined,
    orderby: ORDERS.find((order) => order === asked.orderby) ?? 'name',
    descending: asked.order === 'desc',
    keepAncestors: false,
  }
  return listTerms(db, 'tag', query, page)
}

const isPossible = (id: number) => id <= MAX_ID

/** The ids that `include` and `slug` leave; undefined when neither narrows the list. */
async function idsAskedFor(
  db: Db,
  include: number[] | undefined,
  slugs: string[] | undefined,
): Promise<number[] | undefined> {
  if (!slugs || slugs.length === 0) return include
  const terms = await db
    .selectFrom('terms')
    .select('id')
    .where('taxonomy', '=', 'tag')
    .where('slug', 'in', slugs.map(canonicalSlug))
    .execute()
  const known = new Set(terms.map((term) => term.id))
  return include ? include.filter((id) => known.has(id)) : [...known]
}

/** A tag in the platform's shape. */
function presentTag(site: Site, term: TermRow) {
  const { id, count, description, url, name, slug, taxonomy, meta } = presentTerm(site, term, new Map())
  return { id, count, description, link: url, name, slug, taxonomy, meta, _links: termLinks(site, term) }
}
