import { type Schema, schemaRef } from '../fields/answer-schema.ts'
import { FEED_KINDS } from '../sync/changes-feed.ts'

const changed = {
  kind: { type: 'string', enum: FEED_KINDS },
  id: { type: 'integer', minimum: 1 },
} satisfies Record<string, Schema>

const upsert: Schema = {
  type: 'object',
  properties: {
    action: { type: 'string', const: 'upsert' },
    ...changed,
    record: { anyOf: [schemaRef('Venue'), schemaRef('Organizer'), schemaRef('Term'), schemaRef('Event')] },
  },
  required: ['action', 'kind', 'id', 'record'],
}

const removal: Schema = {
  type: 'object',
  properties: { action: { type: 'string', const: 'delete' }, ...changed },
  required: ['action', 'kind', 'id'],
}

/** A page of the feed of changes. */
export const changesSchema: Schema = {
  type: 'object',
  properties: {
    changes: { type: 'array', items: { anyOf: [upsert, removal] } },
    next_token: { type: 'string' },
    sync_token: { type: 'string' },
  },
  required: ['changes'],
}
