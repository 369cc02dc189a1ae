import { LANGUAGES } from '../../base/config.ts'
import { eventFields } from '../../base/fields/event-fields.ts'
import { type EventMembers, eventMembers, rareFields, venueFacts } from '../../base/fields/event-members.ts'
import type { FieldsData } from '../../base/fields/field.ts'
import { NEVER } from '../../base/fields/kinds.ts'
import { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'
import { namesWith, type WithValue } from '../../base/fields/member.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { splitRecurrence } from '../../base/recurrence/change-recurrence.ts'
import {
  endWith,
  isFault,
  occurrenceStarts,
  type Recurrence,
  type Start,
} from '../../base/recurrence/recurrence.ts'
import { readRecurrence, recurrenceLines } from '../../base/recurrence/recurrence-text.ts'
import { fold } from '../../base/text/characters.ts'
import { decodedText, decodeEntities, singleLine } from '../../base/text/html.ts'
import {
  addDays,
  dayOf,
  endOfDay,
  formatUtc,
  hasWallForm,
  readMoment,
  utcToMs,
  wallNow,
} from '../../base/text/moments.ts'
import { isTimezone, wallToUtc } from '../../base/text/zones.ts'
import { pricesOf } from '../../calendar/events/event-cost.ts'
import { settleWhen } from '../../calendar/events/event-when.ts'
import { startOf } from '../../calendar/events/recurrence-present.ts'
import { carriedFields } from '../../calendar/history/record-states.ts'
import { translate } from '../../calendar/locales/translate.ts'
import {
  durationOf,
  FOR_EVER,
  MOST_WRITTEN_DATES,
  type Schedule,
  type When,
  whenAt,
} from '../../calendar/series/series-schedule.ts'
import { datedSlug } from '../../calendar/series/series-writes.ts'
import { termFields } from '../../calendar/terms/term-rules.ts'
import type { SeriesRow } from '../../store/storage/schema.ts'
import { type StatusOf, WORDS } from '../feeds/event-status.ts'
import { message } from './import-messages.ts'
import {
  type ItemKind,
  type ItemLinks,
  KIND_NAMES,
  type ReadEntry,
  type SourceEntry,
  type SourceFault,
  type SourceItem,
  valuePrint,
} from './source-item.ts'

// Turns records as the API shows them into items; collects occurrences as series.

// A series with more past dates than can be written begins later here than in its source.

type Values = Readonly<Record<string, unknown>>

export function whenOf(values: Values, now: number): When | undefined {
  const { start_date, end_date, timezone, all_day } = values
  if (typeof start_date !== 'string' || typeof end_date !== 'string') return undefined
  if (typeof timezone !== 'string' || !isTimezone(timezone)) return undefined
  const [start, end] = [readMoment(start_date, timezone, now), readMoment(end_date, timezone, now)]
  if (!start || !end) return undefined
  const allDay = all_day === true
  return { ...settleWhen({ start, end, timezone, allDay }), timezone, all_day: Number(allDay) }
}

const KEPT_DATES = 375
const MOST_COUNTED = 100_000

/**
 * Returns the later start, and the rule from there; empty if `values` can be written unchanged.
 * @param series the series here, whose start must not change
 */
export function laterTimes(values: Values, series: SeriesRow | undefined, now: number): Values {
  const schedule = scheduleIn(values, now)
  const at = schedule && laterStart(schedule, series, now)
  const later =
    schedule && at !== undefined ? splitRecurrence(schedule.recurrence, schedule.start, at)?.after : undefined
  if (!schedule || at === undefined || !later) return {}
  const recurrence = recurrenceLines(later, { ...schedule.start, local: at })
  if (series) return { recurrence }
  const { start_date, end_date } = whenAt(schedule, at)
  return { recurrence, start_date, end_date: schedule.start.allDay ? dayOf(end_date) : end_date }
}

/**
 * Returns the first date that a series has here, if later than in the source. `first` is its present first
 * date, undefined for a new series.
 */
export function laterBegin(values: Values, first: string | undefined, now: number): string | undefined {
  const schedule = scheduleIn(values, now)
  if (!schedule || (first !== undefined && first <= schedule.start.local)) return undefined
  const at = laterStart(schedule, undefined, now)
  return at && (first ?? at)
}

export function isSeriesOver(values: Values, now: number): boolean {
  const schedule = scheduleIn(values, now)
  if (!schedule) return false
  const { recurrence, start } = schedule
  const past = occurrenceStarts(recurrence, start, wallNow(start.zone, now), MOST_COUNTED).length
  return occurrenceStarts(recurrence, start, FOR_EVER, past + 1).length === past
}

export function scheduleIn(values: Values, now: number): Schedule | undefined {
  const when = whenOf(values, now)
  if (!when) return undefined
  const start = startOf(when)
  const recurrence = readRecurrence(values.recurrence, start)
  return recurrence && !isFault(recurrence) ? { start, duration: durationOf(when), recurrence } : undefined
}

function laterStart(
  { recurrence, start }: Schedule,
  series: SeriesRow | undefined,
  now: number,
): string | undefined {
  const today = wallNow(start.zone, now)
  const past = occurrenceStarts(recurrence, start, today, MOST_COUNTED)
  if (series && series.start_date > start.local && past.includes(series.start_date)) return series.start_date
  return past.length > MOST_WRITTEN_DATES ? past.at(-KEPT_DATES) : undefined
}

/** Lists show a series only by its occurrences. */
export type ListedKind = Exclude<ItemKind, 'series'>

export type ShownRecord = Readonly<Record<string, unknown>>

/** In the order of reading: records before those that refer to them. */
export const LISTS = [
  ['categories', 'category'],
  ['tags', 'tag'],
  ['venues', 'venue'],
  ['organizers', 'organizer'],
  ['events', 'event'],
] as const satisfies readonly (readonly [string, ListedKind])[]

/** Blank access facts: venues do not show unknown ones. */
export const unknownFacts = Object.fromEntries(venueFacts.map((fact) => [fact, '']))

/** @returns a value that the interface accepts; undefined: the field is left out */
type Read = (value: unknown, record: ShownRecord) => unknown

const none: Read = () => undefined
const asTitle: Read = (value) => (typeof value === 'string' ? decodeTitle(value) : value)
const asName: Read = (value) => (typeof value === 'string' ? decodeName(value) : value)
/** A record never published has a date of zeros. */
const asMoment: Read = (value) => (value === NEVER ? undefined : value)
/** An event without a website shows its own address as one. */
const asWebsite: Read = (value, { url }) => (value === url ? '' : value)

/**
 * Prices as the interface accepts them. Zero is shown as a word, with the number in `cost_details`; numbers
 * between the ends of a range are further prices.
 */
const asCost: Read = (value, { cost_details: details }) => {
  if (typeof value !== 'string' || !isRecord(details) || !Array.isArray(details.values)) return value
  const figures = details.values.map(String)
  const mark = typeof details.currency_symbol === 'string' ? details.currency_symbol : ''
  const marked = (figure: string) =>
    details.currency_position === 'postfix' ? `${figure}${mark}` : `${mark}${figure}`
  if (figures.length === 1)
    return figures.every((figure) => /^0(?:\.0+)?$/.test(figure)) ? figures.map(marked)[0] : value
  return isRangeOf(value, figures) ? [value, ...figures.slice(1, -1).map(marked)] : value
}

function isRangeOf(cost: string, figures: readonly string[]): boolean {
  if (figures.length < 3 || !figures.every((figure) => /^\d+(?:\.\d+)?$/.test(figure))) return false
  const ends = pricesOf([decodedText(cost)], '')
  const numbers = ends.flatMap((price) => (price.kind === 'words' ? [] : price.numbers.map(Number)))
  return ends.length === 2 && numbers.join() === [figures[0], figures.at(-1)].map(Number).join()
}

/**
 * The Events Calendar may show all-day events from 03:00:00 to 02:59:59 of the following day: the last day is
 * the one before.
 */
const asEnd: Read = (end, { all_day, start_date: start }) => {
  if (all_day !== true || !hasWallForm(start) || !hasWallForm(end) || start.endsWith(' 00:00:00')) return end
  const next = formatUtc(utcToMs(end) + 1000)
  return next.slice(10) === start.slice(10) ? endOfDay(addDays(dayOf(next), -1)) : end
}

export const LINKED = {
  categories: 'category',
  tags: 'tag',
  venue: 'venue',
  organizer: 'organizer',
} as const satisfies Record<WithValue<EventMembers, 'from', 'link'>, Exclude<ListedKind, 'event'>>
export type LinkName = keyof typeof LINKED
export const linkNames = namesWith(eventMembers, 'from', 'link')

/** How a shown field becomes a value; links and images are read elsewhere. */
const READERS: Readonly<Record<ListedKind, Readonly<Record<string, Read>>>> = {
  event: {
    title: asTitle,
    end_date: asEnd,
    date_utc: asMoment,
    cost: asCost,
    website: asWebsite,
    image: none,
    ...Object.fromEntries(linkNames.map((name) => [name, none])),
  },
  venue: { venue: asTitle, date_utc: asMoment, image: none },
  organizer: { organizer: asTitle, date_utc: asMoment, image: none },
  category: { name: asName, parent: none },
  tag: { name: asName },
}

const FIELDS: Readonly<Record<ListedKind, FieldsData>> = {
  event: eventFields,
  venue: venueFields,
  organizer: organizerFields,
  category: termFields,
  tag: termFields,
}

const NAMES = {
  event: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
} as const

/** Records read before, as JSON by kind and id: each event repeats the records it refers to. */
export type ShownBefore = Map<string, string>

const MOST_REMEMBERED = 50_000

function isShownBefore(before: ShownBefore, kind: ListedKind, record: ShownRecord): boolean {
  const key = `${kind} ${String(record.id)}`
  const text = JSON.stringify(record)
  if (before.get(key) === text) return true
  if (before.size >= MOST_REMEMBERED) before.clear()
  before.set(key, text)
  return false
}

/**
 * Yields a record after those it refers to, without those in `before`; a fault for a value that is no record.
 */
export function* itemsOf(
  kind: ListedKind,
  record: unknown,
  at: string,
  before?: ShownBefore,
): Generator<ReadEntry> {
  if (!isRecord(record)) {
    yield { at, reason: message('This is not a record.') }
    return
  }
  const links: Partial<Record<keyof ItemLinks, readonly string[]>> = {}
  if (kind === 'event') {
    for (const member of linkNames) {
      const linked = LINKED[member]
      if (record[member] === undefined) continue
      const records = shownList(record[member], NAMES[linked])
      for (const one of records)
        if (!before || !isShownBefore(before, linked, one)) yield* itemsOf(linked, one, at)
      links[member] = records.flatMap((one) => identityOf(linked, one) ?? [])
    }
  }
  yield itemOf(kind, record, at, links)
}

/** The records in `value`: none for an empty list or false; for a text, one of that name. */
function shownList(value: unknown, name: string): ShownRecord[] {
  return (Array.isArray(value) ? value : [value])
    .map((one) => (typeof one === 'string' ? { [name]: one } : one))
    .filter(isRecord)
}

/** The id, else the address, else title and start of an event, or name and details of another record. */
function identityOf(kind: ListedKind, record: ShownRecord): string | undefined {
  const { id, url, title, start_date: start } = record
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id)
  if (typeof id === 'string' && id !== '') return id
  if (typeof url === 'string' && url !== '') return url.slice(0, LONGEST_IDENTITY)
  if (kind === 'event') {
    const isNamed = typeof title === 'string' && typeof start === 'string' && title !== ''
    return isNamed ? `${title.slice(0, LONGEST_IDENTITY)}\n${start}` : undefined
  }
  const { [NAMES[kind]]: named, ...details } = valuesOf(kind, record)
  const name = fold(typeof named === 'string' ? named : '').slice(0, LONGEST_IDENTITY)
  if (name === '') return undefined
  return Object.keys(details).length === 0 ? name : `${name}\n${valuePrint(details)}`
}

