import { stat } from 'node:fs/promises'
import { ATTENDANCES, type Attendance, minutesBefore } from '../../base/fields/event-fields.ts'
import { limits } from '../../base/fields/limits.ts'
import type { Recurrence } from '../../base/recurrence/recurrence.ts'
import { MOST_DATES, recurrenceLines } from '../../base/recurrence/recurrence-text.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { decodeEntities, escapeHtml, plainText } from '../../base/text/html.ts'
import { addDays } from '../../base/text/moments.ts'
import { isUrl } from '../../base/text/urls.ts'
import { formatUtc, utcToMs, utcToWall, wallToUtc } from '../../base/text/zones.ts'
import { isStatus } from '../../calendar/records/record-store.ts'
import { OWN_ATTENDANCE, OWN_DATE, OWN_SHOWN, OWN_STATUS } from '../feeds/content-lines.ts'
import { type CalendarRecurrence, componentRecurrence, RULES, spanOf } from './calendar-recurrence.ts'
import {
  type CalendarTime,
  dateMeant,
  firstStart,
  lengthOfEvent,
  originalStart,
  withOneZone,
} from './calendar-times.ts'
import { type CalendarZones, calendarZone, define, noZones, wallOf } from './calendar-zones.ts'
import {
  type Component,
  componentsOf,
  decodeText,
  decodeTexts,
  type Property,
  propertiesOf,
  propertyOf,
  type ReadComponent,
  textOf,
} from './component-reader.ts'
import { ImportError, type Message, message } from './import-messages.ts'
import { partsOfPlace, placeItem } from './place-text.ts'
import { unannounced } from './shown-records.ts'
import {
  linkedItem,
  type Reading,
  type Source,
  type SourceEntry,
  type SourceItem,
  scheduled,
} from './source-item.ts'
import { countedBytes } from './source-text.ts'

interface IcsTask {
  file: string
  zone: string
}

/** Reads the file (RFC 5545) twice: first zones and the UIDs of what repeats, then the events. */
export async function icsSource(task: IcsTask, address: string): Promise<Source> {
  const { size } = await stat(task.file)
  const { bytes, progress } = countedBytes(task.file)
  const entries = async function* ({ context: { now } }: Reading): AsyncGenerator<SourceEntry> {
    const { zones, calendars, awaited, changed } = await survey(bytes(), task.zone, now)
    const known: KnownSeries = { changed, series: new Map() }
    const held: [Component, CalendarFile][] = []
    let file: CalendarFile = { zones, isCancelled: false, isOwn: false }
    for await (const component of componentsOf(bytes())) {
      if ('reason' in component) yield faultOf(component)
      else if (component.name === 'VCALENDAR')
        file = calendarOf(calendars.get(component.line) ?? factsOf(component), zones)
      else if (component.name === 'VTIMEZONE') define(zones, component)
      else if (component.name !== 'VEVENT') continue
      else if (isAhead(component, awaited) && held.length < MOST_HELD) held.push([component, file])
      else yield* eventsOf(component, file, known)
    }
    for (const [component, own] of held) yield* eventsOf(component, own, known)
  }
  return { address, total: () => size * 2, progress, isWhole: () => true, entries }
}

function faultOf({ line, reason, isEnd }: Exclude<ReadComponent, Component>): SourceEntry {
  return isEnd
    ? { cutOff: message('Line {line}: {reason}', { line: `${line}`, reason }) }
    : { at: `line ${line}`, reason }
}

const MOST_HELD = 50_000
const MOST_AWAITED = 500_000

/** True for an occurrence before its series in the file, which has to wait for it. */
function isAhead(component: Component, awaited: Set<string>): boolean {
  const uid = textOf(component, 'UID')
  if (propertyOf(component, 'RECURRENCE-ID')) return awaited.has(uid)
  awaited.delete(uid)
  return false
}

interface CalendarFacts {
  zoneName: string
  isCancelled: boolean
  /** True for a file of Kalends, where a property tells the status of each event. */
  isOwn: boolean
}

