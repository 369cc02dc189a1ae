import { addDays, dayOf } from '../../base/text/moments.ts'
import { eventRow } from './event-rows.ts'
import { findOngoing, isLong, MOST_OF_DAY, ongoingSection } from './ongoing.ts'
import { capitalized, lastDayOf, laterOf, writtenDate, writtenDay } from './page-dates.ts'
import { findBounds, findCards, starting } from './page-finding.ts'
import { html } from './page-html.ts'
import {
  canonicalOf,
  type EventsAsked,
  feedsOf,
  nothingFound,
  pager,
  sameEvents,
  steps,
  viewHead,
} from './view-head.ts'
import { say, sayEvents, type View, type Viewing } from './viewing.ts'
import { nearName } from './when-in-words.ts'

/**
 * Shows the events of a day: those begun earlier, those beginning on it, and last those begun earlier that
 * take more than three days. Pages after the first have only events that begin on it.
 * @throws Problem event-archive-page-not-found for a page after the last
 */
export async function dayView(viewing: Viewing, asked: EventsAsked, day: string): Promise<View> {
  const { context, today } = viewing
  const { site } = context
  const { page, filters } = asked.query
  const { cards, total: begin } = await findCards(viewing, starting(filters, day, day), page, MOST_OF_DAY)
  const ongoing = await findOngoing(viewing, filters, day, MOST_OF_DAY)
  const lasting = page === 1 ? ongoing.cards : []
  const long = lasting.filter((card) => isLong(dayOf(card.start), lastDayOf(card.start, card.end)))
  const shown = [...lasting.filter((card) => !long.includes(card)), ...cards]
  const total = begin + ongoing.total
  const near = nearName(site, day, today)
  const span = { view: 'day', day } as const
  const bounds = await findBounds(viewing, filters)
  const way = (other: string) =>
    bounds && other >= bounds.first && other <= laterOf(bounds.last, today)
      ? {
          path: sameEvents(viewing, asked, { view: 'day', day: other }),
          text: writtenDay(site, other, today),
        }
      : undefined
  const [previous, next] = [way(addDays(day, -1)), way(addDays(day, 1))]
  const present = { path: sameEvents(viewing, asked, { view: 'day', day: undefined }), isHere: day === today }
  const whole = capitalized(site, writtenDay(site, day, ''))
  const pageAt = (other: number, text: string) => ({ path: sameEvents(viewing, asked, span, other), text })
  const earlier = page > 1 ? pageAt(page - 1, say(site, 'Earlier')) : undefined
  const later = page * MOST_OF_DAY < begin ? pageAt(page + 1, say(site, 'Later')) : undefined
  return {
    status: 200,
    title: whole,
    description: `${whole}: ${sayEvents(site, total)}`,
    canonical: canonicalOf(viewing, asked, span),
    isIndexed: day >= today && total > 0 && !asked.query.isFiltered && page === 1,
    previous: previous?.path,
    next: next?.path,
    feeds: feedsOf(asked),
    styles: [viewing.assets.front],
    current: 'day',
    body: html`${viewHead(
      viewing,
      { ...asked, span },
      capitalized(site, writtenDay(site, day, today)),
      `${near && `${near} · `}${sayEvents(site, total)}`,
      steps(site, say(site, 'Days'), previous, present, next),
    )}
<div class="results${shown.length > 0 && ' single'}" id="events" tabindex="-1">${
      total === 0
        ? await nothingFound(
            viewing,
            asked,
            say(site, 'There are no events on {date}.', { date: writtenDate(site, day, today) }),
            `${day} 00:00:00`,
          )
        : html`${
            shown.length > 0 &&
            html`<h2 class="hidden">${say(site, 'Events')}</h2><ul class="rows">${shown.map((card) =>
              eventRow(viewing, card),
            )}</ul>`
          }${ongoingSection(viewing, { cards: long, total: long.length }, '')}`
    }</div>
${pager(earlier, later, say(site, 'More pages'))}${pager(previous, next, say(site, 'Other days'))}`,
  }
}
