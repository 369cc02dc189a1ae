import type { ImportItemColumns } from '../storage/schema.ts'
import type { ImportRun } from './import-run.ts'
import { findHeads } from './import-store.ts'
import { keptPage } from './item-pages.ts'
import { comparedOf } from './look-ahead.ts'
import type { ItemKind, SourceItem } from './source-item.ts'

/** The data that show whether an item is unchanged. */
type Head = Pick<ImportItemColumns, 'digest' | 'sequence' | 'page'>

/** Whether an item is a later revision, if the source counts revisions. */
export const isLater = ({ sequence }: Pick<SourceItem, 'sequence'>, than: Pick<SourceItem, 'sequence'>) =>
  sequence !== undefined && than.sequence !== undefined && sequence > than.sequence

/** The stored part of the address of an item's page. */
export const pageOf = ({ origin, context: { site } }: ImportRun, item: SourceItem) => keptPage(origin, item, site.url)

/** Whether an item with this digest is everything that the source last sent of it. */
export function isAsTold(run: ImportRun, item: SourceItem, digest: string, known: Head): boolean {
  return known.digest === digest && !isLater(item, known) && known.page === pageOf(run, item)
}

/**
 * The items that are unchanged since the source last sent them, with their records: they need few reads, and nothing else is checked. Occurrences
 * that their series describes only in part are compared with the series elsewhere.
 */
export async function findSame(
  run: ImportRun,
  kind: ItemKind,
  items: readonly SourceItem[],
): Promise<Map<SourceItem, number>> {
  if (run.source === undefined) return new Map()
  const whole = items.filter(({ occurrence }) => occurrence === '')
  const heads = await findHeads(run.context.db, run.source, kind, [...new Set(whole.map(({ identity }) => identity))])
  const known = new Map(heads.map((head) => [head.identity, head]))
  return new Map(
    whole.flatMap((item) => {
      const head = known.get(item.identity)
      const isSame = head && isAsTold(run, item, (item.ahead ?? comparedOf(item)).digest, head)
      return isSame ? [[item, head.record] as const] : []
    }),
  )
}
