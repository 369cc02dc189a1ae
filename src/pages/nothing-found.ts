import { dayOf } from '../text/moments.ts'
import { eventRow } from './event-rows.ts'
import { writtenDay } from './page-dates.ts'
import { findEvents, findNeighbours, from } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { scopeOf } from './page-terms.ts'
import type { EventsAsked } from './view-head.ts'
import { say, sayEvents, spanLink, type Viewing } from './viewing.ts'

/** The text of a view without events: the nearest events, and the number of events without its filters. */
export async function nothingFound(viewing: Viewing, asked: EventsAsked, text: string, around: string): Promise<Html> {
  const { context, today } = viewing
  const { site } = context
  const [previous, next] = await findNeighbours(viewing, asked.query.filters, around)
  const near = [next, previous].filter((card) => card !== undefined)
  const sentence = next
    ? say(site, 'The next one is on {date}.', { date: writtenDay(site, dayOf(next.start), today) })
    : previous && say(site, 'The last one was on {date}.', { date: writtenDay(site, dayOf(previous.start), today) })
  return html`<section class="nothing"><h2>${text}</h2>${sentence && html`<p>${sentence}</p>`}${
    near.length > 0 && html`<ul class="rows">${near.slice(0, 1).map((card) => eventRow(viewing, card))}</ul>`
  }<p class="ways">${await ways(viewing, asked)}</p></section>`
}

async function ways(viewing: Viewing, asked: EventsAsked): Promise<Html> {
  const { site } = viewing.context
  const isNarrowed = asked.query.isFiltered || asked.term !== undefined
  if (!isNarrowed)
    return html`<a class="button" href="${spanLink(site, { view: 'list' }, undefined, '')}">${say(site, 'Show the calendar')}</a>`
  const { total } = await findEvents(viewing, from({}, viewing.today), 1, 1)
  const scope = asked.query.isFiltered && asked.term ? scopeOf(asked.term) : undefined
  const text = scope ? say(site, 'Clear all filters') : `${say(site, 'Show the calendar')} (${sayEvents(site, total)})`
  return html`<a class="button" href="${spanLink(site, { view: 'list' }, scope, '')}">${text}</a>`
}
