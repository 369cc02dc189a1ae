import { MOST_DATES, type RecurrenceObject } from './recurrence-text.ts'

// Reads recurrences as other products write them:
// `{"type":"weekly","end_type":"never"}`, `rules` with `custom` members, or
// `{"rrule":{"freq":"weekly","byweekday":["tu"]}}`.

type Members = Readonly<Record<string, unknown>>

const FOREIGN = ['type', 'rules', 'custom', 'exclusions', 'end_type', 'end-type', 'endType', 'freq']

export function isForeign(recurrence: unknown): boolean {
  if (Array.isArray(recurrence)) return recurrence.some(isMembers)
  if (!isMembers(recurrence) || 'frequency' in recurrence) return false
  return isMembers(recurrence.rrule) || FOREIGN.some((name) => name in recurrence)
}

/** Converts a recurrence of another product; undefined if it has no rule or does not fit into one `Rule`. */
export function foreignRule(sent: unknown): RecurrenceObject | undefined {
  const { rrule, ...beside } = isMembers(sent) ? sent : {}
  if (isMembers(rrule) && !areBlank(beside, [])) return undefined
  const recurrence = isMembers(rrule) ? rrule : sent
  const { rules = [recurrence], ...others } = isMembers(recurrence) ? recurrence : { rules: recurrence }
  const [rule, ...more] = Array.isArray(rules) ? rules : []
  if (!isMembers(rule) || more.length > 0 || (rule !== recurrence && !areBlank(others, ['description'])))
    return undefined
  const custom = isMembers(rule.custom) ? rule.custom : {}
  const week = isMembers(custom.week) ? custom.week : {}
  if (!areBlank(rule, KNOWN) || !areBlank(custom, IN_CUSTOM) || !areBlank(week, ['day'])) return undefined
  const frequency = frequencyOf(rule.type ?? rule.freq) ?? frequencyOf(custom.type)
  const interval = numberIn(custom.interval ?? rule.interval ?? 1, 1000)
  const days = [week.day ?? rule.byweekday ?? []].flat().map(weekdayOf)
  const end = endOf(rule)
  if (!frequency || !interval || !end || days.includes(undefined)) return undefined
  if (days.length > 0 && frequency !== 'weekly') return undefined
  return {
    frequency,
    interval,
    ...end,
    ...(days.length === 0 ? {} : { weekdays: days.flatMap((day) => day ?? []) }),
  }
}

const KNOWN = [
  ...['type', 'custom', 'interval', 'end_type', 'end-type', 'endType', 'end', 'end_date', 'endDate', 'until'],
  ...[
    'end_count',
    'end-count',
    'endCount',
    'count',
    'occurrences',
    'description',
    'EventStartDate',
    'EventEndDate',
  ],
  ...['freq', 'byweekday', 'dtstart'],
]
const IN_CUSTOM = ['type', 'interval', 'week', 'same-time']
const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']

const FREQUENCIES: Readonly<Record<string, string>> = {
  ...{ daily: 'daily', day: 'daily', weekly: 'weekly', week: 'weekly' },
  ...{ monthly: 'monthly', month: 'monthly', yearly: 'yearly', year: 'yearly', annually: 'yearly' },
}

function frequencyOf(type: unknown): string | undefined {
  const name = wordOf(type).replace(/^every /, '')
  return Object.hasOwn(FREQUENCIES, name) ? FREQUENCIES[name] : undefined
}

function weekdayOf(day: unknown): string | undefined {
  const word = wordOf(day)
  return WEEKDAYS.find((weekday, index) => word === weekday || word === String(index + 1))
}

const wordOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : ''

function endOf(rule: Members): Pick<RecurrenceObject, 'count' | 'until'> | undefined {
  const first = (...names: string[]) => names.map((name) => rule[name]).find((value) => !isBlank(value))
  const count = first('end_count', 'end-count', 'endCount', 'count', 'occurrences')
  const end = first('end', 'end_date', 'endDate', 'until')
  const [until] = /^\d{4}-\d\d-\d\d/.exec(wordOf(end)) ?? []
  const unsaid = end === undefined ? 'never' : 'on'
  const type = wordOf(first('end_type', 'end-type', 'endType') ?? (count ? 'after' : unsaid))
  if (NEVER.includes(type)) return {}
  if (ON.includes(type)) return until ? { until } : undefined
  const times = AFTER.includes(type) ? numberIn(count, MOST_DATES) : undefined
  return times ? { count: times } : undefined
}

const NEVER = ['never', 'none', 'no']
const ON = ['on', 'date', 'until', 'by', 'on_date']
const AFTER = ['after', 'count', 'occurrences']

function numberIn(value: unknown, most: number): number | undefined {
  const number = /^\d{1,4}$/.test(wordOf(value)) ? Number(value) : 0
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

function areBlank(members: Members, but: readonly string[]): boolean {
  return Object.entries(members).every(
    ([name, value]) =>
      but.includes(name) || isBlank(value) || (isMembers(value) && Object.keys(value).length === 0),
  )
}
