import { type RawBuilder, sql } from 'kysely'
import { STATUSES } from '../../base/fields/field.ts'
import { fold } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, utcToMs } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { isPossibleId, visibleTo } from '../../calendar/records/record-store.ts'
import type { ReadQuery } from '../../store/storage/database.ts'
import { entriesOf, wholeList } from '../../store/storage/sql-parts.ts'
import { asOneText, rowsIn, type TimedRow } from './review/inbox-rows.ts'

// Events that clash with a draft at one of its venues, and likely duplicates of it.

/** Times are in UTC, as `YYYY-MM-DD HH:MM:SS`. */
export interface EventDraft {
  id?: number
  series?: number
  title: string
  utc_start_date: string
  utc_end_date: string
  venues: readonly number[]
}

export interface NearEvent {
  id: number
  author: number
  slug: string
  title: string
  status: string
  start_date: string
  end_date: string
  utc_start_date: string
  timezone: string
  all_day: boolean
}

export interface Clashes {
  /** Overlapping events at the same venue: those with the same start first, then by start. */
  clashes: NearEvent[]
  /** Likely duplicates: a similar title within three days, or the same start and venue. */
  doubles: (NearEvent & { by: 'title' | 'start' })[]
}

const MOST_NEAR = 5
/** In days, before and after a draft's start. */
const DOUBLE_DAYS = 3
/** In days. Longer events, such as exhibitions, do not block a venue. */
const LONGEST_DAYS = 31
const ZONE_HOURS = 14
const MOST_TITLE_WORDS = 3
const MOST_COMPARED = 100

type ByCaller = Pick<Context, 'db' | 'readInLane' | 'caller'>

/** Returns each draft's clashes and likely duplicates that the caller may see. All share a few queries. */
export async function findClashes(drafts: readonly EventDraft[], asker: ByCaller): Promise<Clashes[]> {
  if (drafts.length === 0) return []
  const { readInLane, db } = asker
  const placed = drafts.filter(({ venues }) => venues.length > 0)
  const [overlaps, titles] = await Promise.all([
    readInLane(
      db,
      'list',
      spansOf(placed.map(overlapsWithin)).map((span) => overlapping(span, placed, asker)),
    ),
    readInLane(
      db,
      'list',
      spansOf(drafts.map(doublesWithin)).map((span) => titlesWithin(span, asker)),
    ),
  ])
  const atVenues = Map.groupBy(overlaps.flat(), ({ draft }) => placed[draft])
  const titled = titles.flat().flatMap(({ titles }) => rowsIn(titles))
  const likely = drafts.map((draft) => alikeAmong(titled, draft))
  const alike = await readNear(new Set(likely.flat()), asker)
  return drafts.map((draft, at) => {
    const own = alike.filter(
      ({ id, series }) => id !== draft.id && (series === null || series !== draft.series),
    )
    return clashesOf(
      draft,
      atVenues.get(draft) ?? [],
      own.filter(({ id }) => likely[at]?.includes(id)),
    )
  })
}

function clashesOf(draft: EventDraft, atVenue: readonly NearRow[], alike: readonly NearRow[]): Clashes {
  const clashes = atVenue.map(nearEvent)
  const starting = clashes
    .filter(({ utc_start_date: start }) => start === draft.utc_start_date)
    .map((event) => ({ ...event, by: 'start' as const }))
  const known = new Set(starting.map(({ id }) => id))
  const titled = alike
    .map(nearEvent)
    .filter((event) => !known.has(event.id))
    .map((event) => ({ ...event, by: 'title' as const }))
  return { clashes: clashes.slice(0, MOST_NEAR), doubles: [...starting, ...titled].slice(0, MOST_NEAR) }
}

interface NearRow extends Omit<NearEvent, 'all_day'> {
  all_day: number
}

function nearEvent({ id, author, slug, title, status, all_day, ...row }: NearRow): NearEvent {
  const { start_date, end_date, utc_start_date, timezone } = row
  const times = { start_date, end_date, utc_start_date, timezone, all_day: all_day === 1 }
  return { id, author, slug, title: plainText(title), status, ...times }
}

const COLUMNS = sql`events.id, events.author, events.slug, events.title, events.status, events.start_date,
  events.end_date, events.utc_start_date,
  events.timezone, events.all_day`

/** Bounds for events: `from` ≤ start < `before`, and end ≥ `endsFrom`. */
interface TimeStretch {
  from: string
  before: string
  endsFrom: string
}

/** Returns the subquery `near`. It reads columns of one index only: whole rows take longer to read. */
function begunWithin(
  { caller }: ByCaller,
  { from, before, endsFrom }: TimeStretch,
  narrowed = sql``,
): RawBuilder<unknown> {
  const statuses = STATUSES.filter((status) => status !== 'trash')
  return sql`near as materialized (
    select events.id, events.utc_start_date, events.end_date from events
    where events.status in (${sql.join(statuses)}) and events.hide_from_listings in (0, 1)
      and events.start_date >= ${later(from, -ZONE_HOURS)}
        and events.start_date < ${later(before, ZONE_HOURS)}
      and events.utc_start_date >= ${from} and events.utc_start_date < ${before}
      and events.end_date >= ${later(endsFrom, -ZONE_HOURS)}
        and (${visibleTo(caller, 'events')}) is true ${narrowed})`
}

const later = (utc: string, hours: number) => formatUtc(utcToMs(utc) + hours * 3_600_000)

function overlapsWithin({ utc_start_date: start, utc_end_date: end }: EventDraft): TimeStretch {
  return { from: later(start, -24 * LONGEST_DAYS), before: end, endsFrom: start }
}

