import { occurrenceStarts, type Start } from '../../base/recurrence/recurrence.ts'
import { addDays, dayOf, endOfDay, formatUtc, utcToMs } from '../../base/text/moments.ts'
import { utcToWall, wallToUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { recurrenceOf, startOf } from '../../calendar/events/recurrence-present.ts'
import { isListed } from '../../store/storage/listed-events.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import { calendarLines } from './calendar-lines.ts'
import { findOccurrenceTimes, type OccurrenceTimes } from './occurrence-times.ts'
import { isReadRight, isUtc, UTC_RULES, type ZoneRules, zoneRulesOf } from './zone-rules.ts'

/** A series, written as one VEVENT with the rule and one for each occurrence that differs (`overrides`). */
export interface WholeSeries {
  series: SeriesRow
  start: Start
  /** Undefined for all-day events, and for UTC if the site is in UTC. */
  rules: ZoneRules | undefined
  /** Times of the first date as the rule gives it, even if that occurrence was moved, canceled or deleted. */
  first: Pick<EventRow, 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'all_day'>
  /** RRULE, RDATE and EXDATE lines that yield the shown occurrences and dates without an event yet. */
  lines: readonly string[]
  model: number
  overrides: readonly number[]
  excepted: readonly number[]
  /** The latest change in UTC, trashed occurrences included. */
  modified: string
  sequence: number
}

const DAY_SECONDS = 86_400

const MOST_DATES = 2000

/**
 * Gathers what a feed says of a series. Undefined if single events have to be written, as when some programs
 * would compute its times wrongly.
 * @param listed ids of occurrences shown to the caller even if they are not public
 */
export async function gatherSeries(
  context: Context,
  series: SeriesRow,
  listed: ReadonlySet<number>,
): Promise<WholeSeries | undefined> {
  const all = await findOccurrenceTimes(context.db, series.id)
  const shown = all.filter((row) => isListed(row) || listed.has(row.id))
  if (series.status !== 'publish' && !shown.some(({ status }) => status === series.status)) return undefined
  const [any] = shown
  const start = startOf(series)
  const first = firstOf(series)
  const isPlain = start.allDay || (isUtc(start.zone) && isUtc(context.site.timezone))
  const rules = isPlain ? undefined : isUtc(start.zone) ? UTC_RULES : zoneRulesOf(start.zone, context.now)
  const byRule = datesByRule(series, start)
  // True if an occurrence needs its own VEVENT. One reason is a clock change that makes its local length
  // differ from the first's: programs disagree on whether the end or the length stays.
  const isOdd = (row: OccurrenceTimes) =>
    isOverride(row, series) || (!start.allDay && wallMs(row) !== wallMs(first))
  const overrides = new Set(shown.filter(isOdd).map(({ id }) => id))
  const isRead = isPlain || (rules && isUnmoved(byRule, start) && isRight(rules, first, shown, overrides))
  if (!any || !isRead) return undefined
  return {
    series,
    start,
    rules,
    first,
    lines: calendarLines(datesShown(series, byRule, shown), { ...start, zone: rules?.id ?? 'UTC' }),
    model: (shown.find((row) => !overrides.has(row.id)) ?? any).id,
    overrides: [...overrides],
    excepted: all.filter((row) => !shown.includes(row)).map(({ id }) => id),
    modified:
      [series, ...all]
        .map(({ modified_utc }) => modified_utc)
        .sort()
        .at(-1) ?? series.modified_utc,
    sequence: all.reduce(
      (highest, { status, sequence }) => (status === 'trash' ? highest : Math.max(highest, sequence)),
      0,
    ),
  }
}

const wallMs = ({ start_date, end_date }: Pick<EventRow, 'start_date' | 'end_date'>) =>
  utcToMs(end_date) - utcToMs(start_date)

function isOverride(
  {
    own,
    start_date,
    recurrence_id,
    status,
  }: Pick<EventRow, 'own' | 'start_date' | 'recurrence_id' | 'status'>,
  series: Pick<SeriesRow, 'status'>,
): boolean {
  return own !== '' || start_date !== recurrence_id || status !== series.status
}

function isRight(
  rules: ZoneRules,
  first: WholeSeries['first'],
  shown: readonly OccurrenceTimes[],
  overrides: ReadonlySet<number>,
): boolean {
  const isTimeRight = (row: WholeSeries['first'] | OccurrenceTimes) =>
    isReadRight(rules, row.start_date, row.utc_start_date) &&
    isReadRight(rules, row.end_date, row.utc_end_date)
  const isOriginalRight = ({ recurrence_id: wall }: OccurrenceTimes) =>
    isReadRight(rules, wall, wallToUtc(wall, rules.id))
  return (
    isTimeRight(first) &&
    shown.every((row) => (overrides.has(row.id) ? isOriginalRight(row) : isTimeRight(row)))
  )
}

function firstOf({ start_date, timezone, all_day, duration }: SeriesRow): WholeSeries['first'] {
  const utc_start_date = wallToUtc(start_date, timezone)
  if (all_day === 1) {
    const end_date = endOfDay(addDays(dayOf(start_date), Math.floor(duration / DAY_SECONDS)))
    return { start_date, end_date, utc_start_date, utc_end_date: wallToUtc(end_date, timezone), all_day }
  }
  const utc_end_date = formatUtc(utcToMs(utc_start_date) + duration * 1000)
  return { start_date, end_date: utcToWall(utc_end_date, timezone), utc_start_date, utc_end_date, all_day }
}

/** Dates that the rule yields, up to the last with an event. */
function datesByRule(series: SeriesRow, start: Start): string[] {
  const { rule } = recurrenceOf(series)
  return occurrenceStarts(
    { ...(rule ? { rule } : {}), added: [], left: [] },
    start,
    series.written_until,
    MOST_DATES,
  )
}

/** True if no clock change skips these dates' local start, which programs would move in different ways. */
function isUnmoved(dates: readonly string[], { local }: Start): boolean {
  return dates.every((wall) => wall.slice(10) === local.slice(10))
}

/**
 * The rule and its exceptions, which yield the shown occurrences. After `written_until`, where dates have no
 * event yet, they are those of the series.
 */
function datesShown(series: SeriesRow, byRule: readonly string[], shown: readonly OccurrenceTimes[]) {
  const { rule, added, left } = recurrenceOf(series)
  const written = series.written_until
  const made = new Set(byRule)
  const present = new Set(shown.map(({ recurrence_id }) => recurrence_id))
  const isLater = (wall: string) => wall > written
  return {
    ...(rule ? { rule } : {}),
    added: [...[...present].filter((wall) => !made.has(wall)), ...added.filter(isLater)].sort(),
    left: [...byRule.filter((wall) => !present.has(wall)), ...left.filter(isLater)],
  }
}
