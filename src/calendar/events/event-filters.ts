import { sql } from 'kysely'
import {
  ATTENDANCES,
  type Attendance,
  attendances,
  collapse,
  type EventStatus,
  eventStatuses,
  timesOfDay,
  whenWord,
} from '../../base/fields/event-fields.ts'
import { accessFacts, accessList, factsIn } from '../../base/fields/event-members.ts'
import { type Parsed, pageFilters } from '../../base/fields/field.ts'
import {
  box,
  distance,
  flag,
  ids,
  idsOrSlugs,
  isInBox,
  latitude,
  longitude,
  recordId,
  switchWord,
  text,
  untypedMoment,
  words,
} from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { hasSearchedWords, parseSearch } from '../../base/text/search.ts'
import { type WantedWord, wantedWords } from '../../base/text/stems.ts'
import type { EventWindow, IndexQuery } from '../../store/memory/event-index-list.ts'
import { type EventMemory, findKnownWords, findSearched } from '../../store/memory/event-memory.ts'
import { distanceKm } from '../../store/storage/distance.ts'
import { type IdSet, idsInBoth } from '../../store/storage/id-set.ts'
import type { EventRow, Taxonomy } from '../../store/storage/schema.ts'
import { findWords, type WordsFound } from '../../store/storage/search/find-words.ts'
import { alsoMatching, stemsOfEvent, stemsOfName } from '../../store/storage/search/search-index.ts'
import type { Context } from '../declare/context.ts'
import { type Filter, linkWriter, type PartNarrowing, type SqlNarrowing } from '../declare/filter.ts'
import { geoCircle, geoFilter } from '../linked/linked-filters.ts'
import { mayRead } from '../people/caller.ts'
import { isEventOrSeries } from '../records/record-rules.ts'
import {
  isAllowedStatusList,
  isModifiedAfter,
  type StatusFilter,
  statusLinks,
} from '../records/record-store.ts'
import {
  atVenueInBox,
  atVenues,
  atVenueWithin,
  beginningAt,
  byOrganizers,
  type Condition,
  inTerms,
  listedTo,
  located,
  modifiedAfter,
  withAccess,
  withIds,
  withinWindow,
} from './event-conditions.ts'
import { isShown } from './event-present.ts'
import type { EventLinks } from './event-store.ts'
import { beginsAt, defaultWindowOf, hoursOf, narrowedTo, timesOf, WITHOUT_BOUNDS } from './event-when.ts'
import { areKnownRecords, areKnownTerms, areMet, currentMemory, inKnownTerms } from './known-records.ts'
import type { KeptColumns } from './withdrawn-store.ts'

export interface LoadedEvent {
  row: EventRow
  links: EventLinks
}

/** An event as filters test it. If the event is withdrawn, `search` is only its title. */
export interface FilteredEvent {
  row: KeptColumns & Pick<EventRow, 'search'>
  /** `terms` are ids of categories and tags. */
  links: Pick<EventLinks, 'venues' | 'organizers'> & { terms: readonly number[] }
}

/** Parameters that make one condition together. Some, such as `window`, narrow every list, even unsent. */
export type EventPart = 'window' | 'status' | 'place' | 'search' | 'words'

export interface EventGround {
  context: Context
  window: EventWindow
  status: StatusFilter
}

export interface AroundEvents extends EventGround {
  /** Ids of the terms that `categories` and `tags` name, and of their descendants. */
  terms: Readonly<Record<Taxonomy, ReadonlySet<number>>>
  isLocated: boolean
  words: readonly (readonly MeantWord[])[]
}

/** `terms` are ids of terms whose name has the word, and of their descendants. */
export type MeantWord = Pick<WantedWord, 'stems'> & { terms: ReadonlySet<number> }

interface EventNarrowing<Value> extends SqlNarrowing<Value, EventGround, Condition> {
  /**
   * Adds the value to the query of the index; undefined if only the database can answer it. Without this
   * function, the database always answers.
   */
  index?(value: Value, asked: IndexQuery, memory: EventMemory, ground: EventGround): IndexQuery | undefined
  /** True if a withdrawn event matches. Kept simple, since tests compare `sql` and `index` with it. */
  accepts(event: FilteredEvent, value: Value, around: AroundEvents): boolean
}

