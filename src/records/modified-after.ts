import type { Context } from '../declare/context.ts'
import { parseMoment } from '../text/moments.ts'

/** No record was changed later. */
const NEVER_AGAIN = '9999-12-31 23:59:59'

/** A moment as the column `modified` has it: in the zone of the site. */
export function momentAfter(value: string | number, { site, now }: Context): string {
  return parseMoment(value, site.timezone, now) ?? NEVER_AGAIN
}

/** Whether a record was changed after a moment. */
export function isModifiedAfter(row: { modified: string }, value: string | number, context: Context): boolean {
  return row.modified > momentAfter(value, context)
}
