import { announced } from '../locales/translate.ts'
import type { Card } from './cards.ts'
import { hueOf, isSeveralDays, shownTitle, titleOf } from './event-rows.ts'
import { fillWeeks, type GridDay, hiddenOf, type Stretch, stretchesOf } from './month-grid.ts'
import { nothingFound } from './nothing-found.ts'
import {
  capitalized,
  earlierOf,
  firstOf,
  laterOf,
  monthOf,
  monthsLater,
  weeksOf,
  written,
  writtenDay,
  writtenShortTime,
} from './page-dates.ts'
import { between, cardsOf, findBounds, findEvents } from './page-finding.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import { canonicalOf, daysOfSame, type EventsAsked, feedsOf, sameEvents, viewHead } from './view-head.ts'
import { pathTo, say, sayEvents, type View, type Viewing } from './viewing.ts'

/** The most events of a month that are counted; only the first few of each day are loaded. */
const MOST = 5000

/** Collects the data that one month is drawn from. */
interface Drawing {
  viewing: Viewing
  month: string
  cards: ReadonlyMap<number, Card>
  /** The address of a day with the same filters. */
  dayPath: (day: string) => string
}

/** A month as a table of weeks, and as a list of days for narrow screens. */
export async function monthView(viewing: Viewing, asked: EventsAsked, month: string): Promise<View> {
  const { context, memory, today, weekStart } = viewing
  const { site } = context
  const { filters } = asked.query
  const weeks = weeksOf(month, weekStart)
  const [first = '', last = ''] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)]
  const found = await findEvents(viewing, between(filters, first, last), 1, MOST)
  const stretches = stretchesOf(found, memory.index)
  const grid = fillWeeks(weeks, stretches)
  const shown = grid.flat().flatMap((day) => [...day.lanes, ...day.single])
  const cards = await cardsOf(viewing, [...new Set(shown.flatMap((stretch) => stretch?.id ?? []))])
  const byId = new Map(cards.map((card) => [card.id, card]))
  const drawing: Drawing = { viewing, month, cards: byId, dayPath: daysOfSame(viewing, asked) }
  const total = stretches.filter(({ first, last }) => monthOf(first) <= month && monthOf(last) >= month).length
  const name = written(site, 'monthYear', firstOf(month))
  const heading = capitalized(site, name)
  const span = { view: 'month', month } as const
  const ways = await waysOf(viewing, asked, month)
  return {
    status: 200,
    title: heading,
    description: `${heading}: ${sayEvents(site, total)}`,
    canonical: canonicalOf(asked, span),
    isIndexed: month >= monthOf(today) && total > 0 && !asked.query.isFiltered,
    previous: ways.previous,
    next: ways.next,
    feeds: feedsOf(asked),
    current: 'month',
    body: html`${viewHead(viewing, { ...asked, span }, heading, sayEvents(site, total), wayTools(viewing, asked, month, ways))}
<div class="results">${table(drawing, grid, heading)}${total === 0 ? await nothingFound(viewing, asked, say(site, 'There are no events in {month}.', { month: name }), `${firstOf(month)} 00:00:00`) : agenda(drawing, grid)}</div>`,
  }
}

/** The months before and after this one, if there are events in that direction, or today. */
async function waysOf(viewing: Viewing, asked: EventsAsked, month: string): Promise<Pick<View, 'previous' | 'next'>> {
  const bounds = await findBounds(viewing, asked.query.filters)
  const now = monthOf(viewing.today)
  const [first, last] = [monthOf(bounds?.first ?? viewing.today), monthOf(bounds?.last ?? viewing.today)]
  const way = (other: string | undefined) =>
    other !== undefined && other >= earlierOf(first, now) && other <= laterOf(last, now)
      ? sameEvents(viewing, asked, { view: 'month', month: other })
      : undefined
  return { previous: way(monthsLater(month, -1)), next: way(monthsLater(month, 1)) }
}

function wayTools(
  viewing: Viewing,
  asked: EventsAsked,
  month: string,
  { previous, next }: Pick<View, 'previous' | 'next'>,
): Html {
  const { site } = viewing.context
  const step = (path: string | undefined, months: number, arrow: string, rel: string) => {
    const other = monthsLater(month, months)
    if (!path || !other) return html`<span class="button step" aria-hidden="true">${arrow}</span>`
    return html`<a class="button step" rel="${rel}" href="${path}" aria-label="${written(site, 'monthYear', firstOf(other))}"><span aria-hidden="true">${arrow}</span></a>`
  }
  const now = monthOf(viewing.today)
  return html`<nav class="steps" aria-label="${say(site, 'Months')}">${step(previous, -1, '←', 'prev')}<a class="button" href="${sameEvents(viewing, asked, { view: 'month', month: now })}"${month === now && html` aria-current="date"`}>${say(site, 'Today')}</a>${step(next, 1, '→', 'next')}</nav>`
}

function table(drawing: Drawing, grid: readonly GridDay[][], name: string): Html {
  const { site } = drawing.viewing.context
  const columns = (grid[0] ?? []).map(
    ({ day }) =>
      html`<th scope="col"><span class="hidden">${written(site, 'weekday', day)}</span><span aria-hidden="true">${written(site, 'weekdayShort', day)}</span></th>`,
  )
  const rows = grid.map((week) => html`<tr>${week.map((day, at) => cell(drawing, day, week, at))}</tr>\n`)
  return html`<table class="month"><caption class="hidden">${name}</caption><thead><tr>${columns}</tr></thead><tbody>\n${rows}</tbody></table>`
}

