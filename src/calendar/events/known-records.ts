import { listEntries, readInteger } from '../../base/fields/kinds.ts'
import { hasEventsOf } from '../../store/memory/event-index.ts'
import type { IndexQuery } from '../../store/memory/event-index-list.ts'
import { type EventMemory, isBehind } from '../../store/memory/event-memory.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { areRecordsOf, type LinkedKind } from '../linked/linked-store.ts'
import { isTermList } from '../terms/term-rules.ts'
import { termMeant } from '../terms/term-store.ts'

// What filters need not ask the database for: the terms and linked records that the memory of public events knows.

/** The memory, if it may answer this caller and lacks no change. When the look for changes fails, the database answers instead. */
export function currentMemory({ memory, report }: Context): EventMemory | undefined {
  try {
    return memory && !isBehind(memory) ? memory : undefined
  } catch (error) {
    report(error)
    return undefined
  }
}

/** Validates a filter by terms as `isTermList` does, without waiting for terms that the memory knows. */
export function areKnownTerms(taxonomy: Taxonomy) {
  const areInDatabase = isTermList(taxonomy)
  return (value: unknown, context: Context): boolean | Promise<boolean> => {
    const memory = currentMemory(context)
    const entries = listEntries(value) ?? []
    const areKnown = memory && entries.every((entry) => findKnownTerm(memory, taxonomy, String(entry).trim()))
    return areKnown || areInDatabase(value, context)
  }
}

/** Validates a filter by venues or organizers as `areRecordsOf` does, without waiting for those that listed events link to. */
export function areKnownRecords(kind: LinkedKind) {
  const areInDatabase = areRecordsOf(kind)
  return (value: unknown, context: Context): boolean | Promise<boolean> => {
    const memory = currentMemory(context)
    const ids = listEntries(value)?.map(readInteger) ?? []
    const areKnown = memory && ids.every((id) => id !== undefined && areMet(memory, kind, [id]))
    return areKnown || areInDatabase(value, context)
  }
}

/** Narrows a query of the index to terms; undefined where one is not known by slug or id. */
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

/** The id of the term that an entry means by its slug or id; names are left to the database. */
function findKnownTerm({ terms, termIds }: EventMemory, taxonomy: Taxonomy, entry: string): number | undefined {
  return termMeant(
    {
      bySlug: (slug) => termIds[taxonomy].get(slug),
      byId: (id) => (terms.get(id)?.taxonomy === taxonomy ? id : undefined),
    },
    entry,
  )
}

/** Returns true if the index has met all of these venues or organizers. */
export function areMet({ index }: EventMemory, kind: LinkedKind, ids: readonly number[]): boolean {
  return index !== undefined && ids.every((id) => hasEventsOf(index, kind, id))
}
