import {
  address,
  author,
  dateTime,
  emptyList,
  globalId,
  id,
  integer,
  list,
  record,
  type Schema,
  schemaRef,
  status,
  string,
} from './answer-schema.ts'

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
    global_id: globalId,
    global_id_lineage: list(globalId),
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
const hrefs = list(record({ href: address }))

/** The members of a category or tag as its own routes show it (rule 7.1): tags have no `parent`, entries of lists no `_links`. */
export const termMembers = {
  always: {
    id,
    count: integer,
    description: string,
    name: string,
    slug: string,
    taxonomy: string,
    meta: emptyList,
    url: address,
    urls: termUrls,
  },
  some: { parent: integer, _links: record({ self: hrefs, collection: hrefs, up: hrefs }, ['self', 'collection']) },
} satisfies Record<string, Record<string, Schema>>

/** The members of a category or tag as events show it (rule 7.3). */
export const embeddedTermMembers = {
  name: string,
  slug: string,
  term_group: integer,
  term_taxonomy_id: id,
  taxonomy: string,
  description: string,
  parent: integer,
  count: integer,
  filter: { type: 'string', const: 'raw' },
  id,
  urls: termUrls,
} satisfies Record<string, Schema>

/** An answer that has every member of `always`, and may have any of `some`. */
export type Answer<Members extends { always: object; some: object }> = Record<keyof Members['always'], unknown> &
  Partial<Record<keyof Members['some'], unknown>>
