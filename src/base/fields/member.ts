import type { Schema } from './answer-schema.ts'
import type { FieldData } from './field.ts'
import type { Kind } from './kinds.ts'

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
