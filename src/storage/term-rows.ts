import { statement } from './statement.ts'

/** The rows of terms by their ids, in no order. */
export const selectTerms = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('terms').selectAll().where('id', 'in', value('ids')),
)
