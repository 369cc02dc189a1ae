import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { asValue } from './desk-list-filters.ts'

export const DESK_TABS = ['coming', 'pending', 'draft', 'future', 'past', 'trash'] as const

export type DeskTab = (typeof DESK_TABS)[number]

/** Written exactly as in the definition of the index, so that SQLite uses that index. */
const isLasting = sql<SqlBool>`substr(end_date, 1, 10) > substr(start_date, 1, 10)`

export interface Now {
  today: string
  yesterday: string
  now: string
}

export function nowOf({ site, now }: Pick<Context, 'site' | 'now'>): Now {
  const wall = wallNow(site.timezone, now)
  const day = dayOf(wall)
  return { today: `${day} 00:00:00`, yesterday: `${addDays(day, -1)} 23:59:59`, now: wall }
}

/** A contiguous range of an index; a tab is read as several ranges. */
export interface IndexRun {
  status: string
  isHidden: 0 | 1
  part: 'coming' | 'still on' | 'past' | 'all'
}

export const STATUSES_OF: Readonly<Record<DeskTab, readonly string[]>> = {
  coming: ['publish', 'private'],
  past: ['publish', 'private'],
  pending: ['pending'],
  draft: ['draft'],
  future: ['future'],
  trash: ['trash'],
}

export const PARTS_OF: Readonly<Record<DeskTab, readonly IndexRun['part'][]>> = {
  coming: ['coming', 'still on'],
  past: ['past'],
  pending: ['all'],
  draft: ['all'],
  future: ['all'],
  trash: ['all'],
}

export const runsOf = (tab: DeskTab): IndexRun[] =>
  STATUSES_OF[tab].flatMap((status) =>
    ([0, 1] as const).flatMap((isHidden) => PARTS_OF[tab].map((part) => ({ status, isHidden, part }))),
  )

/** Merges the bounds of list and run: given two conditions on a column, SQLite might search by the looser. */
export function runStarts(
  { part }: Pick<IndexRun, 'part'>,
  { from, to }: { from: string; to: string },
  { today, yesterday }: Now,
) {
  return {
    from: part === 'coming' && today > from ? today : from,
    to: (part === 'past' || part === 'still on') && yesterday < to ? yesterday : to,
  }
}

/**
 * Condition for events of a run; those still on are found by their end, since they may have begun any time.
 */
export function inRun(
  {
    status,
    isHidden,
    part,
  }: { status: RawBuilder<unknown>; isHidden: RawBuilder<unknown>; part: IndexRun['part'] },
  bounds: { from: unknown; to: unknown; now: unknown },
): RawBuilder<SqlBool> {
  const starts = sql<SqlBool>`start_date >= ${bounds.from} and start_date <= ${bounds.to}`
  const when =
    part === 'still on'
      ? sql`${asValue(starts)} and end_date >= ${bounds.now} and ${isLasting}`
      : part === 'past'
        ? sql`${starts} and end_date < ${bounds.now}`
        : starts
  return sql`status ${status} and hide_from_listings ${isHidden} and ${when}`
}

export const only = ({ status, isHidden, part }: IndexRun) => ({
  status: sql`= ${status}`,
  isHidden: sql`= ${sql.lit(isHidden)}`,
  part,
})
