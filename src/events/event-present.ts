import type { Context, Presenting } from '../declare/context.ts'
import type { EventStatus } from '../fields/event-kinds.ts'
import { type EventMembers, eventMembers, rareFields, showRare } from '../fields/event-members.ts'
import { namesWith, type WithValue } from '../fields/member.ts'
import { imageUrl, showImage } from '../images/images.ts'
import { organizerLinkedData, presentOrganizer } from '../linked/organizer.ts'
import { globalId, recordUrl } from '../linked/record-present.ts'
import { presentVenue, venueLinkedData } from '../linked/venue.ts'
import { mayRead } from '../people/caller.ts'
import type { EventRow, ImageRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../storage/schema.ts'
import { showOrLeaveOut, showRecord } from '../storage/unshowable.ts'
import { embedTerm } from '../terms/term-present.ts'
import { escapeHtml, linkedText, plainText, renderTitle } from '../text/html.ts'
import { renderedPlain, renderedText } from '../text/long-texts.ts'
import { isWallTime, wallParts } from '../text/moments.ts'
import { presentUrl } from '../text/urls.ts'
import { type WrittenRecord, writtenRecord } from '../text/written-json.ts'
import { timezoneAbbreviation, utcOffset } from '../text/zones.ts'
import { FREE, offerPrice, presentCost, storedCost } from './event-cost.ts'
import type { EventLinks } from './event-store.ts'
import { presentRecurrence, seriesLinkedData } from './recurrence-present.ts'

/** The columns of an event that its own members are made of. */
export const OWN_COLUMNS = [...namesWith(eventMembers, 'from', 'column'), 'trusted'] as const

export type OwnRow = Pick<EventRow, (typeof OWN_COLUMNS)[number]>

/**
 * An event as lists show it (rule 5.1), without linked data, and without those of its venues, organizers and terms that cannot be shown.
 * Throws when it cannot be shown itself, as all functions do that present a record.
 */
export function presentEvent(context: Context, row: EventRow, links: EventLinks): Record<string, unknown> {
  return joinEvent(context, row, links, undefined)
}

/**
 * An event as its write answers it. `own` is the text of `writeOwn` without the image, where that is known.
 * @throws UnshowableRecord when it, or a venue or organizer `made` with it, could not be read later
 */
export function presentWritten(
  context: Context,
  row: EventRow,
  links: EventLinks,
  own: string | undefined,
  made: ReadonlySet<number>,
): WrittenRecord {
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
    // Its linked data are made of values that its members show as well, and can do without those of its venues and organizers.
    return writtenRecord(row.id, joinText(context, row, links, own))
  })
}

/** An event read by itself: with its linked data and that of its venues and organizers. */
export function presentSingleEvent(context: Context, row: EventRow, links: EventLinks): Record<string, unknown> {
  return joinEvent(context, row, links, eventLinkedData(context, row, links))
}

/** An event with all that it links to. */
function joinEvent(
  context: Context,
  row: EventRow,
  links: EventLinks,
  linkedData: object | undefined,
): Record<string, unknown> {
  const [members, more] = ownTexts(context, row, links, undefined)
  return {
    ...JSON.parse(members),
    ...presentLinks(context, links, linkedData !== undefined),
    custom_fields: [],
    ...(linkedData ? { json_ld: linkedData } : {}),
    ...(more === undefined ? {} : JSON.parse(more)),
    ...recurrenceMembers(context, row, links),
  }
}

/** The same as JSON, without linked data, for the answer of a write. */
function joinText(context: Context, row: EventRow, links: EventLinks, own: string | undefined): string {
  const [members, more = '{}'] = ownTexts(context, row, links, own)
  const linked = JSON.stringify({ ...presentLinks(context, links, false), custom_fields: [] })
  const parts = [members, linked, more, JSON.stringify(recurrenceMembers(context, row, links))]
  return `{${parts.flatMap((part) => (part === '{}' ? [] : part.slice(1, -1))).join(',')}}`
}

/** The texts that `writeOwn` makes of an event, here apart; `own` is both without the image, where they are known. */
function ownTexts(
  context: Context,
  row: EventRow,
  { images }: EventLinks,
  own: string | undefined,
): [members: string, more: string | undefined] {
  const image = images.get(row.image ?? 0)
  const [members = '{}', more] = (
    own === undefined ? writeOwn(context, row, image) : withImage(context, own, image)
  ).split('\n')
  return [members, more]
}

