import { anyOf, arrayOf, integerSchema, record, type Schema, string } from '../fields/answer-schema.ts'
import { limits } from '../fields/limits.ts'
import { BATCH_METHODS, VALIDATIONS } from './batch-route.ts'

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

/** The body of a batch. */
export const batchSchema: Schema = record(
  {
    validation: { type: 'string', enum: VALIDATIONS, default: 'normal' },
    requests: { ...arrayOf(request), maxItems: limits.batch.entries },
  },
  ['requests'],
)

const answer = record({ status: integerSchema, headers, body: {} })

/** The answer to a batch: an entry is null if its request was not done because another one failed. */
export const batchAnswerSchema: Schema = record(
  { failed: { type: 'string', const: 'validation' }, responses: arrayOf(anyOf(answer, { type: 'null' })) },
  ['responses'],
)
