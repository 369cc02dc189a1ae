import type { Site } from '../../base/config.ts'
import { TIMES_OF_DAY } from '../../base/fields/event-fields.ts'
import { accessFacts } from '../../base/fields/event-members.ts'
import { dayOf } from '../../base/text/moments.ts'
import { TERM_LISTS } from '../../calendar/terms/term-store.ts'
import { factInWords } from './access-shown.ts'
import { countMatching } from './count-matching.ts'
import { daySections, eventRow } from './event-rows.ts'
import { feedBase, feedLinks, feedPath, feedQuery, subscribeMenu } from './feed-links.ts'
import {
  askedInWords,
  type CategoryChips,
  type ChipCounts,
  type CountedLists,
  countChips,
  FIELDS_ID,
  filterChip,
  filterChips,
  hasChip,
  NOT_COUNTED,
} from './filter-chips.ts'
import { SUGGEST_PATH, spanPath, type TermPath } from './page-addresses.ts'
import {
  isDay,
  laterOf,
  writtenDate,
  writtenDay,
  writtenDistance,
  writtenNumber,
  writtenRange,
} from './page-dates.ts'
import {
  datesOfPage,
  type EventFilters,
  findCards,
  findNeighbours,
  findPageEvents,
  from,
  starting,
} from './page-finding.ts'
import { type Choices, choicesOf, type Html, html, marked, NOTHING, select } from './page-html.ts'
import { languageField } from './page-languages.ts'
import { filterWithValue, OF_LISTS, type PageQuery, queryText } from './page-query.ts'
import { type ShownTerm, scopeOf } from './page-terms.ts'
import { isList, isUndated, linkedSpans, type Span } from './spans.ts'
import { shortened } from './teasers.ts'
import { nameShown, pathTo, say, sayEvents, spanLink, type View, type Viewing } from './viewing.ts'

export interface EventsAsked {
  span: Span
  term: ShownTerm | undefined
  query: PageQuery
}

const scopeIn = ({ term }: EventsAsked): TermPath | undefined => term && scopeOf(term)

export function sameEvents({ context }: Viewing, asked: EventsAsked, span: Span, page = 1): string {
  return spanLink(context.site, span, scopeIn(asked), queryText(asked.query, leftOut(span), page))
}

const leftOut = (span: Span) => (isList(span) ? [] : OF_LISTS)

export function daysOfSame({ context }: Viewing, asked: EventsAsked): (day: string) => string {
  const scope = scopeIn(asked)
  const query = queryText(asked.query, OF_LISTS)
  return (day) => spanLink(context.site, { view: 'day', day }, scope, query)
}

/** Links to the feeds of a list, without its dates. */
export const feedsOf = (asked: EventsAsked) => feedLinks(feedBase(scopeIn(asked)), feedQuery(asked.query))

export const feedOf = (asked: EventsAsked, ending: string) =>
  feedPath(feedBase(scopeIn(asked)), ending, feedQuery(asked.query))

function mailQuery({ term, query }: EventsAsked): string {
  const own = new URLSearchParams(queryText(query, OF_LISTS))
  if (term) own.set(TERM_LISTS[term.taxonomy], term.slug)
  return own.toString()
}

/** The canonical path; the site's first view has `/`. */
export const canonicalOf = ({ look }: Viewing, asked: EventsAsked, span: Span): string =>
  span.view === look.firstView && isUndated(span) && !asked.term ? '/' : spanPath(span, scopeIn(asked))

/** If `lists` is missing, chips have no counts. */
export interface HeadParts {
  lists?: CountedLists['lists']
  hasDates?: boolean
}

export function finding(
  viewing: Viewing,
  asked: EventsAsked,
  { lists, hasDates = false }: HeadParts = {},
): Html {
  const { span, query } = asked
  const shown = shownChips(viewing, chosenTop(viewing, asked))
  const slugs = shown.map(({ slug }) => slug)
  const counts = lists ? countChips(viewing, { filters: query.filters, lists }, slugs) : NOT_COUNTED
  const categories = categoryChips(viewing, asked, shown, counts)
  return html`<div class="finding">
${filterForm(viewing, asked)}
<div class="presses">${filterChips(viewing, {
    span,
    scope: scopeIn(asked),
    query,
    counts,
    hasDates,
    categories,
  })}</div>
</div>
${activeFilters(viewing, asked)}`
}

