import { type RawBuilder, sql } from 'kysely'
import { STATUSES } from '../../base/fields/field.ts'
import { fold } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, utcToMs } from '../../base/text/moments.ts'
import type { ReadQuery } from '../../store/storage/aside.ts'
import { contains, wholeList } from '../../store/storage/queries.ts'
import type { Context } from '../declare/context.ts'
import { isPossibleId, visibleTo } from '../records/record-store.ts'

/** An event that somebody writes, as far as it is known. Times are 'YYYY-MM-DD HH:MM:SS' in UTC. */
export interface EventDraft {
  /** Its id, if it has one, and the series it is a date of. */
  id?: number
  series?: number
  title: string
  utc_start_date: string
  utc_end_date: string
  /** Ids of its venues. */
  venues: readonly number[]
}

/** An event that stands near another one. */
export interface NearEvent {
  id: number
  title: string
  status: string
  start_date: string
  end_date: string
  utc_start_date: string
  timezone: string
  all_day: boolean
}

/** The events that a draft gets in the way of, and those that may be the same as it. */
export interface Clashes {
  /** At one of its venues at overlapping times, the earliest first. */
  clashes: NearEvent[]
  /** With the same words in the title within three days, or at the same venue from the same moment on: these are among the clashes as well. */
  doubles: (NearEvent & { by: 'title' | 'start' })[]
}

/** The most events of either list. */
const MOST_NEAR = 5
/** Days before and after a draft in which another event of its title may be the same. */
const DOUBLE_DAYS = 3
/** Events that began more days before are not looked for: what lasts longer leaves room beside it, such as exhibitions. */
const LONGEST_DAYS = 31
/** Walls of zones lie up to so many hours from UTC. */
const ZONE_HOURS = 14
/** Words of a title that are looked for, the longest, and events that are compared with it. */
const MOST_TITLE_WORDS = 3
const MOST_COMPARED = 100

type ByCaller = Pick<Context, 'db' | 'aside' | 'caller'>

/**
 * Finds what drafts clash with, each by itself, among the events that the caller may see outside the trash. Canceled and postponed events clash with nothing. It
 * reads the index of lists for the days around each draft, so it costs the same however many events lie elsewhere. All are asked for at once.
 */
export async function findClashes(drafts: readonly EventDraft[], asker: ByCaller): Promise<Clashes[]> {
  const queries = drafts.flatMap((draft) => [overlapping(draft, asker), titledAlike(draft, asker)])
  const found = queries.length === 0 ? [] : await asker.aside(asker.db, 'list', queries)
  return drafts.map((draft, at) => clashesOf(draft, found[2 * at] ?? [], found[2 * at + 1] ?? []))
}

function clashesOf(draft: EventDraft, atVenue: readonly NearRow[], alike: readonly NearRow[]): Clashes {
  const clashes = atVenue.map(nearEvent)
  const starting = clashes
    .filter(({ utc_start_date: start }) => start === draft.utc_start_date)
    .map((event) => ({ ...event, by: 'start' as const }))
  const known = new Set(starting.map(({ id }) => id))
  const titled = alike
    .map(nearEvent)
    .filter((event) => !known.has(event.id) && areAlike(draft.title, event.title))
    .map((event) => ({ ...event, by: 'title' as const }))
  return { clashes: clashes.slice(0, MOST_NEAR), doubles: [...starting, ...titled].slice(0, MOST_NEAR) }
}

interface NearRow extends Omit<NearEvent, 'all_day'> {
  all_day: number
}

function nearEvent(row: NearRow): NearEvent {
  return { ...row, title: plainText(row.title), all_day: row.all_day === 1 }
}

const COLUMNS = sql`events.id, events.title, events.status, events.start_date, events.end_date, events.utc_start_date,
  events.timezone, events.all_day`

/** A stretch of time in UTC, from `from` until before `before`. Events that ended before `ended` are left out. */
interface TimeStretch {
  from: string
  before: string
  ended: string
}

