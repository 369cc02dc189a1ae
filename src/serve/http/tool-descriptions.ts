import type { Site } from '../../base/config.ts'
import type { Schema } from '../../base/fields/answer-schema.ts'
import { links } from '../../base/fields/kinds.ts'
import type { Field } from '../../calendar/declare/resource.ts'
import { speaker } from '../../calendar/locales/translate.ts'
import { resources } from '../../calendar/resources.ts'
import { type AssistantTool, isWriting, MOST_RECORDS, requiredIn } from '../assistants/assistant-tools.ts'
import type { JsonRecord } from '../assistants/mcp-messages.ts'
import { acceptedSchema, fixedDefault } from './openapi-schemas.ts'

/** A tool as assistants are told of it. */
export function describeTool(tool: AssistantTool, site: Site): JsonRecord {
  const { name, about, args } = tool
  const required = requiredIn(tool)
  const say = speaker(site)
  const properties = Object.entries(args).map(([arg, field]) => [
    arg,
    { ...argumentSchema(arg, field), description: say(field.about) },
  ])
  return {
    name,
    description: say(about, { zone: site.timezone, most: String(MOST_RECORDS) }),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: !isWriting(tool),
      destructiveHint: tool.asks === 'update',
      idempotentHint: tool.asks !== 'create',
      openWorldHint: false,
    },
  }
}

const declared = resources.map(({ resource }) => resource)

/** The schema of an argument: that of the field in the interface in its plainest form, which refers to no other schema. */
export function argumentSchema(name: string, field: Field): Schema {
  if (name === 'per_page') return { type: 'integer', minimum: 1, maximum: MOST_RECORDS }
  if (field.kind.read === links.read) return linkSchema(field)
  const { anyOf, ...schema } = acceptedSchema(name, field, declared)
  return { ...(Array.isArray(anyOf) ? anyOf[0] : schema), ...fixedDefault(field) }
}

/** A link by its id, or by the word of a term, or by the fields of a record to be made; or several. */
function linkSchema({ nested }: Field): Schema {
  if (!nested) return { type: ['integer', 'string', 'array'], items: { type: ['integer', 'string'] } }
  const lines = Object.entries(nested).filter(([, { kind }]) => kind.input === 'line')
  const properties = Object.fromEntries(lines.map(([name]) => [name, { type: 'string' }]))
  return { type: ['integer', 'object', 'array'], properties, items: { type: ['integer', 'object'] } }
}
