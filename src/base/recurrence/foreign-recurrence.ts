import { MOST_DATES, type RecurrenceObject } from './recurrence-text.ts'

// Reads how other products say that an event repeats: `{"type":"weekly","end_type":"never"}`, and `rules` with `custom` parts.

type Members = Readonly<Record<string, unknown>>

/** The members by which a recurrence is known to be that of another product. */
const FOREIGN = ['type', 'rules', 'custom', 'exclusions', 'end_type', 'end-type', 'endType']

/** Decides whether a recurrence has the form of another product. */
export function isForeign(recurrence: unknown): boolean {
  if (Array.isArray(recurrence)) return recurrence.some(isMembers)
  return isMembers(recurrence) && !('frequency' in recurrence) && FOREIGN.some((name) => name in recurrence)
}

/** Returns the rule that a recurrence of another product says; undefined where it says none, or more than one rule can say. */
export function foreignRule(recurrence: unknown): RecurrenceObject | undefined {
  const { rules = [recurrence], ...others } = isMembers(recurrence) ? recurrence : { rules: recurrence }
  const [rule, ...more] = Array.isArray(rules) ? rules : []
  if (!isMembers(rule) || more.length > 0 || (rule !== recurrence && !areBlank(others, ['description'])))
    return undefined
  const custom = isMembers(rule.custom) ? rule.custom : {}
  const week = isMembers(custom.week) ? custom.week : {}
  if (!areBlank(rule, KNOWN) || !areBlank(custom, IN_CUSTOM) || !areBlank(week, ['day'])) return undefined
  const frequency = frequencyOf(rule.type) ?? frequencyOf(custom.type)
  const interval = numberIn(custom.interval ?? rule.interval ?? 1, 1000)
  const days = [week.day ?? []].flat().map((day) => WEEKDAYS[Number(day) - 1])
  const end = endOf(rule)
  if (!frequency || !interval || !end || days.includes(undefined)) return undefined
  if (days.length > 0 && frequency !== 'weekly') return undefined
  return { frequency, interval, ...end, ...(days.length === 0 ? {} : { weekdays: days.flatMap((day) => day ?? []) }) }
}

const KNOWN = [
  ...['type', 'custom', 'interval', 'end_type', 'end-type', 'endType', 'end', 'end_date', 'endDate', 'until'],
  ...['end_count', 'end-count', 'endCount', 'count', 'occurrences', 'description', 'EventStartDate', 'EventEndDate'],
]
const IN_CUSTOM = ['type', 'interval', 'week', 'same-time']
const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']

const FREQUENCIES: Readonly<Record<string, string>> = {
  ...{ daily: 'daily', day: 'daily', weekly: 'weekly', week: 'weekly' },
  ...{ monthly: 'monthly', month: 'monthly', yearly: 'yearly', year: 'yearly', annually: 'yearly' },
}

function frequencyOf(type: unknown): string | undefined {
  return FREQUENCIES[
    String(type)
      .toLowerCase()
      .replace(/^every /, '')
  ]
}

/** Returns when a rule ends, nothing for one without an end; undefined where it is not clear. */
function endOf(rule: Members): Pick<RecurrenceObject, 'count' | 'until'> | undefined {
  const first = (...names: string[]) => names.map((name) => rule[name]).find((value) => !isBlank(value))
  const count = first('end_count', 'end-count', 'endCount', 'count', 'occurrences')
  const [until] = /^\d{4}-\d\d-\d\d/.exec(String(first('end', 'end_date', 'endDate', 'until'))) ?? []
  const unsaid = until ? 'on' : 'never'
  const type = String(first('end_type', 'end-type', 'endType') ?? (count ? 'after' : unsaid)).toLowerCase()
  if (NEVER.includes(type)) return {}
  if (ON.includes(type)) return until ? { until } : undefined
  const times = AFTER.includes(type) ? numberIn(count, MOST_DATES) : undefined
  return times ? { count: times } : undefined
}

const NEVER = ['never', 'none', 'no']
const ON = ['on', 'date', 'until', 'by', 'on_date']
const AFTER = ['after', 'count', 'occurrences']

function numberIn(value: unknown, most: number): number | undefined {
  const number = /^\d{1,4}$/.test(String(value)) ? Number(value) : 0
  return number >= 1 && number <= most ? number : undefined
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isBlank = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** Returns true where all members but these say nothing. */
function areBlank(members: Members, but: readonly string[]): boolean {
  return Object.entries(members).every(
    ([name, value]) => but.includes(name) || isBlank(value) || (isMembers(value) && Object.keys(value).length === 0),
  )
}
