import { settleWhen } from '../events/event-when.ts'
import type { When } from '../series/series-schedule.ts'
import { readMoment } from '../text/moments.ts'
import { isTimezone } from '../text/zones.ts'

/** The stored times of an event of a source; undefined for times that cannot be read. */
export function whenOf(values: Readonly<Record<string, unknown>>, now: number): When | undefined {
  const { start_date, end_date, timezone, all_day } = values
  if (typeof start_date !== 'string' || typeof end_date !== 'string') return undefined
  if (typeof timezone !== 'string' || !isTimezone(timezone)) return undefined
  const [start, end] = [readMoment(start_date, timezone, now), readMoment(end_date, timezone, now)]
  if (!start || !end) return undefined
  const allDay = all_day === true
  return { ...settleWhen({ start, end, timezone, allDay }), timezone, all_day: Number(allDay) }
}