interface OverlappingRow extends NearRow {
  draft: number
}

function overlapping(
  span: TimeStretch,
  drafts: readonly EventDraft[],
  asker: ByCaller,
): ReadQuery<OverlappingRow> {
  const { db } = asker
  const venuesOf = (draft: EventDraft) => draft.venues.filter(isPossibleId)
  const listed = JSON.stringify(
    drafts.map((draft, place) => {
      const { from, before, endsFrom } = overlapsWithin(draft)
      return [
        place,
        draft.id ?? 0,
        from,
        before,
        endsFrom,
        later(endsFrom, -ZONE_HOURS),
        venuesOf(draft).map((venue) => [venue]),
      ]
    }),
  )
  // The subquery with `count` keeps PostgreSQL from reading all links of a venue; `is true` keeps SQLite from
  // looking up each venue for each event.
  const hasVenue = (event: string, venues: RawBuilder<unknown>) => sql`(select count(*) from event_venues
    where event_venues.event = ${sql.ref(event)} and (event_venues.venue in ${venues}) is true) > 0`
  const isThere = sql`and ${hasVenue('events.id', wholeList(db, drafts.flatMap(venuesOf)))}`
  const query = sql<OverlappingRow>`
    with ${begunWithin(asker, span, isThere)},
    drafts as materialized (select cast(value ->> 0 as integer) as draft, cast(value ->> 1 as bigint) as id,
      value ->> 2 as earliest,
      value ->> 3 as ends, value ->> 4 as starts, value ->> 5 as ends_from, value -> 6 as venues
        from ${entriesOf(db, listed)} as value)
    select * from (
      select ${COLUMNS}, drafts.draft, row_number() over (partition by drafts.draft
        order by case when events.utc_start_date = drafts.starts then 0 else 1 end, events.utc_start_date,
          events.id) as place
      from near join drafts on near.utc_start_date >= drafts.earliest and near.utc_start_date < drafts.ends
        and near.end_date >= drafts.ends_from and near.id <> drafts.id
      join events on events.id = near.id
      where events.utc_end_date > drafts.starts and events.event_status = 'scheduled'
        and ${hasVenue(
          'near.id',
          sql`(select cast(value ->> 0 as bigint)
          from ${entriesOf(db, sql`drafts.venues`)} as value)`,
        )}) as placed
    where place <= ${sql.lit(MOST_NEAR)} order by draft, place`
  return { compile: () => query.compile(db) }
}

function doublesWithin({ utc_start_date: start }: EventDraft): TimeStretch {
  const from = later(start, -24 * DOUBLE_DAYS)
  return { from, before: later(start, 24 * DOUBLE_DAYS + 1), endsFrom: from }
}

function spansOf(stretches: readonly TimeStretch[]): TimeStretch[] {
  const spans: TimeStretch[] = []
  for (const stretch of [...stretches].sort((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = spans.at(-1)
    if (!last || stretch.from >= last.before) spans.push({ ...stretch })
    else {
      if (stretch.before > last.before) last.before = stretch.before
      if (stretch.endsFrom < last.endsFrom) last.endsFrom = stretch.endsFrom
    }
  }
  return spans
}

/** Reads titles from `search`: `title` is stored after long texts, which the database would have to skip. */
function titlesWithin(span: TimeStretch, asker: ByCaller): ReadQuery<{ titles: string | null }> {
  // `search` begins with the folded title, which is seldom over twice as long as the title.
  const title = sql`substr(events.search, 1, 2 * length(events.title))`
  const columns = { id: sql.ref('near.id'), time: sql.ref('near.utc_start_date'), text: title }
  const query = sql<{ titles: string | null }>`
    with ${begunWithin(asker, span)}
    select ${asOneText(columns)} as titles from near join events on events.id = near.id`
  return { compile: () => query.compile(asker.db) }
}

function alikeAmong(titled: readonly TimedRow[], draft: EventDraft): number[] {
  const words = wordsIn(fold(plainText(draft.title)).replaceAll('\0', ''))
  const longest = [...words].sort((one, other) => other.length - one.length).slice(0, MOST_TITLE_WORDS)
  const { from, before } = doublesWithin(draft)
  const alike: TimedRow[] = []
  for (const event of titled) {
    if (event.time < from || event.time >= before) continue
    if (longest.some((word) => event.text.includes(word)) && areAlike(words, wordsIn(event.text)))
      alike.push(event)
  }
  return alike
    .sort((one, other) => (one.time < other.time ? -1 : 1))
    .slice(0, MOST_COMPARED)
    .map(({ id }) => id)
}

async function readNear(
  ids: ReadonlySet<number>,
  { db, caller }: ByCaller,
): Promise<(NearRow & { series: number | null })[]> {
  if (ids.size === 0) return []
  const { rows } = await sql<NearRow & { series: number | null }>`select ${COLUMNS}, events.series from events
    where events.id in ${wholeList(db, [...ids])} and events.status <> 'trash'
      and (${visibleTo(caller, 'events')}) is true
    order by events.utc_start_date, events.id`.execute(db)
  return rows
}

function wordsIn(title: string): ReadonlySet<string> {
  const folded = title.slice(0, LONGEST_TITLE)
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.length > 0 || folded === '' ? words : [folded])
}

const LONGEST_TITLE = 300
const SHARED = 0.75

/** True if both have the same words, or share at least two that make up `SHARED` of the shorter title. */
function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = one.intersection(other).size
  if (shared === one.size && shared === other.size) return shared > 0
  return shared >= 2 && shared >= SHARED * Math.min(one.size, other.size)
}
