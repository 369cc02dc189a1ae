import { OWN_DATE, OWN_STATUS } from '../icalendar/content-lines.ts'
import { unannounced } from '../locales/translate.ts'
import { isStatus } from '../records/status.ts'
import type { Recurrence } from '../recurrence/recurrence.ts'
import { recurrenceLines } from '../recurrence/write-recurrence.ts'
import { escapeHtml } from '../text/html.ts'
import { addDays } from '../text/moments.ts'
import { formatUtc, utcToMs, utcToWall, wallToUtc } from '../text/zones.ts'
import { recurrenceOf } from './calendar-recurrence.ts'
import { type CalendarTime, spanOf, timeOf, utcOfTime } from './calendar-times.ts'
import type { CalendarZones, Span } from './calendar-zones.ts'
import {
  type Component,
  decodeText,
  decodeTexts,
  type Property,
  propertiesOf,
  propertyOf,
  textOf,
} from './component-reader.ts'
import { linkedItem, partsOfPlace, placeItem } from './named-items.ts'
import { type SourceEntry, type SourceItem, scheduled } from './source-item.ts'
import { wallOf } from './zone-clocks.ts'

/** The data that the events of a file share. */
export interface CalendarFile {
  zones: CalendarZones
  isCancelled: boolean
}

const DAY_MS = 86_400_000

/** A VEVENT as an event, a series, or an occurrence of one, after its venue, organizers and categories. */
export function* eventsOf(component: Component, file: CalendarFile): Generator<SourceEntry> {
  const at = `line ${component.line}`
  const title = textOf(component, 'SUMMARY')
  const identity = textOf(component, 'UID')
  const named = identity !== '' && { identity }
  const span = spanOf(component, file.zones)
  const start = startOf(component, file.zones, span)
  if (!start) return yield { at, reason: `The event ${title} has no start that can be read.`, ...named }
  const lasts = endOf(component, start, file.zones, span)
  if (lasts === undefined)
    yield { at, reason: `The end of ${title} cannot be read, so only its start is in.`, isPart: true }
  const end = lasts ?? (start.isDay ? 1 : 0)
  const override = timeOf(propertyOf(component, 'RECURRENCE-ID'), file.zones, span)
  const recurrence = override ? undefined : recurrenceOf(component, start, span, file.zones)
  yield* file.zones.faults.splice(0).map((reason) => ({ at, reason, isPart: true as const }))
  // All dates are exceptions.
  if (typeof recurrence === 'object' && 'dates' in recurrence && recurrence.dates.length === 0) return
  const linked = linkedItems(component, at)
  yield* linked
  const uid = identity || `${title} ${start.wall}`
  const shared = sharedPart(component, file, linked, { at, uid })
  if (typeof recurrence === 'string')
    yield {
      at,
      reason: `How ${title} repeats cannot be read, so only its first date is in: ${recurrence}.`,
      identity: uid,
    }
  if (override) yield occurrence(shared, start, end, occurrenceName(override))
  else if (recurrence === undefined || typeof recurrence === 'string') yield occurrence(shared, start, end, '')
  else if ('rule' in recurrence) yield seriesItem(shared, recurrence.rule, start, end)
  else {
    const [wall = start.wall, ...added] = recurrence.dates
    if (recurrence.note !== undefined) yield { at, reason: `${title} ${recurrence.note}`, isPart: true }
    if (added.length === 0) yield occurrence(shared, { ...start, wall }, end, '')
    else yield seriesItem(shared, { added, left: [] }, { ...start, wall }, end)
  }
}

/** The fields that all occurrences of an event share. */
type Shared = Omit<SourceItem, 'occurrence' | 'kind'>

/** An event that repeats, with its first times and the lines of its rule. */
function seriesItem(shared: Shared, recurrence: Recurrence, start: CalendarTime, end: number): SourceItem {
  const first = occurrence(shared, start, end, '')
  const lines = recurrenceLines(recurrence, { local: start.wall, zone: start.zone, allDay: start.isDay })
  const values = { ...first.values, recurrence: lines }
  return { ...first, kind: 'series', values, formerly: shared.identity }
}

/** The original start of an occurrence: a day, or a time in UTC, so that it is the same in every zone. */
export function occurrenceName({ wall, zone, isDay }: CalendarTime): string {
  return isDay ? wall.slice(0, 10) : `${wallToUtc(wall, zone).replace(' ', 'T')}Z`
}