interface Survey {
  zones: CalendarZones
  /** By the line on which a calendar begins: a file may contain several. */
  calendars: Map<number, CalendarFacts>
  awaited: Set<string>
  changed: Set<string>
}

interface KnownSeries {
  changed: ReadonlySet<string>
  series: Map<string, SeriesRead>
}

interface SeriesRead {
  first: Property | undefined
  start: CalendarTime
  isDate: (wall: string) => boolean
  left: ReadonlySet<string>
}

/** @throws ImportError when the file is no calendar */
async function survey(bytes: AsyncIterable<Uint8Array>, zone: string, now: number): Promise<Survey> {
  const found: Survey = {
    zones: noZones(zone, now),
    calendars: new Map(),
    awaited: new Set(),
    changed: new Set(),
  }
  const { zones, calendars, awaited, changed } = found
  let isCalendar = false
  for await (const component of componentsOf(bytes)) {
    isCalendar = true
    if ('reason' in component) continue
    if (component.name === 'VCALENDAR' && calendars.size < MOST_CALENDARS)
      calendars.set(component.line, factsOf(component, calendars.get(component.line)))
    if (component.name === 'VTIMEZONE') define(zones, component)
    const repeats = component.name === 'VEVENT' && component.properties.some(({ name }) => RULES.has(name))
    if (repeats && awaited.size < MOST_AWAITED) awaited.add(textOf(component, 'UID'))
    if (propertyOf(component, 'RECURRENCE-ID') && changed.size < MOST_HELD)
      changed.add(textOf(component, 'UID'))
  }
  if (!isCalendar) throw new ImportError(message('The file is not an iCalendar file: it has no components.'))
  return found
}

/** Up to this many calendars of a file are surveyed; of others, properties after components are ignored. */
const MOST_CALENDARS = 100_000

function factsOf(component: Component, before?: CalendarFacts): CalendarFacts {
  return {
    zoneName: textOf(component, 'X-WR-TIMEZONE') || (before?.zoneName ?? ''),
    isOwn: before?.isOwn || textOf(component, 'PRODID').startsWith('-//Kalends//'),
    isCancelled: before?.isCancelled || /^cancel$/i.test(textOf(component, 'METHOD')),
  }
}

function calendarOf({ zoneName, ...facts }: CalendarFacts, zones: CalendarZones): CalendarFile {
  return { zones: { ...zones, zone: calendarZone(zoneName, zones) }, ...facts }
}

interface CalendarFile extends Omit<CalendarFacts, 'zoneName'> {
  zones: CalendarZones
}

/** Yields linked records, then the event, series or occurrence. */
function* eventsOf(written: Component, file: CalendarFile, known: KnownSeries): Generator<SourceEntry> {
  const series = known.series.get(textOf(written, 'UID'))
  const component = withOneZone(written, series?.first)
  const at = `line ${component.line}`
  const title = textOf(component, 'SUMMARY')
  const identity = textOf(component, 'UID')
  const named = identity !== '' && { identity }
  const part = (reason: Message) => ({ at, reason, isPart: true as const })
  const span = spanOf(component, file.zones)
  const start = firstStart(component, file.zones, span)
  if (!start)
    return yield {
      at,
      reason: message('The event {title} has no start that can be read.', { title }),
      name: title,
      ...named,
    }
  const lasts = lengthOfEvent(component, start, file.zones, span)
  if (lasts === undefined)
    yield part(
      message('The end of {title} cannot be read or lies before its start, so only its start is in.', {
        title,
      }),
    )
  const end = lasts ?? (start.isDay ? 1 : 0)
  const original = originalStart(component, file.zones, span)
  const override = original && series ? dateIn(series, original, file.zones) : original
  const recurrence = override ? undefined : componentRecurrence(component, start, span, file.zones)
  yield* file.zones.faults.splice(0).map(part)
  if (recurrence && !('unread' in recurrence) && known.changed.has(identity))
    known.series.set(identity, seriesRead(component, start, recurrence))
  if (override && series?.left.has(override.wall))
    return yield part(
      message('{title} changes a date that its series leaves out, so it is left out.', { title }),
    )
  // Exceptions exclude all dates: nothing to import.
  if (recurrence && 'dates' in recurrence && recurrence.dates.length === 0) return
  const linked = linkedItems(component, at)
  yield* linked
  yield* faultsIn(component, title, file).map(part)
  const uid = identity || `${title} ${start.wall}`
  const shared = sharedPart(component, file, linked, { at, uid })
  if (recurrence && 'unread' in recurrence)
    yield {
      at,
      reason: message('How {title} repeats cannot be read, so only its first date is in: {reason}.', {
        title,
        reason: recurrence.unread,
      }),
      identity: uid,
    }
  if (override) yield occurrence(shared, start, end, occurrenceName(override))
  else if (recurrence === undefined || 'unread' in recurrence) yield occurrence(shared, start, end, '')
  else if ('rule' in recurrence) yield seriesItem(shared, recurrence.rule, start, end)
  else {
    const [wall = start.wall, ...added] = recurrence.dates
    if (recurrence.note !== undefined) yield part(recurrence.note)
    if (added.length === 0) yield occurrence(shared, { ...start, wall }, end, '')
    else yield seriesItem(shared, { added, left: [] }, { ...start, wall }, end)
  }
}

