import { termFields, termFilters } from '../common/term-fields.ts'
import { isParent, isTermId, isTermList } from '../common/term-rules.ts'
import { idsOrSlugs, integer, parentId } from '../declare/kinds.ts'
import { defineResource } from '../declare/resource.ts'

const isCategory = isTermList('category')

/** Event categories, which form a tree (specification 2.4, 4.10). */
export const category = defineResource({
  name: 'category',
  path: 'categories',
  title: 'Category',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the category', required: true, valid: isTermId('category') } },
  },
  fields: {
    ...termFields,
    parent: { kind: parentId, about: 'The id of the parent category; 0 for none', valid: isParent },
  },
  filters: {
    ...termFilters.page,
    exclude: { kind: idsOrSlugs, about: 'Leave out the terms with these ids', valid: isCategory },
    include: { kind: idsOrSlugs, about: 'Only the terms with these ids', valid: isCategory },
    ...termFilters.order,
    parent: {
      kind: parentId,
      about: 'Only the children of the category with this id; 0 for those at the top',
      valid: isParent,
    },
    ...termFilters.use,
  },
})
