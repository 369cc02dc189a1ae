import { defineResource } from '../declare/resource.ts'
import { integer, parentId } from '../fields/kinds.ts'
import { termFields } from '../terms/term-fields.ts'
import { isParent, isTermId } from '../terms/term-rules.ts'

/** Event categories, which form a tree: their fields, filters and addresses (rule 3.9). */
export const category = defineResource({
  name: 'category',
  path: 'categories',
  title: 'Category',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the category', required: true, lookUp: isTermId('category') } },
  },
  fields: {
    ...termFields,
    parent: { kind: parentId, about: 'The id of the parent category; 0 for none', lookUp: isParent },
  },
})
