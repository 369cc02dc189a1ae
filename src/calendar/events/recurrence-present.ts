import type { Frequency, Recurrence, Rule, Start } from '../../base/recurrence/recurrence.ts'
import { recurrenceInWords } from '../../base/recurrence/recurrence-in-words.ts'
import { recurrenceObject, ruleText } from '../../base/recurrence/recurrence-text.ts'
import { plainText } from '../../base/text/html.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'

export function recurrenceOf(series: Pick<SeriesRow, 'rules'>): Recurrence {
  return JSON.parse(series.rules)
}

export function startOf(series: Pick<SeriesRow, 'start_date' | 'timezone' | 'all_day'>): Start {
  return { local: series.start_date, zone: series.timezone, allDay: series.all_day === 1 }
}

export function seriesUrl({ url }: Context['site'], { id, slug }: Pick<SeriesRow, 'id' | 'slug'>): string {
  return `${url}/series/${slug === '' ? '' : `${slug}-`}${id}/`
}

/** An EventSeries with only name, page and rule: each occurrence has linked data of its own. */
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

/** For dates without a rule, `rrule` is empty and `rule` is null. */
export interface ShownRule {
  rrule: string
  rule: object | null
  text: string
}

/** Cache: occurrences in one answer share the row of their series. */
const shown = new WeakMap<SeriesRow, ShownRule>()

export function showRule({ site, say }: Pick<Context, 'site' | 'say'>, series: SeriesRow): ShownRule {
  const known = shown.get(series)
  if (known) return known
  const [recurrence, start] = [recurrenceOf(series), startOf(series)]
  const { rule } = recurrence
  const found: ShownRule = {
    rrule: rule ? ruleText(rule, start) : '',
    rule: rule ? recurrenceObject({ rule, added: [], left: [] }, start) : null,
    // If there is a rule, the words describe it alone, without dates that were added or left out.
    text: recurrenceInWords(rule ? { rule, added: [], left: [] } : recurrence, start, site.language, say),
  }
  shown.set(series, found)
  return found
}

export function ownFields({ own }: Pick<EventRow, 'own'>): string[] {
  return own === '' ? [] : own.split(',')
}

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
