import { STATUSES } from './field.ts'

// Schemas of answers that several resources share.

/** A JSON schema (draft 2020-12), the dialect of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>
export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const arrayOf = (items: Schema): Schema => ({ type: 'array', items })
export const anyOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })
export const record = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})

export const string: Schema = { type: 'string' }
export const integerSchema: Schema = { type: 'integer' }
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
export const globalIdSchema: Schema = { type: 'string', examples: ['example.org?id=12'] }
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
    weekdays: { ...arrayOf(string), examples: [['tu', '-1fr']] },
    month_days: arrayOf(integerSchema),
    months: arrayOf(integerSchema),
    positions: arrayOf(integerSchema),
    week_start: string,
    added: arrayOf(string),
    left: arrayOf(string),
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
export const recurrenceShown: Schema = record({ ...ruleProperties, id: dateTime, overrides: arrayOf(string) })

/** How a series repeats. */
export const repetition: Schema = record({ ...ruleProperties, lines: arrayOf(string) })

/** The members of a venue or organizer beside its fields: answers leave out those of `some` without a value (rules 6.1 to 6.3). */
export const linkedMembers = {
  always: {
    id,
    author,
    status,
    date: dateTime,
    date_utc: dateTime,
    modified: dateTime,
    modified_utc: dateTime,
    url: address,
    global_id: globalIdSchema,
    global_id_lineage: arrayOf(globalIdSchema),
  },
  some: {
    description: string,
    excerpt: string,
    slug: string,
    image: schemaRef('Image'),
    json_ld: schemaRef('LinkedData'),
  },
} satisfies Record<string, Record<string, Schema>>

const termUrls = schemaRef('TermUrls')
const hrefs = arrayOf(record({ href: address }))

/** The members of a category or tag as its own routes show it (rule 7.1): tags have no `parent`, entries of lists no `_links`. */
export const termMembers = {
  always: {
    id,
    count: integerSchema,
    description: string,
    name: string,
    slug: string,
    taxonomy: string,
    meta: emptyList,
    url: address,
    urls: termUrls,
  },
  some: {
    parent: integerSchema,
    _links: record({ self: hrefs, collection: hrefs, up: hrefs }, ['self', 'collection']),
  },
} satisfies Record<string, Record<string, Schema>>

/** The members of a category or tag as events show it (rule 7.3). */
export const embeddedTermMembers = {
  name: string,
  slug: string,
  term_group: integerSchema,
  term_taxonomy_id: id,
  taxonomy: string,
  description: string,
  parent: integerSchema,
  count: integerSchema,
  filter: { type: 'string', const: 'raw' },
  id,
  urls: termUrls,
} satisfies Record<string, Schema>

/** An answer that has every member of `always`, and may have any of `some`. */
export type Answer<Members extends { always: object; some: object }> = Record<keyof Members['always'], unknown> &
  Partial<Record<keyof Members['some'], unknown>>
