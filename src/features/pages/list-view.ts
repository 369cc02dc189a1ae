import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { addDays } from '../../base/text/moments.ts'
import { eventWords } from '../../calendar/events/event-filters.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import type { WordsFound } from '../../store/storage/search/find-words.ts'
import { written } from '../feeds/date-forms.ts'
import type { Card } from './cards.ts'
import { countStarts } from './count-matching.ts'
import { datedRows, daySections } from './event-rows.ts'
import { askedInWords, chosenInWords, DATES_ID } from './filter-chips.ts'
import { findOpening, withFollowing } from './front-view.ts'
import { findOngoing, MOST_OF_DAY, MOST_ONGOING, type Ongoing, ongoingSection } from './ongoing.ts'
import { firstOf, isDay, monthOf, monthsLater, weeksOf, writtenDay, writtenRange } from './page-dates.ts'
import {
  before,
  between,
  type EventFilters,
  everyDateOf,
  findBounds,
  findCards,
  findPageEvents,
  from,
  starting,
  withoutDatesAndWhen,
} from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { queryText } from './page-query.ts'
import { scopeOf } from './page-terms.ts'
import { firstDayOf, type Span } from './spans.ts'
import { findLinkedNamed } from './suggestions.ts'
import {
  canonicalOf,
  datedWay,
  type EventsAsked,
  feedsOf,
  finding,
  headOf,
  nothingFound,
  pager,
  sameEvents,
} from './view-head.ts'
import { nameShown, pathTo, say, sayEvents, spanLink, type View, type Viewing } from './viewing.ts'

export const PER_PAGE = 20

/**
 * Shows coming events, or past ones, latest first.
 * @throws Problem event-archive-page-not-found for a page after the last
 */
export async function listView(viewing: Viewing, asked: EventsAsked): Promise<View> {
  const { site } = viewing.context
  const isPast = asked.span.view === 'past'
  const found = await (isPast ? pastPage : comingPage)(viewing, asked)
  const { cards, total, pages } = found
  const { page } = asked.query
  const isFirst = page === 1 && !asked.query.isFiltered
  const opening =
    isFirst && !isPast && !asked.term
      ? await findOpening(viewing, comingFilters(viewing, asked), cards)
      : undefined
  const heading = headingOf(viewing, asked)
  const paths = {
    previous: page > 1 ? sameEvents(viewing, asked, asked.span, page - 1) : undefined,
    next: page < pages ? sameEvents(viewing, asked, asked.span, page + 1) : undefined,
  }
  const count = isPast ? (total === 0 ? '' : sayEvents(site, total)) : countText(viewing, asked, total)
  const below = html`${count}${everyDate(viewing, asked, found)}`
  const head = headOf(viewing, asked, heading, below, undefined, opening ? 'h2' : 'h1')
  const hasDates = !isPast && asked.query.filters.words === undefined
  const lists =
    isPast || total === 0 ? {} : { lists: (filters: EventFilters) => listsOf(viewing, asked, filters) }
  return {
    status: 200,
    title: asked.term || isPast || asked.query.isFiltered ? heading : '',
    description: count === '' ? `${heading}: ${nothingText(asked, site)}` : `${heading}: ${count}`,
    canonical: canonicalOf(viewing, asked, asked.span),
    isIndexed: !isPast && isFirst && total > 0,
    ...paths,
    feeds: feedsOf(asked),
    styles: [viewing.assets.front],
    isPlain: isFirst && !isPast && !asked.term && total > 0,
    current: 'list',
    body: html`${finding(viewing, asked, { ...lists, hasDates })}${!opening && head}
<div class="by-month"><div class="results" id="events" tabindex="-1">${
      opening && html`${opening.body}${head}`
    }${await namedHits(viewing, asked)}${total > 0 && (await wordsNote(viewing, asked, total))}${
      total === 0
        ? await nothing(viewing, asked)
        : isPast
          ? daySections(viewing, cards)
          : asked.query.filters.words === undefined
            ? sections(viewing, asked, found, opening?.ids ?? new Set())
            : datedRows(viewing, cards)
    }</div>${
      hasDates &&
      miniMonths(viewing, asked.query.filters, firstDay(viewing, asked), (span) =>
        sameEvents(viewing, asked, span),
      )
    }</div>
${await ways(viewing, asked, { ...paths, pages })}`,
  }
}

/** Filters for what a page of coming events counts: events that begin in its days, and those begun before. */
function listsOf(viewing: Viewing, asked: EventsAsked, filters: EventFilters): EventFilters[] {
  const own = { ...asked, query: { ...asked.query, filters } }
  const first = firstDay(viewing, own)
  const coming = comingFilters(viewing, own)
  if ((lastDay(own) ?? first) < first) return [coming]
  return [coming, { ...from(viewing, filters, first), starts_before: `${first} 00:00:00` }]
}