export type EventFilter<Value> = Filter<Value, EventPart, EventGround, EventNarrowing<NoInfer<Value>>>

/** Keeps the exact text of `about`, so that a missing translation does not compile. */
function eventFilter<Value, const About extends string>(
  filter: EventFilter<Value> & { about: About },
): EventFilter<Value> & { about: About } {
  return filter
}

/** Compares one column. `kept` returns what the column stores; never null, which equals nothing in SQL. */
function byColumn<Column extends keyof KeptColumns, Value>(
  column: Column,
  kept: (value: Value) => NonNullable<KeptColumns[Column]>,
): Pick<EventNarrowing<Value>, 'sql' | 'accepts'> {
  return {
    sql: (value) => (record) => record(sql.ref(`events.${column}`), '=', kept(value)),
    accepts: ({ row }, value) => row[column] === kept(value),
  }
}

const asDigit = { ofSent: Number }

/** Links repeat the resolved bound, not the sent one (rule 11.4). */
const asWorkedOut = (edge: keyof EventWindow) => ({ ofList: ({ window }: EventGround) => window[edge] })

/** The parameters of lists of events (rules 12, 13 and 15). */
export const eventFilters = {
  page: eventFilter({ ...pageFilters.page, part: 'none', links: 'none' }),
  per_page: eventFilter({ ...pageFilters.per_page, part: 'none', links: 'none' }),
  start_date: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start on this day or later',
    default: defaultWindowOf('start'),
    part: 'window',
    links: asWorkedOut('from'),
  }),
  end_date: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start on this day or earlier',
    default: defaultWindowOf('end'),
    part: 'window',
    links: asWorkedOut('to'),
  }),
  starts_before: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start before this date',
    part: 'window',
    links: asWorkedOut('startsBefore'),
  }),
  starts_after: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start after this date',
    part: 'window',
    links: asWorkedOut('startsAfter'),
  }),
  ends_before: eventFilter({
    kind: untypedMoment,
    about: 'Only events that end before this date',
    part: 'window',
    links: asWorkedOut('endsBefore'),
  }),
  ends_after: eventFilter({
    kind: untypedMoment,
    about: 'Only events that end after this date',
    part: 'window',
    links: asWorkedOut('endsAfter'),
  }),
  strict_dates: eventFilter({
    kind: switchWord,
    about: 'Take the dates to the second instead of by whole days',
    default: 'false',
    part: 'window',
    links: { ofSent: (isOn) => isOn || undefined },
  }),
  when: eventFilter({
    kind: whenWord,
    about: 'Only events at this time, by the clock of the site',
    unlisted: true,
    sql: (word, { context }) =>
      withinWindow(narrowedTo(WITHOUT_BOUNDS, timesOf(word, context.site, context.now))),
    index: (word, asked, _memory, { context }) => ({
      ...asked,
      window: narrowedTo(asked.window, timesOf(word, context.site, context.now)),
    }),
    accepts: ({ row: { start_date: start, end_date: end } }, word, { context }) => {
      const {
        startsAfter = '',
        startsBefore = '9',
        endsAfter = '',
      } = timesOf(word, context.site, context.now)
      return start > startsAfter && start < startsBefore && end > endsAfter
    },
  }),
  time: eventFilter({
    kind: timesOfDay,
    about: 'Only events that begin at one of these times of day',
    unlisted: true,
    sql: (times) => beginningAt(hoursOf(times)),
    index: (times, asked) => ({ ...asked, hours: hoursOf(times) }),
    accepts: ({ row }, times) => beginsAt(hoursOf(times), row),
  }),
  search: eventFilter({
    kind: text,
    about: 'Only events with these words in their title, excerpt or description',
    within: limits.search,
    part: 'search',
  }),
  words: eventFilter({
    kind: text,
    about:
      'Only events with all of these words, in any form and with a wrong letter forgiven, in their texts or \
the names of their venues, organizers, categories and tags; the best come first',
    unlisted: true,
    within: limits.search,
    part: 'words',
  }),
  categories: eventFilter({
    kind: idsOrSlugs,
    about: 'Only events in any of these categories, by id or slug',
    lookUp: areKnownTerms('category'),
    sql: (entries, { context }) => inTerms('category', entries, context),
    index: (entries, asked, memory) => inKnownTerms(memory, 'category', entries, asked),
    accepts: ({ links }, _entries, { terms }) => links.terms.some((id) => terms.category.has(id)),
  }),
  tags: eventFilter({
    kind: idsOrSlugs,
    about: 'Only events with any of these tags, by id or slug',
    lookUp: areKnownTerms('tag'),
    sql: (entries, { context }) => inTerms('tag', entries, context),
    index: (entries, asked, memory) => inKnownTerms(memory, 'tag', entries, asked),
    accepts: ({ links }, _entries, { terms }) => links.terms.some((id) => terms.tag.has(id)),
  }),
  venue: eventFilter({
    kind: ids,
    about: 'Only events at any of these venues, by id',
    lookUp: areKnownRecords('venue'),
    sql: atVenues,
    index: (venues, asked, memory) => (areMet(memory, 'venue', venues) ? { ...asked, venues } : undefined),
    accepts: ({ links }, wanted, { context }) =>
      links.venues.some((venue) => wanted.includes(venue.id) && isShown(context, venue)),
  }),
  organizer: eventFilter({
    kind: ids,
    about: 'Only events of any of these organizers, by id',
    lookUp: areKnownRecords('organizer'),
    sql: byOrganizers,
    index: (organizers, asked, memory) =>
      areMet(memory, 'organizer', organizers) ? { ...asked, organizers } : undefined,
    accepts: ({ links }, wanted, { context }) =>
      links.organizers.some((organizer) => wanted.includes(organizer.id) && isShown(context, organizer)),
  }),
  featured: eventFilter({
    kind: flag,
    about: 'Only featured events, or only those that are not',
    ...byColumn('featured', Number),
    index: (featured, asked) => ({ ...asked, featured }),
    links: asDigit,
  }),
  modified_after: eventFilter({
    kind: untypedMoment,
    about: 'Only records changed after this time',
    unlisted: true,
    sql: modifiedAfter,
    accepts: ({ row }, wanted, { context }) => isModifiedAfter(row, wanted, context),
  }),
  status: eventFilter({
    kind: words,
    about: 'Only events with one of these statuses',
    valid: isAllowedStatusList,
    part: 'status',
    links: { ofList: ({ status }) => statusLinks(status).status },
  }),
  event_status: eventFilter({
    kind: eventStatuses,
    about: 'Only events that are scheduled, canceled or postponed: any of these words',
    unlisted: true,
    sql: (wanted) => (record) => record('event_status', 'in', wanted as EventStatus[]),
    accepts: ({ row }, wanted) => wanted.includes(row.event_status),
  }),
  free: eventFilter({
    kind: flag,
    about: 'Only events that are free of charge, or only those of which that is not known',
    unlisted: true,
    sql: (free) => (record) => record('events.is_free', '=', Number(free)),
    index: (free, asked) => ({ ...asked, free }),
    accepts: ({ row }, free) => (row.is_free === 1) === free,
    links: asDigit,
  }),
  attendance: eventFilter({
    kind: attendances,
    about: 'Only events in which people take part in one of these ways',
    unlisted: true,
    sql: (wanted) => (record) => record('events.attendance', 'in', wanted as Attendance[]),
    index: (wanted, asked) => ({
      ...asked,
      attendance: ATTENDANCES.flatMap((way, at) => (wanted.includes(way) ? [at] : [])),
    }),
    accepts: ({ row }, wanted) => wanted.includes(row.attendance),
  }),
  access: eventFilter({
    kind: accessList,
    about: 'Only events that have all of these facts of access, themselves or by their venue',
    unlisted: true,
    sql: withAccess,
    index: (facts, asked) => ({ ...asked, access: facts.map((fact) => accessFacts.indexOf(fact)) }),
    accepts: ({ row, links }, wanted, { context }) => {
      const records = [row, ...links.venues.filter((venue) => isShown(context, venue))]
      return wanted.every((fact) => records.some((record) => factsIn(record, [fact]).length > 0))
    },
  }),
  geoloc: eventFilter({
    kind: flag,
    about: 'Only events whose venue has coordinates, or only those whose venue has none',
    part: 'place',
    links: asDigit,
  }),
  geoloc_lat: eventFilter({
    kind: latitude,
    about: 'The latitude to look around; needs geoloc_lng',
    part: 'place',
  }),
  geoloc_lng: eventFilter({
    kind: longitude,
    about: 'The longitude to look around; needs geoloc_lat',
    part: 'place',
  }),
  bbox: eventFilter({
    kind: box,
    about: 'Only events whose venue lies in this part of the map: west, south, east and north in degrees',
    unlisted: true,
    sql: atVenueInBox,
    index: (wanted, asked) => ({ ...asked, box: wanted }),
    accepts: ({ links }, wanted, { context }) =>
      links.venues.some((venue) => isShown(context, venue) && isInBox(wanted, venue.geo_lat, venue.geo_lng)),
    links: { ofSent: ({ west, south, east, north }) => [west, south, east, north].join(',') },
  }),
  include: eventFilter({
    kind: ids,
    about: 'Only the events with these ids, whenever they are',
    sql: withIds,
    accepts: ({ row }, wanted) => wanted.includes(row.id),
  }),
  post_parent: eventFilter({
    kind: recordId,
    about: 'Only dates of the series with this id',
    lookUp: isEventOrSeries,
    // The id of an event is valid, but finds nothing (rule 13.7).
    ...byColumn('series', Number),
    index: (wanted, asked) => ({ ...asked, series: [wanted] }),
  }),
  // `isCollapsed` handles `collapse`, after all other filters.
  collapse: eventFilter({
    kind: collapse,
    about: 'With series, only the first occurrence that the list finds of each series',
    unlisted: true,
    part: 'none',
  }),
  hide_subsequent_recurrences: eventFilter({
    kind: flag,
    about: 'The same as collapse=series, when true',
    unlisted: true,
    part: 'none',
    links: asDigit,
  }),
  ticketed: eventFilter({
    kind: flag,
    about: 'Only events that sell tickets, which this service does not',
    valid: (value) => (flag.read(value) === true ? { why: 'ticketed' } : true),
    part: 'none',
    links: 'none',
  }),
  geoloc_radius: eventFilter({
    kind: distance,
    about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres',
    part: 'place',
  }),
}

