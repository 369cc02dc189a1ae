import type { Site } from '../../base/config.ts'
import { plainText } from '../../base/text/html.ts'
import { renderedForPage, showPrepared } from '../../base/text/long-texts.ts'
import { dayOf } from '../../base/text/moments.ts'
import { presentUrl } from '../../base/text/urls.ts'
import type { EventLinks } from '../../calendar/events/event-store.ts'
import { asSeriesSeenBy } from '../../calendar/events/event-when.ts'
import { seriesLinkedData, seriesUrl, showRule } from '../../calendar/events/recurrence-present.ts'
import { findSeriesLinks } from '../../calendar/series/series.ts'
import { readShared, type Shared } from '../../calendar/series/series-store.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { written } from '../feeds/date-forms.ts'
import { statusWord } from '../feeds/event-status.ts'
import { type Card, pictureOf } from './cards.ts'
import { daySections, startTime, titleOf } from './event-rows.ts'
import { feedLinks, feedPath, subscribeMenu } from './feed-links.ts'
import { portrait } from './linked-view.ts'
import { capitalized, writtenDay, writtenNumber } from './page-dates.ts'
import { findCards, findPageEvents, from } from './page-finding.ts'
import { type Html, html, NOTHING, trusted } from './page-html.ts'
import { learnTerms } from './page-terms.ts'
import { sayCount } from './page-texts.ts'
import { joinLink, sharedFacts, termChips, websiteLink } from './shared-facts.ts'
import { teaserOf } from './teasers.ts'
import { calendarPath, pager } from './view-head.ts'
import { nameShown, pageWork, pathTo, say, type View, type Viewing } from './viewing.ts'

function sayRule({ context }: Viewing, series: SeriesRow): string {
  return capitalized(context.site, showRule(context, series).text)
}

export const seriesPath = ({ context: { site } }: Viewing, series: Pick<SeriesRow, 'id' | 'slug'>): string =>
  seriesUrl(site, series).slice(site.url.length)

/**
 * Shows a series with its dates from today on.
 * @throws Problem event-archive-page-not-found for a page after the last
 */
export async function seriesView(viewing: Viewing, series: SeriesRow, page: number): Promise<View> {
  const { context, today } = viewing
  const { site } = context
  const { cards, total } = await findCards(
    viewing,
    from(viewing, { post_parent: series.id }, today),
    page,
    DATES_A_PAGE,
  )
  const [links] = await findSeriesLinks(context.db, [series])
  if (!links) throw new Error(`links of series ${series.id} were not looked up`)
  const shared = readShared(series)
  await learnTerms(context, viewing.terms, shared.terms)
  const { description, trusted: isTrusted } = shared
  const image = links.images.get(shared.image ?? 0)
  const picture = image && showOrLeaveOut(context, 'image', image.id, () => pictureOf(context, image, shared))
  const excerpt = plainText(shared.excerpt)
  const title = titleOf(viewing, { title: plainText(series.title) })
  const path = seriesPath(viewing, series)
  const rule = sayRule(viewing, series)
  return showPrepared([pageWork({ description, trusted: isTrusted })], () => ({
    status: 200,
    title,
    styles: [viewing.assets.eventStyle],
    image: image && picture && `${context.images.mediaUrl}/${image.file}`,
    description: [rule, teaserOf(shared, title)].filter((part) => part !== '').join('. '),
    canonical: path,
    isIndexed: page === 1 && total > 0,
    linkedData: { '@context': 'https://schema.org', ...seriesLinkedData(context, series) },
    feeds: feedLinks('/events', feedFilter(series)),
    current: undefined,
    body: html`<article class="linked"><a class="back" href="${calendarPath(
      viewing,
    )}"><span aria-hidden="true">←</span> ${say(site, 'All events')}</a>
<div class="lede"><p class="eyebrow">${say(site, 'Event series')}</p><h1>${nameShown(
      site,
      title,
    )}</h1><p class="lead">${rule}</p>${
      excerpt && html`<p class="lead">${nameShown(site, excerpt)}</p>`
    }<p class="tags">${termChips(viewing, links)}</p></div>
<div class="about">${facts(viewing, shared, links)}${picture && portrait(picture)}${
      description !== '' &&
      html`<div class="prose" dir="auto">${trusted(renderedForPage(description, isTrusted === 1))}</div>`
    }</div></article>
${dates(viewing, series, cards, { total, page, path })}`,
  }))
}

/** Facts common to all dates; a link to an online meeting is left to their pages unless always shown. */
function facts(viewing: Viewing, shared: Shared, links: EventLinks): Html {
  const { context } = viewing
  const row = { ...asSeriesSeenBy(context.caller, shared, context.now), online_shown: 'never' }
  const buttons = html`${joinLink(context.site, row)}${websiteLink(
    context.site,
    presentUrl(row.website),
    false,
  )}`
  return html`<div class="facts plain">${sharedFacts(viewing, 'series', row, links, { buttons })}</div>`
}

