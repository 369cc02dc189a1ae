import type { Kind } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { type ParamFault, Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import { about } from '../../calendar/locales/messages.ts'
import type { Route } from './routes.ts'

// The route of batches, and how their requests are read.

/** The methods that requests of a batch may have. */
export const BATCH_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Whether the requests of a batch are independent, or all done or none. */
export const VALIDATIONS = ['normal', 'require-all-validate'] as const

/** A request of a batch. */
export interface BatchRequest {
  method: (typeof BATCH_METHODS)[number]
  /** Path and query below the REST root. */
  path: string
  body: RawValues
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>
}

const validation: Kind<(typeof VALIDATIONS)[number]> = {
  wire: { type: 'string', enum: VALIDATIONS },
  valid: (value) => VALIDATIONS.some((known) => known === value),
  read: (value) => VALIDATIONS.find((known) => known === value),
}

const requests: Kind<unknown[]> = {
  wire: {
    type: 'array',
    maxItems: limits.batch.entries,
    items: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: BATCH_METHODS, default: 'POST' },
        path: { type: 'string', required: true },
        body: { type: 'object', properties: [], additionalProperties: true },
        headers: {
          type: 'object',
          properties: [],
          additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
        },
      },
    },
  },
  within: limits.batch,
  read: (value) => (Array.isArray(value) ? value : undefined),
}

const batchFields = defineFields({
  validation: {
    kind: validation,
    about: about('normal does each request by itself, require-all-validate all of them or none'),
    default: 'normal',
  },
  requests: { kind: requests, about: about('The requests, done in their order'), required: true },
})

/** Several requests in one, in the form of the platform. */
export function batchRoute(): Route {
  return {
    path: '/batch/v1',
    template: '/batch/v1',
    endpoints: [{ methods: ['POST'], action: { do: 'batch' }, args: batchFields }],
  }
}

/**
 * The requests of a batch, and whether all or none are done.
 * @throws Problem rest_invalid_param, which names every invalid part of a request, such as `requests[3][method]`
 */
export async function parseBatch(
  valuesOf: (fields: Fields) => RawValues,
  context: Context,
): Promise<{ areOne: boolean; requests: BatchRequest[] }> {
  const { validation: how, requests: sent = [] } = await parseFields(batchFields, valuesOf(batchFields), context)
  const faults: Record<string, ParamFault> = {}
  const read = sent.map((entry, i) => readRequest(entry, `requests[${i}]`, faults))
  if (Object.keys(faults).length > 0) throw new Problem('rest_invalid_param', { params: faults })
  return { areOne: how === 'require-all-validate', requests: read }
}

function readRequest(entry: unknown, name: string, faults: Record<string, ParamFault>): BatchRequest {
  const members = asRecord(entry)
  if (!members) faults[name] = { why: 'type', type: 'object' }
  const { method = 'POST', path, body, headers } = members ?? {}
  const known = BATCH_METHODS.find((allowed) => allowed === method)
  if (members && !known) faults[`${name}[method]`] = { why: 'invalid' }
  if (members && typeof path !== 'string') faults[`${name}[path]`] = { why: 'type', type: 'string' }
  const fields = asRecord(body ?? {})
  if (!fields) faults[`${name}[body]`] = { why: 'type', type: 'object' }
  const sent = asRecord(headers ?? {})
  if (!sent) faults[`${name}[headers]`] = { why: 'type', type: 'object' }
  return { method: known ?? 'POST', path: String(path), body: fields ?? {}, headers: readHeaders(sent ?? {}) }
}

/** A record, or the empty list that some clients send for an empty record. */
function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined
  return value as Readonly<Record<string, unknown>>
}

/** The first value of each name, if it is text. */
function readHeaders(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(sent).flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'string' ? [[name.toLowerCase(), first] as const] : []
  })
  return Object.fromEntries(pairs)
}
