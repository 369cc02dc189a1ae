import { termFields, termFilters } from '../common/term-fields.ts'
import { isTermId, isTermList } from '../common/term-rules.ts'
import { idsOrSlugs, integer } from '../declare/kinds.ts'
import { defineResource } from '../declare/resource.ts'

const isTag = isTermList('tag')

/** Event tags (specification 2.5, 4.11). */
export const tag = defineResource({
  name: 'tag',
  path: 'tags',
  title: 'Tag',
  addresses: { id: { id: { kind: integer, about: 'The id of the tag', required: true, valid: isTermId('tag') } } },
  fields: termFields,
  filters: {
    ...termFilters.page,
    exclude: { kind: idsOrSlugs, about: 'Leave out the terms with these ids', valid: isTag },
    include: { kind: idsOrSlugs, about: 'Only the terms with these ids', valid: isTag },
    ...termFilters.order,
    ...termFilters.use,
  },
})
