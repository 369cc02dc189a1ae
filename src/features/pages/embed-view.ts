import { LANGUAGES } from '../../base/config.ts'
import { CHIP_TIMES } from './filter-chips.ts'
import { FRAME_PATH } from './frame-view.ts'
import { EMBED_PATH } from './page-assets.ts'
import { unitName } from './page-dates.ts'
import { choicesOf, type Html, html, select } from './page-html.ts'
import { languageField } from './page-languages.ts'
import type { PageText } from './page-texts.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

const ATTRIBUTES = {
  view: 'view',
  category: 'category',
  tag: 'tag',
  venue: 'venue',
  search: 'search',
  when: 'when',
  free: 'free',
  attendance: 'attendance',
  date: 'date',
  until: 'until',
  limit: 'limit',
  show: 'show',
  level: 'level',
  // This control is not called `lang`, since `lang` sets the language of the page.
  lang: 'language',
} as const

/** Attributes for which the frame has no query parameter. */
const OF_ELEMENT: ReadonlySet<string> = new Set(['show', 'level'])

const EXTRAS = [
  ['picture', 'Pictures'],
  ['price', 'Price'],
  ['category', 'Category'],
  ['organizer', 'Organizer'],
] as const satisfies readonly (readonly [string, PageText])[]

const LONGEST_VALUE = 500

/** Form for the markup, with a preview that a script updates; without scripts, the form is submitted. */
export function embedView(viewing: Viewing, query: URLSearchParams): View {
  const { site } = viewing.context
  const heading = say(site, 'Add to your website')
  const about = say(site, 'Show these events on your own website.')
  return {
    status: 200,
    title: heading,
    description: about,
    canonical: '/embed/',
    isIndexed: false,
    current: undefined,
    styles: [viewing.assets.embedding],
    scripts: [viewing.assets.builder, { path: EMBED_PATH }],
    body: html`<div class="head"><div class="heading"><h1 tabindex="-1">${heading}</h1><p class="count">${
      about
    }</p></div></div>
<form class="build" method="get" action="${pathTo(
      site,
      '/embed/',
    )}">${languageField(site)}<div class="fields">${fields(
      viewing,
      query,
    )}<button type="submit" class="button main">${say(site, 'Show')}</button></div></form>
<section class="snippet" aria-labelledby="snippet"><h2 id="snippet">${say(site, 'Code for your page')}</h2>
<pre tabindex="0" role="group" aria-labelledby="snippet"><code>${snippetOf(viewing, query)}</code></pre>
<button type="button" class="button" data-copied="${say(site, 'Copied')}" hidden>${say(
      site,
      'Copy',
    )}</button></section>
${
  site.frameAncestors.length > 0 &&
  html`<section class="snippet" aria-labelledby="frame"><h2 id="frame">${say(
    site,
    'If scripts aren’t allowed',
  )}</h2>
<pre tabindex="0" role="group" aria-labelledby="frame"><code>${frameSnippetOf(viewing, query)}</code></pre>
<button type="button" class="button" data-copied="${say(site, 'Copied')}" hidden>${say(
    site,
    'Copy',
  )}</button></section>`
}
<section class="preview" aria-labelledby="preview" hidden><h2 id="preview">${say(
      site,
      'Preview',
    )}</h2><div></div></section>`,
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
  const times = Object.entries(CHIP_TIMES).map(([value, text]) => ({ value, text: say(site, text) }))
  const levels = ['2', '3', '4', '5'].map((value) => ({ value, text: `<h${value}>` }))
  const day = (label: string, name: string) =>
    html`<label><span>${label}</span><input type="date" name="${
      name
    }" min="0001-01-01" max="9999-12-31" value="${chosen(name)}"></label>`
  const check = (label: string, name: string, value: string) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${
      query.getAll(name).includes(value) && html` checked`
    }><span>${label}</span></label>`
  return [
    select(say(site, 'View'), 'view', say(site, 'List'), choicesOf(views), chosen('view')),
    select(say(site, 'Category'), 'category', say(site, 'All categories'), categories, chosen('category')),
    select(say(site, 'Tag'), 'tag', say(site, 'All tags'), tags, chosen('tag')),
    select(say(site, 'Venue'), 'venue', say(site, 'All venues'), venues, chosen('venue')),
    html`<label><span>${say(
      site,
      'Search events',
    )}</span><input type="search" name="search" maxlength="${LONGEST_VALUE}" value="${chosen(
      'search',
    )}"></label>`,
    select(say(site, 'Time'), 'when', say(site, 'Any day'), choicesOf(times), chosen('when')),
    day(say(site, 'From'), 'date'),
    day(say(site, 'To'), 'until'),
    html`<label><span>${say(
      site,
      'Number of events in a list',
    )}</span><input type="number" name="limit" min="1" max="50" value="${chosen('limit')}"></label>`,
    select(say(site, 'Headings'), 'level', '<h2>', choicesOf(levels.slice(1)), chosen('level')),
    select(
      say(site, 'Language'),
      'language',
      say(site, 'Same as your page'),
      choicesOf(languages),
      chosen('language'),
    ),
    html`<fieldset class="checks"><legend class="hidden">${say(site, 'Filters')}</legend>${check(
      say(site, 'Free'),
      'free',
      'true',
    )}${check(say(site, 'Online'), 'attendance', 'online,mixed')}</fieldset>`,
    html`<fieldset class="checks"><legend>${say(site, 'Show for each event')}</legend>${EXTRAS.map(
      ([value, text]) => check(say(site, text), 'show', value),
    )}</fieldset>`,
  ]
}

function attributesOf(query: URLSearchParams): [string, string][] {
  return Object.entries(ATTRIBUTES).flatMap(([attribute, field]): [string, string][] => {
    const value = query.getAll(field).join(' ').slice(0, LONGEST_VALUE).trim()
    return value === '' ? [] : [[attribute, value]]
  })
}

function snippetOf({ context: { site } }: Viewing, query: URLSearchParams): string {
  const attributes = attributesOf(query).map(([name, value]) => html` ${name}="${value}"`)
  const { markup } = html`<script type="module" src="${site.url + EMBED_PATH}"></script>
<kalends-events${attributes}>
  <a href="${`${site.url}/events/`}">${site.name}</a>
</kalends-events>`
  return markup
}

function frameSnippetOf({ context: { site } }: Viewing, query: URLSearchParams): string {
  const asked = new URLSearchParams(attributesOf(query).filter(([name]) => !OF_ELEMENT.has(name))).toString()
  const address = site.url + FRAME_PATH + (asked === '' ? '' : `?${asked}`)
  const { markup } = html`<iframe src="${address}" title="${site.name}" width="100%" height="${
    FRAME_HEIGHT
  }" loading="lazy" style="border: 0"></iframe>`
  return markup
}

/** In pixels: enough for a month, or for six listed events. */
const FRAME_HEIGHT = 760
