import type { EventMembers } from '../../base/fields/event-members.ts'
import type { NamesIn } from '../../base/fields/member.ts'
import { plainText } from '../../base/text/html.ts'
import { presentUrl } from '../../base/text/urls.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { offeredPrice, storedCost } from '../../calendar/events/event-cost.ts'
import { LINKED_STATUS, linkedAttendance, linkedLocation } from '../../calendar/events/event-present.ts'
import { seriesLinkedData } from '../../calendar/events/recurrence-present.ts'
import { amenities } from '../../calendar/linked/venue.ts'
import type { OrganizerRow, VenueRow } from '../../store/storage/schema.ts'
import { type EventFacts, isoTime, rfc3339, textOrNone } from './event-facts.ts'
import { feedFormat } from './feed.ts'

export const jsonLd = feedFormat({
  name: 'jsonld',
  extension: 'jsonld',
  mediaType: 'application/ld+json',
  begin: (context) => ({
    head: '{"@context":"https://schema.org","@graph":[',
    event: (facts) =>
      JSON.stringify(linkedEvent(context, facts)).replace(UNSAFE, (sign) => ESCAPED[sign] ?? sign),
    between: ',\n',
    tail: () => ']}\n',
  }),
})

/** `<` could end a script element; old JavaScript parsers take the two others for line breaks. */
const UNSAFE = /[<\u2028\u2029]/g
const ESCAPED: Readonly<Record<string, string>> = { '<': '\\u003c', '\u2028': '\\u2028', '\u2029': '\\u2029' }

/** A schema.org Event. It is valid without `location`, but search engines do not show it then. */
export function linkedEvent(context: Context, facts: EventFacts): object {
  const { row, image, venues, organizers } = facts
  return {
    '@type': 'Event',
    '@id': facts.url,
    identifier: row.uid,
    name: facts.title,
    description: facts.text === '' ? undefined : facts.text,
    url: facts.url,
    image: image && [image.url],
    startDate: isoTime(row, 'start'),
    endDate: isoTime(row, 'end'),
    eventStatus: LINKED_STATUS[row.event_status],
    eventAttendanceMode: linkedAttendance(row, venues.length > 0),
    superEvent: facts.series && seriesLinkedData(context, facts.series),
    location: linkedLocation(venues.map(linkedPlace), row, facts.url),
    organizer: oneOrSeveral(organizers.map(linkedOrganizer)),
    keywords: facts.terms.length === 0 ? undefined : facts.terms,
    offers: linkedOffer(context, facts),
    mainEntityOfPage: { '@type': 'WebPage', '@id': facts.url, dateModified: rfc3339(facts.modified) },
  } satisfies Record<NamesIn<EventMembers, 'jsonld'>, unknown> & Record<string, unknown>
}

function oneOrSeveral(parts: readonly object[]): object | undefined {
  return parts.length > 1 ? parts : parts[0]
}

function linkedPlace(venue: VenueRow): object {
  const { geo_lat: latitude, geo_lng: longitude } = venue
  const isLocated = latitude !== null && longitude !== null
  return {
    '@type': 'Place',
    name: plainText(venue.venue),
    address: {
      '@type': 'PostalAddress',
      streetAddress: textOrNone(venue.address),
      postalCode: textOrNone(venue.zip),
      addressLocality: textOrNone(venue.city),
      addressRegion: textOrNone(venue.stateprovince),
      addressCountry: textOrNone(venue.country),
    },
    geo: isLocated ? { '@type': 'GeoCoordinates', latitude, longitude } : undefined,
    url: textOrNone(presentUrl(venue.website)),
    ...amenities(venue),
  }
}

function linkedOrganizer(organizer: OrganizerRow): object {
  return {
    '@type': 'Organization',
    name: plainText(organizer.organizer),
    url: textOrNone(presentUrl(organizer.website)),
    email: textOrNone(organizer.email),
    telephone: textOrNone(organizer.phone),
  }
}

/** The price as schema.org offer, without `availability`: whether tickets are left is unknown. */
function linkedOffer({ site }: Context, { row, url }: EventFacts): object | undefined {
  const offered = offeredPrice(storedCost(row.cost), site.currency)
  if (!offered) return undefined
  const { lowest, highest, currency } = offered
  return {
    ...(lowest === highest
      ? { '@type': 'Offer', price: lowest }
      : { '@type': 'AggregateOffer', lowPrice: lowest, highPrice: highest }),
    priceCurrency: currency,
    url: presentUrl(row.website) || url,
  }
}
