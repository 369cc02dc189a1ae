import { type FieldData, STATUSES } from './field.ts'
import type { Kind } from './kinds.ts'

// What answers have of a field: its member in each representation, and its schema.

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

// The places of a field: which representations of an event, a venue or an organizer have it.

/** Why a representation does not have a member. */
interface Omitted {
  not: string
}

/** A representation has a member by its own name, or by another one, or does not have it. */
type Place = true | string | Omitted

/**
 * A member of an event in the answers of the interface, which single answers, lists, NDJSON and exports have, and where else it stands. The history has
 * every column and link.
 */
export interface Member {
  /** A column, rows of other tables, or made of these. */
  from: 'column' | 'link' | 'computed'
  /** The schema of the member in answers, unless the kind of the field says it. */
  schema?: Schema
  /**
   * Only events with a value show it or, where a field is named here, events with a value in that field. All representations show such a column as
   * its kind says, so it cannot be a text with markup.
   */
  rare?: true | string
  lists?: Omitted
  /** The column of the table. */
  csv: Place
  /** The member of an item of JSON Feed; below `_kalends` for those that are rare. */
  feed: Place
  /** The property of iCalendar. */
  ics: string | Omitted
  series: true | Omitted
  /** Whether the member is kept of an event that the public no longer sees. */
  withdrawn: true | Omitted
  /** The page for people. */
  page: true | Omitted
}

/** A field of events: as a member, or one that no answer has. */
export type MemberField = FieldData & (Member | { from: 'request' })

/** A field of a venue or organizer, which its answers and those of its events show: whether the table of events and its own page have it. */
export type LinkedField = FieldData & Pick<Member, 'csv' | 'page'>

/** A field that a table has under its own name. */
export interface Tabled<Name = string> extends Required<Pick<Kind<unknown>, 'read' | 'show'>> {
  name: Name
  /** The value of the column where nothing was sent. */
  blank: unknown
}

/** The fields of a venue or organizer that a table of events has under their own names. */
export function tabled<Fields extends Readonly<Record<string, LinkedField>>>(
  fields: Fields,
): readonly Tabled<WithValue<Fields, 'csv', true>>[] {
  return namesWith(fields, 'csv', true).map((name) => {
    const { read, show = asKept, blank } = (fields[name] as LinkedField).kind
    return { name, read, show, blank }
  })
}

export const asKept = (kept: unknown) => kept

/** The names of the members whose property, such as `from`, has this value. */
export type WithValue<Members, Property extends string, Value> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Property, Value>> ? Name : never
}[keyof Members]

/** The names by which a representation has its members. */
export type NamesIn<Members, Where extends string> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Where, infer Given>>
    ? Given extends true
      ? Name
      : Extract<Given, string>
    : never
}[keyof Members]

/** Returns the names that `WithValue` is the type of. */
export function namesWith<Members extends object, const Property extends string, const Value>(
  members: Members,
  property: Property,
  value: Value,
): WithValue<Members, Property, Value>[] {
  const found = Object.entries(members).filter(([, member]) => member[property] === value)
  return found.map(([name]) => name) as WithValue<Members, Property, Value>[]
}

const TEXT = { not: 'nobody is to read on what was taken back' }

/** A column that all representations have but iCalendar, unless its property is named. */
export const everywhere = {
  from: 'column',
  csv: true,
  feed: true,
  ics: { not: 'iCalendar has no word for it' },
  series: true,
  withdrawn: true,
  page: true,
} as const

/** A text that all representations have but iCalendar. A withdrawn event keeps no texts. */
export const textEverywhere = { ...everywhere, withdrawn: TEXT } as const

/** A member that repeats another one for programs: only answers have it. */
export function saidBy(name: string) {
  const not: Omitted = { not: `${name} says the same` }
  return {
    from: 'computed',
    csv: not,
    feed: not,
    ics: not,
    series: not,
    withdrawn: { not: 'it is made of columns' },
    page: not,
  } as const
}

const UNASKED = { not: 'readers of events ask where to go and whom to ask' }

/** The places of fields of venues and organizers: in the table of events and on the page, on the page alone, or in answers alone. */
export const inTable = { csv: true, page: true } as const
export const onPage = { csv: UNASKED, page: true } as const
export const inAnswers = { csv: UNASKED, page: UNASKED } as const
