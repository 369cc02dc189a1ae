import { TERM_LISTS } from '../../calendar/terms/term-store.ts'
import { sectionsFrom } from './event-rows.ts'
import { comingFilters, firstDay } from './list-view.ts'
import { drawMonth, monthWays } from './month-view.ts'
import { isDay, isMonth, monthOf, zoneName } from './page-dates.ts'
import { findCards } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { queryText, readQuery } from './page-query.ts'
import { type EventsAsked, sameEvents } from './view-head.ts'
import { pathTo, say, type Viewing } from './viewing.ts'

// Pages for an iframe on websites that forbid scripts.

export const FRAME_PATH = '/embed/frame/'

const OF_LISTS = { ...TERM_LISTS, date: 'start_date', until: 'end_date' }

/** Default number of events; `MOST` is the maximum. */
const LIMIT = 10
const MOST = 50

export interface Framed {
  title: string
  body: Html
}

/**
 * Shows a list or a month, as the query asks.
 * @throws Problem rest_invalid_param
 */
export async function frameView(viewing: Viewing, query: URLSearchParams): Promise<Framed> {
  const known = new URLSearchParams(query)
  known.delete('page')
  const hasMonth = query.get('view') === 'month'
  for (const [name, other] of Object.entries(hasMonth ? TERM_LISTS : OF_LISTS))
    for (const value of query.getAll(name)) known.append(other, value)
  const asked: EventsAsked = {
    span: { view: 'list' },
    term: undefined,
    query: await readQuery(viewing.context, known),
  }
  return hasMonth ? frameMonth(viewing, asked, query) : frameList(viewing, asked, query)
}

async function frameList(viewing: Viewing, asked: EventsAsked, query: URLSearchParams): Promise<Framed> {
  const { site } = viewing.context
  const title = say(site, 'What’s on')
  const limit = Math.min(Math.max(Math.trunc(Number(query.get('limit'))) || LIMIT, 1), MOST)
  const { cards } = await findCards(viewing, comingFilters(viewing, asked, true), 1, limit)
  const list =
    cards.length === 0
      ? html`<p>${say(site, 'No events found.')}</p>`
      : sectionsFrom(viewing, cards, firstDay(viewing, asked))
  return {
    title,
    body: html`<h1 class="hidden">${title}</h1><div class="results nested">${list}</div>${foot(
      viewing,
      asked,
    )}`,
  }
}

async function frameMonth(viewing: Viewing, asked: EventsAsked, query: URLSearchParams): Promise<Framed> {
  const { site } = viewing.context
  const date = query.get('date') ?? ''
  const month = isDay(date) || isMonth(date) ? monthOf(date) : monthOf(viewing.today)
  const { heading, ongoing, table, agenda } = await drawMonth(viewing, asked, month)
  const { previous, next } = await monthWays(viewing, asked, month)
  const step = (way: typeof next, arrow: string) => {
    if (!way) return html`<span class="button step" aria-hidden="true">${arrow}</span>`
    const address = `${FRAME_PATH}?${queryText(asked.query)}&view=month&date=${way.month}`.replace('?&', '?')
    return html`<a class="button step" target="_self" href="${pathTo(
      site,
      address,
    )}" aria-label="${way.text}"><span aria-hidden="true">${arrow}</span></a>`
  }
  const steps = html`<nav class="steps" aria-label="${say(site, 'Months')}">${step(previous, '←')}${step(
    next,
    '→',
  )}</nav>`
  return {
    title: heading,
    body: html`<div class="head"><h1>${heading}</h1>${steps}</div><div class="results">${table}${agenda}${
      ongoing
    }</div>${foot(viewing, { ...asked, span: { view: 'month', month } })}`,
  }
}

function foot(viewing: Viewing, asked: EventsAsked): Html {
  const { context, links } = viewing
  const { site } = context
  return html`<footer class="foot"><div class="wrap"><a href="${sameEvents(
    viewing,
    asked,
    asked.span,
  )}">${say(site, 'Show the calendar')}</a>${links.map(
    ({ path, text }) => html`<a href="${pathTo(site, path)}">${text(site)}</a>`,
  )}<span class="end">${say(site, 'All times are in {zone}', {
    zone: zoneName(site, site.timezone),
  })}</span></div></footer>`
}

export function frameProblem({ context: { site } }: Pick<Viewing, 'context'>): Framed {
  const title = say(site, 'No events found.')
  return {
    title,
    body: html`<h1>${title}</h1><p><a href="${pathTo(site, '/events/')}">${say(
      site,
      'Show the calendar',
    )}</a></p>`,
  }
}

/** Returns a page for a frame. Its links open outside, since other pages may not be framed. */
export function layOutFrame({ context: { site }, assets, look }: Viewing, { title, body }: Framed): string {
  const { markup } = html`<!doctype html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${site.name}</title>
<meta name="color-scheme" content="${look.scheme === 'auto' ? 'light dark' : look.scheme}">
<meta name="robots" content="noindex">
<base target="_blank">
${[assets.month, assets.others, assets.style, assets.embedding].map(
  ({ path }) => html`<link rel="stylesheet" href="${pathTo(site, path)}">\n`,
)}</head>
<body class="framed">
<main>
${body}
</main>
</body>
</html>
`
  return markup
}
