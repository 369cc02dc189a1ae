import { address, boolean, dateTime, id, list, record, type Schema, status, string } from './schema-parts.ts'

/** How a series repeats, as it and its occurrences say. */
export const ruleProperties = {
  series: id,
  rrule: string,
  rule: { type: ['object', 'null'] },
  text: string,
} satisfies Record<string, Schema>

/** A series as its routes show it (docs/series.md). */
export const seriesSchema: Schema = record({
  id,
  author: { type: 'string', pattern: '^\\d+$' },
  status,
  title: string,
  description: string,
  excerpt: string,
  slug: string,
  url: address,
  rest_url: address,
  timezone: string,
  all_day: boolean,
  start_date: dateTime,
  end_date: dateTime,
  recurrence: record({ ...ruleProperties, lines: list(string) }),
  written_until: { type: ['string', 'null'] },
  created_utc: dateTime,
  modified_utc: dateTime,
  occurrences: record({ total: { type: 'integer', minimum: 0 }, rest_url: address }),
})
