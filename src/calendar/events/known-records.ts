import { listEntries, readInteger } from '../../base/fields/kinds.ts'
import { hasEventsOf } from '../../store/memory/event-index.ts'
import type { IndexQuery } from '../../store/memory/event-index-list.ts'
import { type EventMemory, isBehind } from '../../store/memory/event-memory.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { areRecordsOf, type LinkedKind } from '../linked/linked-store.ts'
import { isTermList } from '../terms/term-rules.ts'
import { termMeant } from '../terms/term-store.ts'

/**
 * The events in memory; undefined if they lack a change or may not answer this caller. If that check fails,
 * the error is reported.
 */
export function currentMemory({ memory, report }: Context): EventMemory | undefined {
  try {
    return memory && !isBehind(memory) ? memory : undefined
  } catch (error) {
    report(error)
    return undefined
  }
}

/** Makes a check that all terms of a list exist; it asks the database only if memory lacks one. */
export function areKnownTerms(taxonomy: Taxonomy) {
  const areInDatabase = isTermList(taxonomy)
  return (value: unknown, context: Context): boolean | Promise<boolean> => {
    const memory = currentMemory(context)
    const entries = listEntries(value) ?? []
    const areKnown = memory && entries.every((entry) => findKnownTerm(memory, taxonomy, String(entry).trim()))
    return areKnown || areInDatabase(value, context)
  }
}

/**
 * Makes a check that all records of a list exist; it asks the database unless listed events in memory link to
 * all.
 */
export function areKnownRecords(kind: LinkedKind) {
  const areInDatabase = areRecordsOf(kind)
  return (value: unknown, context: Context): boolean | Promise<boolean> => {
    const memory = currentMemory(context)
    const ids = listEntries(value)?.map(readInteger) ?? []
    const areKnown = memory && ids.every((id) => id !== undefined && areMet(memory, kind, [id]))
    return areKnown || areInDatabase(value, context)
  }
}

export function inKnownTerms(
  memory: EventMemory,
  taxonomy: Taxonomy,
  entries: readonly string[],
  asked: IndexQuery,
): IndexQuery | undefined {
  const ids: number[] = []
  for (const entry of entries) {
    const id = findKnownTerm(memory, taxonomy, entry)
    if (id === undefined) return undefined
    ids.push(id)
  }
  return { ...asked, terms: [...asked.terms, ids] }
}

/** Finds a term in memory by slug or id. Names are only in the database. */
function findKnownTerm(
  { terms, termIds }: EventMemory,
  taxonomy: Taxonomy,
  entry: string,
): number | undefined {
  return termMeant(
    {
      bySlug: (slug) => termIds[taxonomy].get(slug),
      byId: (id) => (terms.get(id)?.taxonomy === taxonomy ? id : undefined),
    },
    entry,
  )
}

export function areMet({ index }: EventMemory, kind: LinkedKind, ids: readonly number[]): boolean {
  return index !== undefined && ids.every((id) => hasEventsOf(index, kind, id))
}
