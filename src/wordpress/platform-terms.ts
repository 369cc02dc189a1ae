import type { Site } from '../base/config.ts'
import type { Parsed } from '../base/fields/field.ts'
import { ids, integer, parentId, settledText, words } from '../base/fields/kinds.ts'
import { limits } from '../base/fields/limits.ts'
import { Problem } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { FoundRecords, Operations, Presentation } from '../calendar/declare/operations.ts'
import { defineFields, defineResource } from '../calendar/declare/resource.ts'
import { about } from '../calendar/locales/messages.ts'
import { can } from '../calendar/people/caller.ts'
import {
  foundPage,
  isPossibleId,
  type Listing,
  type PageRequest,
  pageRequest,
  presentById,
} from '../calendar/records/record-store.ts'
import type { ServedResource } from '../calendar/resources.ts'
import {
  categoryFilters,
  childOf,
  inUse,
  knownTo,
  ofEvent,
  withoutTermIds,
  withTermIds,
  withText,
} from '../calendar/terms/term-filters.ts'
import { type LoadedTerm, termNames, withAncestors } from '../calendar/terms/term-operations.ts'
import { presentTerm } from '../calendar/terms/term-present.ts'
import { createTerm, type TermValues, termFields } from '../calendar/terms/term-rules.ts'
import {
  type Ancestors,
  findAncestors,
  findTerm,
  findTermIdsBySlugs,
  listTerms,
  TERM_ORDERS,
} from '../calendar/terms/term-store.ts'
import { postFilters } from '../http/post-filters.ts'
import type { Db } from '../store/storage/database.ts'
import type { Taxonomy, TermRow } from '../store/storage/schema.ts'
import { serveForPlatform, shapingOf } from './platform-resource.ts'

const declared = categoryFilters

const filters = defineFields({
  page: declared.page,
  per_page: declared.per_page,
  search: { ...declared.search, kind: settledText },
  exclude: { kind: ids, about: 'Leave out the terms with these ids' },
  include: { kind: ids, about: 'Only the terms with these ids' },
  order: { ...declared.order, default: 'asc', valid: (value) => value === 'asc' || value === 'desc' },
  orderby: {
    ...declared.orderby,
    default: 'name',
    valid: (value) => TERM_ORDERS.some((order) => order === value),
  },
  hide_empty: { ...declared.hide_empty, default: false },
  post: declared.post,
  slug: { kind: words, about: about('Only the terms with these slugs'), within: limits.slugs },
  offset: postFilters.offset,
})

const parentFilter = defineFields({
  parent: { kind: parentId, about: 'Only the children of the category with this id; 0 for those at the top' },
})

/** The resource `wp/v2/tags` (rule 29.4). Callers who may edit events may create tags, as in WordPress. */
export const platformTags = serveTerms('tag', 'tags', {
  create: {
    prepare: async (_context, values) => values,
    write: async (tx, values: TermValues & { name: string }, { site }) => {
      const term = await createTerm(tx, 'tag', values)
      return { id: term.id, answer: presentOne(site, 'tags', term, new Map()) }
    },
  },
})

/** The resource of categories. `path` contains the vendor word of the site. */
export function categoriesAt(path: string): ServedResource {
  return serveTerms('category', path, {})
}

