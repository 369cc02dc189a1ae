import { isTruthy } from '../../src/base/fields/kinds.ts'
import { fold } from '../../src/base/text/characters.ts'
import { plainText } from '../../src/base/text/html.ts'
import { formatUtc, wallNow } from '../../src/base/text/moments.ts'
import { parseWords } from '../../src/base/text/search.ts'
import { canonicalSlug, slugify } from '../../src/base/text/slugs.ts'
import { nearWords, stemsIn, wantedWords } from '../../src/base/text/stems.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import {
  type EventFilter,
  type EventsQuery,
  eventFilterParts,
  eventFilters,
  eventSearch,
  eventWords,
  type LoadedEvent,
  type MeantWord,
} from '../../src/calendar/events/event-filters.ts'
import { isShown } from '../../src/calendar/events/event-present.ts'
import { findEventLinks } from '../../src/calendar/events/event-store.ts'
import { eventWindow } from '../../src/calendar/events/event-when.ts'
import { isCollapsed } from '../../src/calendar/events/find-events.ts'
import { geoCircle, type LinkedQuery } from '../../src/calendar/linked/linked-filters.ts'
import type { LinkedRow } from '../../src/calendar/linked/linked-store.ts'
import { type Caller, can, mayRead, seesAll, seesOwn } from '../../src/calendar/people/caller.ts'
import { isModifiedAfter, statusFilter } from '../../src/calendar/records/record-store.ts'
import type { TermsQuery } from '../../src/calendar/terms/term-filters.ts'
import type { Db } from '../../src/store/storage/database.ts'
import { distanceKm } from '../../src/store/storage/distance.ts'
import type { EventRow, OrganizerRow, Taxonomy, TermRow, VenueRow } from '../../src/store/storage/schema.ts'
import type { Path } from './random-calendar.ts'

export interface Stored {
  events: readonly LoadedEvent[]
  venues: readonly VenueRow[]
  organizers: readonly OrganizerRow[]
  terms: ReadonlyMap<number, TermRow>
}

export async function readStored(db: Db): Promise<Stored> {
  const [rows, venues, organizers, terms] = await Promise.all([
    db.selectFrom('events').selectAll().execute(),
    db.selectFrom('venues').selectAll().execute(),
    db.selectFrom('organizers').selectAll().execute(),
    db.selectFrom('terms').selectAll().execute(),
  ])
  const links = await findEventLinks(db, rows)
  const events = rows.flatMap((row) => {
    const own = links.get(row.id)
    return own ? [{ row, links: own }] : []
  })
  return { events, venues, organizers, terms: new Map(terms.map((term) => [term.id, term])) }
}

export function listPlainly(
  stored: Stored,
  path: Path,
  query: object,
  context: Context,
  order: 'best' | 'start' = 'best',
): number[] {
  if (path === 'events') return listEvents(stored, query, context, order)
  if (path === 'venues') return listLinked(stored, stored.venues, query, context)
  if (path === 'organizers') return listLinked(stored, stored.organizers, query, context)
  return listTerms(stored, path === 'categories' ? 'category' : 'tag', query, context)
}

type Accepts<Row, Value, Around> = { accepts(record: Row, value: Value, around: Around): boolean }['accepts']

type Meaning<Query, Row, Around> = {
  readonly [Name in keyof Query]-?: 'part' | Accepts<Row, Exclude<Query[Name], undefined>, Around>
}

function isMeantBy<Query extends object, Row, Around>(
  meaning: Meaning<Query, Row, Around>,
  query: Query,
  record: Row,
  around: Around,
): boolean {
  const meanings: Readonly<Record<string, 'part' | Accepts<Row, unknown, Around>>> = meaning
  return Object.entries(query).every(([name, value]) => {
    const accepts = meanings[name]
    return value === undefined || typeof accepts !== 'function' || accepts(record, value, around)
  })
}

const isLocated = ({ venues }: Stored, context: Context) =>
  venues.some((venue) => venue.geo_lat !== null && isShown(context, venue))

const eventRows: Readonly<Record<string, EventFilter<unknown>>> = eventFilters

function collapsed(events: readonly LoadedEvent[], query: EventsQuery): readonly LoadedEvent[] {
  if (!isCollapsed(query)) return events
  const met = new Set<number>()
  return events.filter(({ row: { series } }) => series === null || (!met.has(series) && met.add(series)))
}