export type EventsQuery = Parsed<typeof eventFilters>

/** Writes the parameters of links, in the order that clients know. */
export const writeEventParameters = linkWriter<EventGround, typeof eventFilters>(eventFilters, [
  'start_date',
  'end_date',
  'search',
  'geoloc',
  'geoloc_lat',
  'geoloc_lng',
  'geoloc_radius',
  'status',
  'post_parent',
  'include',
  'starts_before',
  'starts_after',
  'ends_before',
  'ends_after',
  'strict_dates',
  'venue',
  'organizer',
  'featured',
  'categories',
  'tags',
  'event_status',
  'when',
  'time',
  'free',
  'attendance',
  'access',
  'bbox',
  'words',
  'collapse',
])

interface EventPartRules {
  sql: PartNarrowing<EventsQuery, EventGround, Condition>
  index: (
    asked: IndexQuery,
    query: EventsQuery,
    ground: EventGround,
    memory: EventMemory,
  ) => IndexQuery | undefined
  accepts: (event: FilteredEvent, query: EventsQuery, around: AroundEvents) => boolean
}

/** The rules of all parts but `search` and `words`, which narrow the resulting list. */
export const eventFilterParts: Record<Exclude<EventPart, 'search' | 'words'>, EventPartRules> = {
  status: {
    sql: (_query, { status, context }) => listedTo(context, status.statuses),
    // The index has only published events, so it can answer `status=publish`, which links often repeat.
    index: (asked, { status }) => (!status || areAllPublished(status) ? asked : undefined),
    accepts: ({ row }, _query, { status, context }) =>
      row.hide_from_listings === 0 &&
      status.statuses.some((listed) => listed === row.status) &&
      mayRead(context.caller, row),
  },
  window: {
    sql: (_query, { window }) => withinWindow(window),
    index: (asked) => asked,
    accepts: ({ row: { start_date: start, end_date: end } }, _query, { window }) =>
      (window.startsAfter === undefined
        ? window.from === undefined || start >= window.from
        : start > window.startsAfter) &&
      (window.endsBefore === undefined
        ? window.to === undefined || start <= window.to
        : end < window.endsBefore) &&
      (window.startsBefore === undefined || start < window.startsBefore) &&
      (window.endsAfter === undefined || end > window.endsAfter),
  },
  place: {
    sql: async (query, { context }) => {
      const { geoloc, circle } = await geoFilter(context, query)
      const conditions = [
        ...(geoloc === undefined ? [] : [located(geoloc, context)]),
        ...(circle ? [atVenueWithin(circle, context)] : []),
      ]
      return (record) => record.and(conditions.map((one) => one(record)))
    },
    index: (asked, query, { context }, { index }) => {
      const circle = geoCircle(context, query)
      const { geoloc } = query
      if (!circle && geoloc === undefined) return asked
      const isLocated = index !== undefined && index.places.all.size > 0
      return isLocated ? { ...asked, circle, geoloc } : asked
    },
    accepts: ({ links }, query, { context, isLocated }) => {
      const circle = geoCircle(context, query)
      if (!isLocated) return true
      const venues = links.venues.filter((venue) => isShown(context, venue))
      const isInCircle = venues.some(
        ({ geo_lat: lat, geo_lng: lng }) =>
          circle &&
          lat !== null &&
          lng !== null &&
          distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius,
      )
      const { geoloc } = query
      return (
        (geoloc === undefined || venues.some((venue) => venue.geo_lat !== null) === geoloc) &&
        (!circle || isInCircle)
      )
    },
  },
}