function faultsIn(component: Component, title: string, file: CalendarFile): Message[] {
  const isOfLaterOnes = /^thisandfuture$/i.test(
    propertyOf(component, 'RECURRENCE-ID')?.parameters.RANGE ?? '',
  )
  const hasEnds = propertiesOf(component, 'RDATE').some(({ value }) => value.includes('/'))
  const { refused } = meetingOf(component)
  const isOn = !file.isOwn && titleAndState(component, file).event_status === 'scheduled'
  const { unread: geo } = coordinatesOf(component)
  const { unread: page } = pageOfComponent(component)
  const isCanceled = isOn && SAYS_CANCELED.test(title)
  const faults = [
    isOfLaterOnes &&
      message('{title} changes this date and all later ones, of which only this one is changed here.', {
        title,
      }),
    hasEnds &&
      message(
        '{title}: Each of its dates is as long as the first one here, whatever end it has in the file.',
        { title },
      ),
    refused !== '' &&
      message('{title}: The link of its meeting is no address by https, so it is in without it: {link}', {
        title,
        link: refused,
      }),
    geo !== '' &&
      message('{title}: Its coordinates are none, so it is in without them: {geo}', { title, geo }),
    isCanceled &&
      message('{title} says that it is canceled, but its STATUS does not, so it takes place here.', {
        title,
      }),
    page !== '' && message('{title}: Its address is none, so it is in without it: {page}', { title, page }),
  ]
  return [...faults.filter((fault) => fault !== false), ...brokenLines(component, title.replace(/\s+/g, ' '))]
}

function seriesRead(
  component: Component,
  start: CalendarTime,
  { isDate, left }: CalendarRecurrence,
): SeriesRead {
  const first = propertyOf(component, 'DTSTART')
  return { first, start, isDate, left: new Set(left.slice(0, MOST_DATES)) }
}

function dateIn({ start, isDate }: SeriesRead, time: CalendarTime, zones: CalendarZones): CalendarTime {
  return { ...start, wall: dateMeant(time, start, zones, isDate) }
}

type SharedFields = Omit<SourceItem, 'occurrence' | 'kind'>

function brokenLines({ joined, unread }: Component, title: string): Message[] {
  const named = (numbers: readonly number[]) => {
    const lines = numbers.slice(0, MOST_NAMED).join(', ')
    return { title, lines: lines + (numbers.length > MOST_NAMED ? ', …' : '.') }
  }
  const asText = joined.length > 0 && [
    message('{title}: Lines that are no properties were read as the rest of the text before them: {lines}', {
      ...named(joined),
    }),
  ]
  const left = unread.length > 0 && [
    message('{title}: Lines that cannot be read were left out: {lines}', named(unread)),
  ]
  return [asText || [], left || []].flat()
}

