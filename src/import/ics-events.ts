import { unannounced } from '../locales/event-notice.ts'
import { readRecurrence } from '../recurrence/read-recurrence.ts'
import { isFault, type Recurrence } from '../recurrence/recurrence.ts'
import { recurrenceLines } from '../recurrence/write-recurrence.ts'
import { escapeHtml } from '../text/html.ts'
import { addDays } from '../text/moments.ts'
import { formatUtc, utcToWall, wallToUtc } from '../text/zones.ts'
import { type FileZones, wallOf, zoneOf } from './calendar-zones.ts'
import {
  type Component,
  decodeText,
  decodeTexts,
  type Property,
  propertiesOf,
  propertyOf,
  textOf,
} from './component-reader.ts'
import { linkedItem, placeItem } from './named-items.ts'
import type { SourceEntry, SourceItem } from './source-item.ts'

/** The data that the events of a file share. */
export interface CalendarFile {
  zones: FileZones
  /** The zone of times without one: the zone of the file, or of the site. */
  zone: string
  isCancelled: boolean
}

/** A time of a component. */
export interface CalendarTime {
  wall: string
  zone: string
  isDay: boolean
}

const DAY_MS = 86_400_000

/** A VEVENT as an event, a series, or an occurrence of one, after its venue, organizers and categories. */
export function* eventsOf(component: Component, file: CalendarFile): Generator<SourceEntry> {
  const at = `line ${component.line}`
  const start = timeOf(propertyOf(component, 'DTSTART'), file)
  if (!start) {
    yield { at, reason: `The event ${textOf(component, 'SUMMARY')} has no start that can be read.` }
    return
  }
  const end = endOf(component, start, file)
  if (end === undefined) {
    yield { at, reason: `The event ${textOf(component, 'SUMMARY')} has no end that can be read.` }
    return
  }
  const linked = linkedItems(component, at)
  yield* linked
  const uid = textOf(component, 'UID') || `${textOf(component, 'SUMMARY')} ${start.wall}`
  const shared = sharedPart(component, file, linked, { at, uid })
  const override = timeOf(propertyOf(component, 'RECURRENCE-ID'), file)
  const recurrence = override ? undefined : recurrenceOf(component, start, file)
  if (override) yield occurrence(shared, start, end, occurrenceName(override))
  else if (recurrence === undefined) yield occurrence(shared, start, end, '')
  else if (typeof recurrence === 'string') {
    yield {
      at,
      reason: `How ${textOf(component, 'SUMMARY')} repeats cannot be read, so only its first date is in: ${recurrence}`,
    }
    yield occurrence(shared, start, end, '')
  } else yield seriesItem(shared, recurrence, start, end)
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
  const utc = Date.parse(`${wallToUtc(wall, zone).replace(' ', 'T')}Z`) + ms
  return utcToWall(formatUtc(utc), zone)
}

/** The duration: days, or ms; undefined if it cannot be read. */
function endOf(component: Component, start: CalendarTime, file: CalendarFile): number | undefined {
  const duration = propertyOf(component, 'DURATION')
  if (duration && !propertyOf(component, 'DTEND')) {
    const ms = durationOf(duration.value)
    return ms === undefined ? undefined : start.isDay ? Math.max(1, Math.round(ms / DAY_MS)) : Math.max(0, ms)
  }
  const property = propertyOf(component, 'DTEND')
  if (!property) return start.isDay ? 1 : 0
  const end = timeOf(property, file)
  if (!end) return undefined
  if (start.isDay) return Math.max(1, Math.round((dayMs(end.wall) - dayMs(start.wall)) / DAY_MS))
  return Math.max(0, utcMs(end) - utcMs(start))
}

const dayMs = (wall: string) => Date.parse(`${wall.slice(0, 10)}T00:00:00Z`)
const utcMs = ({ wall, zone }: CalendarTime) => Date.parse(`${wallToUtc(wall, zone).replace(' ', 'T')}Z`)

