import { LANGUAGES } from '../../base/config.ts'
import { choicesOf, select } from './choices.ts'
import { EMBED_PATH } from './embed-scripts.ts'
import { unitName } from './page-dates.ts'
import { type Html, html } from './page-html.ts'
import { languageField } from './page-languages.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

/** The attributes of the element that the form offers, in the order in which the markup has them. */
const ATTRIBUTES = ['view', 'category', 'tag', 'venue', 'search', 'limit', 'lang'] as const

const LONGEST_VALUE = 500

/**
 * The page that generates the markup for showing events on another site. Its script previews the result at once; without scripts the form is
 * submitted.
 */
export function embedView(viewing: Viewing, query: URLSearchParams): View {
  const { site } = viewing.context
  const heading = say(site, 'Show on your site')
  const about = say(site, 'Put the events of this calendar on a page of your own.')
  return {
    status: 200,
    title: heading,
    description: about,
    canonical: '/embed/',
    isIndexed: false,
    current: undefined,
    scripts: [viewing.assets.builder, { path: EMBED_PATH }],
    body: html`<div class="head"><div class="heading"><h1 tabindex="-1">${heading}</h1><p class="count">${about}</p></div></div>
<form class="build" method="get" action="${pathTo(site, '/embed/')}">${languageField(site)}<div class="fields">${fields(viewing, query)}<button type="submit" class="button main">${say(site, 'Show')}</button></div></form>
<section class="snippet" aria-labelledby="snippet"><h2 id="snippet">${say(site, 'What to put on your page')}</h2>
<pre tabindex="0" role="group" aria-labelledby="snippet"><code>${snippetOf(viewing, query)}</code></pre>
<button type="button" class="button" data-copied="${say(site, 'Copied')}" hidden>${say(site, 'Copy')}</button></section>
<section class="preview" aria-labelledby="preview" hidden><h2 id="preview">${say(site, 'Preview')}</h2><div></div></section>`,
  }
}

function fields(viewing: Viewing, query: URLSearchParams): Html[] {
  const { context, terms } = viewing
  const { site } = context
  const chosen = (name: string) => query.get(name) ?? undefined
  const { categories, tags, venues } = terms.choices
  const views = [
    { value: 'month', text: unitName(site, 'month') },
    { value: 'day', text: unitName(site, 'day') },
  ]
  const languages = LANGUAGES.map((value) => ({
    value,
    text: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
  }))
  return [
    select(say(site, 'View'), 'view', say(site, 'List'), choicesOf(views), chosen('view')),
    select(say(site, 'Category'), 'category', say(site, 'All categories'), categories, chosen('category')),
    select(say(site, 'Tag'), 'tag', say(site, 'All tags'), tags, chosen('tag')),
    select(say(site, 'Venue'), 'venue', say(site, 'All venues'), venues, chosen('venue')),
    html`<label><span>${say(site, 'Search events')}</span><input type="search" name="search" maxlength="${LONGEST_VALUE}" value="${chosen('search')}"></label>`,
    html`<label><span>${say(site, 'Most events of a list')}</span><input type="number" name="limit" min="1" max="50" value="${chosen('limit')}"></label>`,
    select(say(site, 'Language'), 'lang', say(site, 'That of the page'), choicesOf(languages), chosen('lang')),
  ]
}

/** The markup to paste into another page, as text. */
function snippetOf({ context: { site } }: Viewing, query: URLSearchParams): string {
  const attributes = ATTRIBUTES.flatMap((name) => {
    const value = query.get(name)?.slice(0, LONGEST_VALUE).trim()
    return value ? [html` ${name}="${value}"`] : []
  })
  const { markup } = html`<script type="module" src="${site.url + EMBED_PATH}"></script>
<kalends-events${attributes}>
  <a href="${`${site.url}/events/`}">${site.name}</a>
</kalends-events>`
  return markup
}