/** The members that show what an event, or a series, links to. */
export function presentLinks(
  context: Context,
  links: Pick<EventLinks, 'venues' | 'organizers' | 'categories' | 'tags' | 'images'>,
  hasLinkedData: boolean,
): { categories: object[]; tags: object[]; venue: object | undefined; organizer: object[] } {
  const venues = showEach(context, 'venue', links.venues, (venue) => {
    const own = hasLinkedData ? venueLinkedData(venue) : undefined
    return presentVenue(context, venue, links.images.get(venue.image ?? 0), own)
  })
  const organizer = showEach(context, 'organizer', links.organizers, (organizer) => {
    const own = hasLinkedData ? organizerLinkedData(organizer) : undefined
    return presentOrganizer(context, organizer, links.images.get(organizer.image ?? 0), own)
  })
  const terms = (taxonomy: Taxonomy, rows: readonly TermRow[]) =>
    rows.flatMap((term) => showOrLeaveOut(context, taxonomy, term.id, () => embedTerm(context.site, term)) ?? [])
  return {
    categories: terms('category', links.categories),
    tags: terms('tag', links.tags),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer,
  }
}

function recurrenceMembers(context: Context, row: EventRow, { series, next }: EventLinks): object {
  if (!series) return {}
  const shown = next?.map((one) => ({ ...one, rest_url: `${context.site.base}/events/${one.id}` }))
  return { ...presentRecurrence(context, row, series), ...(shown ? { next_occurrences: shown } : {}) }
}

/** Those of these venues or organizers that an event shows to the caller, as `present` makes them. */
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

/** The members of an event that are its own, and that every event has. */
type OwnMember = Exclude<
  keyof EventMembers,
  WithValue<EventMembers, 'from', 'link'> | WithValue<EventMembers, 'rare', unknown> | 'custom_fields'
>

/** Writes one of them as JSON. */
type Writer = (row: OwnRow, presenting: Presenting, image: ImageRow | undefined) => string