const LONGEST_IDENTITY = 500

function itemOf(
  kind: ListedKind,
  record: ShownRecord,
  at: string,
  links: ItemLinks,
): SourceItem | SourceFault {
  const identity = identityOf(kind, record)
  const shownName = record[NAMES[kind]]
  const name = typeof shownName === 'string' ? decodeName(shownName) : ''
  if (identity === undefined) {
    if (kind === 'event')
      return {
        at,
        reason: name
          ? message('This event has no id, and no title with a start_date: {name}.', { name })
          : message('This event has no id, and no title with a start_date.'),
        name,
      }
    const named = message(KIND_NAMES[kind])
    return {
      at,
      reason: name
        ? message('This {kind} has no name: {name}.', { kind: named, name })
        : message('This {kind} has no name.', { kind: named }),
    }
  }
  const parent = kind === 'category' && Number(record.parent) > 0 ? [String(record.parent)] : []
  return {
    kind,
    identity,
    occurrence: '',
    at,
    name,
    values: { ...(kind === 'venue' ? unknownFacts : {}), ...valuesOf(kind, record) },
    links: kind === 'category' && record.parent !== undefined ? { parent } : links,
    image: imageOf(kind, record.image),
    ...(typeof record.url === 'string' && { page: record.url }),
    ...(record.date_utc === NEVER && hasWallForm(record.date) && { unpublishedDate: record.date }),
  }
}

