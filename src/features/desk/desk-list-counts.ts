import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../../calendar/declare/context.ts'
import { seesAll } from '../../calendar/people/caller.ts'
import { statement } from '../../store/storage/statement.ts'
import { type DeskFilters, filterBounds } from './desk-list-filters.ts'
import {
  DESK_TABS,
  type DeskTab,
  type IndexRun,
  inRun,
  type Now,
  PARTS_OF,
  runStarts,
  STATUSES_OF,
} from './desk-list-runs.ts'

/** At most this many events are counted, or sorted by anything but start. */
export const MOST_COUNTED = 1000

interface CountBounds {
  now: string
  from: string
  to: string
  /** Earliest start of coming events, today or later; `earlier`: latest start of begun ones, before today. */
  later: string
  earlier: string
}

/** `author`: 0 for all. `mine`: the caller, whose non-public events count, too; 0 counts everybody's. */
interface CountAuthors extends CountBounds {
  author: number
  mine: number
}

type CountRow = { tab: DeskTab; count: number | string }

/** One short statement for all tabs: SQLite caches no long ones, and would prepare them each time. */
function countRuns(
  value: (name: keyof CountBounds) => unknown,
  isWanted: RawBuilder<SqlBool>,
): RawBuilder<CountRow> {
  const isHidden = sql`in (0, 1)`
  const eventsOf = (tab: DeskTab) => (part: IndexRun['part']) => {
    const from = value(part === 'coming' ? 'later' : 'from')
    const to = value(part === 'past' || part === 'still on' ? 'earlier' : 'to')
    const status = sql`in (${sql.join(STATUSES_OF[tab].map((status) => sql.lit(status)))})`
    return sql`select 1 from events where ${inRun(
      { status, isHidden, part },
      { from, to, now: value('now') },
    )} and ${isWanted}`
  }
  const counts = DESK_TABS.map((tab) => {
    const events = sql.join(PARTS_OF[tab].map(eventsOf(tab)), sql` union all `)
    return sql`select ${sql.lit(tab)} as tab, count(*) as count from (${events}
      limit ${sql.lit(MOST_COUNTED + 1)}) as matching`
  })
  return sql<CountRow>`${sql.join(counts, sql` union all `)}`
}

const countTabs = statement<{ [Name in keyof CountBounds]: CountBounds[Name] }>()<CountRow>((_db, value) =>
  countRuns(value, sql`1 = 1`),
)

const countTabsOf = statement<{ [Name in keyof CountAuthors]: CountAuthors[Name] }>()<CountRow>(
  (_db, value) =>
    countRuns(
      value,
      sql`(author = ${value('author')} or ${value('author')} = 0)
      and (author = ${value('mine')} or ${value('mine')} = 0 or status = 'publish')`,
    ),
)

export async function countByIndex(
  { db, caller }: Context,
  filters: DeskFilters,
  now: Now,
): Promise<Record<DeskTab, number>> {
  const { from, to } = filterBounds(filters)
  const later = runStarts({ part: 'coming' }, { from, to }, now).from
  const earlier = runStarts({ part: 'past' }, { from, to }, now).to
  const bounds = { now: now.now, from, to, later, earlier }
  const mine = seesAll(caller) ? 0 : caller.id
  const rows = await (filters.author === undefined && mine === 0
    ? countTabs(db, bounds)
    : countTabsOf(db, { ...bounds, author: filters.author ?? 0, mine }))
  const counts = noPartCounts()
  for (const { tab, count } of rows) counts[tab] = Number(count)
  return counts
}

export const noPartCounts = () => ({ coming: 0, pending: 0, draft: 0, future: 0, past: 0, trash: 0 })
