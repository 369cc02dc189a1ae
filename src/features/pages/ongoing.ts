import { dayOf, utcToMs } from '../../base/text/moments.ts'
import { dayNumber } from '../../base/text/zones.ts'
import { written } from '../feeds/date-forms.ts'
import type { Card } from './cards.ts'
import { hueOf, shownTitle } from './event-rows.ts'
import { lastDayOf, writtenDay, writtenNumber, writtenRange } from './page-dates.ts'
import { cardsOf, type EventFilters, type FoundEvents, findPageEvents, from } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { nameShown, pathTo, say, sayMore, type Viewing } from './viewing.ts'

/** Those that end soonest are found among at most this many events. */
const MOST = 5000

/** At most this many are shown with a list or month; a link leads to the others. */
export const MOST_ONGOING = 6

/** At most this many are shown on the page of a day, and in a list that asks for them by `when`. */
export const MOST_OF_DAY = 100

/** `total` counts all, shown or not. */
export interface Ongoing {
  cards: Card[]
  total: number
}

/** Finds events that began before `day` and, as by `from`, are still on then; the soonest to end first. */
export async function findOngoing(
  viewing: Viewing,
  filters: EventFilters,
  day: string,
  most: number,
): Promise<Ongoing> {
  const found = await findPageEvents(
    viewing,
    { ...from(viewing, filters, day), starts_before: `${day} 00:00:00` },
    1,
    MOST,
  )
  const end = endsOf(viewing, found)
  const soonest = [...found.ids].sort((a, b) => end(a) - end(b) || a - b).slice(0, most)
  return { cards: await cardsOf(viewing, soonest), total: found.total }
}

function endsOf({ memory: { index } }: Viewing, { times }: FoundEvents): (id: number) => number {
  return (id) => {
    const own = times?.get(id)
    if (own) return utcToMs(own.end)
    return index?.ends[(index.slotOf[id] ?? 0) - 1] ?? 0
  }
}

/** Months and days show events of at least this many days apart (rule 31.2). */
const LONG = 4

export const isLong = (first: string, last: string) =>
  first < last && dayNumber(last) - dayNumber(first) + 1 >= LONG

function ongoingList(viewing: Viewing, cards: readonly Card[], more?: Html | false): Html {
  const { site } = viewing.context
  return html`<ul class="ongoing">${cards.map(
    (card) =>
      html`<li class="${hueOf(viewing, card).trim()}"><a href="${pathTo(site, card.url)}">${shownTitle(
        viewing,
        card,
      )}</a><p><time datetime="${dayOf(card.end)}">${daysLeft(viewing, card)}</time>${
        card.place && html` · ${nameShown(site, card.place.name)}`
      }</p></li>`,
  )}${more}</ul>`
}

/**
 * Says until when an event lasts: the last day, or the time if it ends in the small hours of today. Else, its
 * days.
 */
function daysLeft({ context: { site }, today }: Viewing, { start, end }: Card): string {
  const [first, last] = [dayOf(start), lastDayOf(start, end)]
  if (last < today && dayOf(end) === today)
    return say(site, 'until {date}', {
      date: `${writtenDay(site, today, today)}, ${written(site, 'time', end)}`,
    })
  if (first > today || last < today) return writtenRange(site, first, last, today)
  return last === today
    ? say(site, 'until today')
    : say(site, 'until {date}', { date: writtenDay(site, last, today) })
}

export function ongoingBand(viewing: Viewing, { cards, total }: Ongoing, othersPath: string): Html | false {
  const { site } = viewing.context
  const hidden = total - cards.length
  const others =
    hidden > 0 && html`<li><a class="quiet" href="${othersPath}">${sayMore(site, hidden)}</a></li>`
  return (
    cards.length > 0 &&
    html`<section class="band" aria-labelledby="ongoing"><h2 id="ongoing">${say(
      site,
      'Ongoing',
    )}</h2>${ongoingList(viewing, cards, others)}</section>`
  )
}

export function ongoingSection(viewing: Viewing, { cards, total }: Ongoing, allPath: string): Html | false {
  const { site } = viewing.context
  if (cards.length === 0) return false
  return html`<section class="day lasting" id="ongoing"><h2 class="date"><b>${say(
    site,
    'Ongoing',
  )}</b></h2><div>${ongoingList(viewing, cards)}${
    total > cards.length &&
    html`<p><a class="quiet" href="${allPath}">${say(site, 'All {count} ongoing events', {
      count: writtenNumber(site, total),
    })}</a></p>`
  }</div></section>`
}
