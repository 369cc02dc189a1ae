import { type FieldData, STATUSES } from './field.ts'
import type { Kind } from './kinds.ts'

// Says where each representation shows a field, and holds the schemas of answers.

// The schemas of answers that several resources share.

/** A JSON schema (draft 2020-12), the dialect of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>
export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const arrayOf = (items: Schema): Schema => ({ type: 'array', items })
export const anyOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })
export const record = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
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

/** The name of a record that is unique among all deployments (`global_id`). */
export const globalIdSchema: Schema = { type: 'string', examples: ['example.org?id=12'] }
/** The id of a user, which answers show as text (rule 4.2). */
export const author: Schema = { type: 'string', pattern: '^\\d+$' }
/** A map that is always empty, shown as an empty list (rule 5.7). */
export const emptyList: Schema = { type: 'array', items: {}, maxItems: 0 }

/** The rule of a series as an object, in place of lines. */
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

/** The members that say how a series repeats, which the series and its occurrences share. */
const ruleProperties = {
  series: id,
  rrule: string,
  rule: anyOf(ruleSchema, { type: 'null' }),
  text: string,
} satisfies Record<string, Schema>

/**
 * The member of an occurrence that says how its series repeats. Events that do not repeat have no such
 * member.
 */
export const recurrenceShown: Schema = record({ ...ruleProperties, id: dateTime, overrides: arrayOf(string) })

/** The member of a series that says how it repeats. */
export const repetition: Schema = record({ ...ruleProperties, lines: arrayOf(string) })

/**
 * The members of a venue or organizer beside its fields. Answers leave out members of `some` without a value
 * (rules 6.1 to 6.3).
 */
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

/**
 * The members of a category or tag in the answers of its own routes (rule 7.1). Tags have no `parent`,
 * entries of lists have no `_links`.
 */
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

/** The members of a category or tag within an event (rule 7.3). */
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
export type Answer<Members extends { always: object; some: object }> = Record<
  keyof Members['always'],
  unknown
> &
  Partial<Record<keyof Members['some'], unknown>>

// The places of a field: the representations of an event, a venue or an organizer that show it.

/** The reason why a representation does not have a member. */
interface Omitted {
  not: string
}

/** Where a representation has a member: under its own name (true), under another name, or not at all. */
type Place = true | string | Omitted

/**
 * A member of an event, and the representations that have it. Single answers, lists, NDJSON and exports have
 * every member, and the history has every column and link, unless a property here says otherwise.
 */
export interface Member {
  /** The source of the value: a column, rows of other tables, or a computation from these. */
  from: 'column' | 'link' | 'computed'
  /** The schema of the member in answers, unless the kind of the field has it. */
  schema?: Schema
  /**
   * Marks a member that only events with a value show, or only events with a value in the field that is named
   * here. All representations show such a column by the `show` of its kind, so it cannot be a text with
   * markup.
   */
  rare?: true | string
  /** Why lists do not have the member, although single answers do. */
  lists?: Omitted
  /** The column of the table of events (CSV). */
  csv: Place
  /** The member of an item of JSON Feed; rare members are below `_kalends`. */
  feed: Place
  /** The property of iCalendar. */
  ics: string | Omitted
  /** The property of schema.org in the format JSON-LD. */
  jsonld: string | Omitted
  /** The member in answers to assistants. */
  assistants: Place
  series: true | Omitted
  /** Whether the member is kept of an event that the public no longer sees. */
  withdrawn: true | Omitted
  /** Whether the page for people shows the member. */
  page: true | Omitted
}

/** A field of events: one that answers show as a member, or one that only requests have. */
export type MemberField = FieldData & (Member | { from: 'request' })

/**
 * A field of a venue or organizer. Its own answers and those of its events have it; `csv` and `page` say
 * whether the table of events and its page do.
 */
export type LinkedField = FieldData & Pick<Member, 'csv' | 'page'>

/** A field that a table has as a column of the same name. */
export interface Tabled<Name = string> extends Required<Pick<Kind<unknown>, 'read' | 'show'>> {
  name: Name
  /** The value of the column where nothing was sent. */
  blank: unknown
}

/** Returns the fields of a venue or organizer that the table of events has as columns of the same names. */
export function tabled<Fields extends Readonly<Record<string, LinkedField>>>(
  fields: Fields,
): readonly Tabled<WithValue<Fields, 'csv', true>>[] {
  return namesWith(fields, 'csv', true).map((name) => {
    const { read, show = asKept, blank } = (fields[name] as LinkedField).kind
    return { name, read, show, blank }
  })
}

/** Shows a column as it is stored, for kinds without `show`. */
export const asKept = (kept: unknown) => kept

/** The names of the members of which a property, such as `from`, has a value. */
export type WithValue<Members, Property extends string, Value> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Property, Value>> ? Name : never
}[keyof Members]

/** The names under which a representation, such as `csv`, has its members. */
export type NamesIn<Members, Where extends string> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Where, infer Given>>
    ? Given extends true
      ? Name
      : Extract<Given, string>
    : never
}[keyof Members]

/**
 * Returns the names of the members of which a property has a value; `WithValue` is the type of these names.
 */
export function namesWith<Members extends object, const Property extends string, const Value>(
  members: Members,
  property: Property,
  value: Value,
): WithValue<Members, Property, Value>[] {
  const found = Object.entries(members).filter(([, member]) => member[property] === value)
  return found.map(([name]) => name) as WithValue<Members, Property, Value>[]
}

const TEXT = { not: 'nobody is to read on what was taken back' }

/** A column that all representations have but iCalendar and JSON-LD, unless its property is named. */
export const everywhere = {
  from: 'column',
  csv: true,
  feed: true,
  ics: { not: 'iCalendar has no word for it' },
  jsonld: { not: 'schema.org has no word for it' },
  assistants: true,
  series: true,
  withdrawn: true,
  page: true,
} as const

/** A text that all representations have but these. A withdrawn event keeps no texts. */
export const textEverywhere = { ...everywhere, withdrawn: TEXT } as const

/**
 * Returns the places of a member that says the same as another one, in another form for programs: only
 * answers have it.
 */
export function saidBy(name: string) {
  const not: Omitted = { not: `${name} says the same` }
  return {
    from: 'computed',
    csv: not,
    feed: not,
    ics: not,
    jsonld: not,
    assistants: not,
    series: not,
    withdrawn: { not: 'it is made of columns' },
    page: not,
  } as const
}

const UNASKED = { not: 'readers of events ask where to go and whom to ask' }

/**
 * The places of a field of a venue or organizer: beside answers, the table of events and the page
 * (`inTable`), the page alone, or nothing.
 */
export const inTable = { csv: true, page: true } as const
export const onPage = { csv: UNASKED, page: true } as const
export const inAnswers = { csv: UNASKED, page: UNASKED } as const
