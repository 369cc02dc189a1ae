import type { Asking } from '../declare/asking.ts'
import { readInteger } from '../declare/kinds.ts'
import type { ListAnswer, Operations } from '../declare/operations.ts'
import { invalidParam } from '../problems.ts'
import type { Taxonomy, TermRow } from '../storage/schema.ts'
import { parametersOf } from '../text/query-text.ts'
import { isVisible, pageRequest } from './record-store.ts'
import { presentTerm, termLinks } from './term-present.ts'
import { changeTerm, createTerm, mayManageTerms } from './term-rules.ts'
import {
  deleteTerm,
  findAncestors,
  findTerm,
  findTermByEntry,
  findTermBySlug,
  listTerms,
  type TermQuery,
} from './term-store.ts'

/** The filters of a list of terms, as parsed. */
interface TermFilters {
  page?: number
  per_page?: number
  search?: string
  exclude?: string[]
  include?: string[]
  order?: string
  orderby?: string
  hide_empty?: boolean
  parent?: number
  post?: number
  event?: number
  slug?: string
}

/** The operations of categories and of tags, which differ by taxonomy alone. */
export function termOperations(taxonomy: Taxonomy): Operations<TermRow> {
  const mayManage = (asking: Asking) => mayManageTerms(asking.caller, taxonomy)
  const show = async (asking: Asking, term: TermRow) =>
    presentTerm(asking.site, term, await findAncestors(asking.db, [term]))
  const showWithLinks = async (asking: Asking, id: number) => {
    const term = await findTerm(asking.db, taxonomy, id)
    if (!term) throw invalidParam('id')
    return { ...(await show(asking, term)), _links: termLinks(asking.site, term) }
  }
  return {
    list: (asking, query) => list(asking, taxonomy, query),
    find: (asking, address) =>
      'id' in address ? findTerm(asking.db, taxonomy, address.id) : findTermBySlug(asking.db, taxonomy, address.slug),
    missing: async () => invalidParam('id'),
    read: (asking, term) => showWithLinks(asking, term.id),
    create: async (asking, values) => {
      const term = await asking.write((tx) => createTerm(tx, taxonomy, values))
      return showWithLinks(asking, term.id)
    },
    update: async (asking, term, values) => {
      await asking.write(async (tx) => {
        const current = await findTerm(tx, taxonomy, term.id)
        if (!current) throw invalidParam('id')
        if (Object.keys(values).length > 0) await changeTerm(tx, current, values)
      })
      return showWithLinks(asking, term.id)
    },
    remove: async (asking, term) => {
      const shown = await show(asking, term)
      await asking.write((tx) => deleteTerm(tx, term))
      return shown
    },
    rights: { create: mayManage, update: mayManage, remove: mayManage },
  }
}

const ORDERS = ['name', 'id', 'slug', 'count', 'description', 'parent', 'include'] as const

/** The ids among the entries of `include` or `exclude`; slugs and names are looked up (contract 4.11). */
async function idsOf(asking: Asking, taxonomy: Taxonomy, entries: string[] | undefined): Promise<number[] | undefined> {
  if (!entries) return undefined
  const terms = await Promise.all(
    entries.map((entry) => (/^\d+$/.test(entry) ? readInteger(entry) : findTermByEntry(asking.db, taxonomy, entry))),
  )
  return terms.flatMap((term) => (typeof term === 'number' ? [term] : term ? [term.id] : []))
}

async function list(asking: Asking, taxonomy: Taxonomy, asked: TermFilters): Promise<ListAnswer> {
  const page = pageRequest(asked, asking)
  const event = asked.event ?? asked.post
  const query: TermQuery = {
    search: asked.search,
    include: await idsOf(asking, taxonomy, asked.include),
    exclude: await idsOf(asking, taxonomy, asked.exclude),
    hideEmpty: asked.hide_empty ?? true,
    parent: asked.parent,
    event,
    slug: asked.slug,
    orderby: ORDERS.find((order) => order === asked.orderby) ?? 'name',
    descending: asked.order?.toLowerCase() === 'desc',
    keepAncestors: taxonomy === 'category' && asked.parent === undefined && (asked.hide_empty ?? true),
  }
  // Whoever may not see an event learns nothing of its terms either.
  const hidden = event !== undefined && !(await isVisible(asking.db, asking.caller, 'events', event))
  const { rows, total } = hidden ? { rows: [], total: 0 } : await listTerms(asking.db, taxonomy, query, page)
  const ancestors = await findAncestors(asking.db, rows)
  const { page: _page, per_page: _perPage, hide_empty, ...filters } = asked
  const shown = { ...filters, hide_empty: hide_empty === false ? 'false' : undefined }
  return {
    items: rows.map((term) => presentTerm(asking.site, term, ancestors)),
    total,
    ...page,
    effective: parametersOf(shown),
  }
}
