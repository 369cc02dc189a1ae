import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findTermBySlug, TAXONOMIES, TERM_LISTS } from '../../calendar/terms/term-store.ts'
import { filterWithValue } from '../pages/page-query.ts'
import { sayMail } from './mail-texts.ts'

/** Maximum length of a query string. */
export const LONGEST_QUERY = 1000

const MOST_NAMES = 5

export async function describeList(context: Context, query: string): Promise<string> {
  const { site } = context
  const parts: string[] = []
  for (const [name, value] of new URLSearchParams(query)) {
    const names = await recordNames(context, name, value)
    parts.push(names.length > 0 ? names.join(', ') : filterWithValue(site, name, value))
  }
  return parts.length === 0 ? sayMail(site, 'all events') : parts.join(' · ')
}

async function recordNames({ db }: Context, name: string, value: string): Promise<string[]> {
  const entries = value.split(',').slice(0, MOST_NAMES)
  const taxonomy = TAXONOMIES.find((one) => TERM_LISTS[one] === name)
  if (taxonomy) {
    const terms = await Promise.all(entries.map((slug) => findTermBySlug(db, taxonomy, slug)))
    return terms.map((term, at) => (term ? plainText(term.name) : (entries[at] ?? '')))
  }
  const ids = entries.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)
  if (ids.length === 0) return []
  const rows =
    name === 'organizer'
      ? db
          .selectFrom('organizers')
          .select('organizer as name')
          .where('id', 'in', ids)
          .where('status', '=', 'publish')
      : name === 'venue' || name === 'near'
        ? db
            .selectFrom('venues')
            .select('venue as name')
            .where('id', 'in', ids)
            .where('status', '=', 'publish')
        : undefined
  return ((await rows?.execute()) ?? []).map((row) => plainText(row.name))
}
