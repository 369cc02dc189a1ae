import type { Context } from '../context/context.ts'
import type { AskedUpdate, Found, Operations, Presentation } from '../declare/operations.ts'
import { readInteger } from '../fields/kinds.ts'
import { invalidParam } from '../problems.ts'
import { presentListed, presentSingle } from '../records/present-loaded.ts'
import { isVisible, pageRequest } from '../records/record-store.ts'
import { textsOfTerm } from '../records/record-texts.ts'
import type { Db } from '../storage/database.ts'
import type { Taxonomy, TermRow } from '../storage/schema.ts'
import { parametersOf } from '../text/query-text.ts'
import { presentTerm, termLinks } from './term-present.ts'
import { changeTerm, createTerm, mayManageTerms, type TermValues } from './term-rules.ts'
import {
  deleteTerm,
  findAncestors,
  findTerm,
  findTermBySlug,
  findTermsByEntries,
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

/** A term with the terms above it by id, which its address names. */
export interface LoadedTerm {
  term: TermRow
  ancestors: ReadonlyMap<number, TermRow>
}

/** These terms, each with the ancestors of all. */
export async function withAncestors(db: Db, terms: readonly TermRow[]): Promise<LoadedTerm[]> {
  const ancestors = await findAncestors(db, terms)
  return terms.map((term) => ({ term, ancestors }))
}

/** What does not depend on the shape that terms are presented in. */
export const termNames: Pick<Presentation<LoadedTerm>, 'nameOf' | 'textsOf'> = {
  nameOf: ({ term }) => ({ kind: term.taxonomy, id: term.id }),
  textsOf: ({ term }) => textsOfTerm(term),
}

const presentation: Presentation<LoadedTerm> = {
  ...termNames,
  present: ({ site }, { term, ancestors }, extent) => {
    const presented = presentTerm(site, term, ancestors)
    return extent === 'single' ? { ...presented, _links: termLinks(site, term) } : presented
  },
}

/** The operations of categories and of tags, which differ by taxonomy alone. */
export function termOperations(taxonomy: Taxonomy): Operations<TermRow, LoadedTerm> {
  const mayManage = (context: Context) => mayManageTerms(context.caller, taxonomy)
  const show = async (context: Context, db: Db, id: number) => {
    const term = await findTerm(db, taxonomy, id)
    if (!term) throw invalidParam('id')
    return presentSingle(context, presentation, { term, ancestors: await findAncestors(db, [term]) })
  }
  return {
    find: (context, query) => find(context, taxonomy, query),
    load: (context, { rows = [] }) => withAncestors(context.db, rows),
    locate: (context, address) =>
      'id' in address ? findTerm(context.db, taxonomy, address.id) : findTermBySlug(context.db, taxonomy, address.slug),
    missing: async () => invalidParam('id'),
    loadOne: async (context, term) => ({ term, ancestors: await findAncestors(context.db, [term]) }),
    presentation,
    create: {
      prepare: async (_context, values) => values,
      write: async (tx, values: TermValues & { name: string }, context) => {
        const term = await createTerm(tx, taxonomy, values)
        return show(context, tx, term.id)
      },
    },
    update: {
      prepare: async (_context, asked) => asked,
      write: async (tx, { row, values }: AskedUpdate<TermRow>, context) => {
        const current = await findTerm(tx, taxonomy, row.id)
        if (!current) throw invalidParam('id')
        if (Object.keys(values).length > 0) await changeTerm(tx, current, values)
        return show(context, tx, row.id)
      },
    },
    remove: {
      prepare: async (context, term) => {
        // A term that cannot be shown can still be removed.
        const loaded = await withAncestors(context.db, [term])
        const [shown = { id: term.id }] = await presentListed(context, presentation, loaded)
        return { term, shown }
      },
      write: async (tx, { term, shown }: { term: TermRow; shown: object }) => {
        await deleteTerm(tx, term)
        return shown
      },
    },
    rights: { create: mayManage, update: mayManage, remove: mayManage },
  }
}

const ORDERS = ['name', 'id', 'slug', 'count', 'description', 'parent', 'include'] as const

/** The ids among the entries of `include` or `exclude`; slugs and names are looked up (rule 13.9). */
async function idsOf(
  context: Context,
  taxonomy: Taxonomy,
  entries: string[] | undefined,
): Promise<number[] | undefined> {
  if (!entries) return undefined
  const isId = (entry: string) => /^\d+$/.test(entry)
  const named = entries.filter((entry) => !isId(entry))
  const terms = await findTermsByEntries(context.db, taxonomy, named)
  const found = new Map(named.map((entry, at) => [entry, terms[at]?.id]))
  return entries.flatMap((entry) => (isId(entry) ? readInteger(entry) : found.get(entry)) ?? [])
}

async function find(context: Context, taxonomy: Taxonomy, asked: TermFilters): Promise<Found<TermRow>> {
  const page = pageRequest(asked, context)
  const event = asked.event ?? asked.post
  const query: TermQuery = {
    search: asked.search,
    include: await idsOf(context, taxonomy, asked.include),
    exclude: await idsOf(context, taxonomy, asked.exclude),
    hideEmpty: asked.hide_empty ?? true,
    parent: asked.parent,
    event,
    slug: asked.slug,
    orderby: ORDERS.find((order) => order === asked.orderby) ?? 'name',
    descending: asked.order?.toLowerCase() === 'desc',
    keepAncestors: taxonomy === 'category' && asked.parent === undefined && (asked.hide_empty ?? true),
  }
  // A caller who may not see an event learns nothing of its terms either.
  const hidden = event !== undefined && !(await isVisible(context.db, context.caller, 'events', event))
  const { rows, total } = hidden ? { rows: [], total: 0 } : await listTerms(context, taxonomy, query, page)
  const { page: _page, per_page: _perPage, hide_empty, ...filters } = asked
  const shown = { ...filters, hide_empty: hide_empty === false ? 'false' : undefined }
  return { ids: rows.map(({ id }) => id), rows, total, ...page, effective: parametersOf(shown) }
}
