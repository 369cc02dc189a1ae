import { type FieldData, STATUSES } from './field.ts'
import type { Kind } from './kinds.ts'

/** A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export type Schema = Readonly<Record<string, unknown>>
export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const arrayOf = (items: Schema): Schema => ({ type: 'array', items })
export const anyOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })
export const record = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({ type: 'object', properties, ...(required.length > 0 ? { required } : {}) })

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

export const globalIdSchema: Schema = { type: 'string', examples: ['example.org?id=12'] }
/** The id of a user, as text (rule 4.2). */
export const author: Schema = { type: 'string', pattern: '^\\d+$' }
/** A list that is always empty (rule 5.7). */
export const emptyList: Schema = { type: 'array', items: {}, maxItems: 0 }

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

const ruleProperties = {
  series: id,
  rrule: string,
  rule: anyOf(ruleSchema, { type: 'null' }),
  text: string,
} satisfies Record<string, Schema>

export const recurrenceShown: Schema = record({ ...ruleProperties, id: dateTime, overrides: arrayOf(string) })

export const repetition: Schema = record({ ...ruleProperties, lines: arrayOf(string) })

/**
 * Members that venues and organizers share in responses; empty ones of `some` are left out (rules 6.1 to
 * 6.3).
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
 * Members of terms in responses (rule 7.1). Those in `some` may be missing: tags have no `parent`, and
 * entries of lists no `_links`.
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

export type MembersOf<Members extends { always: object; some: object }> = Record<
  keyof Members['always'],
  unknown
> &
  Partial<Record<keyof Members['some'], unknown>>

/** For a member that a representation lacks; `not` says why. */
interface Omitted {
  not: string
}

/** How a representation shows a member: under its own name, under another, or not at all. */
type Place = true | string | Omitted

/**
 * Where a member is shown. Single responses, lists, NDJSON and exports have every member unless a property
 * says otherwise; the history has every column and link.
 */
export interface Member {
  from: 'column' | 'link' | 'computed'
  /** By default, the type that the kind of the field has. */
  schema?: Schema
  /**
   * Responses leave the member out if it, or the field named here, is empty. All representations use `show`
   * of the kind, so it cannot be a text with markup.
   */
  rare?: true | string
  /** Says why only single responses have the member. */
  lists?: Omitted
  csv: Place
  /** In the JSON feed, where rare members are below `_kalends`. */
  feed: Place
  ics: string | Omitted
  jsonld: string | Omitted
  assistants: Place
  series: true | Omitted
  /** `true` if shown even for an event that the public can no longer see. */
  withdrawn: true | Omitted
  page: true | Omitted
}

export type MemberField = FieldData & (Member | { from: 'request' })

/** A field of venues or organizers. Responses show it in the record itself and within its events. */
export type LinkedField = FieldData & Pick<Member, 'csv' | 'page'>

export interface Tabled<Name = string> extends Required<Pick<Kind<unknown>, 'read' | 'show'>> {
  name: Name
  blank: unknown
}

export function tabled<Fields extends Readonly<Record<string, LinkedField>>>(
  fields: Fields,
): readonly Tabled<WithValue<Fields, 'csv', true>>[] {
  return namesWith(fields, 'csv', true).map((name) => {
    const { read, show = asColumn, blank } = (fields[name] as LinkedField).kind
    return { name, read, show, blank }
  })
}

export const asColumn = (column: unknown) => column

export type WithValue<Members, Property extends string, Value> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Property, Value>> ? Name : never
}[keyof Members]

export type NamesIn<Members, Where extends string> = {
  [Name in keyof Members]: Members[Name] extends Readonly<Record<Where, infer Given>>
    ? Given extends true
      ? Name
      : Extract<Given, string>
    : never
}[keyof Members]

export function namesWith<Members extends object, const Property extends string, const Value>(
  members: Members,
  property: Property,
  value: Value,
): WithValue<Members, Property, Value>[] {
  const found = Object.entries(members).filter(([, member]) => member[property] === value)
  return found.map(([name]) => name) as WithValue<Members, Property, Value>[]
}

const TEXT = { not: 'nobody is to read on what was taken back' }

/** For members that only iCalendar and JSON-LD leave out. */
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

/** For texts: an event that the public can no longer see keeps none. */
export const textEverywhere = { ...everywhere, withdrawn: TEXT } as const

/** For members that repeat `name` in a form for programs, and that only REST responses have. */
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
 * Where a field of venues or organizers is shown besides responses: `inTable` in a CSV column and on the
 * page, `onPage` on the page, `inAnswers` nowhere.
 */
export const inTable = { csv: true, page: true } as const
export const onPage = { csv: UNASKED, page: true } as const
export const inAnswers = { csv: UNASKED, page: UNASKED } as const
