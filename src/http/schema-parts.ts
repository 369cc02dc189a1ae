import { STATUSES } from '../records/status.ts'

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

/** What events and series show of how they are listed, and of the records that they lead to. */
export const flagsAndLinks = {
  show_map: boolean,
  show_map_link: boolean,
  hide_from_listings: boolean,
  sticky: boolean,
  featured: boolean,
  categories: list(schemaRef('EventTerm')),
  tags: list(schemaRef('EventTerm')),
  venue: anyOf(schemaRef('Venue'), list(schemaRef('Venue'))),
  organizer: list(schemaRef('Organizer')),
} satisfies Record<string, Schema>