function serveTerms(
  taxonomy: Taxonomy,
  path: string,
  offered: Pick<Partial<Operations<TermRow>>, 'create'>,
): ServedResource {
  const resource = defineResource({
    name: taxonomy,
    path,
    title: taxonomy === 'tag' ? 'Tag' : 'Category',
    addresses: {
      id: {
        id: {
          kind: integer,
          about: taxonomy === 'tag' ? 'The id of the tag' : 'The id of the category',
          required: true,
        },
      },
    },
    fields: offered.create ? termFields : {},
  })
  return serveForPlatform<TermRow, LoadedTerm>(
    resource,
    taxonomy === 'tag' ? filters : { ...filters, ...parentFilter },
    {
      ...offered,
      find: (context, query) => find(taxonomy, context, query),
      load: (context, { rows = [] }) => withAncestors(context.db, rows),
      locate: async (context, address) =>
        'id' in address ? findTerm(context.db, taxonomy, address.id) : undefined,
      missing: async () => new Problem('rest_term_invalid'),
      loadOne: async (context, term) => ({ term, ancestors: await findAncestors(context.db, [term]) }),
      presentation: presentationAt(path),
      rights: {
        create: (context) => offered.create !== undefined && can(context.caller, 'edit'),
        update: () => false,
        remove: () => false,
      },
    },
  )
}

function presentationAt(path: string): Presentation<LoadedTerm> {
  return { ...termNames, present: ({ site }, { term, ancestors }) => presentOne(site, path, term, ancestors) }
}

type Query = Parsed<typeof filters> & Parsed<typeof parentFilter>

async function find(taxonomy: Taxonomy, context: Context, asked: Query): Promise<FoundRecords<TermRow>> {
  const page = pageRequest(asked, context)
  return { ...foundPage(await listPage(context, taxonomy, asked, page), page), effective: shapingOf(asked) }
}

/** Presents terms, by their id and in the given order. Those that cannot be shown are left out. */
export async function presentTerms(
  context: Context,
  path: string,
  terms: readonly TermRow[],
): Promise<Map<number, object>> {
  return presentById(context, presentationAt(path), await withAncestors(context.db, terms))
}

async function listPage(
  context: Context,
  taxonomy: Taxonomy,
  asked: Query,
  page: PageRequest,
): Promise<Listing<TermRow>> {
  const include = await idsAskedFor(context.db, taxonomy, asked.include?.filter(isPossibleId), asked.slug)
  const exclude = asked.exclude?.filter(isPossibleId)
  if (include?.length === 0) return { rows: [], total: 0 }
  const conditions = [
    asked.hide_empty ? inUse : knownTo(context.caller, taxonomy),
    ...(include ? [withTermIds(context.db, include)] : []),
    ...(exclude?.length ? [withoutTermIds(context.db, exclude)] : []),
    ...(asked.parent === undefined ? [] : [childOf(asked.parent)]),
    ...(asked.post === undefined ? [] : [await ofEvent(asked.post, context)]),
    ...(asked.search === undefined ? [] : [withText(asked.search)]),
  ]
  const by = TERM_ORDERS.find((order) => order === asked.orderby) ?? 'name'
  const order = { by, isDescending: asked.order === 'desc', included: include ?? [] }
  const list = { conditions, order, isSearch: asked.search !== undefined }
  return listTerms(context, taxonomy, list, { ...page, skip: asked.offset ?? 0 })
}

/** The ids that `include` and `slug` both allow; undefined if the request has neither. */
async function idsAskedFor(
  db: Db,
  taxonomy: Taxonomy,
  include: number[] | undefined,
  slugs: string[] | undefined,
): Promise<number[] | undefined> {
  if (!slugs || slugs.length === 0) return include
  const known = new Set(await findTermIdsBySlugs(db, taxonomy, slugs))
  return include ? include.filter((id) => known.has(id)) : [...known]
}

function presentOne(site: Site, path: string, term: TermRow, ancestors: Ancestors) {
  const { id, count, description, url, name, slug, taxonomy, meta } = presentTerm(site, term, ancestors)
  const collection = `${site.base}/${path}`
  const parent = term.taxonomy === 'category' ? { parent: term.parent } : {}
  const up = term.parent === 0 ? {} : { up: [{ href: `${collection}/${term.parent}` }] }
  const links = { self: [{ href: `${collection}/${id}` }], collection: [{ href: collection }], ...up }
  return { id, count, description, link: url, name, slug, taxonomy, ...parent, meta, _links: links }
}
