import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type Suggestion, suggest } from '../../calendar/events/find-as-typed.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { writtenDay } from './page-dates.ts'
import { pathTo, spanLink } from './viewing.ts'

// Makes the suggestions for the field of a search.

/** Returns suggestions for somebody who has typed `search` so far, as JSON. */
export async function suggestions(context: Context, query: URLSearchParams): Promise<string> {
  const { site, now } = context
  const today = dayOf(wallNow(site.timezone, now))
  const found = await suggest(query.get('search') ?? '', context)
  const shown = found.map((hit) => ({
    kind: hit.kind,
    id: hit.id,
    name: hit.name,
    about: hit.kind === 'event' ? writtenDay(site, dayOf(hit.about), today) : hit.about,
    url: new URL(pathOf(context, hit), site.url).href,
  }))
  return JSON.stringify({ suggestions: shown })
}

/** Returns the path of a suggestion. The path of a term lacks the terms above it; it redirects to the full path. */
function pathOf({ site }: Context, { kind, id, slug }: Suggestion): string {
  if (kind === 'category' || kind === 'tag')
    return spanLink(site, { view: 'list' }, { taxonomy: kind, slugs: [slug] }, '')
  return pathTo(site, recordPath(site, kind, { id, status: 'publish', slug }))
}