interface Page {
  cards: Card[]
  total: number
  pages: number
  /** Events begun before the first day and still on; undefined where the list does not show them apart. */
  ongoing?: Ongoing
  isShorter?: boolean
}

/** A page of coming events, with those still on (rules 31.2 and 31.3). */
async function comingPage(viewing: Viewing, asked: EventsAsked): Promise<Page> {
  const filters = comingFilters(viewing, asked)
  const { cards, total: begin } = await findCards(viewing, filters, asked.query.page, PER_PAGE, 'best')
  const isCollapsed = filters.collapse !== undefined
  const every = isCollapsed ? (await findPageEvents(viewing, everyDateOf(filters), 1, 1)).total : begin
  const found = {
    cards: isCollapsed ? await withFollowing(viewing, filters, cards) : cards,
    total: begin,
    pages: Math.ceil(begin / PER_PAGE),
    isShorter: every > begin,
  }
  const first = firstDay(viewing, asked)
  if (asked.query.filters.words !== undefined || (lastDay(asked) ?? first) < first) return found
  const most = asked.query.filters.when === undefined ? MOST_ONGOING : MOST_OF_DAY
  const ongoing = await findOngoing(viewing, asked.query.filters, first, most)
  return { ...found, total: begin + ongoing.total, ongoing }
}

/** The list's days, without the events `ids` shown above. The first page ends with events still on. */
function sections(
  viewing: Viewing,
  asked: EventsAsked,
  { cards, ongoing }: Page,
  ids: ReadonlySet<number>,
): Html {
  const others = cards.filter(({ id }) => !ids.has(id))
  if (!ongoing) return html`${daySections(viewing, others)}`
  const day = firstDay(viewing, asked)
  const lasting = ongoing.cards.filter(({ id }) => !ids.has(id))
  const all = `${sameEvents(viewing, asked, { view: 'day', day })}#ongoing`
  const shown = asked.query.page === 1 && ongoingSection(viewing, { ...ongoing, cards: lasting }, all)
  return html`${daySections(viewing, others)}${shown}`
}

/** Parameter known from moved sites: with `0`, every date of a series is listed. */
export const EVERY_DATE = 'hide_subsequent_recurrences'

function everyDate(viewing: Viewing, asked: EventsAsked, { isShorter }: Page): Html | false {
  const { site } = viewing.context
  if (!isShorter) return false
  const sent = new Map([...asked.query.sent, [EVERY_DATE, '0']])
  const path = sameEvents(viewing, { ...asked, query: { ...asked.query, sent } }, asked.span)
  return html`<span class="apart"> · </span><a class="quiet" rel="nofollow" href="${path}">${say(
    site,
    'Show every date',
  )}</a>`
}

/** Counts pages from the end, since the store returns the earliest events first. */
async function pastPage(viewing: Viewing, asked: EventsAsked): Promise<Page> {
  const filters = before(asked.query.filters, viewing.wall)
  const { total } = await findPageEvents(viewing, filters, 1, 1)
  const pages = Math.ceil(total / PER_PAGE)
  const { page } = asked.query
  if (page > 1 && page > pages) throw new Problem('event-archive-page-not-found')
  if (total === 0) return { cards: [], total, pages }
  const { cards } = await findCards(viewing, filters, pages - page + 1, PER_PAGE)
  return { cards: cards.reverse(), total, pages }
}

export function firstDay({ context: { site, now }, today }: Viewing, { query }: EventsAsked): string {
  const { start_date: sent, when } = query.filters
  if (sent === undefined && when !== undefined) return firstDayOf(when, site, now)
  const day = typeof sent === 'string' ? sent.slice(0, 10) : ''
  return isDay(day) ? day : today
}

function lastDay({ query }: EventsAsked): string | undefined {
  const { end_date: sent } = query.filters
  const day = typeof sent === 'string' ? sent.slice(0, 10) : ''
  return isDay(day) ? day : undefined
}

/**
 * Filters of coming events. With a search (or with `when`, if `isWhole`), they include events still on. Each
 * series is listed once, at its next date, unless the query has a last day, `when`, a series or `EVERY_DATE`.
 */
export function comingFilters(viewing: Viewing, asked: EventsAsked, isWhole = false): EventFilters {
  const { filters } = asked.query
  const last = lastDay(asked)
  const first = firstDay(viewing, asked)
  const isEvery = [filters[EVERY_DATE], filters.post_parent, filters.when].some((asks) => asks !== undefined)
  const collapsed = last !== undefined || isEvery ? {} : ({ collapse: 'series' } as const)
  if (filters.words === undefined && !(isWhole && filters.when !== undefined))
    return { ...starting(filters, first, last), ...collapsed }
  return {
    ...(last === undefined ? from(viewing, filters, first) : between(viewing, filters, first, last)),
    ...collapsed,
  }
}

