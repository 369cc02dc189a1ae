import { listEntries, readInteger } from '../../base/fields/kinds.ts'
import { hasEventsOf } from '../../store/memory/event-index.ts'
import type { IndexQuery } from '../../store/memory/event-index-list.ts'
import { type EventMemory, isBehind } from '../../store/memory/event-memory.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { areRecordsOf, type LinkedKind } from '../linked/linked-store.ts'
import { isTermList } from '../terms/term-rules.ts'
import { termMeant } from '../terms/term-store.ts'

// Answers filters from memory, without the database: finds the terms and linked records that the memory of
// public events knows.

/**
 * Returns the memory if it may answer this caller and lacks no change, else undefined. A failed check for
 * changes is reported, and gives undefined.
 */
export function currentMemory({ memory, report }: Context): EventMemory | undefined {
  try {
    return memory && !isBehind(memory) ? memory : undefined
  } catch (error) {
    report(error)
    return undefined
  }
}

/**
 * Returns the check of a filter by terms. It decides as `isTermList` does, and without the database where the
 * memory knows all of the terms.
 */
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
 * Returns the check of a filter by linked records. It decides as `areRecordsOf` does, and without the
 * database where listed events had all of them.
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

/**
 * Narrows a query of the index to terms. Returns undefined where the memory does not know a term by its slug
 * or id.
 */
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

/**
 * Finds the id of the term that an entry means by its slug or id; undefined for any other entry, such as a
 * name, which the database has to look up.
 */
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

/** Decides whether the index has had events of all of these venues or organizers. */
export function areMet({ index }: EventMemory, kind: LinkedKind, ids: readonly number[]): boolean {
  return index !== undefined && ids.every((id) => hasEventsOf(index, kind, id))
}
