import type { Insertable } from 'kysely'
import { blankColumns } from '../src/base/fields/field.ts'
import { fold } from '../src/base/text/characters.ts'
import { plainText } from '../src/base/text/html.ts'
import { slugify } from '../src/base/text/slugs.ts'
import type { Fields } from '../src/calendar/declare/resource.ts'
import { event } from '../src/calendar/events/event.ts'
import { settleWhen } from '../src/calendar/events/event-when.ts'
import { organizer } from '../src/calendar/linked/organizer.ts'
import { stateOrProvince, venue } from '../src/calendar/linked/venue.ts'
import type { Tables } from '../src/store/storage/schema.ts'
import { BODIES, CATEGORY_TREE, CLASSICAL, HOUSES, STREETS, TOWNS, type Town } from './places.ts'
import { makeRandom, type Random } from './random.ts'
import { eventProse, FORMS, personName, RARE_WORDS, TOPICS, writtenProse } from './texts.ts'

/** The middle of the data set, which covers two years before and after; "today" in the requested windows. */
export const MIDDLE = Date.UTC(2026, 11, 1)
const DAY = 86_400_000
/** The first and the last day on which events start, in ms since the epoch. */
export const FIRST_DAY = MIDDLE - 730 * DAY
export const LAST_DAY = MIDDLE + 730 * DAY

const NEVER = '0000-00-00 00:00:00'
const TAG_WORDS = {
  first: [
    'outdoor',
    'free',
    'family',
    'night',
    'local',
    'student',
    'senior',
    'charity',
    'seasonal',
    'guided',
    'hands-on',
    'live',
    'silent',
    'mobile',
  ],
  second: [
    'concert',
    'course',
    'tour',
    'party',
    'reading',
    'show',
    'market',
    'match',
    'walk',
    'talk',
    'screening',
    'jam',
    'lab',
    'brunch',
    'picnic',
    'fair',
    'award',
    'hike',
    'quiz',
    'retreat',
  ],
}

/**
 * The number of records of each kind, and their ids: terms in the order of this file; then venues, organizers
 * and events.
 */
export interface Plan {
  events: number
  venues: number
  organizers: number
  /** The lowest id of each kind. The others follow without gaps. */
  first: { term: number; venue: number; organizer: number; event: number }
}

/** Makes the plan for a database whose sequences start at these ids. */
export function planOf(events: number, firstTerm: number, firstRecord: number): Plan {
  const counts = countsOf(events)
  const organizer = firstRecord + counts.venues
  return {
    events,
    ...counts,
    first: { term: firstTerm, venue: firstRecord, organizer, event: organizer + counts.organizers },
  }
}

/** Returns one venue per twenty events and one organizer per fifty. */
export function countsOf(events: number) {
  return {
    venues: Math.max(10, Math.round(events * 0.05)),
    organizers: Math.max(5, Math.round(events * 0.02)),
  }
}

type Term = Omit<Insertable<Tables['terms']>, 'count' | 'parent'>

/**
 * Categories in the order of their ids. Parents are positions in this list, and come before their children.
 */
const CATEGORIES: readonly (Term & { above: number | undefined })[] = categories()
/** Tags in the order of their ids, which follow those of categories. */
const TAGS: readonly Term[] = tagNames().map((name) => term('tag', name))

export const CATEGORY_SLUGS = CATEGORIES.map(({ slug }) => slug)
export const TAG_SLUGS = TAGS.map(({ slug }) => slug)

/** Returns all terms, of which the first has this id. */
export function termRows(first: number): Insertable<Tables['terms']>[] {
  const nested = CATEGORIES.map(({ above, ...row }) => ({
    ...row,
    parent: above === undefined ? 0 : first + above,
    count: 0,
  }))
  return [...nested, ...TAGS.map((row) => ({ ...row, parent: 0, count: 0 }))]
}

function categories() {
  const roots = Object.keys(CATEGORY_TREE)
  const nested = Object.entries(CATEGORY_TREE).flatMap(([root, names]) =>
    names.map((name) => ({ name, above: roots.indexOf(root) })),
  )
  const classical = roots.length + nested.findIndex(({ name }) => name === 'Classical')
  const all = [
    ...roots.map((name) => ({ name, above: undefined })),
    ...nested,
    ...CLASSICAL.map((name) => ({ name, above: classical })),
  ]
  return all.map(({ name, above }) => ({ ...term('category', name), above }))
}

function tagNames(): string[] {
  return [
    ...TOPICS.map((topic) => topic.toLowerCase()),
    ...TAG_WORDS.first.flatMap((first) => TAG_WORDS.second.map((second) => `${first} ${second}`)),
  ]
}

function term(taxonomy: Term['taxonomy'], name: string): Term {
  return { taxonomy, name, slug: slugify(name), description: '', folded: fold(name) }
}