function cell(drawing: Drawing, day: GridDay, week: readonly GridDay[], at: number): Html {
  const { viewing, month } = drawing
  const { site } = viewing.context
  const isOther = monthOf(day.day) !== month
  const isToday = day.day === viewing.today
  const path = drawing.dayPath(day.day)
  const words = writtenDay(site, day.day, '')
  // Days of other months name their month, and link nowhere without events.
  const seen = html`<time datetime="${day.day}" aria-hidden="true">${Number(day.day.slice(8))}</time>${isOther && otherMonth(drawing, day)}`
  const head =
    day.total > 0
      ? html`<a class="number" href="${path}"><span class="hidden">${words}, ${sayEvents(site, day.total)}</span>${seen}${dots(drawing, day)}</a>`
      : html`<span class="number"><span class="hidden">${words}</span>${seen}</span>`
  const lanes = Array.from(day.lanes, (bar) => lane(drawing, bar, day.day, week.length - at))
  const single = day.single.map((stretch) => entry(drawing, stretch))
  const hidden = hiddenOf(day)
  const more =
    hidden > 0 &&
    html`<li class="rest"><a href="${path}">${say(site, '+{count} more', { count: String(hidden) })}</a></li>`
  const list = (lanes.length > 0 || single.length > 0 || more) && html`<ul>${lanes}${single}${more}</ul>`
  return html`<td${(isOther || isToday) && html` class="${isOther ? 'other' : 'today'}"`}${isToday && html` aria-current="date"`}>${head}${list}</td>`
}

function otherMonth({ viewing }: Drawing, { day }: GridDay): Html {
  return html`<span class="of" aria-hidden="true"> ${written(viewing.context.site, 'monthShort', day)}</span>`
}

const MOST_DOTS = 3

/** A day on narrow screens. */
function dots({ viewing, cards }: Drawing, { lanes, single }: GridDay): Html {
  const shown: Html[] = []
  for (const stretch of [...lanes, ...single]) {
    const card = stretch && cards.get(stretch.id)
    if (card && shown.length < MOST_DOTS) shown.push(html`<i class="dot${hueOf(viewing, card)}"></i>`)
  }
  return html`<span class="dots" aria-hidden="true">${shown}</span>`
}

/** The part of a bar on one day: the whole bar on its first day and on the first day of each week; on other days only words for screen readers. */
function lane({ viewing, cards }: Drawing, bar: Stretch | undefined, day: string, daysLeft: number): Html {
  const card = bar && cards.get(bar.id)
  if (!bar || !card) return html`<li class="lane" aria-hidden="true"></li>`
  const { site } = viewing.context
  const title = announced(site, card, titleOf(viewing, card))
  const isHead = day === bar.first
  if (!isHead && daysLeft < 7)
    return html`<li class="lane"><span class="hidden">${say(site, '{title}, continues', { title })}</span></li>`
  const days = Math.round((Date.parse(bar.last) - Date.parse(day)) / 86_400_000) + 1
  const ends = days <= daysLeft ? ' ends' : ''
  return html`<li class="lane bar w${Math.min(days, daysLeft)}${isHead && ' starts'}${ends}${hueOf(viewing, card)}"><a href="${pathTo(site, card.url)}" title="${title}">${
    !isHead && html`<span class="hidden">${say(site, 'continues')}: </span>`
  }${shownTitle(viewing, card)}</a></li>`
}

function entry({ viewing, cards }: Drawing, { id }: Stretch): Html {
  const card = cards.get(id)
  if (!card) return NOTHING
  const { site } = viewing.context
  const title = announced(site, card, titleOf(viewing, card))
  const time = !card.isAllDay && html`<b>${writtenShortTime(site, card.start)}</b> `
  return html`<li class="entry${card.isAllDay && ' whole'}${hueOf(viewing, card)}"><a href="${pathTo(site, card.url)}" title="${title}"><i class="dot" aria-hidden="true"></i>${time}${shownTitle(viewing, card)}</a></li>`
}

/** The same days as a list, for screens too narrow for titles in a table. */
function agenda(drawing: Drawing, grid: readonly GridDay[][]): Html {
  const { viewing, month, cards, dayPath } = drawing
  const { site } = viewing.context
  const inMonth = grid.flat().filter(({ day }) => monthOf(day) === month)
  const coming = inMonth.filter(({ day }) => day >= viewing.today)
  // The days from today on if they have events, else the whole month.
  const days = coming.some(({ total }) => total > 0) ? coming : inMonth
  const first = days[0]?.day
  const sections = days.map((own) => {
    const starting = [...own.lanes, ...own.single].flatMap((stretch) => {
      const card = stretch && (stretch.first === own.day || own.day === first) ? cards.get(stretch.id) : undefined
      return card ? [card] : []
    })
    if (starting.length === 0) return NOTHING
    const hidden = hiddenOf(own)
    return html`<section><h2><a href="${dayPath(own.day)}">${writtenDay(site, own.day, viewing.today)}</a></h2><ul class="brief">${starting.map((card) => brief(viewing, card))}${
      hidden > 0 &&
      html`<li><a class="quiet" href="${dayPath(own.day)}">${say(site, '+{count} more', { count: String(hidden) })}</a></li>`
    }</ul></section>`
  })
  return html`<div class="agenda">${sections}</div>`
}

function brief(viewing: Viewing, card: Card): Html {
  const { site } = viewing.context
  const time = card.isAllDay || isSeveralDays(card) ? say(site, 'All day') : written(site, 'time', card.start)
  return html`<li class="${hueOf(viewing, card).trim()}"><a href="${pathTo(site, card.url)}"><i class="dot" aria-hidden="true"></i><span class="when">${time}</span><span class="title">${shownTitle(viewing, card)}</span>${card.place && html`<span class="where" dir="auto">${card.place.name}</span>`}</a></li>`
}