/** Texts without signs that are escaped, such as times and most addresses: they need not be looked at sign by sign. */
const PLAIN = /^[\w :;,./?!&#%'()=+-]*$/
const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

const asIs =
  (name: 'status' | 'date' | 'date_utc' | 'modified' | 'modified_utc' | 'slug' | 'timezone'): Writer =>
  (row) =>
    quoted(row[name])
const asFlag =
  (name: keyof OwnRow): Writer =>
  (row) =>
    String(row[name] === 1)
const asText =
  (name: 'description' | 'excerpt'): Writer =>
  (row) =>
    JSON.stringify(renderedText(row[name], row.trusted === 1))
const urlOf: Writer = (row, { site }) => quoted(recordUrl(site, 'event', row))

/** How they are written, in their order. */
const writers: Readonly<Record<OwnMember, Writer>> = {
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
  image: (_row, presenting, image) => JSON.stringify((image && showImage(presenting, image)) ?? false),
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
  website: (row, presenting, image) => {
    const website = presentUrl(row.website)
    return website ? quoted(escapeHtml(website)) : urlOf(row, presenting, image)
  },
  show_map: asFlag('show_map'),
  show_map_link: asFlag('show_map_link'),
  hide_from_listings: asFlag('hide_from_listings'),
  sticky: asFlag('sticky'),
  featured: asFlag('featured'),
}

const written = Object.entries(writers).map(([name, write], at) => ({ name: `${at > 0 ? ',' : ''}"${name}":`, write }))
const rare = rareFields()

/**
 * The members of an event that are its own, as a JSON object: all but the last ones, its terms and what it is linked to. Behind a line end,
 * which no JSON text contains, comes another one with the members that only some events have, shown behind all others. It is written as
 * text and not made of an object, since lists of events that nobody has asked for lately are presented from rows as fast as this goes.
 */
export function writeOwn(presenting: Presenting, row: OwnRow, image: ImageRow | undefined): string {
  let members = '{'
  for (const { name, write } of written) members += name + write(row, presenting, image)
  const more = showRare(rare, row)
  return more === undefined ? `${members}}` : `${members}}\n${JSON.stringify(more)}`
}

/** Text inside JSON cannot read like this, since its quotes are escaped. */
const NO_IMAGE = ',"image":false,'

/** What `writeOwn` wrote of an event without its image, with it. */
export function withImage(presenting: Presenting, own: string, image: ImageRow | undefined): string {
  const shown = image && showImage(presenting, image)
  return shown ? own.replace(NO_IMAGE, () => `,"image":${JSON.stringify(shown)},`) : own
}

/** @throws Error for text that is no time */
function asTime(name: TimeColumn): Writer {
  return (row) => {
    if (!isWallTime(row[name])) throw new Error(`its ${name} is no time`)
    return `"${row[name]}"`
  }
}

function asDetails(name: TimeColumn): Writer {
  return (row) => {
    const { year, month, day, hour, minutes, seconds } = wallParts(row[name])
    return `{"year":"${year}","month":"${month}","day":"${day}","hour":"${hour}","minutes":"${minutes}","seconds":"${seconds}"}`
  }
}

type TimeColumn = 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date'

/** Costs that are remembered as they are shown, and how long they are at the most: most events of a calendar share a few dozen short ones. */
const MOST_COSTS = 1000
const LONGEST_COST = 200
const costs = new WeakMap<Context['site'], Map<string, ShownCost>>()

interface ShownCost {
  /** The members of an event, as JSON. */
  cost: string
  details: string
  /** The price of its offer. */
  offered: string
}

function showCost(site: Context['site'], raw: string): ShownCost {
  const found = costs.get(site)?.get(raw)
  if (found !== undefined) return found
  const known = costs.get(site) ?? new Map<string, ShownCost>()
  costs.set(site, known)
  if (known.size >= MOST_COSTS) known.clear()
  const stored = storedCost(raw)
  const { cost, cost_details } = presentCost(stored, site.currency, FREE)
  const shown = { cost: JSON.stringify(cost), details: JSON.stringify(cost_details), offered: offerPrice(stored) }
  if (raw.length <= LONGEST_COST) known.set(raw, shown)
  return shown
}

/** Whether an event shows a venue or organizer: one that the caller may read, and that is not in the trash (rule 5.9). */
export function isShown(context: Context, linked: VenueRow | OrganizerRow): boolean {
  return linked.status !== 'trash' && mayRead(context.caller, linked)
}

/** An event as linked data (rule 9.2): schema.org Event with all of its organizers. */
function eventLinkedData(context: Context, row: EventRow, links: EventLinks): object {
  const [place] = showEach(context, 'venue', links.venues, venueLinkedData)
  const organizers = showEach(context, 'organizer', links.organizers, organizerLinkedData)
  const { offers, ...own } = ownLinkedData(context, row, links.images.get(row.image ?? 0))
  return {
    ...own,
    ...(place ? { location: place } : {}),
    ...(organizers.length > 0 ? { organizer: organizers.length === 1 ? organizers[0] : organizers } : {}),
    ...(offers ? { offers } : {}),
    performer: 'Organization',
    ...(links.series ? { superEvent: seriesLinkedData(context, links.series) } : {}),
  }
}

/** The names of schema.org for whether an event takes place. */
export const LINKED_STATUS: Readonly<Record<EventStatus, string>> = {
  scheduled: 'https://schema.org/EventScheduled',
  canceled: 'https://schema.org/EventCancelled',
  postponed: 'https://schema.org/EventPostponed',
}

/** The linked data that an event has by itself. */
function ownLinkedData(context: Context, row: EventRow, image: ImageRow | undefined) {
  const url = recordUrl(context.site, 'event', row)
  const iso = (wall: string, utc: string) => `${wall.replace(' ', 'T')}${utcOffset(utc, row.timezone)}`
  const { offered: price } = showCost(context.site, row.cost)
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: linkedText(plainText(row.title)),
    description: linkedText(renderedPlain(row.excerpt || row.description, row.trusted === 1)),
    ...(image ? { image: imageUrl(image, context.images.mediaUrl) } : {}),
    url,
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    eventStatus: LINKED_STATUS[row.event_status],
    startDate: iso(row.start_date, row.utc_start_date),
    endDate: iso(row.end_date, row.utc_end_date),
    ...(price === '' ? {} : { offers: offer(context, row, price, url) }),
  }
}

function offer(context: Context, row: EventRow, price: string, url: string): object {
  return {
    '@type': 'Offer',
    price,
    priceCurrency: context.site.currency.code,
    url,
    category: 'primary',
    availability: 'inStock',
    validFrom: `${row.date.slice(0, 10)}T00:00:00+00:00`,
  }
}