const EVENT_BLANK = {
  ...blankColumns(event.fields),
  series: null,
  recurrence_id: '',
  own: '',
  access_words: '',
  online_from: '',
}
const VENUE_BLANK = blankColumns(venue.fields)
const ORGANIZER_BLANK = blankColumns(organizer.fields)

/** Returns the columns that all records share: published by the administrator, in the zone UTC. */
function recordColumns(id: number, published: number) {
  const date = stamp(published)
  return {
    id,
    author: 1,
    status: 'publish',
    date,
    date_utc: date,
    modified: date,
    modified_utc: date,
    image: null,
    dated: 0,
    trusted: 1,
  }
}

/** Returns the town of a venue. The first towns have most venues. */
function townOf(venueNumber: number): Town {
  return TOWNS[makeRandom(venueNumber).skewed(TOWNS.length)] ?? TOWNS[0]
}

/** Makes a venue by its number from 0. Nine in ten have coordinates. */
export function venueRow(plan: Plan, number: number): Insertable<Tables['venues']> {
  const random = makeRandom(1_000_000_007 + number)
  const town = townOf(number)
  const name = `${random.pick(HOUSES)} ${random.pick(STREETS)} ${number + 1}`
  const around = () => ((random.next() + random.next() + random.next()) / 1.5 - 1) * 0.08
  const texts = {
    venue: name,
    description: '',
    address: `${random.pick(STREETS)} ${random.whole(1, 180)}`,
    city: town.city,
    country: town.country,
    province: town.province,
    state: '',
    zip: String(random.whole(1000, 99999)),
    phone: random.chance(0.5)
      ? `+41 44 ${random.whole(100, 999)} ${random.whole(10, 99)} ${random.whole(10, 99)}`
      : '',
    website: random.chance(0.5) ? `https://venue-${number + 1}.example.org/` : '',
  }
  const columns = { ...texts, stateprovince: stateOrProvince(texts) }
  const located = random.chance(0.9)
  return {
    ...VENUE_BLANK,
    ...recordColumns(plan.first.venue + number, FIRST_DAY - random.whole(30, 900) * DAY),
    ...columns,
    excerpt: '',
    slug: slugify(name),
    folded: fold(name),
    search: searchLines(venue.fields, columns),
    show_map: 1,
    show_map_link: 1,
    geo_lat: located ? degrees(town.lat + around()) : null,
    geo_lng: located ? degrees(town.lng + around()) : null,
  }
}

/** Makes an organizer by its number from 0. */
export function organizerRow(plan: Plan, number: number): Insertable<Tables['organizers']> {
  const random = makeRandom(-number - 1)
  const name = `${random.pick(TOPICS)} ${random.pick(BODIES)} ${number + 1}`
  const columns = {
    organizer: name,
    description: '',
    phone: random.chance(0.4) ? `+49 30 ${random.whole(100000, 999999)}` : '',
    website: random.chance(0.4) ? `https://organizer-${number + 1}.example.org/` : '',
    email: random.chance(0.6) ? `info@organizer-${number + 1}.example.org` : '',
  }
  return {
    ...ORGANIZER_BLANK,
    ...recordColumns(plan.first.organizer + number, FIRST_DAY - random.whole(30, 900) * DAY),
    ...columns,
    excerpt: '',
    slug: slugify(name),
    folded: fold(name),
    search: searchLines(organizer.fields, columns),
  }
}

/** An event with its links. */
export interface GeneratedEvent {
  row: Insertable<Tables['events']>
  venues: number[]
  organizers: number[]
  terms: number[]
}

/** Makes an event by its number from 0. Starts roughly rise with the number, as in a growing calendar. */
export function generateEvent(plan: Plan, number: number): GeneratedEvent {
  const random = makeRandom(100_000_007 + number)
  const topic = random.pick(TOPICS)
  const venueNumber = random.chance(0.9) ? random.skewed(plan.venues) : undefined
  const zone = venueNumber === undefined ? 'Europe/Zurich' : townOf(venueNumber).zone
  const when = schedule(random, plan, number, zone)
  const status = random.chance(0.94) ? 'publish' : random.pick(['draft', 'draft', 'pending', 'private'])
  const isUnpublished = status === 'draft' || status === 'pending'
  const title = random.chance(0.3)
    ? `${personName(random)}: ${topic}`
    : random.pick(FORMS).replace('{}', topic)
  const prose = eventProse(random, topic, rareWordOf(plan, number))
  const excerpt = random.chance(0.1) ? (prose.paragraphs[0]?.slice(0, 1) ?? []) : []
  const published = recordColumns(
    plan.first.event + number,
    publishedBefore(random, Date.parse(`${when.start_date.replace(' ', 'T')}Z`)),
  )
  return {
    row: {
      ...EVENT_BLANK,
      ...published,
      is_free: 0,
      status,
      ...(isUnpublished ? { date_utc: NEVER, modified_utc: published.date } : {}),
      uid: `event-${number + 1}@calendar.example`,
      slug: isUnpublished ? '' : `${once(slugs, title, slugify)}-${number + 1}`,
      search: [
        once(folded, title, searched),
        excerpt.map(foldedSentence).join(' '),
        prose.paragraphs.flat().map(foldedSentence).join(' '),
      ].join('\n'),
      title,
      description: writtenProse(prose),
      excerpt: excerpt.join(' '),
      ...when,
      timezone: zone,
      cost: random.chance(0.4) ? '[]' : JSON.stringify([random.pick(['0', '5', '12', '18.50', '25', '40'])]),
      website: random.chance(0.3) ? `https://events.example.org/${number + 1}` : '',
      show_map: 1,
      show_map_link: 1,
      hide_from_listings: Number(random.chance(0.005)),
      sticky: Number(random.chance(0.005)),
      featured: Number(random.chance(0.03)),
    },
    venues: venueNumber === undefined ? [] : [plan.first.venue + venueNumber],
    organizers: random.chance(0.35) ? [plan.first.organizer + random.skewed(plan.organizers)] : [],
    terms: someTerms(random, plan.first.term),
  }
}