function durationOf(value: string): number | undefined {
  const [, sign, ...parts] =
    /^([+-])?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/i.exec(value.trim()) ??
    []
  if (parts.length === 0 || parts.every((part) => part === undefined)) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const ms = (weeks * 7 + days) * DAY_MS + hours * 3_600_000 + minutes * 60_000 + seconds * 1000
  return sign === '-' ? -ms : ms
}

/** A DATE or DATE-TIME with its zone: times in UTC are converted to the zone of the file, times without a zone are read in it. */
export function timeOf(
  property: Property | undefined,
  { zones, zone }: Pick<CalendarFile, 'zones' | 'zone'>,
): CalendarTime | undefined {
  if (!property) return undefined
  const wall = wallOf(property.value)
  if (wall === undefined) return undefined
  if (/^\d{8}$/.test(property.value.trim())) return { wall, zone, isDay: true }
  if (/z$/i.test(property.value.trim())) return { wall: utcToWall(wall, zone), zone, isDay: false }
  const { TZID } = property.parameters
  const own = TZID === undefined ? zone : zoneOf(TZID, wall, zones)
  return own === undefined ? undefined : { wall, zone: own, isDay: false }
}

/** The properties of a recurrence. */
export const RULES = new Set(['RRULE', 'RDATE', 'EXDATE'])

/** The recurrence; undefined for an event that does not repeat, and a sentence for one whose rule is not supported. */
function recurrenceOf(component: Component, start: CalendarTime, file: CalendarFile): Recurrence | string | undefined {
  const lines = component.properties
    .filter(({ name }) => RULES.has(name))
    .map((property) => lineOf(property, start, file))
    .filter((line) => !line.endsWith(':'))
  if (lines.length === 0) return undefined
  const read = readRecurrence(lines, { local: start.wall, zone: start.zone, allDay: start.isDay })
  if (read === undefined) return undefined
  return isFault(read) ? `${read.part}: ${faultText(read)}` : read
}

function faultText({ message, values = {} }: { message: string; values?: Readonly<Record<string, string>> }): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

/** A line of a rule for the parser of rules: dates become wall times in the zone of the event. */
function lineOf(property: Property, start: CalendarTime, file: CalendarFile): string {
  const { name, value } = property
  if (name === 'RRULE') return `RRULE:${value}`
  const dates = value.split(',').flatMap((one) => {
    const time = timeOf({ ...property, value: one.split('/')[0] ?? '' }, file)
    if (!time) return []
    // In an event with times, a day means the occurrence that starts on it.
    const wall = time.isDay && !start.isDay ? `${time.wall.slice(0, 10)}${start.wall.slice(10)}` : inZone(time, start)
    // An exception before the start has no effect.
    if (name === 'EXDATE' && wall < start.wall) return []
    return start.isDay ? wall.slice(0, 10).replaceAll('-', '') : wall.replace(' ', 'T').replace(/[-:]/g, '')
  })
  return `${name}${start.isDay ? ';VALUE=DATE' : ''}:${dates.join(',')}`
}

function inZone({ wall, zone }: CalendarTime, start: CalendarTime): string {
  return zone === start.zone ? wall : utcToWall(wallToUtc(wall, zone), start.zone)
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
      ...state,
    },
    links: { venue: of('venue'), organizer: of('organizer'), categories: of('category') },
    image: imageOf(component),
    page: websiteOf(component),
    ...sequenceOf(component),
  }
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

/** The text with markup if there is one, else the plain text, escaped. */
function descriptionOf(component: Component): string {
  const html = propertiesOf(component, 'X-ALT-DESC').find(({ parameters }) =>
    /html/i.test(parameters.FMTTYPE ?? 'html'),
  )
  const text = html ? decodeText(html.value).trim() : ''
  return text === ''
    ? escapeHtml(textOf(component, 'DESCRIPTION')).replaceAll('&#039;', "'").replaceAll('&quot;', '"')
    : text
}

function websiteOf(component: Component): string {
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
    return linkedItem('organizer', decodeText(parameters.CN ?? '') || email, { email }, at)
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
