import { recurrence } from '../base/fields/event-fields.ts'
import { eventMembers, rareFields, seriesMembers } from '../base/fields/event-members.ts'
import type { FieldData } from '../base/fields/field.ts'
import {
  count,
  ids,
  idsOrSlugs,
  image,
  isTruthy,
  links,
  moment,
  text,
  wordFlag,
  words,
} from '../base/fields/kinds.ts'
import { type Bounds, limits } from '../base/fields/limits.ts'
import {
  address,
  anyOf,
  arrayOf,
  boolean,
  embeddedTermMembers,
  emptyList,
  id,
  integerSchema,
  linkedMembers,
  type Member,
  namesWith,
  record,
  recurrenceShown,
  ruleSchema,
  type Schema,
  schemaRef,
  status,
  string,
  termMembers,
} from '../base/fields/member.ts'
import type { Field, Fields, Resource } from '../calendar/declare/resource.ts'
import { BATCH_METHODS, VALIDATIONS } from './batch.ts'

export type Say = (text: string) => string

const idOrText: Schema = { type: ['integer', 'string'] }

/** Schemas of kinds that accept more than the index says, besides text for numbers and booleans. */
const acceptedBy = new Map<unknown, Schema>([
  [text.valid, { type: 'string', minLength: 1 }],
  [count.valid, id],
  [ids.read, { ...arrayOf(id), minItems: 1 }],
  [idsOrSlugs.read, { ...arrayOf(idOrText), minItems: 1 }],
  [words.read, arrayOf(string)],
  [isTruthy, boolean],
  // The boolean of an answer may be sent back.
  [wordFlag.read, { type: ['string', 'boolean'] }],
  [moment.read, { type: ['string', 'integer'], examples: ['2027-05-04 19:30:00'] }],
  [image.read, anyOf(idOrText, { const: false }, schemaRef('Reference'))],
  // The form of an answer may be sent back.
  [recurrence.read, anyOf(string, arrayOf(string), ruleSchema, recurrenceShown)],
])

const cost = {
  type: ['string', 'number', 'array'],
  items: { type: ['string', 'number'] },
  examples: ['$10 - $25'],
}

export function acceptedSchema(name: string, field: Field, resources: readonly Resource[]): Schema {
  return withLimits(unlimitedSchema(name, field, resources), field)
}

function unlimitedSchema(name: string, { kind }: Field, resources: readonly Resource[]): Schema {
  if (name === 'status') return kind.list ? arrayOf(status) : status
  if (name === 'cost') return cost
  // Answers show text (rule 4.2), which may be sent back.
  if (name === 'author') return idOrText
  if (kind.read === links.read) return linksSchema(name, resources)
  if (kind.choices) return { ...arrayOf({ type: 'string', enum: [...kind.choices] }), minItems: 1 }
  return kind.accepts ?? acceptedBy.get(kind.valid) ?? acceptedBy.get(kind.read) ?? plainSchema(kind)
}

function plainSchema(kind: Field['kind']): Schema {
  const type = plainType({ kind })
  return kind.wire.enum ? { type, enum: [...kind.wire.enum] } : { type }
}

/** A limit in bytes bounds characters, too. */
function withLimits(schema: Schema, field: Field): Schema {
  const { characters, bytes, entries }: Bounds = field.within ?? field.kind.within ?? limits.line
  const longest = characters ?? (bytes === 'setting' ? undefined : bytes)
  const types = [schema.type].flat()
  return {
    ...schema,
    ...(types.includes('string') && !schema.enum && longest !== undefined ? { maxLength: longest } : {}),
    ...(types.includes('array') && entries !== undefined ? { maxItems: entries } : {}),
    ...(Array.isArray(schema.anyOf) && entries !== undefined
      ? {
          anyOf: schema.anyOf.map((choice: Schema) =>
            choice.type === 'array' ? { ...choice, maxItems: entries } : choice,
          ),
        }
      : {}),
  }
}

function plainType({ kind }: Pick<Field, 'kind'>): string {
  return kind.answers ?? kind.wire.type ?? 'string'
}

/**
 * Links to records take ids and fields of new records; links to terms take ids, slugs and names (rules 21.1
 * and 22.4).
 */
function linksSchema(name: string, resources: readonly Resource[]): Schema {
  const linked = resources.find((resource) => resource.name === name)
  const entries = linked ? [schemaRef('Reference'), schemaRef(newName(linked))] : [schemaRef('TermReference')]
  const empty = linked ? [{ const: false }] : []
  // biome-ignore lint/plugin: written here
  return anyOf(idOrText, ...empty, ...entries, arrayOf(anyOf(idOrText, ...entries)))
}

/** True for a field whose members forms send as `field[name]=value`. */
export function isLinkedRecord(name: string, resources: readonly Resource[]): boolean {
  return resources.some((resource) => resource.name === name)
}

