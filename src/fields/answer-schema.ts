import { STATUSES } from './record-fields.ts'

/** A JSON schema (draft 2020-12), the dialect of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>
export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const list = (items: Schema): Schema => ({ type: 'array', items })
export const anyOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })
export const record = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})

export const string: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }
export const boolean: Schema = { type: 'boolean' }
export const id: Schema = { type: 'integer', minimum: 1 }
export const address: Schema = { type: 'string', format: 'uri' }
export const status: Schema = { type: 'string', enum: STATUSES }
export const dateTime: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
  examples: ['2027-05-04 19:30:00'],
}

/** The name of a record, unique among all deployments. */
export const globalId: Schema = { type: 'string', examples: ['example.org?id=12'] }
/** The id of a user, which answers show as text (rule 4.2). */
export const author: Schema = { type: 'string', pattern: '^\\d+$' }
/** A map that is always empty (rule 5.7). */
export const emptyList: Schema = { type: 'array', items: {}, maxItems: 0 }

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

/** How a series repeats. */
export const repetition: Schema = record({ ...ruleProperties, lines: list(string) })
