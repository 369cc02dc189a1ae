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
import { isOfWholeDays, midnightAtEnd } from '../../calendar/locales/midnight.ts'
import { announced, noticeOf } from '../../calendar/locales/translate.ts'
import type { EventRow, ImageRow, OrganizerRow, SeriesRow, VenueRow } from '../../store/storage/schema.ts'

// Gathers the facts of events for feeds, and writes their times and places as feeds have them.

/**
 * The facts about an event that every feed writes in its own way; texts without markup unless their name says
 * HTML.
 */
export interface EventFacts {
  row: EventRow
  /** The series it is an occurrence of. */
  series: SeriesRow | undefined
  title: string
  /** The title behind the word for an event that is canceled or postponed. */
  heading: string
  /**
   * The word that stands before the title, and the reason; empty for an event that takes place as planned.
   */
  notice: string
  url: string
  /** The description, or the excerpt where there is none. */
  html: string
  /** The description or excerpt as plain text of several lines. */
  text: string
  /** The venues that the caller may see, in order. */
  venues: readonly VenueRow[]
  organizers: readonly OrganizerRow[]
  /** Names of its categories, then of its tags. */
  terms: readonly string[]
  image: (Pick<ImageRow, 'mime_type' | 'filesize' | 'width' | 'height'> & { url: string }) | undefined
  /** The latest change of the event or of anything it shows: UTC, `YYYY-MM-DD HH:MM:SS`. */
  modified: string
}

export function factsOf(context: Context, row: EventRow, links: EventLinks): EventFacts {
  const venues = links.venues.filter((venue) => isShown(context, venue))
  const organizers = links.organizers.filter((organizer) => isShown(context, organizer))
  const image = links.images.get(row.image ?? 0)
  const times = [row, ...venues, ...organizers, ...(image ? [image] : [])].map(
    (record) => record.modified_utc,
  )
  const title = plainText(row.title)
  const trusted = row.trusted === 1
  const raw = row.description || row.excerpt
  return {
    row,
    series: links.series,
    title,
    heading: announced(context.site, row, title),
    notice: noticeOf(context.site, row),
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

/** Returns the long texts that the facts of an event are made of. */
export function textsOfFacts({ site }: Context, row: EventRow): WantedText[] {
  const raw = row.description || row.excerpt
  if (raw === '') return []
  const text = { raw, trusted: row.trusted === 1, base: `${site.url}/` }
  return [
    { work: 'feed', ...text },
    { work: 'readable', ...text },
  ]
}

/** Returns where people meet: the first venue, and the link of the meeting. */
export function meetingPlaces({ row, venues }: EventFacts): string[] {
  const label = plainText(row.online_label)
  const link = row.online_url === '' ? [] : [label === '' ? row.online_url : `${label}: ${row.online_url}`]
  return [...venues.slice(0, 1).map(placeOf), ...link]
}

/** Writes a venue on one line: its name, address, place, state and country. */
export function placeOf({ venue, address, zip, city, stateprovince, country }: VenueRow): string {
  const parts = [venue, address, `${zip} ${city}`.trim(), stateprovince, country].map(plainText)
  return parts.filter((part) => part !== '').join(', ')
}

/** Returns the names of the organizers of an event. */
export const organizersOf = ({ organizers }: EventFacts) =>
  organizers.map(({ organizer }) => plainText(organizer))

/** Writes a UTC time `YYYY-MM-DD HH:MM:SS` as RFC 3339 does. */
export function rfc3339(utc: string): string {
  return `${utc.replace(' ', 'T')}Z`
}

type EdgeColumn = `${'' | 'utc_'}${'start' | 'end'}_date`

/**
 * Writes when an event starts or ends as ISO 8601 does: with its offset, and a day alone for events that last
 * all day.
 */
export function isoTime(
  row: Pick<EventRow, 'all_day' | 'timezone' | EdgeColumn>,
  edge: 'start' | 'end',
): string {
  const wall = row[`${edge}_date`]
  return row.all_day === 1
    ? wall.slice(0, 10)
    : `${wall.replace(' ', 'T')}${utcOffset(row[`utc_${edge}_date`], row.timezone)}`
}

/**
 * Says when the event takes place, for people, in the language and with the clock of the site, at the times
 * of the event.
 */
export function describeWhen(
  { site }: { site: Pick<Site, 'language' | 'timezone' | 'clock'> },
  row: Pick<EventRow, 'all_day' | 'timezone' | 'start_date' | 'end_date'>,
): string {
  // Wall times are formatted as if they were UTC, so that zones that the runtime does not know are right too.
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

/** Returns a text, or undefined for an empty one, so that JSON leaves it out. */
export const textOrNone = (text: string) => (text === '' ? undefined : text)