const newName = (resource: Resource) => `New${resource.title}`
const changeName = (resource: Resource) => `${resource.title}Change`

export function schemaNames(resource: Resource): {
  create: string
  update: string
  answer: string
  list: string
} {
  const answer = isTerm(resource) ? 'Term' : resource.title
  return { create: newName(resource), update: changeName(resource), answer, list: `${resource.title}List` }
}

export const isTerm = ({ name }: Resource) => name === 'category' || name === 'tag'

export function fixedDefault({ kind, default: value }: Field): Schema {
  return value === undefined || value === null || typeof value === 'function'
    ? {}
    : { default: kind.read(value) }
}

/** Null counts as not sent (rule 1.5). Defaults are left out, since generators require such fields. */
function newSchema(resource: Resource, resources: readonly Resource[], say: Say): Schema {
  const required = Object.keys(resource.fields).filter((name) => resource.fields[name]?.required)
  return record(bodyProperties(resource, required, resources, say), required)
}

export function bodyProperties(
  { fields }: Pick<Resource, 'fields'>,
  required: readonly string[],
  resources: readonly Resource[],
  say: Say,
): Record<string, Schema> {
  const properties = Object.entries(fields).map(([name, field]): [string, Schema] => {
    const accepted = acceptedSchema(name, field, resources)
    return [
      name,
      { ...(required.includes(name) ? accepted : orNull(accepted)), description: say(field.about) },
    ]
  })
  return Object.fromEntries(properties)
}

function orNull(schema: Schema): Schema {
  const { type, enum: values, anyOf: choices } = schema
  if (Array.isArray(choices)) return { ...schema, anyOf: [...choices, { type: 'null' }] }
  // Some generators make text of a null in an enumeration.
  return Array.isArray(values) ? anyOf(schema, { type: 'null' }) : { ...schema, type: [type, 'null'].flat() }
}

const figures = (digits: number): Schema => ({ type: 'string', pattern: `^\\d{${digits}}$` })
const dateDetails = record({
  year: figures(4),
  ...Object.fromEntries(['month', 'day', 'hour', 'minutes', 'seconds'].map((part) => [part, figures(2)])),
})

const costDetails = record({
  currency_symbol: string,
  currency_code: string,
  // No enumeration: generators make names of its values, and an empty value has none.
  currency_position: { type: 'string', pattern: '^(prefix|postfix)?$' },
  values: arrayOf(string),
})

const imageSize = record({
  width: integerSchema,
  height: integerSchema,
  'mime-type': string,
  filesize: integerSchema,
  url: address,
})

/** A share of an image's width or height. */
const share = { type: 'number', minimum: 0, maximum: 1 } as const

const imageObject = record(
  {
    url: address,
    id,
    extension: string,
    width: integerSchema,
    height: integerSchema,
    filesize: integerSchema,
    sizes: { type: 'object', additionalProperties: schemaRef('ImageSize') },
    original_image: string,
    focal_x: share,
    focal_y: share,
  },
  ['url', 'id', 'extension'],
)

const termUrls = record({ self: address, collection: address, up: address }, ['self', 'collection'])

const recordOf = ({ always, some }: Record<'always' | 'some', Readonly<Record<string, Schema>>>) =>
  record({ ...always, ...some }, Object.keys(always))

/** Linked data may have any member (rule 9.1). */
const linkedData: Schema = {
  type: 'object',
  properties: { '@context': string, '@type': string, name: string },
  required: ['@type', 'name'],
  additionalProperties: true,
}

const members: Readonly<Record<string, Member & Partial<FieldData>>> = eventMembers

function memberSchemas(names: readonly string[]): Record<string, Schema> {
  const schemaOf = ({ schema, kind }: Partial<FieldData & Member>) =>
    schema ?? { type: kind ? plainType({ kind }) : 'string' }
  return Object.fromEntries(names.map((name) => [name, schemaOf(members[name] ?? {})]))
}

/** See rule 5.1. Rare members are not required. */
function eventSchema({ fields }: Resource, say: Say): Schema {
  const names = Object.keys(members)
  return record(
    described(memberSchemas(names), fields, say),
    names.filter((name) => members[name]?.rare === undefined),
  )
}

function seriesSchema(): Schema {
  const shared = namesWith(eventMembers, 'series', true)
  const rare = new Set<string>(rareFields('series').map(({ name }) => name))
  const properties = { ...memberSchemas(shared), ...seriesMembers }
  return record(
    properties,
    Object.keys(properties).filter((name) => !rare.has(name)),
  )
}

