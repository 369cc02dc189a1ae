import { plainText } from '../../base/text/html.ts'
import { dayOf } from '../../base/text/moments.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { written } from '../feeds/date-forms.ts'
import { MOST_OF_VENUE } from '../feeds/geojson.ts'
import { findVenuesOf, type VenueOfEvent } from '../feeds/venues-of-events.ts'
import type { Card } from './cards.ts'
import { shownTitle, startTime } from './event-rows.ts'
import { comingFilters } from './list-view.ts'
import { writtenDate, writtenNumber } from './page-dates.ts'
import { cardsOf, findPageEvents } from './page-finding.ts'
import { type Html, html, link } from './page-html.ts'
import { sayCount } from './page-texts.ts'
import { mapFigure, mapNeeds, positionLink } from './places-shown.ts'
import { canonicalOf, type EventsAsked, feedsOf, nothingFound, sameEvents, viewHead } from './view-head.ts'
import { nameShown, pathTo, say, sayEvents, sayMore, type View, type Viewing } from './viewing.ts'

const MOST_EVENTS = 1000
const MOST_VENUES = 100

interface Place {
  venue: VenueOfEvent
  events: number[]
}

/** Events by venue: on a map if map tiles are configured, and as a list. */
export async function mapView(viewing: Viewing, asked: EventsAsked): Promise<View> {
  const { context, today } = viewing
  const { site, db } = context
  const { ids, total } = await findPageEvents(viewing, comingFilters(viewing, asked, true), 1, MOST_EVENTS)
  const places = groupByVenue(ids, await findVenuesOf(db, ids))
  const shown = places.slice(0, MOST_VENUES)
  const cards = await cardsOf(viewing, [
    ...new Set(shown.flatMap(({ events }) => events.slice(0, MOST_OF_VENUE))),
  ])
  const byId = new Map(cards.map((card) => [card.id, card]))
  const [located, others] = [shown.filter(isLocated), shown.filter((place) => !isLocated(place))]
  const hasMap = site.maps.tiles !== ''
  const heading = asked.term?.name ?? say(site, hasMap ? 'Map' : 'Events by venue')
  const venues = sayCount(site, '{count} venues', places.length, {
    count: writtenNumber(site, places.length),
  })
  const count = `${venues} · ${sayEvents(site, total)}`
  const list = (some: readonly Place[]) =>
    some.length > 0 && html`<ul class="places">${some.map((place) => placeRow(viewing, place, byId))}</ul>`
  const content =
    places.length === 0
      ? await nothingFound(viewing, asked, say(site, 'No events found.'), `${today} 00:00:00`)
      : html`${located.length > 0 && mapFigure(viewing)}<h2 class="hidden">${say(site, 'Venues')}</h2>${list(
          located,
        )}${
          others.length > 0 &&
          html`<h2 class="unplaced">${say(
            site,
            hasMap ? 'Not on the map' : 'Without a position',
          )}</h2>${list(others)}`
        }`
  return {
    status: 200,
    title: heading,
    description: `${heading}: ${count}`,
    canonical: canonicalOf(viewing, asked, asked.span),
    isIndexed: hasMap && places.length > 0 && !asked.query.isFiltered,
    feeds: feedsOf(asked),
    ...mapNeeds(viewing),
    current: 'map',
    body: html`${viewHead(viewing, asked, heading, count)}
<div class="results" id="events" tabindex="-1">${content}${
      places.length > MOST_VENUES &&
      html`<p><a class="quiet" href="${sameEvents(viewing, asked, { view: 'list' })}">${sayMore(
        site,
        places.length - MOST_VENUES,
      )}</a></p>`
    }</div>`,
  }
}

function groupByVenue(ids: readonly number[], venues: readonly VenueOfEvent[]): Place[] {
  const byEvent = Map.groupBy(venues, ({ event }) => event)
  const places = new Map<number, Place>()
  for (const id of ids)
    for (const venue of byEvent.get(id) ?? []) {
      const place = places.get(venue.id) ?? { venue, events: [] }
      places.set(venue.id, place)
      place.events.push(id)
    }
  return [...places.values()]
}

const isLocated = ({ venue }: Place) => venue.geo_lat !== null && venue.geo_lng !== null

function placeRow(viewing: Viewing, { venue, events }: Place, cards: ReadonlyMap<number, Card>): Html {
  const { site } = viewing.context
  const name = plainText(venue.venue) || say(site, 'Venue')
  const city = plainText(venue.city)
  const count = sayEvents(site, events.length)
  const place =
    isLocated({ venue, events }) &&
    html` data-lat="${venue.geo_lat}" data-lng="${venue.geo_lng}" data-label="${`${name}, ${
      count
    }`}" data-count="${events.length}"`
  const position = positionLink(venue)
  const app =
    position &&
    html`<span class="device"> · <a class="quiet" href="${link(position)}">${say(
      site,
      'Open in map app',
    )}</a></span>`
  const rows = events.slice(0, MOST_OF_VENUE).flatMap((id) => cards.get(id) ?? [])
  return html`<li${place}><h3><a href="${pathTo(
    site,
    recordPath(site, 'venue', venue),
  )}">${nameShown(site, name)}</a></h3><p class="where">${
    city && html`${nameShown(site, city)} · `
  }${count}${app}</p><ul>${rows.map((card) => eventOf(viewing, card))}</ul></li>\n`
}

function eventOf(viewing: Viewing, card: Card): Html {
  const { site } = viewing.context
  const time = card.isAllDay ? '' : ` ${startTime(site, card)}`
  return html`<li><a href="${pathTo(site, card.url)}"><small>${written(
    site,
    'weekdayShort',
    card.start,
  )} ${writtenDate(
    site,
    dayOf(card.start),
    viewing.today,
  )}${time}</small> ${shownTitle(viewing, card)}</a></li>`
}
