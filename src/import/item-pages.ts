import { DAY, oldPath } from '../records/origins.ts'
import { recordChange, type Tx } from '../storage/recording.ts'
import type { ImportSourceColumns } from '../storage/schema.ts'
import { isUrl } from '../text/urls.ts'
import type { RecordState } from './record-states.ts'
import { type ItemKind, type SourceItem, standsAlone } from './source-item.ts'

/** The possible fates of a source; `none` takes an earlier one back. */
export const ORIGINS = ['moved', 'stays', 'none'] as const

export type Origin = ImportSourceColumns['origin']

/** The most characters of a stored address. */
const LONGEST = 1000

/** The address of the page of an item, if it is one of the web. */
export function webPage({ page = '' }: Pick<SourceItem, 'page'>): URL | undefined {
  return page.length <= LONGEST && /^https?:\/\//i.test(page) ? (URL.parse(page) ?? undefined) : undefined
}

const DAY_AT_END = /-\d{4}-\d\d-\d\d\/?$/

/** The stored part of the address of an item's page, by the fate of its source (`import_items.page`). */
export function keptPage(origin: Origin, { kind, uid, page = '' }: SourceItem, site: string): string {
  if (origin === '' || page.length > LONGEST) return ''
  if (origin === 'moved') return kind === 'series' ? '' : oldPath(page)
  const isElsewhere = /^https?:/i.test(page) && isUrl(page) && page !== site && !page.startsWith(`${site}/`)
  if (!isElsewhere || !standsAlone(kind)) return ''
  if (kind === 'event') return page
  // For a series, a site has a page for each date, a calendar file one page for all.
  if (DAY_AT_END.test(page)) return page.replace(DAY_AT_END, `-${DAY}/`)
  return uid === undefined ? '' : page
}

/** Records a change of the page of a record, since the page names the address as its original. */
export function recordPage(tx: Tx, kind: ItemKind, record: number, { status }: RecordState): void {
  if (kind !== 'event' && kind !== 'series') return
  const isPublic = status === 'publish'
  recordChange(tx, { kind, record, wasPublic: isPublic, isPublic })
}