/** The head of a page: heading, text `below`, tools and views. An `h2` needs a hidden `h1` before it. */
export function headOf(
  viewing: Viewing,
  asked: EventsAsked,
  heading: string,
  below: Html | string,
  tools?: Html,
  level: 'h1' | 'h2' = 'h1',
): Html {
  const { site } = viewing.context
  const { term } = asked
  const title = heading === term?.name ? nameShown(site, heading) : heading
  return html`<div class="head">
<div class="heading">${
    term &&
    term.name !== heading &&
    html`<p class="eyebrow h${term.hue}"><i class="dot" aria-hidden="true"></i><bdi>${term.name}</bdi></p>`
  }${level === 'h1' ? html`<h1 tabindex="-1">${title}</h1>` : html`<h2>${title}</h2>`}<p class="count">${
    below
  }</p></div>
<div class="tools">${tools}${subscribeMenu(
    site,
    feedBase(scopeIn(asked)),
    feedQuery(asked.query),
    viewing.subscribes?.list(site, mailQuery(asked)),
  )}<nav class="views" aria-label="${say(site, 'Views')}">${views(viewing, asked)}</nav></div>
</div>`
}

export function viewHead(
  viewing: Viewing,
  asked: EventsAsked,
  heading: string,
  below: Html | string,
  tools?: Html,
): Html {
  return html`${finding(viewing, asked)}
${headOf(viewing, asked, heading, below, tools)}`
}

function views(viewing: Viewing, asked: EventsAsked): Html[] {
  return linkedSpans(viewing.context.site, asked.span, viewing.today).map(
    ({ span, name }) =>
      html`<a href="${sameEvents(viewing, asked, span)}"${
        span.view === asked.span.view && html` aria-current="true"`
      }>${name}</a>`,
  )
}

const MOST_PILLS = 6
const MOST_FOLDED = 60

/** Slug of the top-level category of the chosen one; undefined if none or several are chosen. */
function chosenTop({ terms }: Viewing, { term, query }: EventsAsked): string | undefined {
  if (term?.taxonomy === 'category') return term.slugs[0]
  const slug = query.sent.get('categories')
  return [...terms.byId.values()].find((one) => one.taxonomy === 'category' && one.slug === slug)?.slugs[0]
}

function categoryChips(
  viewing: Viewing,
  asked: EventsAsked,
  shown: readonly ShownTerm[],
  counts: ChipCounts,
): CategoryChips {
  const { site } = viewing.context
  const query = queryText(asked.query, ['categories'])
  const open = chosenTop(viewing, asked)
  const chosen = asked.term?.taxonomy === 'category' ? asked.term.slug : asked.query.sent.get('categories')
  // Clicking the chosen category removes it from the filters.
  const chipOf = (term: ShownTerm) =>
    filterChip(site, {
      text: nameShown(site, term.name),
      address: spanLink(site, asked.span, term.slug === chosen ? undefined : scopeOf(term), query),
      isChosen: term.slug === chosen || term.slug === open,
      count: counts.categories.get(term.slug),
      hue: ` h${term.hue}`,
    })
  const folded = viewing.terms.tops.filter((term) => !shown.includes(term)).slice(0, MOST_FOLDED)
  const others =
    folded.length > 0 &&
    html`<details class="rest"><summary class="pill">${say(
      site,
      'More categories',
    )}</summary><div class="pills">${folded.map(chipOf)}</div></details>`
  return { shown: shown.map(chipOf), others }
}