function valuesOf(kind: ListedKind, record: ShownRecord): Record<string, unknown> {
  const values: Record<string, unknown> = kind === 'event' ? { ...unshownValues } : {}
  for (const member of carriedFields(FIELDS[kind])) {
    const value = record[member]
    if (value === undefined || value === null) continue
    const read = READERS[kind][member]
    const taken = read ? read(value, record) : value
    if (taken !== undefined) values[member] = taken
  }
  return values
}

/** Address of the image; empty for false, which means no image; undefined for terms, which have none. */
function imageOf(kind: ListedKind, image: unknown): string | undefined {
  if (kind === 'category' || kind === 'tag') return undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : ''
}

const ENTITY = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi
const KEPT = /^(?:lt|gt|#0*60|#0*62|#x0*3[ce])$/i
const BEGINS_ENTITY = /^(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i

/** Decodes entities, except those that keep a character from being markup. */
function decodeTitle(shown: string): string {
  if (!shown.includes('&')) return shown
  return shown.replace(ENTITY, (entity: string, name: string, at: number) => {
    if (KEPT.test(name)) return entity
    const sign = decodeOne(entity, name)
    return sign === '&' && BEGINS_ENTITY.test(shown.slice(at + entity.length)) ? '&amp;' : sign
  })
}

/** Decodes all entities: names of terms are not stored as HTML. */
export function decodeName(shown: string): string {
  return shown.replace(ENTITY, decodeOne)
}

function decodeOne(entity: string, name: string): string {
  if (!name.startsWith('#')) return decodeEntities(entity)
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : entity
}

export const MOST_OCCURRENCES = 5000

interface ShownOccurrence {
  record: ShownRecord
  start: string
  rrule: string
  overrides: readonly string[]
}

export function seriesIn(record: unknown): string | undefined {
  if (!isRecord(record) || !isRecord(record.recurrence)) return undefined
  const { series, id } = record.recurrence
  return typeof series === 'number' && typeof id === 'string' && hasWallForm(id) ? String(series) : undefined
}

/** Yields a series, then each occurrence that differs; single events if the rule cannot be read. */
export function* seriesEntries(
  records: readonly unknown[],
  series: string,
  at: string,
): Generator<SourceEntry> {
  const occurrences = records.flatMap((record) => occurrenceIn(record) ?? []).sort(byStart)
  const common = occurrences.find(({ overrides }) => overrides.length === 0) ?? occurrences[0]
  const shared = common && sharedItem(common, series, at, occurrences)
  if (!shared) {
    for (const record of records) yield* itemsOf('event', record, at)
    return
  }
  yield* referredBy(common.record, at)
  yield shared.item
  for (const one of occurrences) {
    const isNamed = shared.slug !== '' && one.record.slug !== datedSlug(shared.slug, one.start)
    if (one.overrides.length > 0 || isNamed) yield* ownEntries(one, shared, at)
  }
}

const byStart = (a: ShownOccurrence, b: ShownOccurrence) =>
  a.start < b.start ? -1 : Number(a.start > b.start)

function occurrenceIn(record: unknown): ShownOccurrence | undefined {
  if (seriesIn(record) === undefined || !isRecord(record) || !isRecord(record.recurrence)) return undefined
  const { id, rrule, overrides } = record.recurrence
  return {
    record,
    start: String(id),
    rrule: typeof rrule === 'string' ? rrule : '',
    overrides: Array.isArray(overrides) ? overrides.map(String) : [],
  }
}

interface SharedItem {
  item: SourceItem
  slug: string
  place: Start
}

function sharedItem(
  { record, start, rrule }: ShownOccurrence,
  series: string,
  at: string,
  occurrences: readonly ShownOccurrence[],
): SharedItem | undefined {
  const event = [...itemsOf('event', record, at)].at(-1)
  const first = occurrences[0]?.start
  if (!event || !('kind' in event) || first === undefined) return undefined
  const when = whenOf(event.values, 0)
  if (!when) return undefined
  const place: Start = { local: first, zone: when.timezone, allDay: when.all_day === 1 }
  const starts = [...new Set(occurrences.map((one) => one.start))]
  const recurrence = recurrenceOf(rrule, place, starts)
  if (!recurrence) return undefined
  const times = whenAt({ start: place, duration: durationOf(when) }, first)
  const slug = typeof event.values.slug === 'string' ? undatedSlug(event.values.slug, start) : ''
  const { slug: _slug, ...values } = event.values
  const dates = {
    start_date: place.allDay ? dayOf(times.start_date) : times.start_date,
    end_date: place.allDay ? dayOf(times.end_date) : times.end_date,
    recurrence: recurrenceLines(recurrence, place),
  }
  const named = slug === '' ? {} : { slug }
  const formerly = String(occurrences[0]?.record.id)
  const whole = { ...values, ...dates, ...named }
  const item: SourceItem = { ...event, kind: 'series', identity: series, values: whole, formerly }
  return { item, slug, place }
}

/**
 * The rule with dates added and left out, to yield `starts`; it continues after the last one.
 * @returns undefined if the rule cannot be read
 */
function recurrenceOf(rrule: string, start: Start, starts: readonly string[]): Recurrence | undefined {
  const last = starts.at(-1) ?? start.local
  const read = rrule === '' ? { added: [], left: [] } : readRecurrence(`RRULE:${rrule}`, start)
  if (!read || isFault(read)) return undefined
  const made = occurrenceStarts(read, start, last, MOST_OCCURRENCES)
  const [has, makes] = [new Set(starts), new Set(made)]
  const added = starts.filter((wall) => !makes.has(wall))
  const left = made.filter((wall) => !has.has(wall))
  const whole = { ...endingWith(read, start, last), added, left }
  const again = readRecurrence(recurrenceLines(whole, start), start)
  return again && !isFault(again) ? again : undefined
}

/** Ends a rule with COUNT at the last date shown if it goes on: COUNT includes earlier dates, not shown. */
function endingWith(read: Recurrence, start: Start, last: string): Recurrence {
  const { rule } = read
  if (rule?.count === undefined) return read
  const { count: _count, ...endless } = rule
  const next = occurrenceStarts(read, start, '9999-12-31 23:59:59', rule.count).at(-1)
  return next === undefined || next <= last
    ? read
    : { ...read, rule: { ...endless, until: endWith(last, start) } }
}

function* referredBy(record: ShownRecord, at: string): Generator<SourceEntry> {
  for (const entry of itemsOf('event', record, at))
    if (!('kind' in entry) || entry.kind !== 'event') yield entry
}

function* ownEntries(
  one: ShownOccurrence,
  { item, slug, place }: SharedItem,
  at: string,
): Generator<SourceEntry> {
  for (const entry of itemsOf('event', one.record, at)) {
    if (!('kind' in entry) || entry.kind !== 'event') {
      yield entry
      continue
    }
    const { slug: own, ...values } = entry.values
    yield {
      ...entry,
      identity: item.identity,
      occurrence: place.allDay ? dayOf(one.start) : `${wallToUtc(one.start, place.zone).replace(' ', 'T')}Z`,
      values: own === datedSlug(slug, one.start) ? values : entry.values,
    }
  }
}

function undatedSlug(slug: string, start: string): string {
  const end = `-${dayOf(start)}`
  return slug.endsWith(end) ? slug.slice(0, -end.length) : slug
}

/** Status words in every language, with their colon. */
const PREFIXES = Object.entries(WORDS).flatMap(([status, { before }]) =>
  LANGUAGES.map((language) => ({ status, prefix: singleLine(translate(language, before, { text: '' })) })),
)

/** The line without the event status, in any language; undefined if it has none. */
export function unannounced({ event_status }: StatusOf, line: string): string | undefined {
  const found = PREFIXES.find(({ status, prefix }) => status === event_status && line.startsWith(prefix))
  return found && line.slice(found.prefix.length).trim()
}

export const unshownValues = Object.fromEntries(
  rareFields().map(({ name, show }) => [name, show(eventFields[name].kind.blank)]),
)
