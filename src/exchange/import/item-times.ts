import { splitRecurrence } from '../../base/recurrence/change-recurrence.ts'
import { readRecurrence } from '../../base/recurrence/read-recurrence.ts'
import { isFault } from '../../base/recurrence/recurrence.ts'
import { occurrenceStarts } from '../../base/recurrence/rule-dates.ts'
import { recurrenceLines } from '../../base/recurrence/write-recurrence.ts'
import { dayOf, readMoment, wallNow } from '../../base/text/moments.ts'
import { isTimezone } from '../../base/text/zones.ts'
import { settleWhen } from '../../calendar/events/event-when.ts'
import { startOf } from '../../calendar/events/recurrence-present.ts'
import {
  durationOf,
  FOR_EVER,
  MOST_WRITTEN_DATES,
  type Schedule,
  type When,
  whenAt,
} from '../../calendar/series/series-schedule.ts'
import type { SeriesRow } from '../../store/storage/schema.ts'

// Reads the times of items. A series with more past dates than the limit begins later here than in its source.

type Values = Readonly<Record<string, unknown>>

/** The stored times of an event of a source; undefined for times that cannot be read. */
export function whenOf(values: Values, now: number): When | undefined {
  const { start_date, end_date, timezone, all_day } = values
  if (typeof start_date !== 'string' || typeof end_date !== 'string') return undefined
  if (typeof timezone !== 'string' || !isTimezone(timezone)) return undefined
  const [start, end] = [readMoment(start_date, timezone, now), readMoment(end_date, timezone, now)]
  if (!start || !end) return undefined
  const allDay = all_day === true
  return { ...settleWhen({ start, end, timezone, allDay }), timezone, all_day: Number(allDay) }
}

/** The dates before today that are kept of a series with more than the limit. */
const KEPT_DATES = 375
/** The most dates that are counted in the past. */
const MOST_COUNTED = 100_000

/**
 * The later start and the rule of a series with more dates before today than the limit allows; empty for values that can be written unchanged. A series that begins
 * later here already keeps its start. `series` is given when the start is not among the fields to change.
 */
export function laterTimes(values: Values, series: SeriesRow | undefined, now: number): Values {
  const schedule = scheduleIn(values, now)
  const at = schedule && laterStart(schedule, series, now)
  const later =
    schedule && at !== undefined ? splitRecurrence(schedule.recurrence, schedule.start, at)?.after : undefined
  if (!schedule || at === undefined || !later) return {}
  const recurrence = recurrenceLines(later, { ...schedule.start, local: at })
  if (series) return { recurrence }
  const { start_date, end_date } = whenAt(schedule, at)
  return { recurrence, start_date, end_date: schedule.start.allDay ? dayOf(end_date) : end_date }
}

/**
 * The first date that a series has here, if it is later than in the source; else undefined. `first` is the first date that the series has here now; undefined for
 * a series that is not here yet.
 */
export function laterBegin(values: Values, first: string | undefined, now: number): string | undefined {
  const schedule = scheduleIn(values, now)
  if (!schedule || (first !== undefined && first <= schedule.start.local)) return undefined
  const at = laterStart(schedule, undefined, now)
  return at && (first ?? at)
}

/** Whether a series of a source has no date after today. */
export function isSeriesOver(values: Values, now: number): boolean {
  const schedule = scheduleIn(values, now)
  if (!schedule) return false
  const { recurrence, start } = schedule
  const past = occurrenceStarts(recurrence, start, wallNow(start.zone, now), MOST_COUNTED).length
  return occurrenceStarts(recurrence, start, FOR_EVER, past + 1).length === past
}

/** The times and the rule of a series of a source; undefined where they cannot be read. */
export function scheduleIn(values: Values, now: number): Schedule | undefined {
  const when = whenOf(values, now)
  if (!when) return undefined
  const start = startOf(when)
  const recurrence = readRecurrence(values.recurrence, start)
  return recurrence && !isFault(recurrence) ? { start, duration: durationOf(when), recurrence } : undefined
}

/** The date that a series begins with in place of its first, if it must. */
function laterStart({ recurrence, start }: Schedule, series: SeriesRow | undefined, now: number): string | undefined {
  const today = wallNow(start.zone, now)
  const past = occurrenceStarts(recurrence, start, today, MOST_COUNTED)
  if (series && series.start_date > start.local && past.includes(series.start_date)) return series.start_date
  return past.length > MOST_WRITTEN_DATES ? past.at(-KEPT_DATES) : undefined
}