/**
 * Returns the rare word of an event, if it has one. About 20 events of a million share a word, at least two;
 * they lie at equal distances.
 */
function rareWordOf(plan: Plan, number: number): string | undefined {
  const slots = RARE_WORDS.length * Math.max(2, Math.round(plan.events / 50_000))
  const step = Math.max(1, Math.floor(plan.events / slots))
  return number % step === 0 ? RARE_WORDS[(number / step) % RARE_WORDS.length] : undefined
}

/** Returns mostly one category and up to two tags. */
function someTerms(random: Random, first: number): number[] {
  const categoryIds = Array.from(
    { length: random.chance(0.1) ? 2 : 1 },
    () => first + random.skewed(CATEGORIES.length),
  )
  const tagIds = Array.from(
    { length: random.pick([0, 0, 0, 0, 1, 2]) },
    () => first + CATEGORIES.length + random.skewed(TAGS.length),
  )
  return [...new Set([...categoryIds, ...tagIds])]
}

/**
 * Returns times within the four years, mostly afternoons and evenings. One event in ten is all-day, and one
 * in twelve takes several days.
 */
function schedule(random: Random, plan: Plan, number: number, zone: string) {
  const scatter = (random.next() - 0.5) * 120 * DAY
  const wanted = FIRST_DAY + (number / plan.events) * (LAST_DAY - FIRST_DAY) + scatter
  const day = Math.floor(Math.min(LAST_DAY, Math.max(FIRST_DAY, wanted)) / DAY) * DAY
  const allDay = random.chance(0.1)
  const start =
    day +
    random.pick([9, 10, 11, 14, 15, 17, 18, 19, 19, 20, 20, 21]) * 3_600_000 +
    random.pick([0, 0, 15, 30, 45]) * 60_000
  const days = random.chance(0.08) ? random.whole(1, 20) : 0
  const end = start + days * DAY + random.pick([60, 90, 120, 120, 180, 240]) * 60_000
  return {
    ...settleWhen({ start: stamp(start), end: stamp(end), timezone: zone, allDay }),
    all_day: Number(allDay),
  }
}

/**
 * Returns a date of publication a week to half a year before the start, and before the middle: with a later
 * date, a changed event would become scheduled.
 */
function publishedBefore(random: Random, start: number): number {
  return Math.min(start, MIDDLE - 30 * DAY) - random.whole(7, 180) * DAY - random.whole(0, 86_399) * 1000
}

/** Results for texts that many events share: without them, a million events would take much longer. */
const slugs = new Map<string, string>()
const folded = new Map<string, string>()
const searched = (text: string) => fold(plainText(text))
const foldedSentence = (sentence: string) => once(folded, sentence, searched)

function once(known: Map<string, string>, text: string, work: (text: string) => string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const result = work(text)
  if (known.size < 200_000) known.set(text, result)
  return result
}

/**
 * Returns the folded text of an event by the rules of the service. The generator folds each sentence only
 * once instead.
 */
export function expectedSearch(
  row: Pick<GeneratedEvent['row'], 'title' | 'excerpt' | 'description'>,
): string {
  return [row.title, row.excerpt, row.description].map((text) => searched(text ?? '')).join('\n')
}

/**
 * Returns the search column of a venue or organizer: a line for each declared text, as the rules of linked
 * records write it.
 */
function searchLines(fields: Fields, columns: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .flatMap(([name, field]) => {
      const value = columns[name]
      return field.kind.toColumn && typeof value === 'string' && value !== '' ? [searched(value)] : []
    })
    .join('\n')
}

/** Formats ms since the epoch as `YYYY-MM-DD HH:MM:SS` in UTC. */
export function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

function degrees(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
