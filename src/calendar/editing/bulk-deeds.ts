import { invalidParam } from '../../base/problems.ts'
import { formatUtc, utcToMs, wallNow } from '../../base/text/moments.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { RawValues } from '../declare/parse.ts'
import { findTermIdsOf } from '../terms/term-store.ts'
import { statusOf } from './save-record.ts'

// The changes that can be made to many records at once.

/** A change of many records at once. All but the status is for events alone. */
export type BulkDeed = {
  /** Of a series, the chosen dates alone, or all dates. */
  scope?: 'this' | 'all'
} & (
  | { do: 'publish' | 'draft' | 'trash' | 'restore' }
  /** For good, from the trash. Nothing takes it back. */
  | { do: 'erase' }
  /** Ids of terms. */
  | { do: 'terms'; field: 'categories' | 'tags'; add: readonly number[]; remove: readonly number[] }
  /** Ids of the records to link to, in order; none to link to none. */
  | { do: 'link'; field: 'venue' | 'organizer'; ids: readonly number[] }
  | { do: 'announce'; event_status: 'scheduled' | 'canceled' | 'postponed'; reason: string }
  /** By the clock on the wall: an event at eight stays at eight, whatever the clocks do in between. */
  | { do: 'move'; days: number; hours: number }
)

/**
 * The values that do the deed to a record as it is; undefined where there is nothing to do.
 * @param former the status that a record in the trash had before
 * @throws Problem rest_invalid_param where this record cannot take it
 */
export async function valuesOf(
  { db, site, now }: Context,
  kind: string,
  row: unknown,
  deed: BulkDeed,
  former: string | undefined,
): Promise<RawValues | undefined> {
  const status = statusOf(row)
  switch (deed.do) {
    case 'publish':
    case 'draft': {
      const wanted = deed.do === 'publish' ? 'publish' : 'draft'
      // A record in the trash comes out of it by being restored alone.
      if (status === undefined || status === 'trash') throw invalidParam('status')
      // A scheduled event goes on waiting unless its publication date is now.
      if (wanted === 'publish' && status === 'future') return { status: wanted, date: wallNow(site.timezone, now) }
      return status === wanted ? undefined : { status: wanted }
    }
    case 'restore':
      return status === 'trash' ? { status: former } : undefined
    case 'trash':
      return status === 'trash' ? undefined : {}
    case 'erase':
      return {}
    default:
      if (kind !== 'event') throw invalidParam('do')
      if (status === 'trash') throw invalidParam('status')
      return eventValuesOf(db, row as EventRow, deed)
  }
}

type EventDeed = Extract<BulkDeed, { do: 'terms' | 'link' | 'announce' | 'move' }>

async function eventValuesOf(db: Context['db'], row: EventRow, deed: EventDeed): Promise<RawValues | undefined> {
  if (deed.do === 'link') return { [deed.field]: deed.ids.length > 0 ? deed.ids : '' }
  if (deed.do === 'move') return movedTimes(row, deed)
  if (deed.do === 'announce') {
    const { event_status, reason } = deed
    const isSame = row.event_status === event_status && row.event_status_reason === reason
    return isSame ? undefined : { event_status, event_status_reason: reason }
  }
  const { field, add, remove } = deed
  const found = (await findTermIdsOf(db, [row.id])).get(row.id)
  const had = found?.[field === 'categories' ? 'category' : 'tag'] ?? []
  const has = [...new Set([...had, ...add])].filter((id) => !remove.includes(id))
  return has.length === had.length && has.every((id) => had.includes(id)) ? undefined : { [field]: has }
}

const HOUR_MS = 3_600_000

/** @throws Problem for a whole day that is to move by hours */
function movedTimes(row: EventRow, { days, hours }: { days: number; hours: number }): RawValues | undefined {
  if (row.all_day === 1 && hours !== 0) throw invalidParam('hours')
  const by = (days * 24 + hours) * HOUR_MS
  const moved = (wall: string) => formatUtc(utcToMs(wall) + by)
  return by === 0 ? undefined : { start_date: moved(row.start_date), end_date: moved(row.end_date) }
}