/** @param end days that the event lasts, or ms of one with times */
function occurrence(shared: Shared, start: CalendarTime, end: number, name: string): SourceItem {
  const { wall, zone, isDay } = start
  const last = isDay ? addDays(wall.slice(0, 10), Math.max(0, end - 1)) : wallAfter(start, end)
  const values = {
    ...shared.values,
    all_day: isDay,
    start_date: isDay ? wall.slice(0, 10) : wall,
    end_date: last,
    timezone: zone,
  }
  const uid = name === '' ? shared.identity : `${shared.identity}-${name.replace(/[-:]/g, '')}`
  return { ...shared, kind: 'event', occurrence: name, values, uid }
}

function wallAfter({ wall, zone }: CalendarTime, ms: number): string {
  return utcToWall(formatUtc(utcToMs(wallToUtc(wall, zone)) + ms), zone)
}

/** The start. Of an event that repeats by a rule in UTC the zone is UTC as well, since its dates follow no other clock. */
function startOf(component: Component, zones: CalendarZones, span: Span): CalendarTime | undefined {
  const property = propertyOf(component, 'DTSTART')
  const repeats = component.properties.some(({ name }) => name === 'RRULE')
  return timeOf(property, repeats && /z\s*$/i.test(property?.value ?? '') ? { ...zones, zone: 'UTC' } : zones, span)
}

/** The duration: days, or ms; undefined if it cannot be read. */
function endOf(component: Component, start: CalendarTime, zones: CalendarZones, span: Span): number | undefined {
  const duration = propertyOf(component, 'DURATION')
  if (duration && !propertyOf(component, 'DTEND')) {
    const ms = durationOf(duration.value)
    return ms === undefined ? undefined : start.isDay ? Math.max(1, Math.round(ms / DAY_MS)) : Math.max(0, ms)
  }
  const property = propertyOf(component, 'DTEND')
  if (!property) return start.isDay ? 1 : 0
  const end = timeOf(property, zones, span)
  if (!end) return undefined
  if (start.isDay) return Math.max(1, Math.round((dayMs(end.wall) - dayMs(start.wall)) / DAY_MS))
  return Math.max(0, utcMs(end) - utcMs(start))
}

const dayMs = (wall: string) => Date.parse(`${wall.slice(0, 10)}T00:00:00Z`)
const utcMs = (time: CalendarTime) => utcToMs(utcOfTime(time))

function durationOf(value: string): number | undefined {
  const [, sign, ...parts] =
    /^([+-])?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/i.exec(value.trim()) ??
    []
  if (parts.length === 0 || parts.every((part) => part === undefined)) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const ms = (weeks * 7 + days) * DAY_MS + hours * 3_600_000 + minutes * 60_000 + seconds * 1000
  return sign === '-' ? -ms : ms
}

function sharedPart(
  component: Component,
  file: CalendarFile,
  linked: readonly SourceItem[],
  { at, uid }: { at: string; uid: string },
): Shared {
  const of = (kind: SourceItem['kind']) => linked.flatMap((item) => (item.kind === kind ? [item.identity] : []))
  const { title, ...state } = titleAndState(component, file)
  return {
    identity: uid,
    at,
    name: title,
    values: {
      title: title === '' ? 'Untitled' : title.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      description: descriptionOf(component),
      website: websiteOf(component),
      ...publicationOf(component),
      ...state,
    },
    links: { venue: of('venue'), organizer: of('organizer'), categories: of('category') },
    image: imageOf(component),
    page: pageOf(component),
    ...sequenceOf(component),
  }
}

/**
 * The status: that of our own export, else private for whatever is not said to be public. A date of a series that does not say is like its series.
 */
function publicationOf(component: Component): Readonly<Record<string, string>> {
  const own = textOf(component, OWN_STATUS).toLowerCase()
  const kind = textOf(component, 'CLASS').toUpperCase()
  if (isStatus(own) && own !== 'trash') return scheduled(own, wallOf(textOf(component, OWN_DATE)))
  if (kind !== '') return { status: kind === 'PUBLIC' ? 'publish' : 'private' }
  return propertyOf(component, 'RECURRENCE-ID') ? {} : { status: 'publish' }
}

