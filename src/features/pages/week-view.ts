import { addDays } from '../../base/text/moments.ts'
import { written } from '../feeds/date-forms.ts'
import { announced } from '../feeds/event-status.ts'
import type { Card } from './cards.ts'
import { hueOf, shownTitle, titleOf, zoneBehind } from './event-rows.ts'
import { type Stretch, stretchesOf, timeOn } from './month-view.ts'
import {
  capitalized,
  earlierOf,
  laterOf,
  unitName,
  weekNumberOf,
  weekOf,
  writtenDay,
  writtenRange,
} from './page-dates.ts'
import { between, cardsOf, findBounds, findPageEvents } from './page-finding.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import {
  canonicalOf,
  daysOfSame,
  type EventsAsked,
  feedsOf,
  nothingFound,
  pager,
  sameEvents,
  steps,
  viewHead,
} from './view-head.ts'
import { nameShown, pathTo, say, sayEvents, sayMore, type View, type Viewing } from './viewing.ts'

/** At most this many events are counted; only those shown are loaded. */
const MOST = 5000
const MOST_OF_A_DAY = 40
const MOST_BARS = 6

interface Drawing {
  viewing: Viewing
  days: readonly string[]
  cards: ReadonlyMap<number, Card>
  dayPath: (day: string) => string
}

/** A week's page, with events of several days as bars. */
export async function weekView(viewing: Viewing, asked: EventsAsked, day: string): Promise<View> {
  const { context, today } = viewing
  const { site } = context
  const days = weekOf(day, viewing.weekStart)
  const [first, last] = [days[0] ?? day, days.at(-1) ?? day]
  const found = await findPageEvents(viewing, between(viewing, asked.query.filters, first, last), 1, MOST)
  const stretches = stretchesOf(viewing, found, first)
  const long = stretches.filter((own) => own.first < own.last).sort(byInterest(first))
  const single = Map.groupBy(
    stretches.filter((own) => own.first === own.last),
    (own) => own.first,
  )
  const shown = [
    ...long.slice(0, MOST_BARS),
    ...days.flatMap((one) => single.get(one)?.slice(0, MOST_OF_A_DAY) ?? []),
  ]
  const cards = await cardsOf(
    viewing,
    shown.map(({ id }) => id),
  )
  const drawing = {
    viewing,
    days,
    cards: new Map(cards.map((card) => [card.id, card])),
    dayPath: daysOfSame(viewing, asked),
  }
  const span = { view: 'week', day: first } as const
  const here = { ...asked, span }
  const name = writtenRange(site, first, last, '')
  const count = sayEvents(site, stretches.length)
  const ways = await waysOf(viewing, asked, days)
  const content =
    stretches.length === 0
      ? await nothingFound(viewing, asked, say(site, 'There are no events that week.'), `${first} 00:00:00`)
      : html`${bars(drawing, long, allPath(viewing, asked, first, last))}<div class="week">${days.map((one) =>
          dayOfWeek(drawing, one, single.get(one) ?? []),
        )}</div>`
  return {
    status: 200,
    title: name,
    description: `${name}: ${count}`,
    canonical: canonicalOf(viewing, asked, span),
    isIndexed: last >= today && stretches.length > 0 && !asked.query.isFiltered,
    previous: ways.previous?.path,
    next: ways.next?.path,
    feeds: feedsOf(asked),
    styles: [viewing.assets.week],
    current: 'week',
    body: html`${viewHead(
      viewing,
      here,
      writtenRange(site, first, last, today),
      numbered(viewing, first, count),
      weekSteps(viewing, asked, days, ways),
    )}
<div class="results" id="events" tabindex="-1">${content}</div>
${pager(ways.previous, ways.next, say(site, 'Other weeks'))}`,
  }
}

/** Only weeks that begin on Monday have a number: elsewhere, people do not use it. */
function numbered({ context: { site }, weekStart }: Viewing, first: string, count: string): string {
  return weekStart === 1 ? `${unitName(site, 'weekOfYear')} ${weekNumberOf(first)} · ${count}` : count
}

/** Sorts events that begin in the week first, then those that end sooner. */
const byInterest =
  (first: string) =>
  (a: Stretch, b: Stretch): number =>
    Number(a.first < first) - Number(b.first < first) || (a.last < b.last ? -1 : Number(a.last > b.last))

function allPath(viewing: Viewing, asked: EventsAsked, first: string, last: string): string {
  const sent = new Map([...asked.query.sent, ['start_date', first], ['end_date', last]])
  return sameEvents(viewing, { ...asked, query: { ...asked.query, sent } }, { view: 'list' })
}

type Ways = Record<'previous' | 'next', { path: string; text: string } | undefined>

