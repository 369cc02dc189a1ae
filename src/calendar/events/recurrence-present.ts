import type { Frequency, Recurrence, Rule, Start } from '../../base/recurrence/recurrence.ts'
import { recurrenceInWords } from '../../base/recurrence/recurrence-in-words.ts'
import { recurrenceObject, ruleText } from '../../base/recurrence/recurrence-text.ts'
import { plainText } from '../../base/text/html.ts'
import type { Db } from '../../store/storage/database.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'
import type { Context } from '../declare/context.ts'
import { findSeriesByIds } from './event-store.ts'

// Presents the recurrence of series and their occurrences: as members of answers, as linked data and in
// words.

/** Reads the rule, the added dates and the left-out dates of a series. */
export function recurrenceOf(series: Pick<SeriesRow, 'rules'>): Recurrence {
  return JSON.parse(series.rules)
}

/** Returns the start from which the rule counts, for a series or an event that begins to repeat. */
export function startOf(series: Pick<SeriesRow, 'start_date' | 'timezone' | 'all_day'>): Start {
  return { local: series.start_date, zone: series.timezone, allDay: series.all_day === 1 }
}

/** Returns the address of the page of a series. */
export function seriesUrl({ url }: Context['site'], { id, slug }: Pick<SeriesRow, 'id' | 'slug'>): string {
  return `${url}/series/${slug === '' ? '' : `${slug}-`}${id}/`
}

/**
 * Presents the series of an occurrence as linked data. It says no more than name, page and rule, since search
 * engines show occurrences alone.
 */
export function seriesLinkedData({ site }: Pick<Context, 'site'>, series: SeriesRow): object {
  const { rule } = recurrenceOf(series)
  const url = seriesUrl(site, series)
  return {
    '@type': 'EventSeries',
    '@id': url,
    name: plainText(series.title),
    url,
    ...(rule ? { eventSchedule: linkedSchedule(rule, startOf(series)) } : {}),
  }
}

const PERIODS: Readonly<Record<Frequency, string>> = { daily: 'D', weekly: 'W', monthly: 'M', yearly: 'Y' }

function linkedSchedule(rule: Rule, { local, zone, allDay }: Start): object {
  const { frequency, interval, count, until, weekdays, monthdays, months } = rule
  return {
    '@type': 'Schedule',
    repeatFrequency: `P${interval}${PERIODS[frequency]}`,
    startDate: local.slice(0, 10),
    ...(allDay ? {} : { startTime: local.slice(11) }),
    ...(until === undefined ? {} : { endDate: until.slice(0, 10) }),
    ...(count === undefined ? {} : { repeatCount: count }),
    ...(weekdays.length === 0 ? {} : { byDay: weekdays }),
    ...(monthdays.length === 0 ? {} : { byMonthDay: monthdays }),
    ...(months.length === 0 ? {} : { byMonth: months }),
    scheduleTimezone: zone,
  }
}

/**
 * A rule as answers show it: as its line without the name, as an object and in words. A series of dates
 * without a rule has no line and no object.
 */
export interface ShownRule {
  rrule: string
  rule: object | null
  text: string
}

/** Shown rules by the row of their series, which occurrences that are shown together share. */
const shown = new WeakMap<SeriesRow, ShownRule>()

export function showRule({ site, say }: Pick<Context, 'site' | 'say'>, series: SeriesRow): ShownRule {
  const known = shown.get(series)
  if (known) return known
  const [recurrence, start] = [recurrenceOf(series), startOf(series)]
  const { rule } = recurrence
  const found: ShownRule = {
    rrule: rule ? ruleText(rule, start) : '',
    rule: rule ? recurrenceObject({ rule, added: [], left: [] }, start) : null,
    // The words of a rule say nothing of dates that are added or left out one by one.
    text: recurrenceInWords(rule ? { rule, added: [], left: [] } : recurrence, start, site.language, say),
  }
  shown.set(series, found)
  return found
}

/**
 * Returns how a series repeats, in words and without its end, such as "every Thursday"; `''` for a series of
 * dates without a rule.
 */
export function rhythmOf({ site, say }: Pick<Context, 'site' | 'say'>, series: SeriesRow): string {
  const { rule } = recurrenceOf(series)
  if (!rule) return ''
  const { count: _count, until: _until, ...endless } = rule
  return recurrenceInWords({ rule: endless, added: [], left: [] }, startOf(series), site.language, say)
}

/** Returns the names of the fields in which an occurrence differs from its series. */
export function ownFields({ own }: Pick<EventRow, 'own'>): string[] {
  return own === '' ? [] : own.split(',')
}

/**
 * Presents the members that occurrences alone have, behind all other members: their recurrence, and the id of
 * their series.
 */
export function presentRecurrence(
  context: Pick<Context, 'site' | 'say'>,
  row: Pick<EventRow, 'recurrence_id' | 'own'>,
  series: SeriesRow,
): { recurrence: object; post_parent: number } {
  const recurrence = {
    series: series.id,
    ...showRule(context, series),
    id: row.recurrence_id,
    overrides: ownFields(row),
  }
  return { recurrence, post_parent: series.id }
}

const selectOccurrences = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(['id', 'series', 'recurrence_id', 'own']).where('id', 'in', value('ids')),
)

/** Presents the recurrence of events, by id. An event that is no occurrence has no entry. */
export async function presentRecurrences(
  context: Pick<Context, 'site' | 'say'>,
  db: Db,
  ids: readonly number[],
): Promise<Map<number, object>> {
  if (ids.length === 0) return new Map()
  const rows = await selectOccurrences(db, { ids })
  const all = await findSeriesByIds(db, [...new Set(rows.flatMap(({ series }) => series ?? []))])
  return new Map(
    rows.flatMap((row) => {
      const series = all.get(row.series ?? 0)
      return series ? [[row.id, presentRecurrence(context, row, series)] as const] : []
    }),
  )
}