function listEvents(stored: Stored, query: EventsQuery, context: Context, order: 'best' | 'start'): number[] {
  const window = eventWindow(query, context)
  const terms = {
    category: idsMeant(stored.terms, 'category', query.categories),
    tag: idsMeant(stored.terms, 'tag', query.tags),
  }
  const asked = statusFilter(context.caller, query.status)
  const around = {
    context,
    window,
    status: asked,
    terms,
    isLocated: isLocated(stored, context),
    words: [] as MeantWord[][],
  }
  const hasWords = query.words !== undefined && query.words.trim() !== ''
  if (hasWords) around.words = wordsMeant(stored, query.words ?? '')
  const { status, window: dates, place } = eventFilterParts
  const listed = stored.events.filter(({ row, links }) => {
    const event = {
      row,
      links: { ...links, terms: [...links.categories, ...links.tags].map(({ id }) => id) },
    }
    return (
      [place, status, dates].every((part) => part.accepts(event, query, around)) &&
      (query.search === undefined || eventSearch.accepts(query.search, event)) &&
      (!hasWords || eventWords.accepts(event, around)) &&
      Object.entries(query).every(([name, value]) => {
        const filter = eventRows[name]
        return (
          value === undefined || filter?.part !== undefined || filter?.accepts(event, value, around) === true
        )
      })
    )
  })
  const key = ({ row }: LoadedEvent) => [query.include ? '' : row.start_date, row.date].join(' ')
  const inOrder = listed.sort(
    (a, b) =>
      compare(a.row.start_date, b.row.start_date) || compare(a.row.date, b.row.date) || a.row.id - b.row.id,
  )
  const shown = [...collapsed(inOrder, query)]
  if (hasWords && order === 'best') return byRank(shown, around.words, context).map(({ row }) => row.id)
  return shown.sort((a, b) => compare(key(a), key(b)) || a.row.id - b.row.id).map(({ row }) => row.id)
}

function byRank(events: LoadedEvent[], words: readonly (readonly MeantWord[])[], { site, now }: Context) {
  const today = wallNow(site.timezone, now).slice(0, 10)
  const placeOf = ({ row, links }: LoadedEvent) => {
    const isIn = (inNames: boolean) =>
      words.every((readings) =>
        readings.some(
          ({ stems, terms }) =>
            hasAll(stemsIn(row.search.split('\n')[0] ?? ''), stems) ||
            (inNames && isNamed({ row, links }, stems, terms)),
        ),
      )
    return isIn(false) ? 0 : isIn(true) ? 1 : 2
  }
  const isPast = ({ row }: LoadedEvent) => Number(row.end_date.slice(0, 10) < today)
  return events.sort(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      isPast(a) - isPast(b) ||
      (isPast(a) ? -1 : 1) * compare(a.row.start_date, b.row.start_date) ||
      compare(a.row.date, b.row.date) ||
      a.row.id - b.row.id,
  )
}

const hasAll = (own: ReadonlySet<string>, stems: readonly string[]) => stems.every((stem) => own.has(stem))

function isNamed({ links }: LoadedEvent, stems: readonly string[], terms: ReadonlySet<number>): boolean {
  const names = [
    ...links.venues.filter(({ status }) => status === 'publish').map(({ venue, city }) => `${venue} ${city}`),
    ...links.organizers.filter(({ status }) => status === 'publish').map(({ organizer }) => organizer),
  ]
  return (
    names.some((name) => hasAll(stemsIn(fold(plainText(name))), stems)) ||
    [...links.categories, ...links.tags].some(({ id }) => terms.has(id))
  )
}

