import { emptyCache, entryBytes, findCached, processBudget, setCached } from '../../base/cache.ts'
import type { Attendance, EventStatus } from '../../base/fields/event-fields.ts'
import { type EventMembers, rareFields, showRare } from '../../base/fields/event-members.ts'
import type { WithValue } from '../../base/fields/member.ts'
import { escapeHtml, linkedText, plainText, renderTitle } from '../../base/text/html.ts'
import { renderedPlain, renderedText, type WantedText } from '../../base/text/long-texts.ts'
import { hasWallForm, wallParts } from '../../base/text/moments.ts'
import { presentUrl } from '../../base/text/urls.ts'
import { timezoneAbbreviation, utcOffset } from '../../base/text/zones.ts'
import { type EventPiece, makePiece, type WrittenJson, writePiece } from '../../store/memory/event-pieces.ts'
import type {
  EventRow,
  ImageRow,
  OrganizerRow,
  SeriesRow,
  Taxonomy,
  TermRow,
  VenueRow,
} from '../../store/storage/schema.ts'
import { showOrLeaveOut, showRecord } from '../../store/storage/unshowable.ts'
import type { Context, Presenting } from '../declare/context.ts'
import type { Extent } from '../declare/operations.ts'
import { imageUrl, showImage } from '../images/images.ts'
import { organizerLinkedData, presentOrganizer } from '../linked/organizer.ts'
import { globalId, recordUrl } from '../linked/record-present.ts'
import { presentVenue, venueLinkedData } from '../linked/venue.ts'
import { mayRead, type Owned } from '../people/caller.ts'
import { textsOfRecord, textsOfTerm } from '../records/record-store.ts'
import { embedTerm, termJson } from '../terms/term-present.ts'
import { FREE, offeredPrice, offerPrice, presentCost, storedCost } from './event-cost.ts'
import type { EventLinks } from './event-store.ts'
import { presentRecurrence, seriesLinkedData } from './recurrence-present.ts'

/**
 * An event as JSON; `single` adds linked data (rule 5.1). A linked record that cannot be shown is reported
 * and left out.
 * @throws Error if the event itself cannot be shown
 */
export function presentEvent(
  context: Context,
  row: EventRow,
  links: EventLinks,
  extent: Extent = 'listed',
): WrittenJson {
  const terms = new Map([...links.categories, ...links.tags].map((term) => [term.id, term]))
  return writePiece(pieceOf(context, row, links, extent), (id) => {
    const term = terms.get(id)
    return term ? termJson(context, term) : NO_BYTES
  })
}

const NO_BYTES = Buffer.alloc(0)

/**
 * An event that was just written.
 * @throws UnshowableRecord if it, or a venue or organizer created with it (`made`), cannot be shown
 */
export function presentWritten(
  context: Context,
  row: EventRow,
  links: EventLinks,
  made: ReadonlySet<number>,
): WrittenJson {
  return showRecord('event', row.id, () => {
    for (const venue of links.venues) {
      if (made.has(venue.id))
        showRecord('venue', venue.id, () => [presentVenue(context, venue, undefined), venueLinkedData(venue)])
    }
    for (const organizer of links.organizers) {
      if (made.has(organizer.id))
        showRecord('organizer', organizer.id, () => [
          presentOrganizer(context, organizer, undefined),
          organizerLinkedData(organizer),
        ])
    }
    // The event's linked data need no test: other members show the same values.
    return presentEvent(context, row, links)
  })
}

/** The event as JSON with gaps for terms, which change more often. @throws Error when it cannot be shown */
export function pieceOf(context: Context, row: EventRow, links: EventLinks, extent: Extent): EventPiece {
  const isSingle = extent === 'single'
  const { common, rare } = writeCore(context, row, links.images.get(row.image ?? 0))
  const { venues, organizers } = presentPlaces(context, links, isSingle)
  const venue = JSON.stringify(venues.length === 1 ? venues[0] : venues)
  const linkedData = isSingle ? `,"json_ld":${JSON.stringify(eventLinkedData(context, row, links))}` : ''
  const recurrence = links.series ? behind(recurrenceMembers(context, row, links.series, links.next)) : ''
  const idOf = ({ id }: TermRow) => id
  return makePiece(
    `${common},"categories":[`,
    { categories: links.categories.map(idOf), tags: links.tags.map(idOf) },
    `],"venue":${venue},"organizer":${JSON.stringify(organizers)}` +
      `,"custom_fields":[]${linkedData}${rare}${recurrence}}`,
  )
}

