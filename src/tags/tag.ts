import { defineResource } from '../declare/resource.ts'
import { integer } from '../fields/kinds.ts'
import { termFields } from '../terms/term-fields.ts'
import { isTermId } from '../terms/term-rules.ts'

/** Event tags: their fields, filters and addresses (rule 3.9). */
export const tag = defineResource({
  name: 'tag',
  path: 'tags',
  title: 'Tag',
  addresses: { id: { id: { kind: integer, about: 'The id of the tag', required: true, lookUp: isTermId('tag') } } },
  fields: termFields,
})