/** Categories with chips: the owner's choice, or else those with the most events; also the chosen one. */
function shownChips({ look, terms }: Viewing, open: string | undefined): ShownTerm[] {
  const { tops, byId } = terms
  const categories = [...byId.values()].filter(({ taxonomy }) => taxonomy === 'category')
  const named = look.presses
    .map((slug) => tops.find((term) => term.slug === slug) ?? categories.find((term) => term.slug === slug))
    .filter((term) => term !== undefined)
  const chosen = tops.find(({ slug }) => slug === open)
  if (named.length > 0) return chosen && !named.includes(chosen) ? [...named, chosen] : named
  const most = new Set([...tops].sort((a, b) => b.count - a.count).slice(0, MOST_PILLS))
  return tops.filter((term) => most.has(term) || term === chosen)
}

interface FormField {
  names: readonly string[]
  /** True for lists only; other views have their dates in the path. */
  ofLists?: true
  draw: (viewing: Viewing, asked: EventsAsked, counts: CountsOf) => Html | false
}

/** Fields of the form; all other filters in the query become hidden controls. */
const FORM_FIELDS: readonly FormField[] = [
  {
    names: ['categories'],
    draw: (viewing, asked, counts) =>
      termSelect(viewing, asked, 'categories', countedCategories(viewing, counts)),
  },
  {
    names: ['tags'],
    draw: (viewing, asked) => termSelect(viewing, asked, 'tags', viewing.terms.choices.tags),
  },
  { names: ['venue'], draw: venueSelect },
  { names: ['near', 'geoloc_radius'], draw: nearSelect },
  { names: ['start_date', 'end_date'], ofLists: true, draw: dateFields },
  { names: ['time'], draw: timeSelect },
  {
    names: ['access'],
    draw: (viewing, asked, counts) => accessFields(viewing, counts, asked.query.sent.get('access')),
  },
]

const OFFERED: ReadonlySet<string> = new Set(['search', ...FORM_FIELDS.flatMap(({ names }) => names)])

function wrongIn(site: Site, { sent, wrong }: PageQuery, name: string): string | undefined {
  const value = shortened(sent.get(name) ?? '', LONGEST_WRONG)
  return wrong?.has(name) ? say(site, 'Not recognized: {value}', { value }) : undefined
}

const LONGEST_WRONG = 60

/** The form with its invalid controls marked, in place of events. */
export function wrongView(viewing: Viewing, asked: EventsAsked): View {
  const { site } = viewing.context
  const sentence = say(site, 'Part of this address isn’t valid.')
  // Access facts are checkboxes, which are never marked.
  const isMarked = [...(asked.query.wrong ?? [])].some((name) => OFFERED.has(name) && name !== 'access')
  const below = isMarked
    ? say(site, 'Please check the highlighted field.')
    : say(site, 'Try another search, or browse all events.')
  return {
    status: 400,
    title: sentence,
    description: sentence,
    canonical: undefined,
    isIndexed: false,
    current: undefined,
    body: html`<div class="head"><div class="heading"><h1 tabindex="-1">${sentence}</h1><p class="count">${
      below
    }</p></div></div>
${filterForm(viewing, asked)}
${activeFilters(viewing, asked)}
<p class="results ways"><a class="button" href="${calendarPath(viewing)}">${say(site, 'All events')}</a></p>`,
  }
}

function filterForm(viewing: Viewing, asked: EventsAsked): Html {
  const { site } = viewing.context
  const { sent } = asked.query
  const { span } = asked
  const counts = countsOf(viewing, asked.query.filters, span.view === 'past')
  const hidden = [...sent].flatMap(([name, value]) =>
    OFFERED.has(name) ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )
  const fields = FORM_FIELDS.filter(({ ofLists }) => !ofLists || isList(span))
  const folded = fields.flatMap(({ names }) => names).filter((name) => name !== 'geoloc_radius')
  const open = folded.filter((name) => sent.has(name) && !hasChip(name, sent.get(name) ?? '')).length
  return html`<form class="filter" role="search" action="${spanLink(
    site,
    span,
    scopeIn(asked),
    '',
  )}">${hidden}${languageField(site)}
<div class="words"><input type="search" name="search" data-suggest="${pathTo(
    site,
    viewing.assets.suggest.path,
  )}" data-from="${pathTo(site, SUGGEST_PATH)}" value="${sent.get(
    'search',
  )}" maxlength="500" placeholder="${say(
    site,
    'Search events',
  )}" aria-label="${say(site, 'Search events')}"><button type="submit" class="button main">${say(
    site,
    'Search',
  )}</button></div>
<details class="more"${
    folded.some((name) => asked.query.wrong?.has(name)) && html` open`
  }><summary class="button">${say(site, 'Filters')}${
    open > 0 && html` <span class="badge">${open}</span>`
  }</summary>
<div class="fields" id="${FIELDS_ID}">${fields.map(({ draw }) =>
    draw(viewing, asked, counts),
  )}<button type="submit" class="button">${say(site, 'Show')}</button></div></details></form>`
}

