import {
  arrayOf,
  boolean,
  dateTime,
  id,
  integerSchema,
  record,
  type Schema,
  string,
} from '../../base/fields/answer-schema.ts'
import { pageFilters } from '../../base/fields/field.ts'
import { count, recordId, words } from '../../base/fields/kinds.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import { about } from '../../calendar/locales/messages.ts'
import type { Served } from '../../calendar/resources.ts'
import { bodyProperties, type Say } from './openapi-schemas.ts'
import type { HistoryDeed, Route } from './routes.ts'

// The routes of versions of records.

/** The parameters of a list of acts. */
export const actFilters = defineFields({ page: pageFilters.page, per_page: { ...pageFilters.per_page, kind: count } })

/** The parameters for putting a version back. */
export const restoreFields = defineFields({
  members: { kind: words, about: about('The only members to put back; without it, all of them') },
})

/** The version in the path. */
const versionField = defineFields({
  version: { kind: recordId, about: about('The version: the sequence that the record had') },
})

/** The routes of the versions of one resource, for those who may edit its records. */
export function historyRoutes(served: Served): Route[] {
  const address = served.resource.addresses.id
  const template = `/${served.resource.path}/{id}/history`
  const routeAt = (end: string, method: 'GET' | 'POST', does: HistoryDeed, args: Fields): Route => ({
    path: `${template}${end}`.replaceAll(/\{(\w+)\}/g, '(?P<$1>\\d+)'),
    template: `${template}${end}`,
    endpoints: [{ methods: [method], action: { do: does, served, by: 'id' }, args: { ...address, ...args } }],
  })
  return [
    routeAt('', 'GET', 'listVersions', actFilters),
    routeAt('/{version}', 'GET', 'readVersion', versionField),
    routeAt('/{version}/restore', 'POST', 'restoreVersion', { ...versionField, ...restoreFields }),
  ]
}

/** Any value of a field. */
const value: Schema = {}

const act = record(
  {
    version: integerSchema,
    date_utc: dateTime,
    action: string,
    user: integerSchema,
    login: string,
    client: string,
    address: string,
    request: string,
    changes: arrayOf(record({ member: string, former: value, new: value, cut: boolean }, ['member', 'former', 'new'])),
  },
  ['version', 'date_utc', 'action', 'user', 'login', 'client', 'changes'],
)

/** The answers of these routes. */
export const historyAnswers: Readonly<Record<HistoryDeed, Schema>> = {
  listVersions: record({
    version: integerSchema,
    known_from: integerSchema,
    history: arrayOf(act),
    total: integerSchema,
    total_pages: integerSchema,
  }),
  readVersion: record({ id, version: integerSchema, values: { type: 'object', additionalProperties: true } }),
  restoreVersion: record({
    version: integerSchema,
    members: arrayOf(string),
    left: arrayOf(record({ member: string, value })),
    record: { type: 'object', additionalProperties: true },
  }),
}

/** The body of a request; undefined for one that has none. */
export function historyBody(does: HistoryDeed, say: Say): Schema | undefined {
  return does === 'restoreVersion' ? record(bodyProperties({ fields: restoreFields }, [], [], say), []) : undefined
}
