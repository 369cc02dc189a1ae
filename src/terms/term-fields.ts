import { defineFields } from '../declare/resource.ts'
import { clearableText, settledText, text } from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'

/** The fields that categories and tags share (rule 3.9). */
export const termFields = defineFields({
  name: { kind: text, about: 'The name of the term', required: true, within: limits.termName },
  description: { kind: clearableText, about: 'The description of the term', within: limits.termText },
  slug: { kind: settledText, about: 'The slug of the term', within: limits.slug },
})
