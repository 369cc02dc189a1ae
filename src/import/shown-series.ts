import { readRecurrence } from '../recurrence/read-recurrence.ts'
import { isFault, type Recurrence, type Start } from '../recurrence/recurrence.ts'
import { endWith, occurrenceStarts } from '../recurrence/rule-dates.ts'
import { recurrenceLines } from '../recurrence/write-recurrence.ts'
import { durationOf, whenAt } from '../series/series-schedule.ts'
import { datedSlug } from '../series/series-writes.ts'
import { dayOf, isWallTime } from '../text/moments.ts'
import { wallToUtc } from '../text/zones.ts'
import { whenOf } from './item-times.ts'
import { isShown, itemsOf, type Shown } from './shown-records.ts'
import type { SourceEntry, SourceItem } from './source-item.ts'

/** The most occurrences of one series that are read. */
export const MOST_OCCURRENCES = 5000

/** How an answer shows that an event is an occurrence. */
interface ShownOccurrence {
  record: Shown
  /** Its original start. */
  start: string
  rrule: string
  overrides: readonly string[]
}

/** The series that a record is an occurrence of, if any: its number in the source. */
export function seriesIn(record: unknown): string | undefined {
  if (!isShown(record) || !isShown(record.recurrence)) return undefined
  const { series, id } = record.recurrence
  return typeof series === 'number' && typeof id === 'string' && isWallTime(id) ? String(series) : undefined
}

/**
 * Turns all shown occurrences of one series into a series, and an item for each occurrence that differs from it. If no rule gives these dates, they
 * become single events.
 */
export function* seriesEntries(records: readonly unknown[], series: string, at: string): Generator<SourceEntry> {
  const occurrences = records.flatMap((record) => occurrenceIn(record) ?? []).sort(byStart)
  const common = occurrences.find(({ overrides }) => overrides.length === 0) ?? occurrences[0]
  const shared = common && sharedItem(common, series, at, occurrences)
  if (!shared) {
    for (const record of records) yield* itemsOf('event', record, at)
    return
  }
  yield* referredBy(common.record, at)
  yield shared.item
  for (const one of occurrences) {
    const isNamed = shared.slug !== '' && one.record.slug !== datedSlug(shared.slug, one.start)
    if (one.overrides.length > 0 || isNamed) yield* ownEntries(one, shared, at)
  }
}

const byStart = (a: ShownOccurrence, b: ShownOccurrence) => (a.start < b.start ? -1 : Number(a.start > b.start))

function occurrenceIn(record: unknown): ShownOccurrence | undefined {
  if (seriesIn(record) === undefined || !isShown(record) || !isShown(record.recurrence)) return undefined
  const { id, rrule, overrides } = record.recurrence
  return {
    record,
    start: String(id),
    rrule: typeof rrule === 'string' ? rrule : '',
    overrides: Array.isArray(overrides) ? overrides.map(String) : [],
  }
}

/** What the occurrences of a series have in common. */
interface SharedItem {
  item: SourceItem
  slug: string
  place: Start
}

function sharedItem(
  { record, start, rrule }: ShownOccurrence,
  series: string,
  at: string,
  occurrences: readonly ShownOccurrence[],
): SharedItem | undefined {
  const event = [...itemsOf('event', record, at)].at(-1)
  const first = occurrences[0]?.start
  if (!event || !('kind' in event) || first === undefined) return undefined
  const when = whenOf(event.values, 0)
  if (!when) return undefined
  const place: Start = { local: first, zone: when.timezone, allDay: when.all_day === 1 }
  const starts = [...new Set(occurrences.map((one) => one.start))]
  const recurrence = recurrenceOf(rrule, place, starts)
  if (!recurrence) return undefined
  const times = whenAt({ start: place, duration: durationOf(when), recurrence }, first)
  const slug = typeof event.values.slug === 'string' ? undatedSlug(event.values.slug, start) : ''
  const { slug: _slug, ...values } = event.values
  const dates = {
    start_date: place.allDay ? dayOf(times.start_date) : times.start_date,
    end_date: place.allDay ? dayOf(times.end_date) : times.end_date,
    recurrence: recurrenceLines(recurrence, place),
  }
  const named = slug === '' ? {} : { slug }
  const formerly = String(occurrences[0]?.record.id)
  const whole = { ...values, ...dates, ...named }
  const item: SourceItem = { ...event, kind: 'series', identity: series, values: whole, formerly }
  return { item, slug, place }
}

/** The recurrence that has exactly these dates, and the dates of the rule after the last of them. */
function recurrenceOf(rrule: string, start: Start, starts: readonly string[]): Recurrence | undefined {
  const last = starts.at(-1) ?? start.local
  const read = rrule === '' ? { added: [], left: [] } : readRecurrence(`RRULE:${rrule}`, start)
  if (!read || isFault(read)) return undefined
  const made = occurrenceStarts(read, start, last, MOST_OCCURRENCES)
  const [has, makes] = [new Set(starts), new Set(made)]
  const added = starts.filter((wall) => !makes.has(wall))
  const left = made.filter((wall) => !has.has(wall))
  const whole = { ...endingWith(read, start, last), added, left }
  const again = readRecurrence(recurrenceLines(whole, start), start)
  return again && !isFault(again) ? again : undefined
}

/** A rule with a count has counted dates that are not shown: if it would go on, it ends with the last shown date. */
function endingWith(read: Recurrence, start: Start, last: string): Recurrence {
  const { rule } = read
  if (rule?.count === undefined) return read
  const { count: _count, ...endless } = rule
  const next = occurrenceStarts(read, start, '9999-12-31 23:59:59', rule.count).at(-1)
  return next === undefined || next <= last ? read : { ...read, rule: { ...endless, until: endWith(last, start) } }
}

/** Everything that the record of an event refers to. */
function* referredBy(record: Shown, at: string): Generator<SourceEntry> {
  for (const entry of itemsOf('event', record, at)) if (!('kind' in entry) || entry.kind !== 'event') yield entry
}

/** An occurrence by itself, after what it refers to. */
function* ownEntries(one: ShownOccurrence, { item, slug, place }: SharedItem, at: string): Generator<SourceEntry> {
  for (const entry of itemsOf('event', one.record, at)) {
    if (!('kind' in entry) || entry.kind !== 'event') {
      yield entry
      continue
    }
    const { slug: own, ...values } = entry.values
    yield {
      ...entry,
      identity: item.identity,
      occurrence: place.allDay ? dayOf(one.start) : `${wallToUtc(one.start, place.zone).replace(' ', 'T')}Z`,
      values: own === datedSlug(slug, one.start) ? values : entry.values,
    }
  }
}

/** The slug of a series, from the slug of its occurrence: without the day at its end. */
function undatedSlug(slug: string, start: string): string {
  const end = `-${dayOf(start)}`
  return slug.endsWith(end) ? slug.slice(0, -end.length) : slug
}
