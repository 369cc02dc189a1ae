import { presentImage } from '../common/images.ts'
import { globalId, recordHead, recordUrl } from '../common/record-present.ts'
import { embedTerm } from '../common/term-present.ts'
import type { Asking } from '../declare/asking.ts'
import { translate } from '../locales/translate.ts'
import { organizerLinkedData, presentOrganizer } from '../organizers/organizer-present.ts'
import { mayRead } from '../people/caller.ts'
import type { EventRow, OrganizerRow, VenueRow } from '../storage/schema.ts'
import { escapeHtml, plainText, renderText, renderTitle } from '../text/html.ts'
import { wallParts } from '../text/moments.ts'
import { offsetOf, timezoneAbbreviation } from '../text/zones.ts'
import { presentVenue, venueLinkedData } from '../venues/venue-present.ts'
import { offerPrice, presentCost } from './event-cost.ts'
import type { EventLinks } from './event-store.ts'

/** An event as every route shows it (contract 3.1), without its linked data. */
export function presentEvent(asking: Asking, row: EventRow, links: EventLinks): Record<string, unknown> {
  const { site } = asking
  const trusted = row.trusted === 1
  const url = recordUrl(site, 'event', row)
  const image = links.images.get(row.image ?? 0)
  const venues = links.venues
    .filter((venue) => isShown(asking, venue))
    .map((venue) => presentVenue(asking, venue, links.images.get(venue.image ?? 0)))
  const organizers = links.organizers
    .filter((organizer) => isShown(asking, organizer))
    .map((organizer) => presentOrganizer(asking, organizer, links.images.get(organizer.image ?? 0)))
  const times = ['start_date', 'end_date', 'utc_start_date', 'utc_end_date'] as const
  return {
    id: row.id,
    global_id: globalId(site, row.id),
    global_id_lineage: [globalId(site, row.id)],
    ...recordHead(row),
    url,
    rest_url: `${site.base}/events/${row.id}`,
    title: renderTitle(row.title, trusted),
    description: renderText(row.description, trusted),
    excerpt: renderText(row.excerpt, trusted),
    slug: row.slug,
    image: image ? presentImage(image, asking.images.mediaUrl) : false,
    all_day: row.all_day === 1,
    ...Object.fromEntries(
      times.flatMap((name) => [
        [name, row[name]],
        [`${name}_details`, wallParts(row[name])],
      ]),
    ),
    timezone: row.timezone,
    timezone_abbr: timezoneAbbreviation(row.timezone, row.utc_start_date),
    ...presentCost(JSON.parse(row.cost), site.currency, translate(site.language, 'Free')),
    website: row.website ? escapeHtml(row.website) : url,
    show_map: row.show_map === 1,
    show_map_link: row.show_map_link === 1,
    hide_from_listings: row.hide_from_listings === 1,
    sticky: row.sticky === 1,
    featured: row.featured === 1,
    categories: links.categories.map((term) => embedTerm(site, term)),
    tags: links.tags.map((term) => embedTerm(site, term)),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer: organizers,
    custom_fields: [],
  }
}

/** Whether an event shows a venue or organizer: one that the caller may read, and that is not in the trash (contract 0.3.6, 0.3.18). */
function isShown(asking: Asking, linked: VenueRow | OrganizerRow): boolean {
  return linked.status !== 'trash' && mayRead(asking.caller, linked)
}

/** An event as linked data (contract 3.7): schema.org Event with all of its organizers (defect 45). */
export function eventLinkedData(asking: Asking, row: EventRow, links: EventLinks): object {
  const { site } = asking
  const trusted = row.trusted === 1
  const url = recordUrl(site, 'event', row)
  const image = links.images.get(row.image ?? 0)
  const venue = links.venues.find((candidate) => isShown(asking, candidate))
  const organizers = links.organizers.filter((organizer) => isShown(asking, organizer)).map(organizerLinkedData)
  const iso = (wall: string, utc: string) => `${wall.replace(' ', 'T')}${offsetOf(utc, row.timezone)}`
  const costs: string[] = JSON.parse(row.cost)
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: plainText(row.title),
    description: plainText(renderText(row.excerpt || row.description, trusted)),
    ...(image ? { image: presentImage(image, asking.images.mediaUrl).url } : {}),
    url,
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    eventStatus: 'https://schema.org/EventScheduled',
    startDate: iso(row.start_date, row.utc_start_date),
    endDate: iso(row.end_date, row.utc_end_date),
    ...(venue ? { location: venueLinkedData(venue) } : {}),
    ...(organizers.length > 0 ? { organizer: organizers.length === 1 ? organizers[0] : organizers } : {}),
    ...(offerPrice(costs) === '' ? {} : { offers: offer(asking, row, costs, url) }),
    performer: 'Organization',
  }
}

function offer(asking: Asking, row: EventRow, costs: string[], url: string): object {
  return {
    '@type': 'Offer',
    price: offerPrice(costs),
    priceCurrency: asking.site.currency.code,
    url,
    category: 'primary',
    availability: 'inStock',
    validFrom: `${row.date.slice(0, 10)}T00:00:00+00:00`,
  }
}
