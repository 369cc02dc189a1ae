import { clearableText, count, flag, recordId, settledText, text } from '../declare/kinds.ts'
import { defineFields } from '../declare/resource.ts'
import { isEvent, pageFilters } from './record-fields.ts'

/** The fields that categories and tags share (specification 2.5). */
export const termFields = defineFields({
  name: { kind: text, about: 'The name of the term', required: true },
  description: { kind: clearableText, about: 'The description of the term' },
  slug: { kind: settledText, about: 'The slug of the term' },
})

/** The filters that categories and tags share, in three parts since others stand between them (specification 4.10). */
export const termFilters = {
  page: defineFields({
    page: pageFilters.page,
    per_page: { kind: count, about: 'How many terms a page holds', default: '10' },
    search: { kind: text, about: 'Only terms with this text in their name or slug' },
  }),
  order: defineFields({
    order: { kind: text, about: 'The direction of the order: asc or desc' },
    orderby: {
      kind: text,
      about: 'What the terms are ordered by: name, id, slug, count, description, parent or include',
    },
    hide_empty: { kind: flag, about: 'Leave out terms that no published event is assigned to', default: '1' },
  }),
  use: defineFields({
    post: { kind: recordId, about: 'Only terms assigned to the event with this id', valid: isEvent },
    event: { kind: recordId, about: 'The same as post', valid: isEvent },
    slug: { kind: text, about: 'Only the term with this slug' },
  }),
}