const behind = (members: object) => `,${JSON.stringify(members).slice(1, -1)}`

export function presentLinks(
  context: Context,
  links: Pick<EventLinks, 'venues' | 'organizers' | 'categories' | 'tags' | 'images'>,
): { categories: object[]; tags: object[]; venue: object | undefined; organizer: object[] } {
  const { venues, organizers } = presentPlaces(context, links, false)
  const terms = (taxonomy: Taxonomy, rows: readonly TermRow[]) =>
    rows.flatMap(
      (term) => showOrLeaveOut(context, taxonomy, term.id, () => embedTerm(context.site, term)) ?? [],
    )
  return {
    categories: terms('category', links.categories),
    tags: terms('tag', links.tags),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer: organizers,
  }
}

function presentPlaces(
  context: Context,
  { venues, organizers, images }: Pick<EventLinks, 'venues' | 'organizers' | 'images'>,
  hasLinkedData: boolean,
): { venues: object[]; organizers: object[] } {
  return {
    venues: showEach(context, 'venue', venues, (venue) => {
      const linkedData = hasLinkedData ? venueLinkedData(venue) : undefined
      return presentVenue(context, venue, images.get(venue.image ?? 0), linkedData)
    }),
    organizers: showEach(context, 'organizer', organizers, (organizer) => {
      const linkedData = hasLinkedData ? organizerLinkedData(organizer) : undefined
      return presentOrganizer(context, organizer, images.get(organizer.image ?? 0), linkedData)
    }),
  }
}

function recurrenceMembers(
  context: Context,
  row: EventRow,
  series: SeriesRow,
  next: EventLinks['next'],
): object {
  const occurrences = next?.map((one) => ({ ...one, rest_url: `${context.site.base}/events/${one.id}` }))
  return {
    ...presentRecurrence(context, row, series),
    ...(occurrences ? { next_occurrences: occurrences } : {}),
  }
}

function showEach<Row extends VenueRow | OrganizerRow>(
  context: Context,
  kind: 'venue' | 'organizer',
  rows: readonly Row[],
  present: (row: Row) => object,
): object[] {
  return rows.flatMap((row) =>
    isShown(context, row) ? (showOrLeaveOut(context, kind, row.id, () => present(row)) ?? []) : [],
  )
}

type CoreMember = Exclude<
  keyof EventMembers,
  WithValue<EventMembers, 'from', 'link'> | WithValue<EventMembers, 'rare', unknown> | 'custom_fields'
>

type MemberWriter = (row: EventRow, presenting: Presenting, image: ImageRow | undefined) => string

