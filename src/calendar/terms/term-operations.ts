import { invalidParam } from '../../base/problems.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Taxonomy, TermRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { conditionsOf } from '../declare/filter.ts'
import type { AskedUpdate, FoundRecords, Operations, Presentation } from '../declare/operations.ts'
import { foundPage, pageRequest, presentListed, presentSingle, textsOfTerm } from '../records/record-store.ts'
import { categoryFilters, filterLinks, type TermsQuery, termIdsAmong, termParts } from './term-filters.ts'
import { presentTerm, termLinks } from './term-present.ts'
import { changeTerm, createTerm, mayManageTerms, type TermValues } from './term-rules.ts'
import {
  type Ancestors,
  deleteTerm,
  findAncestors,
  findTerm,
  findTermBySlug,
  listTerms,
  TERM_ORDERS,
  type TermOrder,
} from './term-store.ts'

export interface LoadedTerm {
  term: TermRow
  ancestors: Ancestors
}

/** Returns terms with their ancestors, read with one query. */
export async function withAncestors(db: Db, terms: readonly TermRow[]): Promise<LoadedTerm[]> {
  const ancestors = await findAncestors(db, terms)
  return terms.map((term) => ({ term, ancestors }))
}

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

export function termOperations(taxonomy: Taxonomy): Operations<TermRow, LoadedTerm> {
  const mayManage = (context: Context) => mayManageTerms(context.caller, taxonomy)
  const show = async (context: Context, db: Db, id: number) => {
    const term = await findTerm(db, taxonomy, id)
    if (!term) throw invalidParam('id')
    const loaded = { term, ancestors: await findAncestors(db, [term]) }
    return { id, answer: await presentSingle(context, presentation, loaded) }
  }
  return {
    versioned: { kind: 'term', idOf: ({ id }) => id },
    find: (context, query) => findPageOfTerms(context, taxonomy, query),
    load: (context, { rows = [] }) => withAncestors(context.db, rows),
    among: (context, ids) =>
      findPageOfTerms(context, taxonomy, { include: ids.map(String), per_page: ids.length }),
    locate: (context, address) =>
      'id' in address
        ? findTerm(context.db, taxonomy, address.id)
        : findTermBySlug(context.db, taxonomy, address.slug),
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
        const [answer = { id: term.id }] = await presentListed(context, presentation, loaded)
        return { term, answer }
      },
      write: async (tx, { term, answer }: { term: TermRow; answer: object }) => {
        await deleteTerm(tx, term)
        return { id: term.id, answer }
      },
    },
    rights: { create: mayManage, update: mayManage, remove: mayManage },
  }
}

const parts = Object.values(termParts)

async function findPageOfTerms(
  context: Context,
  taxonomy: Taxonomy,
  query: TermsQuery,
): Promise<FoundRecords<TermRow>> {
  const ground = { taxonomy, context }
  const page = pageRequest(query, context)
  const order: TermOrder = {
    by: TERM_ORDERS.find((known) => known === query.orderby) ?? 'name',
    isDescending: query.order?.toLowerCase() === 'desc',
    included: await termIdsAmong(query.include ?? [], ground),
  }
  const conditions = await conditionsOf(categoryFilters, parts, query, ground)
  const found = await listTerms(
    context,
    taxonomy,
    { conditions, order, isSearch: query.search !== undefined },
    page,
  )
  return { ...foundPage(found, page), effective: filterLinks(query, ground) }
}
