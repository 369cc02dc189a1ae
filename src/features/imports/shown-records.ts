import { eventFields } from '../../base/fields/event-fields.ts'
import {
  type EventMembers,
  eventMembers,
  unshownValues,
  venueFacts,
} from '../../base/fields/event-members.ts'
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
import { decodedText, decodeEntities } from '../../base/text/html.ts'
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
import {
  type ItemKind,
  type ItemLinks,
  type ReadEntry,
  type SourceEntry,
  type SourceItem,
  valuePrint,
} from './source-item.ts'

// Turns the records that a service shows into items: reads their times, decodes their texts, and joins
// occurrences into series.

// The times of items. A series with more past dates than the limit begins later here than in its source.

type Values = Readonly<Record<string, unknown>>

/** Returns the times of an event of a source as they are stored; undefined for times that cannot be read. */
export function whenOf(values: Values, now: number): When | undefined {
  const { start_date, end_date, timezone, all_day } = values
  if (typeof start_date !== 'string' || typeof end_date !== 'string') return undefined
  if (typeof timezone !== 'string' || !isTimezone(timezone)) return undefined
  const [start, end] = [readMoment(start_date, timezone, now), readMoment(end_date, timezone, now)]
  if (!start || !end) return undefined
  const allDay = all_day === true
  return { ...settleWhen({ start, end, timezone, allDay }), timezone, all_day: Number(allDay) }
}

/** The number of dates before today that remain of a series with more than the limit. */
const KEPT_DATES = 375
/** The most past dates of a series that are counted. */
const MOST_COUNTED = 100_000

/**
 * Returns a later start and its rule for a series with more dates before today than the limit allows; empty
 * for values that can be written unchanged. A series that begins later here already keeps its start. `series`
 * is the series here, given when its start is not to be changed.
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
 * Returns the first date that a series has here, if it is later than in the source; else undefined. `first`
 * is the present first date of the series here; undefined for a series that is not here yet.
 */
export function laterBegin(values: Values, first: string | undefined, now: number): string | undefined {
  const schedule = scheduleIn(values, now)
  if (!schedule || (first !== undefined && first <= schedule.start.local)) return undefined
  const at = laterStart(schedule, undefined, now)
  return at && (first ?? at)
}

/** Tells whether all dates of a series of a source have begun. */
export function isSeriesOver(values: Values, now: number): boolean {
  const schedule = scheduleIn(values, now)
  if (!schedule) return false
  const { recurrence, start } = schedule
  const past = occurrenceStarts(recurrence, start, wallNow(start.zone, now), MOST_COUNTED).length
  return occurrenceStarts(recurrence, start, FOR_EVER, past + 1).length === past
}

/** Reads the times and the rule of a series of a source; undefined where they cannot be read. */
export function scheduleIn(values: Values, now: number): Schedule | undefined {
  const when = whenOf(values, now)
  if (!when) return undefined
  const start = startOf(when)
  const recurrence = readRecurrence(values.recurrence, start)
  return recurrence && !isFault(recurrence) ? { start, duration: durationOf(when), recurrence } : undefined
}

/**
 * Returns the date that a series has to begin with in place of its first; undefined where it can begin with
 * its first.
 */
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

// Items made from records as an answer of the interface shows them.

/** A kind of record that answers show by itself. Answers show a series only by its occurrences. */
export type ListedKind = Exclude<ItemKind, 'series'>

/** A record in an answer of the interface. */
export type ShownRecord = Readonly<Record<string, unknown>>

/** The lists of records in the order in which they are read: first the records that events refer to. */
export const LISTS = [
  ['categories', 'category'],
  ['tags', 'tag'],
  ['venues', 'venue'],
  ['organizers', 'organizer'],
  ['events', 'event'],
] as const satisfies readonly (readonly [string, ListedKind])[]

/** The access facts of a venue, all empty, since venues do not show facts that are not known. */
export const unknownFacts = Object.fromEntries(venueFacts.map((fact) => [fact, '']))

/**
 * A function that converts a member of an answer into a value that the interface accepts; undefined leaves
 * the member out.
 */
type Read = (value: unknown, record: ShownRecord) => unknown

const none: Read = () => undefined
const asTitle: Read = (value) => (typeof value === 'string' ? decodeTitle(value) : value)
const asName: Read = (value) => (typeof value === 'string' ? decodeName(value) : value)
/** Leaves out the noughts that a record shows if it was never published. */
const asMoment: Read = (value) => (value === NEVER ? undefined : value)
/** Empties the website of an event that shows its own address, as events without a website do. */
const asWebsite: Read = (value, { url }) => (value === url ? '' : value)

/**
 * Returns an amount of nought as figure and currency: answers show a word in its place, and the figure beside
 * it. Beside a range, which answers show by its ends, the figures between them are prices as well.
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
 * Returns the last day of whole days whose day ends after midnight, such as 03:00:00 to 02:59:59, as The
 * Events Calendar shows them where it is set so.
 */
const asEnd: Read = (end, { all_day, start_date: start }) => {
  if (all_day !== true || !hasWallForm(start) || !hasWallForm(end) || start.endsWith(' 00:00:00')) return end
  const next = formatUtc(utcToMs(end) + 1000)
  return next.slice(10) === start.slice(10) ? endOfDay(addDays(dayOf(next), -1)) : end
}

/**
 * The members of events that link to other records, with the kinds of these, in the order in which they are
 * read.
 */
