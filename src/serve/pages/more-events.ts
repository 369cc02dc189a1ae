import { dayOf } from '../../base/text/moments.ts'
import { findTitles } from '../../calendar/events/event-page-store.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import type { EventLinks } from '../../calendar/events/event-store.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { nextAtVenue, relatedEvents, type Subject } from '../../store/memory/coming-events.ts'
import { soonFilled } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Card } from './cards.ts'
import { hueOf, namedPlace, shownTitle } from './event-rows.ts'
import { capitalized, lastDayOf, written, writtenDate, writtenDay } from './page-dates.ts'
import { type Html, html } from './page-html.ts'
import { pathTo, say, type Viewing } from './viewing.ts'

// Other events that the page of an event leads on to.

/** The most events of each list, and how many are looked at, since several may have one title. */
const MOST = 4
const LOOKED_AT = 8

/** Ids of coming events that the page of another leads on to. */
export interface MoreEvents {
  /** The page of the venue, for those at it. */
  venuePath: string
  atVenue: readonly number[]
  alike: readonly number[]
}

/** The next events at the first venue of an event, and coming ones that share the most with it; none without the index. */
export async function findMore(viewing: Viewing, row: EventRow, links: EventLinks): Promise<MoreEvents> {
  const { context, memory, today } = viewing
  const venue = links.venues.find((one) => isShown(context, one))
  await soonFilled(memory)
  if (!memory.index) return { venuePath: '', atVenue: [], alike: [] }
  const subject: Subject = {
    id: row.id,
    series: row.series ?? 0,
    terms: [...links.categories, ...links.tags].map(({ id }) => id),
    organizers: links.organizers.filter((one) => isShown(context, one)).map(({ id }) => id),
  }
  const there = venue ? nextAtVenue(memory.index, venue.id, subject, today, LOOKED_AT) : []
  const alike = relatedEvents(memory.index, subject, today, new Set(there), LOOKED_AT)
  const titles = await findTitles(context.db, [...there, ...alike])
  const taken = new Set([row.title])
  const firstOfTitles = (ids: readonly number[]) => {
    const chosen: number[] = []
    for (const id of ids) {
      const title = titles.get(id)
      if (title === undefined || taken.has(title) || chosen.length === MOST) continue
      taken.add(title)
      chosen.push(id)
    }
    return chosen
  }
  return {
    venuePath: venue ? pathTo(context.site, recordPath(context.site, 'venue', venue)) : '',
    atVenue: firstOfTitles(there),
    alike: firstOfTitles(alike),
  }
}

/** The lists of these events below the page of an event. */
export function moreEvents(viewing: Viewing, more: MoreEvents, shown: ReadonlyMap<number, Card>): Html {
  const { site } = viewing.context
  const list = (name: 'at-venue' | 'alike', ids: readonly number[], heading: Html) => {
    const cards = ids.flatMap((id) => shown.get(id) ?? [])
    return (
      cards.length > 0 &&
      html`<section class="further" aria-labelledby="${name}"><h2 id="${name}">${heading}</h2><ul>${cards.map((card) => smallCard(viewing, card, name === 'alike'))}</ul></section>\n`
    )
  }
  return html`${list('at-venue', more.atVenue, html`<a href="${more.venuePath}">${say(site, 'More at this venue')}</a>`)}${list('alike', more.alike, html`${say(site, 'More like this')}`)}`
}

function smallCard(viewing: Viewing, card: Card, hasPlace: boolean): Html {
  const { site } = viewing.context
  const day = dayOf(card.start)
  const last = lastDayOf(card.start, card.end)
  const when =
    day < viewing.today && last >= viewing.today
      ? capitalized(site, say(site, 'until {date}', { date: writtenDay(site, last, viewing.today) }))
      : `${written(site, 'weekdayShort', day)} ${writtenDate(site, day, viewing.today)}${card.isAllDay ? '' : `, ${written(site, 'time', card.start)}`}`
  const place = hasPlace && card.place && namedPlace(card.place)
  return html`<li class="${hueOf(viewing, card).trim() || 'plain'}"><a href="${pathTo(site, card.url)}"><small>${when}</small> <strong>${shownTitle(viewing, card)}</strong>${place && html` <span>${place}</span>`}</a></li>`
}
