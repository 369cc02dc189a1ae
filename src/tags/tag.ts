import { defineResource } from '../declare/resource.ts'
import { idsOrSlugs, integer } from '../fields/kinds.ts'
import { termFields, termFilters } from '../terms/term-fields.ts'
import { isTermId, isTermList } from '../terms/term-rules.ts'

const isTag = isTermList('tag')

/** Event tags: their fields, filters and addresses (rule 3.9). */
export const tag = defineResource({
  name: 'tag',
  path: 'tags',
  title: 'Tag',
  addresses: { id: { id: { kind: integer, about: 'The id of the tag', required: true, lookUp: isTermId('tag') } } },
  fields: termFields,
  filters: {
    ...termFilters.page,
    exclude: { kind: idsOrSlugs, about: 'Leave out the terms with these ids', lookUp: isTag },
    include: { kind: idsOrSlugs, about: 'Only the terms with these ids', lookUp: isTag },
    ...termFilters.order,
    ...termFilters.use,
  },
})
