import { defineFields } from '../declare/resource.ts'
import { clearableText, count, flag, recordId, settledText, text } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { isEvent } from '../records/record-checks.ts'

/** The fields that categories and tags share (rule 3.9). */
export const termFields = defineFields({
  name: { kind: text, about: 'The name of the term', required: true, within: limits.termName },
  description: { kind: clearableText, about: 'The description of the term', within: limits.termText },
  slug: { kind: settledText, about: 'The slug of the term', within: limits.slug },
})

/** The filters that categories and tags share, in three parts since others stand between them (rule 13.9). */
export const termFilters = {
  page: defineFields({
    page: pageFilters.page,
    per_page: { kind: count, about: 'How many terms a page holds', default: '10' },
    search: { kind: text, about: 'Only terms with this text in their name or slug', within: limits.search },
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
    post: { kind: recordId, about: 'Only terms assigned to the event with this id', lookUp: isEvent },
    event: { kind: recordId, about: 'The same as post', lookUp: isEvent },
    slug: { kind: text, about: 'Only the term with this slug', within: limits.slug },
  }),
}