/**
 * The events that begin within a stretch of time. The index of lists has all that is asked for: each row that is read besides costs more than all the
 * others.
 */
function begunWithin(
  { caller }: ByCaller,
  { from, before, ended }: TimeStretch,
  narrowed = sql``,
): RawBuilder<unknown> {
  const statuses = STATUSES.filter((status) => status !== 'trash')
  return sql`near as materialized (
    select events.id from events
    where events.status in (${sql.join(statuses)}) and events.hide_from_listings in (0, 1)
      and events.start_date >= ${later(from, -ZONE_HOURS)} and events.start_date < ${later(before, ZONE_HOURS)}
      and events.utc_start_date >= ${from} and events.utc_start_date < ${before}
      and events.end_date >= ${later(ended, -ZONE_HOURS)} and (${visibleTo(caller, 'events')}) is true ${narrowed})`
}

const later = (utc: string, hours: number) => formatUtc(utcToMs(utc) + hours * 3_600_000)

function overlapping(draft: EventDraft, asker: ByCaller): ReadQuery<NearRow> {
  const { id = 0, utc_start_date: start, utc_end_date: end, venues } = draft
  // Counted for each event: else PostgreSQL would read all links of the venue.
  const isThere = sql`and (select count(*) from event_venues
    where event_venues.event = events.id and event_venues.venue in ${wholeList(asker.db, venues.filter(isPossibleId))}) > 0`
  const days = { from: later(start, -24 * LONGEST_DAYS), before: end, ended: start }
  const query = sql<NearRow>`
    with ${begunWithin(asker, days, isThere)}
    select ${COLUMNS} from near join events on events.id = near.id
    where events.utc_end_date > ${start} and events.event_status = 'scheduled' and events.id <> ${id}
    order by case when events.utc_start_date = ${start} then 0 else 1 end, events.utc_start_date, events.id
    limit ${sql.lit(MOST_NEAR)}`
  return { compile: () => query.compile(asker.db) }
}

/** The beginning of a folded text that has the title, which folding makes twice as long at the most. */
const FOLDED_TITLE = sql`substr(events.search, 1, 2 * length(events.title))`

function titledAlike(draft: EventDraft, asker: ByCaller): ReadQuery<NearRow> {
  const { id = 0, series = -1, title, utc_start_date: start } = draft
  const from = later(start, -24 * DOUBLE_DAYS)
  const near = begunWithin(asker, { from, before: later(start, 24 * DOUBLE_DAYS + 1), ended: from })
  const words = [...titleWords(title)].sort((one, other) => other.length - one.length).slice(0, MOST_TITLE_WORDS)
  const hasWord = words.map((word) => contains(FOLDED_TITLE, word))
  const query = sql<NearRow>`
    with ${near}
    select ${COLUMNS} from near join events on events.id = near.id
    where events.id <> ${id} and coalesce(events.series, 0) <> ${series}
      and (${hasWord.length === 0 ? sql`1 = 0` : sql.join(hasWord, sql` or `)})
    order by events.utc_start_date, events.id limit ${sql.lit(MOST_COMPARED)}`
  return { compile: () => query.compile(asker.db) }
}

/** The words of a title, folded; of one without any, all of it. */
function titleWords(title: string): Set<string> {
  const folded = fold(plainText(title)).slice(0, LONGEST_TITLE).replaceAll('\0', '')
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.length > 0 || folded === '' ? words : [folded])
}

/** The beginning of a title that is compared. */
const LONGEST_TITLE = 300
/** Of the shorter title, so many of the words stand in the other. */
const SHARED = 0.75

/** Whether two titles have the same words, or the shorter one most of its own in common with the other. */
function areAlike(one: string, other: string): boolean {
  const [first, second] = [titleWords(one), titleWords(other)]
  const shared = [...first].filter((word) => second.has(word)).length
  if (shared === first.size && shared === second.size) return shared > 0
  return shared >= 2 && shared >= SHARED * Math.min(first.size, second.size)
}