function termSelect(
  { context: { site } }: Viewing,
  { query, term }: EventsAsked,
  name: 'categories' | 'tags',
  choices: Choices,
): Html | false {
  const isTree = name === 'categories'
  if (choices.all.length === 0 || (isTree && term?.taxonomy === 'category')) return false
  const [label, all] = isTree
    ? [say(site, 'Category'), say(site, 'All categories')]
    : [say(site, 'Tag'), say(site, 'All tags')]
  return select(label, name, all, choices, query.sent.get(name), wrongIn(site, query, name))
}

function venueSelect({ context: { site }, terms }: Viewing, { query }: EventsAsked): Html | false {
  const { venues } = terms.choices
  return (
    venues.all.length > 0 &&
    select(
      say(site, 'Venue'),
      'venue',
      say(site, 'All venues'),
      venues,
      query.sent.get('venue'),
      wrongIn(site, query, 'venue'),
    )
  )
}

const RADII = [1, 2, 5, 10, 25, 50]

function nearSelect({ context: { site }, terms }: Viewing, { query }: EventsAsked): Html | false {
  const { places } = terms.choices
  if (places.all.length === 0) return false
  const chosen = query.sent.get('geoloc_radius') ?? '5'
  const radii = RADII.map(
    (km) =>
      html`<option value="${km}"${
        String(km) === chosen && html` selected`
      }>${writtenDistance(site, km)}</option>`,
  )
  const near = query.sent.get('near')
  const wrong = wrongIn(site, query, 'near')
  const place = select(say(site, 'Near'), 'near', say(site, 'Anywhere'), places, near, wrong)
  const within = say(site, 'Within')
  return html`${place}<label><span>${within}</span><select name="geoloc_radius">${radii}</select></label>`
}

function dateFields({ context: { site } }: Viewing, { query }: EventsAsked): Html {
  const field = (name: string, label: string) => {
    const { attributes, sentence } = marked(name, wrongIn(site, query, name))
    return html`<label><span>${label}</span><input type="date" name="${name}" value="${query.sent
      .get(name)
      ?.slice(0, 10)}"${attributes}>${sentence}</label>`
  }
  return html`${field('start_date', say(site, 'From'))}${field('end_date', say(site, 'To'))}`
}

function timeSelect({ context: { site } }: Viewing, { query }: EventsAsked): Html {
  const times = choicesOf(
    TIMES_OF_DAY.map((value) => ({ value, text: askedInWords(site, 'time', value) ?? value })),
  )
  return select(
    say(site, 'Time of day'),
    'time',
    say(site, 'Any time'),
    times,
    query.sent.get('time'),
    wrongIn(site, query, 'time'),
  )
}

function activeFilters(viewing: Viewing, asked: EventsAsked): Html | false {
  const { site } = viewing.context
  const { sent } = asked.query
  const shown = [...sent].filter(([name, value]) => name !== 'geoloc_radius' && !hasChip(name, value))
  if (shown.length === 0) return false
  const chip = ([name, value]: readonly [string, string]) => {
    const without = name === 'near' ? ['near', 'geoloc_radius'] : [name]
    const text = filterInWords(viewing, name, value)
    const address = spanLink(site, asked.span, scopeIn(asked), queryText(asked.query, without))
    return html`<li><a class="chip plain off" href="${address}" aria-label="${say(
      site,
      'Remove filter: {name}',
      { name: text },
    )}"><bdi>${text}</bdi> <span aria-hidden="true">×</span></a></li>`
  }
  const clear = spanLink(site, asked.span, scopeIn(asked), '')
  return html`<ul class="active">${shown.map(chip)}${
    shown.length > 1 && html`<li><a class="quiet" href="${clear}">${say(site, 'Clear all filters')}</a></li>`
  }</ul>`
}