/** Texts with nothing to escape in JSON: adding quotes is faster than `JSON.stringify`. */
const PLAIN = /^[\w :;,./?!&#%'()=+-]*$/
const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

const asIs =
  (name: 'status' | 'date' | 'date_utc' | 'modified' | 'modified_utc' | 'slug' | 'timezone'): MemberWriter =>
  (row) =>
    quoted(row[name])
const asFlag =
  (name: keyof EventRow): MemberWriter =>
  (row) =>
    String(row[name] === 1)
const asText =
  (name: 'description' | 'excerpt'): MemberWriter =>
  (row) =>
    JSON.stringify(renderedText(row[name], row.trusted === 1))
const urlOf: MemberWriter = (row, { site }) => quoted(recordUrl(site, 'event', row))

const imageOf: MemberWriter = (_row, presenting, image) =>
  JSON.stringify((image && showImage(presenting, image)) ?? false)

const writers: Readonly<Record<CoreMember, MemberWriter>> = {
  id: ({ id }) => String(id),
  global_id: ({ id }, { site }) => quoted(globalId(site, id)),
  global_id_lineage: ({ id }, { site }) => `[${quoted(globalId(site, id))}]`,
  author: ({ author }) => `"${author}"`,
  status: asIs('status'),
  date: asIs('date'),
  date_utc: asIs('date_utc'),
  modified: asIs('modified'),
  modified_utc: asIs('modified_utc'),
  url: urlOf,
  rest_url: ({ id }, { site }) => quoted(`${site.base}/events/${id}`),
  title: ({ title, trusted }) => quoted(renderTitle(title, trusted === 1)),
  description: asText('description'),
  excerpt: asText('excerpt'),
  slug: asIs('slug'),
  image: imageOf,
  all_day: asFlag('all_day'),
  start_date: asTime('start_date'),
  start_date_details: asDetails('start_date'),
  end_date: asTime('end_date'),
  end_date_details: asDetails('end_date'),
  utc_start_date: asTime('utc_start_date'),
  utc_start_date_details: asDetails('utc_start_date'),
  utc_end_date: asTime('utc_end_date'),
  utc_end_date_details: asDetails('utc_end_date'),
  timezone: asIs('timezone'),
  timezone_abbr: ({ timezone, utc_start_date }) => quoted(timezoneAbbreviation(timezone, utc_start_date)),
  cost: ({ cost }, { site }) => showCost(site, cost).cost,
  cost_details: ({ cost }, { site }) => showCost(site, cost).details,
  website: (row, presenting) => {
    const website = presentUrl(row.website)
    return website ? quoted(escapeHtml(website)) : urlOf(row, presenting, undefined)
  },
  show_map: asFlag('show_map'),
  show_map_link: asFlag('show_map_link'),
  hide_from_listings: asFlag('hide_from_listings'),
  sticky: asFlag('sticky'),
  featured: asFlag('featured'),
}

const named = Object.entries(writers).map(([name, write], at) => ({
  name: `${at > 0 ? ',' : ''}"${name}":`,
  write,
}))
const rareOfEvents = rareFields()

/**
 * Writes the members of the event's own row; `rare`, which few events have, come last. Joins strings, since
 * this decides how fast uncached lists are.
 * @throws Error if the event cannot be shown
 */
export function writeCore(
  presenting: Presenting,
  row: EventRow,
  image: ImageRow | undefined,
): { common: string; rare: string } {
  let common = '{'
  for (const { name, write } of named) common += name + write(row, presenting, image)
  const rare = showRare(rareOfEvents, row)
  return { common, rare: rare === undefined ? '' : behind(rare) }
}

function asTime(name: TimeColumn): MemberWriter {
  return (row) => {
    if (!hasWallForm(row[name])) throw new Error(`its ${name} is no time`)
    return `"${row[name]}"`
  }
}

function asDetails(name: TimeColumn): MemberWriter {
  return (row) => {
    const { year, month, day, hour, minutes, seconds } = wallParts(row[name])
    return (
      `{"year":"${year}","month":"${month}","day":"${day}","hour":"` +
      `${hour}","minutes":"${minutes}","seconds":"${seconds}"}`
    )
  }
}

type TimeColumn = 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date'

/**
 * Shown costs by stored JSON. Only costs of at most `LONGEST_COST` characters are cached, since most events
 * share a few dozen short ones.
 */
const costs = emptyCache<string, ShownCost>(processBudget)
const LONGEST_COST = 200

interface ShownCost {
  /** The site whose currency numbers without a currency got. */
  site: Context['site']
  cost: string
  details: string
  /** The price in linked data and its currency, which is the site's if unclear. */
  offered: string
  currency: string
}

function showCost(site: Context['site'], raw: string): ShownCost {
  const known = findCached(costs, raw)
  if (known?.site === site) return known
  const stored = storedCost(raw)
  const { cost, cost_details } = presentCost(stored, site.currency, FREE)
  const made = {
    site,
    cost: JSON.stringify(cost),
    details: JSON.stringify(cost_details),
    offered: offerPrice(stored),
    currency: offeredPrice(stored, site.currency)?.currency ?? site.currency.code,
  }
  if (raw.length <= LONGEST_COST)
    setCached(costs, raw, made, entryBytes(raw, made.cost, made.details, made.offered))
  return made
}

/** True if the caller may read the venue or organizer and it is not trashed (rule 5.9). */
export function isShown(context: Context, linked: Owned): boolean {
  return linked.status !== 'trash' && mayRead(context.caller, linked)
}

/** A schema.org Event with its first venue and all organizers that the caller may see (rule 9.2). */
function eventLinkedData(context: Context, row: EventRow, links: EventLinks): object {
  const places = showEach(context, 'venue', links.venues, venueLinkedData)
  const location = linkedLocation(places.slice(0, 1), row, recordUrl(context.site, 'event', row))
  const organizers = showEach(context, 'organizer', links.organizers, organizerLinkedData)
  const attendance = linkedAttendance(row, places.length > 0)
  const { offers, ...own } = ownLinkedData(context, row, links.images.get(row.image ?? 0), attendance)
  return {
    ...own,
    ...(location ? { location } : {}),
    ...(organizers.length > 0 ? { organizer: organizers.length === 1 ? organizers[0] : organizers } : {}),
    ...(offers ? { offers } : {}),
    performer: 'Organization',
    ...(links.series ? { superEvent: seriesLinkedData(context, links.series) } : {}),
  }
}

export const LINKED_STATUS: Readonly<Record<EventStatus, string>> = {
  scheduled: 'https://schema.org/EventScheduled',
  canceled: 'https://schema.org/EventCancelled',
  postponed: 'https://schema.org/EventPostponed',
}

const LINKED_ATTENDANCE: Readonly<Record<Exclude<Attendance, ''>, string>> = {
  in_person: 'https://schema.org/OfflineEventAttendanceMode',
  online: 'https://schema.org/OnlineEventAttendanceMode',
  mixed: 'https://schema.org/MixedEventAttendanceMode',
}

/** The schema.org mode of attendance, else the one that the venue implies; undefined without a venue. */
export function linkedAttendance(
  { attendance }: Pick<EventRow, 'attendance'>,
  hasVenue: boolean,
): string | undefined {
  if (attendance !== '') return LINKED_ATTENDANCE[attendance]
  return hasVenue ? LINKED_ATTENDANCE.in_person : undefined
}

/**
 * The `location` of linked data: places, online meeting, or both. If the link to the meeting is not shown,
 * the event's `page` replaces it.
 */
export function linkedLocation(places: readonly object[], row: Meeting, page: string): object | undefined {
  const isOnline = row.attendance === 'online' || row.attendance === 'mixed'
  const meeting = {
    '@type': 'VirtualLocation',
    ...(row.online_label === '' ? {} : { name: linkedText(plainText(row.online_label)) }),
    url: row.online_url || page,
  }
  const all = isOnline ? [...places, meeting] : places
  return all.length > 1 ? all : all[0]
}

type Meeting = Pick<EventRow, 'attendance' | 'online_url' | 'online_label'>

function ownLinkedData(
  context: Context,
  row: EventRow,
  image: ImageRow | undefined,
  eventAttendanceMode: string | undefined,
) {
  const url = recordUrl(context.site, 'event', row)
  const iso = (wall: string, utc: string) => `${wall.replace(' ', 'T')}${utcOffset(utc, row.timezone)}`
  const { offered, currency } = showCost(context.site, row.cost)
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: linkedText(plainText(row.title)),
    description: linkedText(renderedPlain(row.excerpt || row.description, row.trusted === 1)),
    ...(image ? { image: imageUrl(image, context.images.mediaUrl) } : {}),
    url,
    ...(eventAttendanceMode === undefined ? {} : { eventAttendanceMode }),
    eventStatus: LINKED_STATUS[row.event_status],
    startDate: iso(row.start_date, row.utc_start_date),
    endDate: iso(row.end_date, row.utc_end_date),
    ...(offered === '' ? {} : { offers: offer(row, offered, currency, url) }),
  }
}

function offer(row: EventRow, price: string, priceCurrency: string, url: string): object {
  return {
    '@type': 'Offer',
    price,
    priceCurrency,
    url,
    category: 'primary',
    availability: 'inStock',
    validFrom: `${row.date.slice(0, 10)}T00:00:00+00:00`,
  }
}

export function textsOfEvent(
  row: Pick<EventRow, 'description' | 'excerpt' | 'trusted'>,
  { venues, organizers, categories, tags }: EventLinks,
  extent: 'listed' | 'single',
): WantedText[] {
  const records = [row, ...venues, ...organizers].flatMap((record) => textsOfRecord(record, extent))
  return [...records, ...[...categories, ...tags].flatMap(textsOfTerm)]
}
