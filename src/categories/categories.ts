import { termOperations } from '../terms/term-operations.ts'

/** What the routes do with categories. */
export const categoryOperations = termOperations('category')
