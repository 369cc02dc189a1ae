import {
  address,
  anyOf,
  boolean,
  dateTime,
  flagsAndLinks,
  id,
  integer,
  list,
  record,
  type Schema,
  schemaRef,
  status,
  string,
} from './schema-parts.ts'

/** A rule of events that repeat, in plain members instead of lines. */
export const ruleSchema: Schema = record(
  {
    frequency: { type: 'string', enum: ['daily', 'weekly', 'monthly', 'yearly'] },
    interval: { type: 'integer', minimum: 1 },
    count: { type: 'integer', minimum: 1 },
    until: string,
    weekdays: { ...list(string), examples: [['tu', '-1fr']] },
    month_days: list(integer),
    months: list(integer),
    positions: list(integer),
    week_start: string,
    added: list(string),
    left: list(string),
  },
  [],
)

/** How a series repeats, as it and its occurrences say. */
const ruleProperties = {
  series: id,
  rrule: string,
  rule: anyOf(ruleSchema, { type: 'null' }),
  text: string,
} satisfies Record<string, Schema>

/** How an occurrence repeats, which plain events do not show. */
export const recurrenceShown: Schema = record({ ...ruleProperties, id: dateTime, overrides: list(string) })

/** A series as its routes show it (docs/series.md). */
export const seriesSchema: Schema = record({
  id,
  author: { type: 'string', pattern: '^\\d+$' },
  status,
  title: string,
  description: string,
  excerpt: string,
  slug: string,
  image: anyOf(schemaRef('Image'), { type: 'boolean', const: false }),
  url: address,
  rest_url: address,
  timezone: string,
  all_day: boolean,
  start_date: dateTime,
  end_date: dateTime,
  recurrence: record({ ...ruleProperties, lines: list(string) }),
  website: string,
  cost: string,
  cost_details: schemaRef('CostDetails'),
  ...flagsAndLinks,
  written_until: { type: ['string', 'null'] },
  created_utc: dateTime,
  modified_utc: dateTime,
  occurrences: record({ total: { type: 'integer', minimum: 0 }, rest_url: address }),
})