/** See rules 6.1 and 6.2; empty details are left out. */
function linkedSchema({ name, fields }: Resource, say: Say): Schema {
  const kept = Object.entries(fields).filter(
    ([field, { kind }]) => kind.toColumn && field !== name && field !== 'description',
  )
  const typed = (isFlag: boolean): Record<string, Schema> =>
    Object.fromEntries(
      kept.flatMap(([field, declared]) =>
        (declared.kind.isFlag === true) === isFlag ? [[field, { type: plainType(declared) }]] : [],
      ),
    )
  const { always, some } = linkedMembers
  const required = { ...always, [name]: string, ...typed(true) }
  return record(described({ ...required, ...some, ...typed(false) }, fields, say), Object.keys(required))
}

/** Descriptions of images and links are about requests, so they are left out. */
function described(
  properties: Readonly<Record<string, Schema>>,
  fields: Fields,
  say: Say,
): Record<string, Schema> {
  const entries = Object.entries(properties).map(([name, schema]): [string, Schema] => {
    const field = fields[name]
    const isPlain = typeof schema.type === 'string' && schema.type !== 'array'
    return [name, field && isPlain ? { ...schema, description: say(field.about) } : schema]
  })
  return Object.fromEntries(entries)
}

function listSchema(resource: Resource): Schema {
  return record(
    {
      [resource.path]: arrayOf(schemaRef(schemaNames(resource).answer)),
      rest_url: address,
      next_rest_url: address,
      previous_rest_url: address,
      total: { type: 'integer', minimum: 0 },
      total_pages: { type: 'integer', minimum: 0 },
    },
    [resource.path, 'rest_url', 'total', 'total_pages'],
  )
}

export function problemSchema(codes: readonly string[]): Schema {
  const texts = { type: 'object', additionalProperties: string }
  const fault = record({
    code: string,
    message: string,
    data: { type: 'object', additionalProperties: true },
  })
  const data = {
    status: integerSchema,
    params: anyOf(arrayOf(string), texts),
    details: anyOf(emptyList, { type: 'object', additionalProperties: fault }),
    bytes: integerSchema,
    limit: integerSchema,
    term_id: id,
    json_error_code: integerSchema,
    json_error_message: string,
  }
  return record(
    {
      code: { type: 'string', enum: codes },
      message: string,
      data: record(data, ['status']),
      additional_data: arrayOf(id),
    },
    ['code', 'message', 'data'],
  )
}

const describers: Readonly<Record<string, typeof linkedSchema>> = { event: eventSchema, series: seriesSchema }

/** Returns all schemas of resources; first those named in the document of The Events Calendar (rule 3.7). */
export function resourceSchemas(resources: readonly Resource[], say: Say): Record<string, Schema> {
  const records = resources.filter((resource) => !isTerm(resource))
  const answers = records.map((resource): [string, Schema] => {
    return [resource.title, (describers[resource.name] ?? linkedSchema)(resource, say)]
  })
  const lists = resources.map((resource): [string, Schema] => [
    schemaNames(resource).list,
    listSchema(resource),
  ])
  const newBody = (resource: Resource): [string, Schema] => [
    newName(resource),
    newSchema(resource, resources, say),
  ]
  const bodies = resources.flatMap((resource): [string, Schema][] => [
    // A series is created as the event that it repeats.
    ...(resource.name === 'series' ? [] : [newBody(resource)]),
    [changeName(resource), record(bodyProperties(resource, [], resources, say), [])],
  ])
  return {
    ImageSize: imageSize,
    CostDetails: costDetails,
    Term: recordOf(termMembers),
    Image: imageObject,
    DateDetails: dateDetails,
    ...Object.fromEntries(answers),
    EventTerm: record(embeddedTermMembers),
    TermUrls: termUrls,
    LinkedData: linkedData,
    ...Object.fromEntries(lists),
    Reference: record({ id }),
    TermReference: anyOf(record({ id }), record({ slug: string }), record({ name: string })),
    ...Object.fromEntries(bodies),
  }
}

const fields: Schema = { type: 'object', additionalProperties: true }

const headers: Schema = { type: 'object', additionalProperties: string }

const request = record(
  {
    method: { type: 'string', enum: BATCH_METHODS, default: 'POST' },
    path: { type: 'string', examples: ['/tribe/events/v1/events'] },
    body: fields,
    headers,
  },
  ['path'],
)

export const batchSchema: Schema = record(
  {
    validation: { type: 'string', enum: VALIDATIONS, default: 'normal' },
    requests: { ...arrayOf(request), maxItems: limits.batch.entries },
  },
  ['requests'],
)

const answer = record({ status: integerSchema, headers, body: {} })

/** An answer is null for a request that was not run because another failed. */
export const batchAnswerSchema: Schema = record(
  { failed: { type: 'string', const: 'validation' }, responses: arrayOf(anyOf(answer, { type: 'null' })) },
  ['responses'],
)