/** Links to the weeks before and after; undefined in a direction without today or any matching event. */
async function waysOf(viewing: Viewing, asked: EventsAsked, days: readonly string[]): Promise<Ways> {
  const { context, today, weekStart } = viewing
  const bounds = await findBounds(viewing, asked.query.filters)
  const earliest = earlierOf(bounds?.first ?? today, today)
  const latest = laterOf(bounds?.last ?? today, today)
  const way = (day: string, isInside: (week: readonly string[]) => boolean) => {
    const week = weekOf(day, weekStart)
    const [first, last] = [week[0], week.at(-1)]
    if (first === undefined || last === undefined || days.includes(first) || !isInside(week)) return undefined
    const path = sameEvents(viewing, asked, { view: 'week', day: first })
    return { path, text: writtenRange(context.site, first, last, today) }
  }
  return {
    previous: way(addDays(days[0] ?? today, -1), (week) => (week.at(-1) ?? '') >= earliest),
    next: way(addDays(days.at(-1) ?? today, 1), (week) => (week[0] ?? '') <= latest),
  }
}

function weekSteps(
  viewing: Viewing,
  asked: EventsAsked,
  days: readonly string[],
  { previous, next }: Ways,
): Html {
  const { site } = viewing.context
  const path = sameEvents(viewing, asked, { view: 'week', day: undefined })
  return steps(site, say(site, 'Weeks'), previous, { path, isHere: days.includes(viewing.today) }, next)
}

function bars(drawing: Drawing, long: readonly Stretch[], path: string): Html | false {
  if (long.length === 0) return false
  const { site } = drawing.viewing.context
  const hidden = long.length - MOST_BARS
  return html`<section class="lasts"><h2>${say(site, 'Several days')}</h2><ul>${long
    .slice(0, MOST_BARS)
    .map((stretch) => bar(drawing, stretch))}${
    hidden > 0 && html`<li class="all"><a class="quiet" href="${path}">${sayMore(site, hidden)}</a></li>`
  }</ul></section>`
}

function bar({ viewing, days, cards }: Drawing, { id, first, last }: Stretch): Html {
  const card = cards.get(id)
  if (!card) return NOTHING
  const { site } = viewing.context
  const title = announced(site, card, titleOf(viewing, card))
  const from = Math.max(0, days.indexOf(first))
  const to = days.includes(last) ? days.indexOf(last) : days.length - 1
  const ends = days.includes(last) ? ' ends' : ''
  return html`<li class="c${from + 1} w${to - from + 1}${days.includes(first) && ' starts'}${ends}${hueOf(
    viewing,
    card,
  )}"><a href="${pathTo(site, card.url)}" title="${title}">${shownTitle(viewing, card)} <small>${writtenRange(
    site,
    first,
    last,
    viewing.today,
  )}</small></a></li>`
}

function dayOfWeek({ viewing, cards, dayPath }: Drawing, day: string, own: readonly Stretch[]): Html {
  const { context, today } = viewing
  const { site } = context
  const hidden = own.length - MOST_OF_A_DAY
  const entries = own.slice(0, MOST_OF_A_DAY).map(({ id }) => entry(viewing, cards.get(id), day))
  const more =
    hidden > 0 &&
    html`<li class="all"><a class="quiet" href="${dayPath(day)}">${sayMore(site, hidden)}</a></li>`
  const state = day === today ? ' today' : day < today ? ' past' : ''
  return html`<section class="of${state}${own.length === 0 && ' none'}"><h2><a href="${dayPath(day)}"${
    day === today && html` aria-current="date"`
  }><span class="hidden">${writtenDay(site, day, '')}, ${sayEvents(
    site,
    own.length,
  )}</span><span aria-hidden="true">${capitalized(
    site,
    written(site, 'weekdayShort', day),
  )}</span> <time datetime="${day}" aria-hidden="true">${Number(day.slice(8))}</time></a></h2>${
    own.length > 0 && html`<ul>${entries}${more}</ul>`
  }</section>\n`
}

function entry(viewing: Viewing, card: Card | undefined, day: string): Html {
  if (!card) return NOTHING
  const { site } = viewing.context
  const time = card.isAllDay
    ? say(site, 'All day')
    : html`<time datetime="${card.start
        .slice(0, 16)
        .replace(' ', 'T')}">${timeOn(site, card, day)}</time>${zoneBehind(card)}`
  const hue = hueOf(viewing, card).trim()
  return html`<li${hue && html` class="${hue}"`}><a href="${pathTo(
    site,
    card.url,
  )}"><span class="when">${time}</span> <span class="title">${shownTitle(viewing, card)}</span>${
    card.place && html` <span class="where">${nameShown(site, card.place.name)}</span>`
  }</a></li>`
}
