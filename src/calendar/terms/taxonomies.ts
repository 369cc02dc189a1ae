import { integer, parentId } from '../../base/fields/kinds.ts'
import { defineResource } from '../declare/resource.ts'
import { termOperations } from './term-operations.ts'
import { isParent, isTermId, termFields } from './term-rules.ts'

/** Categories form a tree (rule 3.9). */
export const category = defineResource({
  name: 'category',
  path: 'categories',
  title: 'Category',
  addresses: {
    id: {
      id: { kind: integer, about: 'The id of the category', required: true, lookUp: isTermId('category') },
    },
  },
  fields: {
    ...termFields,
    parent: {
      kind: parentId,
      about: 'The id of the parent category; 0 for none',
      label: 'Below',
      lookUp: isParent,
    },
  },
})

export const tag = defineResource({
  name: 'tag',
  path: 'tags',
  title: 'Tag',
  addresses: {
    id: { id: { kind: integer, about: 'The id of the tag', required: true, lookUp: isTermId('tag') } },
  },
  fields: termFields,
})

export const categoryOperations = termOperations('category')

export const tagOperations = termOperations('tag')
