import { presentImage } from '../common/images.ts'
import { globalId, recordHead, recordUrl } from '../common/record-present.ts'
import { embedTerm } from '../common/term-present.ts'
import type { Asking } from '../declare/asking.ts'
import { translate } from '../locales/translate.ts'
import { organizerLinkedData, presentOrganizer } from '../organizers/organizer-present.ts'
import { mayRead } from '../people/caller.ts'
import type { EventRow, ImageRow, OrganizerRow, VenueRow } from '../storage/schema.ts'
import { escapeHtml, plainText, renderText, renderTitle } from '../text/html.ts'
import { wallParts } from '../text/moments.ts'
import { offsetOf, timezoneAbbreviation } from '../text/zones.ts'
import { presentVenue, venueLinkedData } from '../venues/venue-present.ts'
import { offerPrice, presentCost } from './event-cost.ts'
import type { EventLinks } from './event-store.ts'

/** The columns of an event that its own members are made of. */
export const OWN_COLUMNS = [
  'id',
  'author',
  'status',
  'slug',
  'date',
  'date_utc',
  'modified',
  'modified_utc',
  'image',
  'trusted',
  'title',
  'description',
  'excerpt',
  'start_date',
  'end_date',
  'utc_start_date',
  'utc_end_date',
  'timezone',
  'all_day',
  'cost',
  'website',
  'show_map',
  'show_map_link',
  'hide_from_listings',
  'sticky',
  'featured',
] as const satisfies readonly (keyof EventRow)[]

export type OwnRow = Pick<EventRow, (typeof OWN_COLUMNS)[number]>

/** An event as every route shows it (contract 3.1), without its linked data. */
export function presentEvent(asking: Asking, row: EventRow, links: EventLinks): Record<string, unknown> {
  const { site } = asking
  const venues = links.venues
    .filter((venue) => isShown(asking, venue))
    .map((venue) => presentVenue(asking, venue, links.images.get(venue.image ?? 0)))
  const organizers = links.organizers
    .filter((organizer) => isShown(asking, organizer))
    .map((organizer) => presentOrganizer(asking, organizer, links.images.get(organizer.image ?? 0)))
  return {
    ...presentOwn(asking, row, links.images.get(row.image ?? 0)),
    categories: links.categories.map((term) => embedTerm(site, term)),
    tags: links.tags.map((term) => embedTerm(site, term)),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer: organizers,
    custom_fields: [],
  }
}

/** The members of an event that are its own: all but the last ones, its terms and what it is linked to. */
export function presentOwn(asking: Asking, row: OwnRow, image: ImageRow | undefined) {
  const { site } = asking
  const trusted = row.trusted === 1
  const url = recordUrl(site, 'event', row)
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
    start_date: row.start_date,
    start_date_details: wallParts(row.start_date),
    end_date: row.end_date,
    end_date_details: wallParts(row.end_date),
    utc_start_date: row.utc_start_date,
    utc_start_date_details: wallParts(row.utc_start_date),
    utc_end_date: row.utc_end_date,
    utc_end_date_details: wallParts(row.utc_end_date),
    timezone: row.timezone,
    timezone_abbr: timezoneAbbreviation(row.timezone, row.utc_start_date),
    ...shownCost(site, row.cost),
    website: row.website ? escapeHtml(row.website) : url,
    show_map: row.show_map === 1,
    show_map_link: row.show_map_link === 1,
    hide_from_listings: row.hide_from_listings === 1,
    sticky: row.sticky === 1,
    featured: row.featured === 1,
  }
}

/** Costs as they are shown that are remembered: most events of a calendar share a few dozen. */
const MOST_COSTS = 1000
const costs = new WeakMap<Asking['site'], Map<string, ReturnType<typeof presentCost>>>()

function shownCost(site: Asking['site'], raw: string): ReturnType<typeof presentCost> {
  const known = costs.get(site) ?? new Map<string, ReturnType<typeof presentCost>>()
  costs.set(site, known)
  const found = known.get(raw)
  if (found) return found
  if (known.size >= MOST_COSTS) known.clear()
  const shown = presentCost(JSON.parse(raw), site.currency, translate(site.language, 'Free'))
  known.set(raw, shown)
  return shown
}

/** Whether an event shows a venue or organizer: one that the caller may read, and that is not in the trash (contract 0.3.6, 0.3.18). */
export function isShown(asking: Asking, linked: VenueRow | OrganizerRow): boolean {
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