function filterInWords({ context, terms, today }: Viewing, name: string, value: string): string {
  const { site } = context
  if (name === 'categories' || name === 'tags') {
    const named = [...terms.byId.values()].find(
      ({ slug, taxonomy }) => slug === value && (taxonomy === 'tag') === (name === 'tags'),
    )
    return named?.name ?? value
  }
  const venue = terms.venues.find(({ id }) => String(id) === value)?.name
  if (name === 'venue') return venue ?? say(site, 'Venue')
  if (name === 'near') return say(site, 'near {name}', { name: venue ?? value })
  if (name === 'organizer') return say(site, 'Organizer')
  if (name === 'bbox') return say(site, 'On this part of the map')
  if (name === 'featured') return say(site, 'Featured')
  if (name === 'start_date') return say(site, 'from {date}', { date: dateOr(value) })
  if (name === 'end_date') return say(site, 'to {date}', { date: dateOr(value) })
  if (name === 'search') return value
  if (name === 'hide_subsequent_recurrences')
    return say(site, value === '0' ? 'Every date' : 'Each series once')
  if (name === 'access')
    return value
      .split(',')
      .map((fact) => factInWords(context, fact.trim()))
      .join(', ')
  return askedInWords(site, name, value) ?? filterWithValue(site, name, value)

  function dateOr(text: string): string {
    return isDay(text) ? writtenDate(site, text, today) : text
  }
}

/** Link to a list's page, with its dates; those before `from` are shown as `from`. */
export async function datedWay(
  viewing: Viewing,
  path: string,
  text: string,
  filters: EventFilters,
  { page, perPage, from = '' }: { page: number; perPage: number; from?: string },
): Promise<{ path: string; text: string }> {
  const dates = await datesOfPage(viewing, filters, page, perPage)
  if (!dates) return { path, text }
  const [first, last] = [laterOf(dates.first, from), laterOf(dates.last, from)]
  return { path, text: `${text} · ${writtenRange(viewing.context.site, first, last, viewing.today)}` }
}

export interface PagerLink {
  path: string
  text: string
}

export function steps(
  site: Site,
  label: string,
  before: PagerLink | undefined,
  present: { path: string; isHere: boolean },
  after: PagerLink | undefined,
): Html {
  const step = (way: PagerLink | undefined, arrow: string, rel: string) =>
    way
      ? html`<a class="button step" rel="${rel}" href="${way.path}" aria-label="${
          way.text
        }"><span aria-hidden="true">${arrow}</span></a>`
      : html`<span class="button step" aria-hidden="true">${arrow}</span>`
  return html`<nav class="steps" aria-label="${label}">${step(
    before,
    '←',
    'prev',
  )}<a class="button" href="${present.path}"${
    present.isHere && html` aria-current="date"`
  }>${say(site, 'Today')}</a>${step(after, '→', 'next')}</nav>`
}

export function pager(
  before: PagerLink | undefined,
  after: PagerLink | undefined,
  label: string,
): Html | false {
  if (!before && !after) return false
  return html`<nav class="pager" aria-label="${label}">${
    before
      ? html`<a class="button" rel="prev" href="${before.path}"><span aria-hidden="true">←</span> ${
          before.text
        }</a>`
      : html`<span></span>`
  }${
    after &&
    html`<a class="button" rel="next" href="${after.path}">${
      after.text
    } <span aria-hidden="true">→</span></a>`
  }</nav>`
}

export const calendarPath = ({ context: { site } }: Viewing) => pathTo(site, '/events/')

const MOST_INSTEAD = 3

/**
 * What a view without events shows: the next match after local time `around`, else the last before it, with
 * links; if nothing ever matches, the calendar's next events.
 */
