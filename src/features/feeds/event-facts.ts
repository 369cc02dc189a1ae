import { madeOnce } from '../../base/cache.ts'
import type { Site } from '../../base/config.ts'
import { plainText } from '../../base/text/html.ts'
import { renderedForFeed, renderedReadable, type WantedText } from '../../base/text/long-texts.ts'
import { utcOffset } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { isShown } from '../../calendar/events/event-present.ts'
import type { EventLinks } from '../../calendar/events/event-store.ts'
import { imageUrl } from '../../calendar/images/images.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { clockLocaleOf, localeOf } from '../../calendar/locales/date-locales.ts'
import type { EventRow, ImageRow, OrganizerRow, SeriesRow, VenueRow } from '../../store/storage/schema.ts'
import { announced, noticeOf } from './event-status.ts'
import { sayOfFeeds } from './feed-texts.ts'
import { isOfWholeDays, midnightAtEnd } from './midnight.ts'
import { findPostponed } from './postponed-store.ts'

/** What feeds and pages say about an event. Texts beside the rows are plain, but for `html`. */
export interface EventFacts {
  row: EventRow
  series: SeriesRow | undefined
  title: string
  heading: string
  notice: string
  /** The notice and, for a postponed event, its new date if known. */
  news: readonly string[]
  url: string
  html: string
  text: string
  venues: readonly VenueRow[]
  organizers: readonly OrganizerRow[]
  terms: readonly string[]
  image: (Pick<ImageRow, 'mime_type' | 'filesize' | 'width' | 'height'> & { url: string }) | undefined
  /** The latest change of the event, its new date, a venue, organizer or image, in UTC. */
  modified: string
}

/**
 * The facts of an event, with the linked records that the caller may see.
 * @param later the event on the new date, if this one is postponed
 */
export function factsOf(context: Context, row: EventRow, links: EventLinks, later?: EventRow): EventFacts {
  const venues = links.venues.filter((venue) => isShown(context, venue))
  const organizers = links.organizers.filter((organizer) => isShown(context, organizer))
  const image = links.images.get(row.image ?? 0)
  // Links that are not shown count, so that `modified` does not go back when a venue is unpublished.
  const times = [
    row,
    ...(later ? [later] : []),
    ...links.venues,
    ...links.organizers,
    ...(image ? [image] : []),
  ].map((record) => record.modified_utc)
  const title = plainText(row.title)
  const trusted = row.trusted === 1
  const raw = row.description || row.excerpt
  const notice = noticeOf(context.site, row)
  return {
    row,
    series: links.series,
    title,
    heading: announced(context.site, row, title),
    notice,
    news: [notice, later ? newDate(context, later) : ''].filter((part) => part !== ''),
    url: recordUrl(context.site, 'event', row),
    html: raw === '' ? '' : renderedForFeed(raw, trusted, `${context.site.url}/`),
    text: raw === '' ? '' : renderedReadable(raw, trusted, `${context.site.url}/`),
    venues,
    organizers,
    terms: [...links.categories, ...links.tags].map(({ name }) => plainText(name)),
    image: image && { ...image, url: imageUrl(image, context.images.mediaUrl) },
    modified: times.sort().at(-1) ?? row.modified_utc,
  }
}

function newDate({ site }: Context, later: EventRow): string {
  const date = describeWhen({ site }, later)
  return `${sayOfFeeds(site, 'New date: {date}', { date })} ${recordUrl(site, 'event', later)}`
}

/** Maps ids of postponed events to the events on their new dates that the caller may see. */
export async function findNewDates(
  context: Context,
  rows: readonly EventRow[],
): Promise<Map<number, EventRow>> {
  const found = new Map<number, EventRow>()
  for (const row of rows)
    if (row.event_status === 'postponed') {
      const { later } = await findPostponed(context, row)
      if (later && isShown(context, later)) found.set(row.id, later)
    }
  return found
}

export function textsOfFacts({ site }: Context, row: EventRow): WantedText[] {
  const raw = row.description || row.excerpt
  if (raw === '') return []
  const text = { raw, trusted: row.trusted === 1, base: `${site.url}/` }
  return [
    { work: 'feed', ...text },
    { work: 'readable', ...text },
  ]
}

export function meetingPlaces({ row, venues }: EventFacts): string[] {
  const label = plainText(row.online_label)
  const link = row.online_url === '' ? [] : [label === '' ? row.online_url : `${label}: ${row.online_url}`]
  return [...venues.slice(0, 1).map(placeOf), ...link]
}

export function placeOf({ venue, address, zip, city, stateprovince, country }: VenueRow): string {
  const parts = [venue, address, `${zip} ${city}`.trim(), stateprovince, country].map(plainText)
  return parts.filter((part) => part !== '').join(', ')
}

export const organizersOf = ({ organizers }: EventFacts) =>
  organizers.map(({ organizer }) => plainText(organizer))

export function rfc3339(utc: string): string {
  return `${utc.replace(' ', 'T')}Z`
}

type EdgeColumn = `${'' | 'utc_'}${'start' | 'end'}_date`

/** The start or end in ISO 8601: a date for all-day events, else a local time with its UTC offset. */
export function isoTime(
  row: Pick<EventRow, 'all_day' | 'timezone' | EdgeColumn>,
  edge: 'start' | 'end',
): string {
  const wall = row[`${edge}_date`]
  return row.all_day === 1
    ? wall.slice(0, 10)
    : `${wall.replace(' ', 'T')}${utcOffset(row[`utc_${edge}_date`], row.timezone)}`
}

/** Dates and times in words: in the site's language and clock format, in the event's time zone. */
export function describeWhen(
  { site }: { site: Pick<Site, 'language' | 'timezone' | 'clock'> },
  row: Pick<EventRow, 'all_day' | 'timezone' | 'start_date' | 'end_date'>,
): string {
  // Local times are parsed and formatted as if in UTC: that also works for zones unknown to the runtime.
  const [start, end] = [row.start_date, row.end_date].map((wall) => Date.parse(rfc3339(wall))) as [
    number,
    number,
  ]
  const format = row.all_day === 1 ? daysFor(localeOf(site)) : timesFor(clockLocaleOf(site))
  if (row.all_day === 0 && isOfWholeDays(row.start_date, row.end_date)) {
    const time = clockFor(clockLocaleOf(site)).format(start)
    const days = daysFor(localeOf(site)).formatRange(start, end - 1)
    return `${days}, ${time} – ${midnightAtEnd(site.language, time)} (${row.timezone})`
  }
  const when = start === end ? format.format(start) : format.formatRange(start, end)
  return row.all_day === 1 ? when : `${when} (${row.timezone})`
}

const PLAIN = { dateStyle: 'full', timeZone: 'UTC', calendar: 'gregory', numberingSystem: 'latn' } as const
const daysFor = madeOnce((locale: string) => new Intl.DateTimeFormat(locale, PLAIN))
const timesFor = madeOnce(
  (locale: string) => new Intl.DateTimeFormat(locale, { ...PLAIN, timeStyle: 'short' }),
)
const CLOCK = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC', numberingSystem: 'latn' } as const
const clockFor = madeOnce((locale: string) => new Intl.DateTimeFormat(locale, CLOCK))

/** Undefined for an empty text, since JSON leaves out undefined members. */
export const textOrNone = (text: string) => (text === '' ? undefined : text)
