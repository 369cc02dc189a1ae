import { presentImage } from '../common/images.ts'
import { globalId, recordHead, recordUrl } from '../common/record-present.ts'
import { embedTerm } from '../common/term-present.ts'
import type { Asking, Presenting } from '../declare/asking.ts'
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

/**
 * An event as every route shows it (contract 3.1), without its linked data. `own` is what `writeOwn` made of it without its image, where that
 * is known.
 */
export function presentEvent(asking: Asking, row: EventRow, links: EventLinks, own?: string): Record<string, unknown> {
  const { site, images } = asking
  const image = links.images.get(row.image ?? 0)
  const venues = links.venues
    .filter((venue) => isShown(asking, venue))
    .map((venue) => presentVenue(asking, venue, links.images.get(venue.image ?? 0)))
  const organizers = links.organizers
    .filter((organizer) => isShown(asking, organizer))
    .map((organizer) => presentOrganizer(asking, organizer, links.images.get(organizer.image ?? 0)))
  return {
    ...JSON.parse(own === undefined ? writeOwn(asking, row, image) : withImage(own, image, images.mediaUrl)),
    categories: links.categories.map((term) => embedTerm(site, term)),
    tags: links.tags.map((term) => embedTerm(site, term)),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer: organizers,
    custom_fields: [],
  }
}

/**
 * The members of an event that are its own, as a JSON object: all but the last ones, its terms and what it is linked to. It is written as
 * text and not made of an object, since lists of events that nobody has asked for lately are presented from rows as fast as this goes.
 */
export function writeOwn({ site, images }: Presenting, row: OwnRow, image: ImageRow | undefined): string {
  const trusted = row.trusted === 1
  const url = JSON.stringify(recordUrl(site, 'event', row))
  const global = JSON.stringify(globalId(site, row.id))
  const timezone = timezoneAbbreviation(row.timezone, row.utc_start_date)
  return `{"id":${row.id},"global_id":${global},"global_id_lineage":[${global}],\
${JSON.stringify(recordHead(row)).slice(1, -1)},\
"url":${url},"rest_url":${JSON.stringify(`${site.base}/events/${row.id}`)},\
"title":${JSON.stringify(renderTitle(row.title, trusted))},\
"description":${JSON.stringify(renderText(row.description, trusted))},\
"excerpt":${JSON.stringify(renderText(row.excerpt, trusted))},\
"slug":${JSON.stringify(row.slug)},\
"image":${image ? JSON.stringify(presentImage(image, images.mediaUrl)) : false},\
"all_day":${row.all_day === 1},\
${writeTime('start_date', row)},${writeTime('end_date', row)},${writeTime('utc_start_date', row)},${writeTime('utc_end_date', row)},\
"timezone":${JSON.stringify(row.timezone)},"timezone_abbr":${JSON.stringify(timezone)},\
${writeCost(site, row.cost)},\
"website":${row.website ? JSON.stringify(escapeHtml(row.website)) : url},\
"show_map":${row.show_map === 1},"show_map_link":${row.show_map_link === 1},\
"hide_from_listings":${row.hide_from_listings === 1},"sticky":${row.sticky === 1},"featured":${row.featured === 1}}`
}

/** Text inside JSON cannot read like this, since its quotes are escaped. */
const NO_IMAGE = ',"image":false,'

/** What `writeOwn` wrote of an event without its image, with it. */
export function withImage(own: string, image: ImageRow | undefined, mediaUrl: string): string {
  return image ? own.replace(NO_IMAGE, () => `,"image":${JSON.stringify(presentImage(image, mediaUrl))},`) : own
}

/** A time of an event and its parts. */
function writeTime(name: 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date', row: OwnRow): string {
  const { year, month, day, hour, minutes, seconds } = wallParts(row[name])
  return `"${name}":"${row[name]}","${name}_details":{"year":"${year}","month":"${month}","day":"${day}",\
"hour":"${hour}","minutes":"${minutes}","seconds":"${seconds}"}`
}

/** Costs that are remembered as they are shown: most events of a calendar share a few dozen. */
const MOST_COSTS = 1000
const costs = new WeakMap<Asking['site'], Map<string, string>>()

function writeCost(site: Asking['site'], raw: string): string {
  const known = costs.get(site) ?? new Map<string, string>()
  costs.set(site, known)
  const found = known.get(raw)
  if (found !== undefined) return found
  if (known.size >= MOST_COSTS) known.clear()
  const shown = presentCost(JSON.parse(raw), site.currency, translate(site.language, 'Free'))
  const text = JSON.stringify(shown).slice(1, -1)
  known.set(raw, text)
  return text
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
