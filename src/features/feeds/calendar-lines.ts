import {
  endWith,
  LAST_WALL,
  matchingDates,
  type Recurrence,
  type Rule,
  ruleDates,
  type Start,
} from '../../base/recurrence/recurrence.ts'
import { recurrenceLines } from '../../base/recurrence/recurrence-text.ts'

/**
 * RRULE, RDATE and EXDATE of a series. Calendar programs differ on a rule that does not yield DTSTART: then
 * DTSTART is also written as RDATE, and COUNT as UNTIL.
 */
export function calendarLines(recurrence: Recurrence, start: Start): string[] {
  const { rule, added, left } = recurrence
  if (!rule || matchingDates(rule, start, start.local).next().done === false)
    return recurrenceLines(recurrence, start)
  const written = { added: [start.local, ...added.filter((wall) => wall !== start.local)], left }
  if (rule.count === undefined) return recurrenceLines({ ...written, rule }, start)
  const last = lastDate(rule, start)
  const { count: _count, ...endless } = rule
  return recurrenceLines(
    last === start.local ? written : { ...written, rule: { ...endless, until: endWith(last, start) } },
    start,
  )
}

function lastDate(rule: Rule, start: Start): string {
  let last = start.local
  for (const wall of ruleDates(rule, start, LAST_WALL)) last = wall
  return last
}