function headingOf({ context: { site } }: Viewing, { span, query, term }: EventsAsked): string {
  if (span.view === 'past') return say(site, 'Past events')
  if (query.filters.words !== undefined)
    return say(site, 'Events matching “{words}”', { words: query.filters.words })
  return term?.name ?? (chosenInWords(site, query.sent) || say(site, 'What’s on'))
}

const timeInWords = (site: Site, { sent }: EventsAsked['query']) =>
  askedInWords(site, 'when', sent.get('when') ?? '') || undefined

function countText(viewing: Viewing, asked: EventsAsked, total: number): string {
  const { context, today } = viewing
  const { site } = context
  if (total === 0) return ''
  const when = timeInWords(site, asked.query)
  if (when !== undefined) return asked.term ? `${when} · ${sayEvents(site, total)}` : sayEvents(site, total)
  const first = firstDay(viewing, asked)
  const last = lastDay(asked)
  if (last !== undefined) return `${writtenRange(site, first, last, today)} · ${sayEvents(site, total)}`
  const date = first === today ? say(site, 'today') : writtenDay(site, first, today)
  return say(site, '{events} from {date} on', { events: sayEvents(site, total), date })
}

function nothingText({ span, query, term }: EventsAsked, site: Site): string {
  const isAll = span.view === 'list' && !query.isFiltered && term === undefined
  return say(site, isAll ? 'Nothing planned at the moment.' : 'No events found.')
}

async function nothing(viewing: Viewing, asked: EventsAsked): Promise<Html> {
  const { site } = viewing.context
  const instead = html`${await wordsNote(viewing, asked, 0)}${await fewerWords(
    viewing,
    asked,
    comingFilters(viewing, asked),
  )}`
  return nothingFound(
    viewing,
    asked,
    nothingText(asked, site),
    `${firstDay(viewing, asked)} 00:00:00`,
    instead,
  )
}

async function ways(
  viewing: Viewing,
  asked: EventsAsked,
  { previous, next, pages }: Pick<View, 'previous' | 'next'> & Pick<Page, 'pages'>,
): Promise<Html> {
  const { site } = viewing.context
  const isPast = asked.span.view === 'past'
  const [back, on] = isPast
    ? ([say(site, 'Newer'), say(site, 'Older')] as const)
    : ([say(site, 'Earlier'), say(site, 'Later')] as const)
  const bounds = await findBounds(viewing, asked.query.filters)
  const hasPast = !isPast && !previous && bounds !== undefined && bounds.first < viewing.today
  const [filters, from] = isPast
    ? [before(asked.query.filters, viewing.wall), '']
    : [comingFilters(viewing, asked), firstDay(viewing, asked)]
  const { page } = asked.query
  const way = (path: string, text: string, other: number) =>
    datedWay(viewing, path, text, filters, {
      page: isPast ? pages - other + 1 : other,
      perPage: PER_PAGE,
      from,
    })
  const first = previous
    ? await way(previous, back, page - 1)
    : isPast
      ? { path: sameEvents(viewing, asked, { view: 'list' }), text: say(site, 'Upcoming events') }
      : hasPast
        ? { path: sameEvents(viewing, asked, { view: 'past' }), text: say(site, 'Past events') }
        : undefined
  const last = next === undefined ? undefined : await way(next, on, page + 1)
  return html`${pager(first, last, say(site, 'More pages'))}`
}

type AddressOf = (span: Span<'day' | 'month'>) => string

/** Shows the month of `day`, and the next month if that begins within a week. */
function miniMonths(viewing: Viewing, filters: EventFilters, day: string, to: AddressOf): Html {
  const { site } = viewing.context
  const months = [...new Set([monthOf(day), monthOf(addDays(day, SOON))])]
  const name = say(site, 'Pick a date')
  return html`<details class="mini"><summary class="quiet">${name}</summary><nav id="${
    DATES_ID
  }" aria-label="${name}">${months.map(
    (month, at) =>
      html`<p>${step(
        site,
        month,
        at === 0 ? -1 : undefined,
        '←',
        to,
      )}<a href="${to({ view: 'month', month })}">${written(site, 'monthYear', firstOf(month))}</a>${step(
        site,
        month,
        at === months.length - 1 ? 1 : undefined,
        '→',
        to,
      )}</p>${oneMonth(viewing, filters, month, day, to)}`,
  )}</nav></details>`
}

const SOON = 7