function sequenceOf(component: Component): Pick<SourceItem, 'sequence'> {
  const sequence = propertyOf(component, 'SEQUENCE')?.value.trim() ?? ''
  return /^\d{1,10}$/.test(sequence) && Number(sequence) <= HIGHEST ? { sequence: Number(sequence) } : {}
}

/** The highest number of a revision (RFC 5545, 3.3.8). */
const HIGHEST = 2 ** 31 - 1

/** The event status and its reason. Calendars of this kind also put it before the title, where it is removed. */
function titleAndState(component: Component, file: CalendarFile) {
  const summary = textOf(component, 'SUMMARY').replace(/\s+/g, ' ')
  const status = textOf(component, 'STATUS').toUpperCase()
  const event_status = file.isCancelled || status === 'CANCELLED' ? 'canceled' : 'postponed'
  const title = unannounced({ event_status }, summary)
  // Other calendars call an event tentative while it is uncertain.
  if (event_status === 'postponed' && (status !== 'TENTATIVE' || title === undefined))
    return { title: summary, event_status: 'scheduled' }
  const reason = unannounced({ event_status }, textOf(component, 'COMMENT').replace(/\s+/g, ' '))
  return { title: title ?? summary, event_status, ...(reason !== undefined && { event_status_reason: reason }) }
}

/** Signs that a text has markup: an element of those that texts are made of ends, or a line break. */
const MARKUP = /<\/(?:a|b|div|em|h[1-6]|html-blob|i|li|ol|p|span|strong|table|u|ul) ?>|<br ?\/?>/i

/** The text with markup if there is one, else the plain text: as it is where it has markup, which Google's has, or escaped. */
function descriptionOf(component: Component): string {
  const html = propertiesOf(component, 'X-ALT-DESC').find(({ parameters }) =>
    /html/i.test(parameters.FMTTYPE ?? 'html'),
  )
  const text = html ? decodeText(html.value).trim() : ''
  if (text !== '') return text
  const plain = textOf(component, 'DESCRIPTION')
  return MARKUP.test(plain) ? plain : escapeHtml(plain).replaceAll('&#039;', "'").replaceAll('&quot;', '"')
}

/** Its own address, or else that of a meeting that it has for a place. */
function websiteOf(component: Component): string {
  return pageOf(component) || partsOfPlace(textOf(component, 'LOCATION')).link
}

function pageOf(component: Component): string {
  const url = propertyOf(component, 'URL')?.value.trim() ?? ''
  return /^https?:\/\//i.test(url) ? url : ''
}

function imageOf(component: Component): string {
  const images = [...propertiesOf(component, 'IMAGE'), ...propertiesOf(component, 'ATTACH').filter(isPicture)]
  return images.map(({ value }) => value.trim()).find((url) => /^https?:\/\//i.test(url)) ?? ''
}

function isPicture({ parameters, value }: Property): boolean {
  return /^image\//i.test(parameters.FMTTYPE ?? '') || /\.(?:png|jpe?g|gif|webp|avif)(?:\?|$)/i.test(value)
}

function linkedItems(component: Component, at: string): SourceItem[] {
  const place = textOf(component, 'LOCATION')
  const [lat, lng] = (propertyOf(component, 'GEO')?.value ?? '').split(';').map(Number)
  const geo =
    lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
      ? { geo_lat: lat, geo_lng: lng }
      : {}
  const organizers = propertiesOf(component, 'ORGANIZER').map(({ parameters, value }) => {
    const email = /^mailto:(.+@.+)$/i.exec(value.trim())?.[1] ?? ''
    const name = decodeText(parameters.CN ?? '')
    // Programs that know no name put the address in its place, which nobody has meant to publish.
    return linkedItem('organizer', name.includes('@') ? '' : name, { email }, at)
  })
  const contacts = propertiesOf(component, 'CONTACT').map(({ value }) => {
    const [name = '', ...rest] = decodeText(value).split(', ')
    return linkedItem('organizer', name, { phone: rest.find((part) => /^[\d+][\d\s()/-]+$/.test(part)) ?? '' }, at)
  })
  const categories = propertiesOf(component, 'CATEGORIES').flatMap(({ value }) =>
    decodeTexts(value).map((name) => linkedItem('category', name, {}, at)),
  )
  return [placeItem(place, geo, at), ...organizers, ...contacts, ...categories].filter((item) => item !== undefined)
}
