import { termOperations } from '../terms/term-operations.ts'

/** What the routes do with tags. */
export const tagOperations = termOperations('tag')
