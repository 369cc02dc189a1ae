import type { EventValues } from '../events/event-rules.ts'
import { findTermsOfEvents } from '../events/event-store.ts'
import { ownFields } from '../events/recurrence-present.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow, Taxonomy } from '../storage/schema.ts'
import { findTermsByIds } from '../terms/term-store.ts'

const FIELDS = { category: 'categories', tag: 'tags' } as const
const TAXONOMIES = ['category', 'tag'] as const satisfies Taxonomy[]

/** The terms of a series after a change of all occurrences. */
export interface SeriesTerms {
  /** The terms of occurrences that have changed neither their categories nor their tags. */
  shared: readonly number[]
  /** The terms of occurrences that have changed one of the two for themselves, by id. */
  mixed: ReadonlyMap<number, readonly number[]>
}

/**
 * The terms after a change: a taxonomy that was not sent keeps those of the series, and one that an occurrence has changed for itself keeps its own.
 */
export async function settleSeriesTerms(
  tx: Tx,
  rows: readonly EventRow[],
  values: Pick<EventValues, 'categories' | 'tags'>,
  { before, after }: Record<'before' | 'after', readonly number[]>,
): Promise<SeriesTerms> {
  const mixedRows = rows.filter((row) => ownTaxonomies(row).length === 1)
  const had = await findTermsOfEvents(
    tx,
    mixedRows.map(({ id }) => id),
  )
  const terms = await findTermsByIds(tx, [...new Set([before, after, ...had.values()].flat())])
  const taxonomies = new Map(terms.map(({ id, taxonomy }) => [id, taxonomy]))
  const only = (ids: readonly number[], taxonomy: Taxonomy) => ids.filter((id) => taxonomies.get(id) === taxonomy)
  const shared = TAXONOMIES.flatMap((each) => only(values[FIELDS[each]] === undefined ? before : after, each))
  const mixed = mixedRows.map((row) => {
    const own = ownTaxonomies(row)
    const ids = TAXONOMIES.flatMap((each) => only(own.includes(each) ? (had.get(row.id) ?? []) : shared, each))
    return [row.id, ids] as const
  })
  return { shared, mixed: new Map(mixed) }
}

function ownTaxonomies(row: EventRow): Taxonomy[] {
  const own = ownFields(row)
  return TAXONOMIES.filter((each) => own.includes(FIELDS[each]))
}