const MOST_NAMED = 10

function seriesItem(
  shared: SharedFields,
  recurrence: Recurrence,
  start: CalendarTime,
  end: number,
): SourceItem {
  const first = occurrence(shared, start, end, '')
  const lines = recurrenceLines(recurrence, { local: start.wall, zone: start.zone, allDay: start.isDay })
  const values = { ...first.values, recurrence: lines }
  return { ...first, kind: 'series', values, formerly: shared.identity }
}

/** The name of an occurrence, the same in every zone: its day, or its start in UTC. */
function occurrenceName({ wall, zone, isDay }: CalendarTime): string {
  return isDay ? wall.slice(0, 10) : `${wallToUtc(wall, zone).replace(' ', 'T')}Z`
}

/** @param end length of the event: days, or ms if it has times */
function occurrence(shared: SharedFields, start: CalendarTime, end: number, name: string): SourceItem {
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

function sharedPart(
  component: Component,
  file: CalendarFile,
  linked: readonly SourceItem[],
  { at, uid }: { at: string; uid: string },
): SharedFields {
  const of = (kind: SourceItem['kind']) =>
    linked.flatMap((item) => (item.kind === kind ? [item.identity] : []))
  const { title, ...state } = titleAndState(component, file)
  const { meeting } = meetingOf(component)
  const { page } = pageOfComponent(component)
  const { unpublishedDate, ...publication } = publicationOf(component)
  return {
    identity: uid,
    at,
    name: title,
    values: {
      title: title === '' ? 'Untitled' : title.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      description: descriptionOf(component),
      website: page || websiteIn(component, meeting.online_url),
      ...meeting,
      attendance: attendanceOf(component, meeting.online_url !== '', linked),
      ...publication,
      ...state,
    },
    links: { venue: of('venue'), organizer: of('organizer'), categories: of('category') },
    image: imageOf(component),
    page,
    ...(unpublishedDate !== undefined && { unpublishedDate }),
    ...sequenceOf(component),
  }
}

/**
 * Our own export tells status and date of publication; elsewhere a CLASS other than PUBLIC means private. An
 * occurrence has the status of its series.
 */
function publicationOf(component: Component): Readonly<Record<string, string>> {
  const written = textOf(component, OWN_DATE)
  const date = wallOf(written)
  const dated = date === undefined ? {} : { [/z$/i.test(written) ? 'date_utc' : 'unpublishedDate']: date }
  const own = textOf(component, OWN_STATUS).toLowerCase()
  const kind = textOf(component, 'CLASS').toUpperCase()
  if (isStatus(own) && own !== 'trash') return { ...dated, ...scheduled(own, date) }
  if (kind !== '') return { ...dated, status: kind === 'PUBLIC' ? 'publish' : 'private' }
  return { ...dated, ...(propertyOf(component, 'RECURRENCE-ID') ? {} : { status: 'publish' }) }
}

function sequenceOf(component: Component): Pick<SourceItem, 'sequence'> {
  const sequence = propertyOf(component, 'SEQUENCE')?.value.trim() ?? ''
  return /^\d{1,10}$/.test(sequence) && Number(sequence) <= HIGHEST ? { sequence: Number(sequence) } : {}
}

/** The largest INTEGER (RFC 5545, 3.3.8). */
const HIGHEST = 2 ** 31 - 1

/** Titles of canceled events, such as `Canceled: Ball`, `[ABGESAGT] Ball` or `Bal (annulé)`. */
const SAYS_CANCELED = new RegExp(
  '^[\\s([*!]{0,5}(?:cancell?ed|abgesagt|entfällt|fällt aus|annulée?|cancelad[oa])\\s?(?:[\\])*!:–—|]|- |$)' +
    '|[([](?:cancell?ed|abgesagt|entfällt|annulée?|cancelad[oa])[\\])]$',
  'iu',
)

/** Title and event status. A status before the title, as calendars like ours write it, is removed. */
function titleAndState(component: Component, file: CalendarFile) {
  const summary = textOf(component, 'SUMMARY').replace(/\s+/g, ' ')
  const status = textOf(component, 'STATUS').toUpperCase()
  const event_status = file.isCancelled || /^CANCELL?ED$/.test(status) ? 'canceled' : 'postponed'
  const title = unannounced({ event_status }, summary)
  // TENTATIVE elsewhere means uncertain: postponed only if the title says so.
  if (event_status === 'postponed' && (status !== 'TENTATIVE' || title === undefined))
    return { title: summary, event_status: 'scheduled' }
  const reason = unannounced({ event_status }, textOf(component, 'COMMENT').replace(/\s+/g, ' '))
  return {
    title: title ?? summary,
    event_status,
    ...(reason !== undefined && { event_status_reason: reason }),
  }
}

const MARKUP = /<\/(?:a|b|div|em|h[1-6]|html-blob|i|li|ol|p|span|strong|table|u|ul) ?>|<br ?\/?>/i

/** The description as HTML: X-ALT-DESC if not empty, else DESCRIPTION, escaped unless it has markup. */
function descriptionOf(component: Component): string {
  const html = propertiesOf(component, 'X-ALT-DESC').find(({ parameters }) =>
    /html/i.test(parameters.FMTTYPE ?? 'html'),
  )
  const text = html ? decodeText(html.value).trim() : ''
  if (/<img\b/i.test(text) || plainText(text) !== '') return text
  const plain = textOf(component, 'DESCRIPTION')
  // Some programs leave entities in plain text.
  return MARKUP.test(plain)
    ? plain
    : escapeHtml(decodeEntities(plain)).replaceAll('&#039;', "'").replaceAll('&quot;', '"')
}

function websiteIn(component: Component, meeting: string): string {
  const { link } = partsOfPlace(textOf(component, 'LOCATION'))
  return link === meeting || !isAddress(link) ? '' : link
}

const isAddress = (url: string) => /^https?:/i.test(url) && url.length <= limits.url.characters && isUrl(url)

type Meeting = Readonly<Record<'online_url' | 'online_label' | 'online_shown', string>>

const LABELLED = limits.line.characters

/** Reads CONFERENCE (RFC 7986, 5.11). A link marked as hidden by our export stays hidden. */
function meetingOf(component: Component): { meeting: Meeting; refused: string } {
  const conferences = propertiesOf(component, 'CONFERENCE').map(({ parameters, value }) => {
    const label = beginningOf((parameters.LABEL ?? '').replace(/\s+/g, ' ').trim(), LABELLED)
    return { url: decodeText(value).trim(), label: label.replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
  })
  const found = conferences.find(({ url }) => isMeetingLink(url))
  const refused = conferences.filter(({ url }) => found === undefined && /^https?:/i.test(url))
  const shown = textOf(component, OWN_SHOWN) || 'always'
  const meeting = {
    online_url: found?.url ?? '',
    online_label: found?.label ?? '',
    online_shown: minutesBefore(shown) === undefined ? 'never' : shown,
  }
  return { meeting, refused: refused.map(({ url }) => url.slice(0, LABELLED)).join(' ') }
}

const isMeetingLink = (url: string) => /^https:/i.test(url) && isAddress(url)

/**
 * In our own export, the stated attendance mode; elsewhere a CONFERENCE or an online LOCATION means online,
 * or mixed with a venue too.
 */
function attendanceOf(component: Component, hasLink: boolean, linked: readonly SourceItem[]): Attendance {
  const own = textOf(component, OWN_ATTENDANCE).toLowerCase()
  if (own !== '') return ATTENDANCES.find((known) => known === own) ?? ''
  if (!hasLink && !partsOfPlace(textOf(component, 'LOCATION')).isOnline) return ''
  return linked.some(({ kind }) => kind === 'venue') ? 'mixed' : 'online'
}

function pageOfComponent(component: Component): { page: string; unread: string } {
  // A URL has no escapes, but some programs write them.
  const sent = textOf(component, 'URL')
  const url = /^www\./i.test(sent) ? `https://${sent}` : sent
  if (isAddress(url)) return { page: url, unread: '' }
  return { page: '', unread: /^https?:/i.test(url) ? sent.slice(0, LABELLED) : '' }
}

function imageOf(component: Component): string {
  const images = [...propertiesOf(component, 'IMAGE'), ...propertiesOf(component, 'ATTACH').filter(isPicture)]
  return images.map(({ value }) => decodeText(value).trim()).find((url) => /^https?:\/\//i.test(url)) ?? ''
}

function isPicture({ parameters, value }: Property): boolean {
  return /^image\//i.test(parameters.FMTTYPE ?? '') || /\.(?:png|jpe?g|gif|webp|avif)(?:\?|$)/i.test(value)
}

/** Google's address for an unknown organizer. */
const OF_NOBODY = 'unknownorganizer@calendar.google.com'

function linkedItems(component: Component, at: string): SourceItem[] {
  const place = textOf(component, 'LOCATION')
  const { geo } = coordinatesOf(component)
  const organizers = propertiesOf(component, 'ORGANIZER').map(({ parameters, value }) => {
    const email = /^mailto:([^@\n]+@.+)$/i.exec(value.trim())?.[1] ?? ''
    if (email === OF_NOBODY) return undefined
    const name = decodeText(parameters.CN ?? '')
    // Programs without a name write the e-mail address, which must not be published.
    const item = linkedItem('organizer', name.includes('@') ? '' : name, { email }, at)
    return item && email !== '' ? { ...item, hasAddress: true as const } : item
  })
  const contacts = propertiesOf(component, 'CONTACT').map(({ value }) => {
    const { name, phone } = contactIn(decodeText(value))
    return linkedItem('organizer', name, { phone }, at)
  })
  const categories = propertiesOf(component, 'CATEGORIES').flatMap(({ value }) =>
    decodeTexts(value).map((name) => linkedItem('category', name, {}, at)),
  )
  return [placeItem(place, geo, at), ...organizers, ...contacts, ...categories].filter(
    (item) => item !== undefined,
  )
}

function contactIn(text: string): { name: string; phone: string } {
  const parts = text.split(', ')
  const phone = parts.find((part, at) => at > 0 && isPhone(part)) ?? ''
  const isAddress = (part: string) => /^(?:https?:|mailto:|[^\s@]+@\S+$)/i.test(part)
  const names = parts
    .filter((part) => part !== phone && !isAddress(part))
    .map((part) => part.replace(MAIL, '').trim())
  return { name: names.filter(Boolean).join(', '), phone }
}

const MAIL = /[\s;:|–-]{0,9}[<([]?(?:mailto:)?[^\s@<>()[\];:|]{1,64}@[\w.-]{1,250}\.\w{2,60}[>)\]]?/giu

const isPhone = (text: string) => /^[\d+(][\d\s()/.-]+$/.test(text) && text.replace(/\D/g, '').length > 4

/** Reads GEO; empty or 0 means an unknown place. `unread`: a value that cannot be coordinates. */
function coordinatesOf(component: Component): {
  geo: { geo_lat?: number; geo_lng?: number }
  unread: string
} {
  const written = textOf(component, 'GEO')
  const halves = written.split(';').map((half) => half.trim())
  const [lat, lng] = halves.map((half) =>
    /^[+-]?\d{1,3}(?:\.\d{0,30})?$/.test(half) ? Number(half) : Number.NaN,
  )
  if (halves.includes('') || (lat === 0 && lng === 0)) return { geo: {}, unread: '' }
  if (lat === undefined || lng === undefined || !(Math.abs(lat) <= 90 && Math.abs(lng) <= 180))
    return { geo: {}, unread: written.slice(0, LABELLED) }
  return { geo: { geo_lat: lat, geo_lng: lng }, unread: '' }
}