function wordsMeant({ events, terms }: Stored, text: string): MeantWord[][] {
  const termsNamed = (stems: readonly string[]) => {
    const isCalled = (term: TermRow): boolean => {
      const above = terms.get(term.parent)
      return hasAll(stemsIn(fold(plainText(term.name))), stems) || (above !== undefined && isCalled(above))
    }
    return new Set([...terms.values()].filter(isCalled).map(({ id }) => id))
  }
  const having = (stems: readonly string[]) => {
    const named = termsNamed(stems)
    return events.filter((event) => hasAll(stemsIn(event.row.search), stems) || isNamed(event, stems, named))
  }
  const isPublic = ({ row }: LoadedEvent) => row.status === 'publish' && row.hide_from_listings === 0
  let corrections = 0
  return wantedWords(text).map((word) => {
    const { stems } = word
    if (having(stems).some(isPublic)) return [{ stems, terms: termsNamed(stems) }]
    const near = ++corrections > 2 ? [] : [...nearWords(word)]
    const weighed = near.map(([stem, written]) => ({ stem, written, events: having([stem]) }))
    weighed.sort((a, b) => b.events.length - a.events.length || compare(a.written, b.written))
    const better = weighed.slice(0, 6).find(({ events: found }) => found.some(isPublic))
    return better ? [{ stems: [better.stem], terms: termsNamed([better.stem]) }] : []
  })
}

type Terms = Stored['terms']

function termMeant(terms: Terms, taxonomy: Taxonomy, entry: string): TermRow | undefined {
  const own = [...terms.values()].filter((term) => term.taxonomy === taxonomy).sort((a, b) => a.id - b.id)
  return (
    own.find(({ slug }) => slug === canonicalSlug(entry)) ??
    own.find(({ id }) => String(id) === entry) ??
    own.find(({ name }) => name.toLowerCase() === entry.toLowerCase()) ??
    own.find(({ slug }) => slug === slugify(entry))
  )
}

function idsMeant(terms: Terms, taxonomy: Taxonomy, entries: readonly string[] = []): ReadonlySet<number> {
  const meant = new Set(entries.map((entry) => termMeant(terms, taxonomy, entry)?.id ?? 0))
  const isMeant = ({ id, parent }: TermRow): boolean => {
    const above = terms.get(parent)
    return meant.has(id) || (above !== undefined && isMeant(above))
  }
  return new Set([...terms.values()].filter(isMeant).map(({ id }) => id))
}

interface AroundLinked {
  context: Context
  events: readonly EventRow[]
  isLocated: boolean
  query: LinkedQuery
}

type FilteredRow = LinkedRow & Partial<Pick<VenueRow, 'geo_lat' | 'geo_lng'>>

const seenOf = ({ context, events }: AroundLinked) => events.filter((event) => mayRead(context.caller, event))

function isUpcoming(event: EventRow, { caller, now }: Context): boolean {
  const { statuses } = statusFilter(caller, undefined)
  const isListed = event.hide_from_listings === 0 && statuses.some((status) => status === event.status)
  return isListed && event.utc_start_date >= formatUtc(now)
}

const linkedMeaning: Meaning<LinkedQuery, FilteredRow, AroundLinked> = {
  page: 'part',
  per_page: 'part',
  status: 'part',
  geoloc: 'part',
  geoloc_lat: 'part',
  geoloc_lng: 'part',
  geoloc_radius: 'part',
  search: ({ search }, wanted) => {
    const parsed = parseWords(wanted)
    return parsed.length > 0 && search.split('\n').some((line) => parsed.every((word) => line.includes(word)))
  },
  event: (_record, id, around) => seenOf(around).some((event) => event.id === id),
  has_events: (_record, wanted, around) =>
    seenOf(around).some(({ status }) => !['pending', 'draft', 'trash'].includes(status)) === isTruthy(wanted),
  only_with_upcoming: (_record, wanted, around) =>
    !wanted || seenOf(around).some((event) => isUpcoming(event, around.context)),
  modified_after: (row, wanted, { context }) => isModifiedAfter(row, wanted, context),
}

function isListedAt(record: FilteredRow, query: LinkedQuery, { context, isLocated }: AroundLinked): boolean {
  const { geo_lat: lat = null, geo_lng: lng = null, status } = record
  const { statuses } = statusFilter(context.caller, query.status)
  const circle = geoCircle(context, query)
  if (!statuses.some((listed) => listed === status) || !mayRead(context.caller, record)) return false
  if (!isLocated) return true
  const isThere = lat !== null && lng !== null
  return (
    (query.geoloc === undefined || isThere === query.geoloc) &&
    (!circle || (isThere && distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius))
  )
}