/** Days with events are links; all days are if the index cannot count. */
function oneMonth(
  { context, today, weekStart }: Viewing,
  filters: EventFilters,
  month: string,
  from: string,
  to: AddressOf,
): Html {
  const { site } = context
  const weeks = weeksOf(month, weekStart).filter((week) => (week[6] ?? '') >= from)
  const days = weeks.flat().filter((one) => monthOf(one) === month)
  const counts = countStarts(
    context,
    { ...withoutDatesAndWhen(filters), strict_dates: true, page: 1, per_page: 1 },
    days,
  )
  const cell = (one: string) => {
    if (monthOf(one) !== month) return html`<td></td>`
    const count = counts?.[days.indexOf(one)]
    const mark = one === today && html` aria-current="date"`
    const number = Number(one.slice(8))
    return count === 0
      ? html`<td${mark}>${number}</td>`
      : html`<td${mark}><a href="${to({ view: 'day', day: one })}" aria-label="${written(
          site,
          'dayMonth',
          one,
        )}${count !== undefined && html`, ${sayEvents(site, count)}`}">${number}</a></td>`
  }
  const head = weeks[0]?.map(
    (one) => html`<th scope="col" abbr="${written(site, 'weekday', one)}">${letterOf(site, one)}</th>`,
  )
  return html`<table><thead><tr>${head}</tr></thead><tbody>${weeks.map(
    (week) => html`<tr>${week.map(cell)}</tr>`,
  )}</tbody></table>`
}

const letterOf = (site: Site, day: string) => [...written(site, 'weekdayShort', day)].slice(0, 2).join('')

/** Link to the month before or after, or an empty element of the same size if there is none. */
function step(site: Site, month: string, by: number | undefined, arrow: string, to: AddressOf): Html {
  const other = by && monthsLater(month, by)
  return other
    ? html`<a class="step" href="${to({ view: 'month', month: other })}" aria-label="${written(
        site,
        'monthYear',
        firstOf(other),
      )}"><span aria-hidden="true">${arrow}</span></a>`
    : html`<span class="step"></span>`
}

async function namedHits({ context }: Viewing, { query, span }: EventsAsked): Promise<Html | false> {
  const { words } = query.filters
  if (words === undefined || span.view !== 'list' || query.page > 1) return false
  const { site } = context
  const items = (await findLinkedNamed(words, context)).map(({ kind, id, name, slug, about }) => {
    const path = pathTo(site, recordPath(site, kind, { id, status: 'publish', slug }))
    const details = [say(site, kind === 'venue' ? 'Venue' : 'Organizer'), about].filter(Boolean).join(' · ')
    return html`<li><a class="pill" href="${path}">${nameShown(
      site,
      name,
    )} <small>${details}</small></a></li>`
  })
  return items.length > 0 && html`<ul class="pills hits">${items}</ul>`
}

// Notes above the results: which words were read as similar ones, and which no event has.

async function readWords({ context }: Viewing, { query }: EventsAsked): Promise<WordsFound | undefined> {
  const { words } = query.filters
  return words === undefined ? undefined : eventWords.find(words, context)
}

async function wordsNote(viewing: Viewing, asked: EventsAsked, total: number): Promise<Html | false> {
  const { site } = viewing.context
  const { words = [] } = (await readWords(viewing, asked)) ?? {}
  const notes = words.flatMap(({ text, instead, isThere }) => {
    if (!isThere) return [say(site, 'Nothing matches “{word}”.', { word: text })]
    if (instead === undefined || total === 0) return []
    return [
      say(site, 'These results are for “{word}”; nothing matches “{written}”.', {
        word: text,
        written: instead,
      }),
    ]
  })
  return notes.length > 0 && html`<p class="note">${notes.join(' ')}</p>`
}

/** If no event has all words, at most this many are searched one by one. */
const MOST_COUNTED = 5

async function fewerWords(
  viewing: Viewing,
  asked: EventsAsked,
  filters: EventFilters,
): Promise<Html | false> {
  const { site } = viewing.context
  const { words = [] } = (await readWords(viewing, asked)) ?? {}
  if (words.length < 2) return false
  const links: Html[] = []
  for (const { text, isThere } of words.slice(0, MOST_COUNTED)) {
    const { total } = isThere
      ? await findPageEvents(viewing, { ...filters, words: text }, 1, 1)
      : { total: 0 }
    if (total === 0) continue
    const query = new URLSearchParams(queryText(asked.query))
    query.set('search', text)
    const path = spanLink(site, asked.span, asked.term && scopeOf(asked.term), query.toString())
    links.push(
      html`<li><a class="pill" href="${path}"><bdi>${text}</bdi> <small>${sayEvents(
        site,
        total,
      )}</small></a></li>`,
    )
  }
  return (
    links.length > 0 &&
    html`<section class="fewer"><h2>${say(
      site,
      'Try just one of the words',
    )}</h2><ul class="pills">${links}</ul></section>`
  )
}
