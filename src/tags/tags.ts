import { termOperations } from '../common/term-operations.ts'

/** What the routes do with tags. */
export const tagOperations = termOperations('tag')
