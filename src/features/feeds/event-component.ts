import type { EventStatus } from '../../base/fields/event-fields.ts'
import { NEVER } from '../../base/fields/kinds.ts'
import { escapeHtml, plainText } from '../../base/text/html.ts'
import { addDays } from '../../base/text/moments.ts'
import { presentUrl } from '../../base/text/urls.ts'
import { wallToUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { asSeriesSeenBy } from '../../calendar/events/event-when.ts'
import { seriesUrl } from '../../calendar/events/recurrence-present.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { isUnpublished } from '../../calendar/records/record-store.ts'
import type { When } from '../../calendar/series/series-schedule.ts'
import { sequenceAt } from '../../store/storage/history.ts'
import type { EventRow, OrganizerRow, WithdrawnEvent } from '../../store/storage/schema.ts'
import { contentLine, escapeText, OWN_ATTENDANCE, OWN_DATE, OWN_SHOWN, OWN_STATUS } from './content-lines.ts'
import { type EventFacts, placeOf } from './event-facts.ts'
import { announced } from './event-status.ts'
import type { WholeSeries } from './whole-series.ts'
import { isReadRight, type ZoneRules, zoneRulesOf } from './zone-rules.ts'

const STATUS: Readonly<Record<EventStatus, string>> = {
  scheduled: 'CONFIRMED',
  canceled: 'CANCELLED',
  postponed: 'TENTATIVE',
}

interface SeriesPart {
  uid: string
  url?: string
  times: readonly string[]
  modified: string
  status?: string
  /**
   * Increases with every change of the event. SEQUENCE is at least `sequenceAt(modified)`, for changes of
   * linked records.
   */
  sequence: number
}

/** The VEVENT of a single event (RFC 5545, 3.6.1), without the time at which it is written. */
export function writeEventComponent(
  context: Context,
  facts: EventFacts,
  sequence: number,
  rules: ZoneRules | undefined,
): string {
  const { row, modified } = facts
  return writeComponent(context, facts, { uid: row.uid, times: writeTimes(row, rules), modified, sequence })
}

/** The VEVENT of a series with its rule (RFC 5545, 3.8.5). Texts are those of one occurrence (`facts`). */
export function writeSeriesComponent(
  context: Context,
  facts: EventFacts,
  sequence: number,
  whole: WholeSeries,
): string {
  const { series, first, rules, lines } = whole
  const recurring = lines.map((line) => {
    const [, name = '', parameters = '', value = ''] = /^(\w+)((?:;[^:]*)?):(.*)$/.exec(line) ?? []
    const [key = '', text = ''] = parameters.slice(1).split('=')
    return contentLine(name, value, key === '' ? {} : { [key]: text })
  })
  const row = asSeriesSeenBy(context.caller, facts.row, context.now)
  return writeComponent(
    context,
    { ...facts, row },
    {
      uid: series.uid,
      url: seriesUrl(context.site, series),
      times: [...writeTimes(first, rules), ...recurring],
      modified: laterOf(whole, facts),
      status: series.status,
      sequence: Math.max(whole.sequence, sequence),
    },
  )
}

/**
 * The VEVENT of an occurrence that differs from its series. RECURRENCE-ID is the original start, in the form
 * of the series' DTSTART (date, local time with TZID, or UTC).
 */
export function writeOverride(
  context: Context,
  facts: EventFacts,
  sequence: number,
  whole: WholeSeries,
  own: ZoneRules | undefined,
): string {
  const { series, start, rules } = whole
  const { recurrence_id: wall } = facts.row
  const id = start.allDay
    ? writeDay('RECURRENCE-ID', wall.slice(0, 10))
    : writeTime('RECURRENCE-ID', wall, wallToUtc(wall, start.zone), rules)
  const times = [id, ...writeTimes(facts.row, own)]
  const least = Math.max(whole.sequence, sequence)
  return writeComponent(context, facts, {
    uid: series.uid,
    times,
    modified: laterOf(whole, facts),
    sequence: least,
  })
}

function laterOf(one: { modified: string }, other: { modified: string }): string {
  return [one.modified, other.modified].sort().at(-1) ?? one.modified
}

function writeComponent(context: Context, facts: EventFacts, part: SeriesPart): string {
  const { row } = facts
  const modified = utcTime(part.modified)
  return [
    contentLine('BEGIN', 'VEVENT'),
    contentLine('UID', part.uid),
    contentLine('DTSTAMP', modified),
    contentLine('LAST-MODIFIED', modified),
    contentLine('SEQUENCE', String(Math.max(part.sequence, sequenceAt(part.modified)))),
    ...part.times,
    contentLine('SUMMARY', escapeText(facts.heading)),
    ...writeDescription(facts),
    ...writePlace(facts),
    ...writeMeeting(row),
    ...writeOrganizers(context, facts.organizers),
    ...(facts.terms.length === 0 ? [] : [contentLine('CATEGORIES', facts.terms.map(escapeText).join(','))]),
    contentLine('URL', part.url ?? facts.url, { VALUE: 'URI' }),
    ...writeImage(facts),
    ...(facts.notice === '' ? [] : [contentLine('COMMENT', escapeText(facts.notice))]),
    ...writeStatus(row, part.status ?? row.status),
    contentLine('END', 'VEVENT'),
  ].join('')
}

/**
 * Writes STATUS, CLASS:PRIVATE for a status other than `publish`, and properties of our own (publication
 * date, status), which our imports read back.
 */
function writeStatus({ event_status, date, date_utc }: EventRow, status: string): string[] {
  const isUncertain = isUnpublished(status) && event_status === 'scheduled'
  const lines = [contentLine('STATUS', isUncertain ? STATUS.postponed : STATUS[event_status])]
  if (status !== 'publish') lines.push(contentLine('CLASS', 'PRIVATE'), contentLine(OWN_STATUS, status))
  return [...lines, contentLine(OWN_DATE, date_utc === NEVER ? wallTime(date) : utcTime(date_utc))]
}

/** A withdrawn event: what calendar programs need to cancel it, and nothing that was never public. */
export function writeWithdrawnComponent(
  context: Context,
  row: WithdrawnEvent,
  rules: ZoneRules | undefined,
): string {
  const withdrawn = utcTime(row.withdrawn_utc)
  const title = announced(context.site, { event_status: 'canceled' }, plainText(row.title))
  return [
    contentLine('BEGIN', 'VEVENT'),
    contentLine('UID', row.uid),
    contentLine('DTSTAMP', withdrawn),
    contentLine('LAST-MODIFIED', withdrawn),
    contentLine('SEQUENCE', String(row.sequence)),
    ...writeTimes(row, rules),
    contentLine('SUMMARY', escapeText(title)),
    contentLine('STATUS', 'CANCELLED'),
    contentLine('END', 'VEVENT'),
  ].join('')
}

function utcTime(utc: string): string {
  return `${wallTime(utc)}Z`
}

function wallTime(wall: string): string {
  const part = (from: number, to: number) => wall.slice(from, to)
  return `${part(0, 4)}${part(5, 7)}${part(8, 10)}T${part(11, 13)}${part(14, 16)}${part(17, 19)}`
}

/** DTSTART and DTEND: dates for all-day events, local times if there are `rules`, else UTC. */
function writeTimes(row: WholeSeries['first'], rules: ZoneRules | undefined): string[] {
  if (row.all_day === 1) {
    const end = addDays(row.end_date.slice(0, 10), 1)
    return [writeDay('DTSTART', row.start_date.slice(0, 10)), writeDay('DTEND', end)]
  }
  const times = [writeTime('DTSTART', row.start_date, row.utc_start_date, rules)]
  if (row.utc_end_date > row.utc_start_date)
    times.push(writeTime('DTEND', row.end_date, row.utc_end_date, rules))
  return times
}

function writeDay(name: string, day: string): string {
  return contentLine(name, day.replaceAll('-', ''), { VALUE: 'DATE' })
}

function writeTime(name: string, wall: string, utc: string, rules: ZoneRules | undefined): string {
  return rules ? contentLine(name, wallTime(wall), { TZID: rules.id }) : contentLine(name, utcTime(utc))
}

/**
 * VTIMEZONE rules for the event's times. Undefined for all-day events, for UTC, and if calendar programs
 * would compute a time wrongly.
 */
export function readableRules(row: When, now: number): ZoneRules | undefined {
  if (row.all_day === 1) return undefined
  const rules = zoneRulesOf(row.timezone, now)
  const isRight =
    rules &&
    isReadRight(rules, row.start_date, row.utc_start_date) &&
    isReadRight(rules, row.end_date, row.utc_end_date)
  return isRight ? rules : undefined
}

/** DESCRIPTION, and X-ALT-DESC with HTML that is more than paragraphs. `news` comes before the text. */
function writeDescription({ news, html, text }: EventFacts): string[] {
  const all = [...news, text].filter((part) => part !== '').join('\n\n')
  if (all === '') return []
  const plain = contentLine('DESCRIPTION', escapeText(all))
  // Programs may take plain text with a `<` for HTML, so it is written as HTML too.
  if (!/<(?!\/?p\b|br\b)/i.test(html) && !all.includes('<')) return [plain]
  const before = news.map((part) => `<p>${escapeHtml(part)}</p>\n`).join('')
  return [plain, contentLine('X-ALT-DESC', escapeText(before + html), { FMTTYPE: 'text/html' })]
}

/**
 * Writes properties of our own, since iCalendar has none: the attendance mode and, if the caller may see the
 * online link, when that is shown.
 */
function writeMeeting({ attendance, online_url, online_shown }: EventRow): string[] {
  if (online_url === '') return attendance === '' ? [] : [contentLine(OWN_ATTENDANCE, attendance)]
  const shown = online_shown === 'always' ? [] : [contentLine(OWN_SHOWN, online_shown)]
  return [contentLine(OWN_ATTENDANCE, attendance || 'unknown'), ...shown]
}

/**
 * LOCATION, GEO and CONFERENCE (RFC 7986, 5.11). Without a venue, a link that everybody may see is also
 * LOCATION, for clients without CONFERENCE. Other links are not, since importers make locations public.
 */
function writePlace({ row, venues: [venue] }: EventFacts): string[] {
  const label = plainText(row.online_label)
  const meeting = { VALUE: 'URI', FEATURE: 'VIDEO', ...(label === '' ? {} : { LABEL: label }) }
  const conference = row.online_url === '' ? [] : [contentLine('CONFERENCE', row.online_url, meeting)]
  const isPlace = conference.length > 0 && row.online_from === ''
  if (!venue)
    return [...(isPlace ? [contentLine('LOCATION', escapeText(row.online_url))] : []), ...conference]
  const lines = [contentLine('LOCATION', escapeText(placeOf(venue)))]
  if (venue.geo_lat !== null && venue.geo_lng !== null)
    lines.push(contentLine('GEO', `${venue.geo_lat};${venue.geo_lng}`))
  return [...lines, ...conference]
}

const MAIL = /^[^\s@<>",;:]+@[^\s@<>",;:]+$/

/** ORGANIZER, which must have an e-mail address, is the first with a valid one; the others are CONTACT. */
function writeOrganizers(context: Context, organizers: readonly OrganizerRow[]): string[] {
  const first = organizers.find(({ email }) => MAIL.test(email))
  return organizers.map((organizer) => {
    const name = plainText(organizer.organizer)
    if (organizer === first) return contentLine('ORGANIZER', `mailto:${organizer.email}`, { CN: name })
    const parts = [name, organizer.phone, MAIL.test(organizer.email) ? organizer.email : '']
    const page = presentUrl(organizer.website) || recordUrl(context.site, 'organizer', organizer)
    return contentLine('CONTACT', escapeText(parts.filter((part) => part !== '').join(', ')), {
      ALTREP: page,
    })
  })
}

function writeImage({ image }: EventFacts): string[] {
  if (!image) return []
  return [contentLine('IMAGE', image.url, { VALUE: 'URI', DISPLAY: 'BADGE', FMTTYPE: image.mime_type })]
}
