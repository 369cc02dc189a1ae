import { defineResource } from '../declare/resource.ts'
import { idsOrSlugs, integer, parentId } from '../fields/kinds.ts'
import { termFields, termFilters } from '../terms/term-fields.ts'
import { isParent, isTermId, isTermList } from '../terms/term-rules.ts'

const isCategory = isTermList('category')

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
  filters: {
    ...termFilters.page,
    exclude: { kind: idsOrSlugs, about: 'Leave out the terms with these ids', lookUp: isCategory },
    include: { kind: idsOrSlugs, about: 'Only the terms with these ids', lookUp: isCategory },
    ...termFilters.order,
    parent: {
      kind: parentId,
      about: 'Only the children of the category with this id; 0 for those at the top',
      lookUp: isParent,
    },
    ...termFilters.use,
  },
})