function listLinked(
  stored: Stored,
  records: readonly FilteredRow[],
  query: LinkedQuery,
  context: Context,
): number[] {
  const eventsOf = (id: number): EventRow[] =>
    stored.events
      .filter(({ links }) => [...links.venues, ...links.organizers].some((record) => record.id === id))
      .map(({ row }) => row)
  const listed = records.filter((record) => {
    const around = { context, query, events: eventsOf(record.id), isLocated: isLocated(stored, context) }
    return isListedAt(record, query, around) && isMeantBy(linkedMeaning, query, record, around)
  })
  return listed.sort((a, b) => compare(b.date, a.date) || b.id - a.id).map(({ id }) => id)
}

interface AroundTerms {
  context: Context
  terms: Terms
  query: TermsQuery
  eventsOf: (term: TermRow) => readonly EventRow[]
}

const isAmong = ({ id, taxonomy }: TermRow, entries: readonly string[], { terms }: AroundTerms) =>
  entries.some((entry) =>
    /^\d+$/.test(entry) ? Number(entry) === id : termMeant(terms, taxonomy, entry)?.id === id,
  )

const termMeaning: Meaning<TermsQuery, TermRow, AroundTerms> = {
  page: 'part',
  per_page: 'part',
  order: 'part',
  orderby: 'part',
  hide_empty: 'part',
  post: 'part',
  event: 'part',
  search: ({ folded, slug }, wanted) => folded.includes(fold(wanted)) || slug.includes(fold(wanted)),
  exclude: (term, entries, around) => !isAmong(term, entries, around),
  include: isAmong,
  parent: ({ parent }, wanted) => parent === wanted,
  slug: ({ slug }, wanted) => slug === canonicalSlug(wanted),
}

function ancestorsOf(terms: Terms, { parent }: TermRow): TermRow[] {
  const above = terms.get(parent)
  return above ? [above, ...ancestorsOf(terms, above)] : []
}

const seesAllTerms = (caller: Caller, taxonomy: Taxonomy) =>
  seesAll(caller) || can(caller, taxonomy === 'category' ? 'manage_categories' : 'manage_tags')

function isUsed(term: TermRow, { query, context: { caller }, terms, eventsOf }: AroundTerms): boolean {
  const { hide_empty: isHidden = true, parent } = query
  const isAbove = [...terms.values()].some(
    (other) =>
      other.taxonomy === term.taxonomy &&
      other.count > 0 &&
      ancestorsOf(terms, other).some(({ id }) => id === term.id),
  )
  if (isHidden) return term.count > 0 || (term.taxonomy === 'category' && parent === undefined && isAbove)
  const events = eventsOf(term)
  const isOwn = seesOwn(caller) && events.some(({ author }) => author === caller.id)
  return term.count > 0 || isAbove || isOwn || events.length === 0 || seesAllTerms(caller, term.taxonomy)
}

function isOfEvent(term: TermRow, { query: { event, post }, context, eventsOf }: AroundTerms): boolean {
  const asked = event ?? post
  return asked === undefined || eventsOf(term).some((one) => one.id === asked && mayRead(context.caller, one))
}

function listTerms(stored: Stored, taxonomy: Taxonomy, query: TermsQuery, context: Context): number[] {
  const { terms } = stored
  const eventsOf = (term: TermRow) =>
    stored.events
      .filter(({ links }) => [...links.categories, ...links.tags].some(({ id }) => id === term.id))
      .map(({ row }) => row)
  const around = { context, query, terms, eventsOf }
  const listed = [...terms.values()].filter(
    (term) =>
      term.taxonomy === taxonomy &&
      isUsed(term, around) &&
      isOfEvent(term, around) &&
      isMeantBy(termMeaning, query, term, around),
  )
  const key = orderOf(stored, taxonomy, query)
  const direction = query.order?.toLowerCase() === 'desc' ? -1 : 1
  return listed.sort((a, b) => direction * (compare(key(a), key(b)) || a.id - b.id)).map(({ id }) => id)
}

function orderOf({ terms }: Stored, taxonomy: Taxonomy, { orderby, include = [] }: TermsQuery) {
  const places = new Map(
    include.map((entry, place) => [
      /^\d+$/.test(entry) ? Number(entry) : termMeant(terms, taxonomy, entry)?.id,
      place,
    ]),
  )
  const keys: Record<string, (term: TermRow) => string | number> = {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    count: ({ count }) => count,
    parent: ({ parent }) => parent,
    description: ({ description }) => fold(description),
    include: ({ id }) => places.get(id) ?? id,
  }
  return keys[orderby ?? ''] ?? (({ folded }: TermRow) => folded)
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