const feedFilter = ({ id }: SeriesRow) => `post_parent=${id}`

export const seriesFeed = (series: SeriesRow, ending: string) =>
  feedPath('/events', ending, feedFilter(series))

const DATES_A_PAGE = 60
const MOST_ROWS = 1

/** One line of dates for each month. A date shows time and title unless these are the most usual ones. */
function months(viewing: Viewing, cards: readonly Card[]): Html[] {
  const { site } = viewing.context
  const usual = cards.length > 0 ? mostOf(cards.map(ownPart)) : ''
  const date = (card: Card) => {
    const own =
      ownPart(card) === usual ? '' : [card.isAllDay ? '' : startTime(site, card), titleOf(viewing, card)]
    const day = html`<time datetime="${dayOf(card.start)}">${written(
      site,
      'weekdayShort',
      card.start,
    )} <b>${Number(card.start.slice(8, 10))}</b></time>`
    const said = own === '' ? '' : html` <bdi>${own.filter(Boolean).join(' ')}</bdi>`
    const state = card.event_status === 'scheduled' ? '' : html` ${statusWord(site, card)}`
    return html`<li><a class="pill" href="${pathTo(site, card.url)}">${day}${said}${state}</a></li>`
  }
  return [...Map.groupBy(cards, ({ start }) => start.slice(0, 7))].map(
    ([month, own]) =>
      html`<section class="day of-month"><h3 class="date">${capitalized(
        site,
        written(site, 'monthYear', `${month}-01`),
      )}</h3><ul class="pills">${own.map(date)}</ul></section>`,
  )
}

const ownPart = ({ title, start, isAllDay }: Card) => `${isAllDay ? '' : start.slice(11)} ${title}`

function mostOf(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0])[0]
}

function dates(
  viewing: Viewing,
  series: SeriesRow,
  cards: readonly Card[],
  { total, page, path }: { total: number; page: number; path: string },
): Html {
  const { site } = viewing.context
  const way = (other: number, text: string) => ({
    path: pathTo(site, other > 1 ? `${path}?page=${other}` : path),
    text,
  })
  return html`<section class="theirs"><div class="side">${subscribeMenu(
    site,
    '/events',
    feedFilter(series),
  )}</div><h2>${say(site, 'Upcoming dates')}</h2><p class="count">${
    total === 0 ? say(site, 'Nothing planned at the moment.') : sayDates(site, total)
  }</p>
<div class="results nested">${daySections(
    viewing,
    withoutSaid(series, page > 1 ? [] : cards.slice(0, MOST_ROWS)),
  )}${months(viewing, page > 1 ? cards : cards.slice(MOST_ROWS))}</div>${pager(
    page > 1 ? way(page - 1, say(site, 'Earlier')) : undefined,
    page * DATES_A_PAGE < total ? way(page + 1, say(site, 'Later')) : undefined,
    say(site, 'More pages'),
  )}</section>`
}

const sayDates = (site: Site, count: number) =>
  sayCount(site, '{count} dates', count, { count: writtenNumber(site, count) })

function withoutSaid(series: SeriesRow, cards: readonly Card[]): Card[] {
  const { description, excerpt, venues } = readShared(series)
  const said = teaserOf({ excerpt, description }, plainText(series.title))
  return cards.map((card) => ({
    ...card,
    excerpt: card.excerpt === said ? '' : card.excerpt,
    place: card.place && venues.includes(card.place.id) ? undefined : card.place,
  }))
}

const MOST_NAMED = 4

export async function findOtherDates(viewing: Viewing, row: EventRow): Promise<number[]> {
  if (row.series === null) return []
  const filters = from(viewing, { post_parent: row.series }, viewing.today)
  const { ids } = await findPageEvents(viewing, filters, 1, MOST_NAMED + 1)
  return ids.filter((id) => id !== row.id).slice(0, MOST_NAMED)
}

/** How an event repeats, with links to other dates; `NOTHING` without a public series. */
export function repeatFact(viewing: Viewing, series: SeriesRow | undefined, others: readonly Card[]): Html {
  if (series?.status !== 'publish') return NOTHING
  const { context, today } = viewing
  const { site } = context
  const date = (card: Card) =>
    html`<a href="${pathTo(site, card.url)}"><time datetime="${
      card.isAllDay ? dayOf(card.start) : card.start.slice(0, 16).replace(' ', 'T')
    }">${writtenDay(site, dayOf(card.start), today)}</time></a>`
  return html`<div><dt>${say(site, 'Repeats')}</dt><dd><strong><a href="${pathTo(
    site,
    seriesPath(viewing, series),
  )}">${sayRule(viewing, series)}</a></strong></dd></div>${
    others.length > 0 && html`<div><dt>${say(site, 'Upcoming dates')}</dt><dd>${others.map(date)}</dd></div>`
  }`
}