function areAllPublished(statuses: readonly string[]): boolean {
  return statuses.length > 0 && statuses.every((status) => status === 'publish')
}

/** Looks for text in title, excerpt and description (rule 14.2). */
export const eventSearch = {
  sql: async (text: string, all: Condition, { db, findMatching }: Context): Promise<Condition> => {
    const searched = await alsoMatching(db, parseSearch(text), findMatching)
    return (record) => record.and([searched(all(record))])
  },
  /** Adds the search to the index query; a promise unless memory has the result. */
  index: (text: string, asked: IndexQuery, memory: EventMemory, { findMatching }: Context) => {
    const among = findSearched(memory.searches, memory.version, text, findMatching)
    const both = (ids: IdSet) => ({ ...asked, among: asked.among ? idsInBoth(asked.among, ids) : ids })
    return among instanceof Promise ? among.then(both) : both(among)
  },
  accepts: (text: string, { row }: FilteredEvent) => hasSearchedWords(parseSearch(text), row.search),
}

/** Looks for words in events and in the names of their linked records (rule 14.6). */
export const eventWords = {
  /** Finds events with the words. Undefined for blank text; a promise unless memory has the result. */
  find: (text: string, context: Context): WordsFound | undefined | Promise<WordsFound> => {
    if (text.trim() === '') return undefined
    const memory = currentMemory(context)
    return memory ? findKnownWords(memory, text, context) : findWords(context, wantedWords(text))
  },
  accepts: ({ row, links }: FilteredEvent, { words }: Pick<AroundEvents, 'words'>): boolean => {
    const shown = [...links.venues, ...links.organizers].filter(({ status }) => status === 'publish')
    const names = shown.map((record) =>
      stemsOfName('venue' in record ? `${record.venue} ${record.city}` : record.organizer),
    )
    const places = [stemsOfEvent(row.search), ...names]
    return (
      words.length > 0 &&
      words.every((readings) =>
        readings.some(
          ({ stems, terms }) =>
            places.some((place) => stems.every((stem) => place.has(stem))) ||
            links.terms.some((id) => terms.has(id)),
        ),
      )
    )
  },
}