export const LINKED = {
  categories: 'category',
  tags: 'tag',
  venue: 'venue',
  organizer: 'organizer',
} as const satisfies Record<WithValue<EventMembers, 'from', 'link'>, Exclude<ListedKind, 'event'>>
export type LinkName = keyof typeof LINKED
export const linkNames = namesWith(eventMembers, 'from', 'link')

/** The members that need a conversion, by kind; links and images are handled elsewhere. */
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

/** The member that holds the name of a record, by kind. */
const NAMES = {
  event: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
} as const

/**
 * Records that were shown within other records, as JSON by kind and id. The same record comes again with
 * every record that refers to it.
 */
export type ShownBefore = Map<string, string>

const MOST_REMEMBERED = 50_000

/** Tells whether the same record was shown before without a difference, and remembers it. */
function isShownBefore(before: ShownBefore, kind: ListedKind, record: ShownRecord): boolean {
  const key = `${kind} ${String(record.id)}`
  const text = JSON.stringify(record)
  if (before.get(key) === text) return true
  if (before.size >= MOST_REMEMBERED) before.clear()
  before.set(key, text)
  return false
}

/**
 * Yields a record of an answer as an item, after the records that it refers to, unless these were shown
 * `before`; yields a fault for anything else.
 */
export function* itemsOf(
  kind: ListedKind,
  record: unknown,
  at: string,
  before?: ShownBefore,
): Generator<ReadEntry> {
  if (!isRecord(record)) {
    yield { at, reason: 'This is not a record.' }
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

/**
 * Returns the records in a member, which may be one record or a list. An empty list or false stands for none,
 * a text for a record with this name.
 */
function shownList(value: unknown, name: string): ShownRecord[] {
  return (Array.isArray(value) ? value : [value])
    .map((one) => (typeof one === 'string' ? { [name]: one } : one))
    .filter(isRecord)
}

/**
 * Returns the id of a record. Without one, returns its address, or the title and start of an event, or the
 * name and details of any other record.
 */
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

/** The most characters of a text in an identity; longer texts are cut. */
const LONGEST_IDENTITY = 500

function itemOf(
  kind: ListedKind,
  record: ShownRecord,
  at: string,
  links: ItemLinks,
): SourceItem | { at: string; reason: string } {
  const identity = identityOf(kind, record)
  const shownName = record[NAMES[kind]]
  const name = typeof shownName === 'string' ? decodeName(shownName) : ''
  if (identity === undefined)
    return {
      at,
      reason: `This ${kind} has no ${kind === 'event' ? 'id, and no title with a start_date' : 'name'}${name ? `: ${name}` : ''}.`,
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

/**
 * Returns the address of a record's image; empty for a record without one, which shows false or nothing;
 * undefined for terms, which have no image.
 */
function imageOf(kind: ListedKind, image: unknown): string | undefined {
  if (kind === 'category' || kind === 'tag') return undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : ''
}

const ENTITY = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi
const KEPT = /^(?:lt|gt|#0*60|#0*62|#x0*3[ce])$/i
const BEGINS_ENTITY = /^(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i

/**
 * Decodes the entities of a title once. Entities that keep a sign from being read as markup stay, so that the
 * title reads the same later.
 */
function decodeTitle(shown: string): string {
  if (!shown.includes('&')) return shown
  return shown.replace(ENTITY, (entity: string, name: string, at: number) => {
    if (KEPT.test(name)) return entity
    const sign = decodeOne(entity, name)
    return sign === '&' && BEGINS_ENTITY.test(shown.slice(at + entity.length)) ? '&amp;' : sign
  })
}

/** Decodes every entity of a text once. For texts that are not stored as HTML, such as the name of a term. */
export function decodeName(shown: string): string {
  return shown.replace(ENTITY, decodeOne)
}

function decodeOne(entity: string, name: string): string {
  if (!name.startsWith('#')) return decodeEntities(entity)
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : entity
}

/** The most occurrences of one series that are read. */
export const MOST_OCCURRENCES = 5000

interface ShownOccurrence {
  record: ShownRecord
  /** Its original start. */
  start: string
  rrule: string
  overrides: readonly string[]
}

/**
 * Returns the number, in the source, of the series that a record is an occurrence of; undefined for any other
 * record.
 */
export function seriesIn(record: unknown): string | undefined {
  if (!isRecord(record) || !isRecord(record.recurrence)) return undefined
  const { series, id } = record.recurrence
  return typeof series === 'number' && typeof id === 'string' && hasWallForm(id) ? String(series) : undefined
}

/**
 * Yields the occurrences of one series as a series, and each that differs from it as an item. If no rule
 * gives these dates, yields single events.
 */
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
  const times = whenAt({ start: place, duration: durationOf(when), recurrence }, first)
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
 * Returns the recurrence that has exactly these dates up to the last of them, and goes on with its rule;
 * undefined for a rule that cannot be read.
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

/**
 * Ends a rule with a count at the last shown date if it would go on, since its count includes earlier dates
 * that are not shown.
 */
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

/** Yields an occurrence as an item of its own, after the items that it refers to. */
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

/** Returns the slug of a series, which is that of an occurrence without the day at its end. */
function undatedSlug(slug: string, start: string): string {
  const end = `-${dayOf(start)}`
  return slug.endsWith(end) ? slug.slice(0, -end.length) : slug
}