export async function nothingFound(
  viewing: Viewing,
  asked: EventsAsked,
  text: string,
  around: string,
  instead = NOTHING,
): Promise<Html> {
  const { context, today } = viewing
  const { site } = context
  const [previous, next] = await findNeighbours(viewing, asked.query.filters, around)
  const near = [next, previous].filter((card) => card !== undefined)
  const sentence = next
    ? say(site, 'The next one is on {date}.', { date: writtenDay(site, dayOf(next.start), today) })
    : previous &&
      say(site, 'The last one was on {date}.', { date: writtenDay(site, dayOf(previous.start), today) })
  const others =
    near.length === 0 ? await findCards(viewing, nextOfAll(viewing), 1, MOST_INSTEAD) : { cards: [] }
  return html`<section class="nothing"><h2>${text}</h2>${sentence && html`<p>${sentence}</p>`}${instead}${
    near.length > 0 && html`<ul class="rows">${near.slice(0, 1).map((card) => eventRow(viewing, card))}</ul>`
  }${await ways(viewing, asked)}</section>${
    others.cards.length > 0 &&
    html`<h2>${say(site, 'Upcoming events')}</h2>${daySections(viewing, others.cards)}`
  }`
}

const nextOfAll = ({ today }: Viewing): EventFilters => ({
  ...starting({}, today, undefined),
  collapse: 'series',
})

async function ways(viewing: Viewing, asked: EventsAsked): Promise<Html | false> {
  const { site } = viewing.context
  const isNarrowed = asked.query.isFiltered || asked.term !== undefined
  const way = (path: string, text: string) =>
    html`<p class="ways"><a class="button" href="${path}">${text}</a></p>`
  if (!isNarrowed)
    return (
      asked.span.view !== 'list' &&
      way(spanLink(site, { view: 'list' }, undefined, ''), say(site, 'Show the calendar'))
    )
  const { total } = await findPageEvents(viewing, from(viewing, {}, viewing.today), 1, 1)
  const scope = asked.query.isFiltered && asked.term ? scopeOf(asked.term) : undefined
  const text = scope
    ? say(site, 'Clear all filters')
    : `${say(site, 'Show the calendar')} (${sayEvents(site, total)})`
  return way(spanLink(site, { view: 'list' }, scope, ''), text)
}

/** Counts by category and access fact; undefined for past events, and where the index cannot count. */
function countsOf(viewing: Viewing, filters: EventFilters, isPast: boolean) {
  const coming = isPast ? undefined : from(viewing, filters, viewing.today)
  return coming && countMatching(viewing.context, { ...coming, strict_dates: true, page: 1, per_page: 1 })
}

type CountsOf = ReturnType<typeof countsOf>

function countedCategories({ context: { site }, terms }: Viewing, counts: CountsOf): Choices {
  const { categories } = terms.choices
  const shown = [...terms.byId.values()].filter(({ taxonomy }) => taxonomy === 'category')
  const found = categories.isCut ? undefined : counts?.terms(shown.map(({ id }) => id))
  if (!found) return categories
  const bySlug = new Map(shown.map(({ id, slug }) => [slug, found.get(id) ?? 0]))
  const counted = categories.all.map(({ value, text }) => {
    const count = bySlug.get(value) ?? 0
    return { value, text: count === 0 ? text : `${text} (${writtenNumber(site, count)})` }
  })
  return choicesOf(counted)
}

/** Checkboxes for access facts, all of which events must have; false if there are none to offer. */
function accessFields({ context }: Viewing, counts: CountsOf, sent: string | undefined): Html | false {
  const { site } = context
  const chosen = new Set(sent?.split(',').map((fact) => fact.trim()))
  const found = counts?.access()
  const offered = accessFacts.filter((fact) => chosen.has(fact) || (found?.get(fact) ?? 0) > 0)
  if (offered.length === 0) return false
  const fields = offered.map((fact) => {
    const count = found?.get(fact)
    return html`<label><input type="checkbox" name="access" value="${fact}"${
      chosen.has(fact) && html` checked`
    }>${factInWords(context, fact)}${
      count !== undefined && html` <small>${writtenNumber(site, count)}</small>`
    }</label>`
  })
  return html`<fieldset class="ticks"><legend>${say(site, 'Accessibility')}</legend>${fields}</fieldset>`
}
