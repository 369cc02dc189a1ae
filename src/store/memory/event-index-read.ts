import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { madeOnce } from '../../base/cache.ts'
import { ATTENDANCES, type Attendance } from '../../base/fields/event-fields.ts'
import { accessFacts, factsIn, venueFacts } from '../../base/fields/event-members.ts'
import { hasWallForm } from '../../base/text/moments.ts'
import type { Db } from '../storage/database.ts'
import { isListed } from '../storage/listed-events.ts'
import { eachPair, packPairs } from '../storage/packed-pairs.ts'
import type { Tables, TermRow, VenueRow } from '../storage/schema.ts'
import { wholeList } from '../storage/sql-parts.ts'
import { statement } from '../storage/statement.ts'
import { noteUnshowable, type Reporting } from '../storage/unshowable.ts'
import { type EventIndex, emptyIndex, type IndexedEvent, listNoted, noteEvent } from './event-index.ts'
import { putPlace } from './places.ts'

/** Rows, or ids of events, per read; requests are served between two reads. */
const AT_ONCE = 500
/** The status of records that everybody may see (rule 11.9). */
const PUBLIC = 'publish'

export async function readTerms(db: Db): Promise<Map<number, TermRow>> {
  const rows = await db.selectFrom('terms').selectAll().execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function lastEventId(db: Db): Promise<number> {
  const { largest } = await db
    .selectFrom('events')
    .select((event) => event.fn.max('id').as('largest'))
    .executeTakeFirstOrThrow()
  return Number(largest ?? 0)
}

/**
 * Reads all listed public events into a new index, in the order of lists, which its columns require. Events
 * with malformed times are left out and reported.
 * @throws Error if `signal` is aborted
 */
export async function readIndex(
  db: Db,
  terms: ReadonlyMap<number, TermRow>,
  signal: AbortSignal,
  reporting: Reporting,
): Promise<EventIndex> {
  // Sized by the largest id, since unused memory costs nothing, while counting the events takes long.
  const last = await lastEventId(db)
  const index = emptyIndex(last + 1024, last + 1024)
  await eachAfter(
    { id: 0 },
    ({ id }) => placesAfter(db, { id }),
    (places) => notePlaces(index, places),
    signal,
  )
  await eachAfter(
    { id: 0 },
    ({ id }) => venueFactsAfter(db, { id }),
    (venues) => noteVenueAccess(index, venues),
    signal,
  )
  const access = await readColumn(accessibleAfter, (row) => factNumbers(row.access_words), db, signal)
  const free = await readColumn(freeAfter, (row) => row.is_free, db, signal)
  const attendance = await readColumn(attendedAfter, (row) => numberOfWay(row.attendance), db, signal)
  const links: EventLinks = {
    terms: await readLinks(db, 'term', last, signal),
    venues: await readLinks(db, 'venue', last, signal),
    organizers: await readLinks(db, 'organizer', last, signal),
    series: await readSeries(db, last, signal),
    access: (event) => access.get(event) ?? NONE,
    free: (event) => free.has(event),
    attendance: (event) => attendance.get(event) ?? 0,
  }
  const ancestors = ancestorsIn(terms)
  let latest: ListedRow | undefined
  for (;;) {
    const rows = await (latest ? eventsAfter(db, latest) : firstEvents(db, {}))
    for (const row of rows) if (isOrdered(row, reporting)) noteEvent(index, indexed(row, ancestors, links))
    latest = rows.at(-1)
    if (!latest) break
    await nextTurn(undefined, { signal })
  }
  listNoted(index)
  return index
}

interface ListedRow {
  id: number
  start_date: string
  end_date: string
  date: string
  featured: number
}

/** Returns false for an event with malformed times, which lists cannot sort, and reports it. */
function isOrdered(row: ListedRow, reporting: Reporting): boolean {
  const wrong = (['start_date', 'end_date'] as const).find((name) => !hasWallForm(row[name]))
  if (wrong) noteUnshowable(reporting, 'event', row.id, new Error(`its ${wrong} is no time`))
  return wrong === undefined
}

/** On SQLite one index has these columns, so reading the whole calendar touches no table row and no texts. */
const eventColumns = (db: Db) =>
  db
    .selectFrom('events')
    .select(['id', 'status', 'hide_from_listings', 'start_date', 'end_date', 'date', 'featured'])

const inOrder = (db: Db) =>
  eventColumns(db)
    .where('status', '=', PUBLIC)
    .where('hide_from_listings', '=', 0)
    .orderBy('start_date')
    .orderBy('date')
    .orderBy('id')
    .limit(sql.lit(AT_ONCE))
const firstEvents = statement<Record<never, never>>()((db) => inOrder(db))
const eventsAfter = statement<ListedRow>()((db, last) =>
  inOrder(db).where((event) =>
    event(
      event.refTuple('start_date', 'date', 'id'),
      '>',
      event.tuple(last('start_date'), last('date'), last('id')),
    ),
  ),
)

type LinksOf = (event: number) => readonly number[]

interface EventLinks {
  terms: LinksOf
  venues: LinksOf
  organizers: LinksOf
  series: (event: number) => number
  access: LinksOf
  free: (event: number) => boolean
  attendance: (event: number) => number
}

function indexed(row: ListedRow, ancestors: Ancestors, links: EventLinks): IndexedEvent {
  const terms = links.terms(row.id)
  const above: number[] = []
  for (const id of terms) for (const ancestor of ancestors(id)) above.push(ancestor)
  return {
    id: row.id,
    start_date: row.start_date,
    end_date: row.end_date,
    date: row.date,
    featured: row.featured === 1,
    terms,
    ancestors: above,
    venues: links.venues(row.id),
    organizers: links.organizers(row.id),
    series: links.series(row.id),
    access: links.access(row.id),
    free: links.free(row.id),
    attendance: links.attendance(row.id),
  }
}

type Ancestors = (term: number) => readonly number[]

function ancestorsIn(terms: ReadonlyMap<number, TermRow>): Ancestors {
  const known = new Map<number, readonly number[]>()
  const climb = (id: number): readonly number[] => {
    const found = new Set<number>()
    for (let up = terms.get(id)?.parent; up && terms.has(up) && !found.has(up); up = terms.get(up)?.parent)
      found.add(up)
    const above = [...found]
    known.set(id, above)
    return above
  }
  return (id) => known.get(id) ?? climb(id)
}

/** Returns, by id, those of the events that are public and listed. */
export type EventsAmong = (terms: ReadonlyMap<number, TermRow>) => Map<number, IndexedEvent>

/**
 * Reads events; those with malformed times are left out and reported. The returned function takes the terms,
 * read at the same time, and adds the ancestors of terms to the events.
 */
export async function readEvents(db: Db, ids: readonly number[], reporting: Reporting): Promise<EventsAmong> {
  if (ids.length === 0) return () => new Map()
  const [rows, found] = await Promise.all([findColumns(db, { ids }), findLinks(db, { ids })])
  const ofKind = Map.groupBy(found, ({ kind }) => kind)
  const seriesOf = new Map(rows.map(({ id, series }) => [id, series ?? 0]))
  const accessOf = new Map(rows.map(({ id, access_words }) => [id, factNumbers(access_words)]))
  const freeOnes = new Set(rows.flatMap(({ id, is_free }) => (is_free === 1 ? [id] : [])))
  const attendanceOf = new Map(rows.map(({ id, attendance }) => [id, numberOfWay(attendance)]))
  const links: EventLinks = {
    terms: byEvent(ofKind.get('term')),
    venues: byEvent(ofKind.get('venue')),
    organizers: byEvent(ofKind.get('organizer')),
    series: (event) => seriesOf.get(event) ?? 0,
    access: (event) => accessOf.get(event) ?? NONE,
    free: (event) => freeOnes.has(event),
    attendance: (event) => attendanceOf.get(event) ?? 0,
  }
  // Filtered here, since without statistics the database would scan all public events for this condition.
  const listed = rows.filter((row) => isListed(row) && isOrdered(row, reporting))
  return (terms) => {
    const ancestors = ancestorsIn(terms)
    return new Map(listed.map((row) => [row.id, indexed(row, ancestors, links)]))
  }
}

type LinkKind = 'term' | 'venue' | 'organizer'

/** Selects links by event and position, with the status of the linked record. Terms count as public. */
function linksOfKind(db: Db, kind: LinkKind): SelectQueryBuilder<Tables, 'event_terms', Link> {
  const query =
    kind === 'term'
      ? db
          .selectFrom('event_terms')
          .select(['event', 'term as record', sql.lit<string>(PUBLIC).as('status')])
          .orderBy('event')
      : kind === 'venue'
        ? db
            .selectFrom('event_venues')
            .innerJoin('venues', 'venues.id', 'event_venues.venue')
            .select(['event', 'event_venues.venue as record', 'venues.status'])
            .orderBy('event')
            .orderBy('position')
        : db
            .selectFrom('event_organizers')
            .innerJoin('organizers', 'organizers.id', 'event_organizers.organizer')
            .select(['event', 'event_organizers.organizer as record', 'organizers.status'])
            .orderBy('event')
            .orderBy('position')
  return query as SelectQueryBuilder<Tables, 'event_terms', Link>
}

interface Link {
  event: number
  record: number
  status: string
}

type Ids = { ids: readonly number[] }

const findColumns = statement<Ids>()((db, value) =>
  eventColumns(db)
    .select(['series', 'access_words', 'is_free', 'attendance'])
    .where('id', 'in', value('ids')),
)
const findLinks = statement<Ids>()((db, value) => {
  const ofKind = (kind: LinkKind) =>
    linksOfKind(db, kind)
      .clearOrderBy()
      .select([
        sql.lit(kind).as('kind'),
        (kind === 'term' ? sql.lit(0) : sql.ref<number>('position')).as('position'),
      ])
      .where('event', 'in', value('ids'))
  return ofKind('term').unionAll(ofKind('venue')).unionAll(ofKind('organizer')).orderBy('position')
})
const packedLinksOf = (kind: LinkKind) =>
  statement<{ after: number; last: number }>()((db, value) => {
    const order = kind === 'term' ? (['event'] as const) : (['event', 'position'] as const)
    const pairs = packPairs(db, 'event', LINKED[kind], order)
    // A `where` on the status would make the database start from all public records.
    const isPublic = kind === 'term' ? sql`` : sql` filter (where ${sql.ref('status')} = ${sql.lit(PUBLIC)})`
    return linksOfKind(db, kind)
      .clearSelect()
      .clearOrderBy()
      .select(sql<string | null>`${pairs}${isPublic}`.as('packed'))
      .where('event', '>', value('after'))
      .where('event', '<=', value('last'))
  })
const LINKED = { term: 'term', venue: 'event_venues.venue', organizer: 'event_organizers.organizer' } as const
const packedLinks = {
  term: packedLinksOf('term'),
  venue: packedLinksOf('venue'),
  organizer: packedLinksOf('organizer'),
}

const NONE: readonly number[] = []

function byEvent(links: readonly Link[] = []): LinksOf {
  const groups = new Map<number, number[]>()
  for (const { event, record, status } of links) {
    if (status !== PUBLIC) continue
    const group = groups.get(event)
    if (group) group.push(record)
    else groups.set(event, [record])
  }
  return (event) => groups.get(event) ?? NONE
}

/** Reads links into two arrays of numbers, since a million small lists would take far more memory. */
async function readLinks(db: Db, kind: LinkKind, largest: number, signal: AbortSignal): Promise<LinksOf> {
  const ends = new Int32Array(largest + 1)
  const records = growing()
  let used = 0
  let filled = 0
  const add = (event: number, record: number) => {
    if (used === records.length) grow(records, used + 1)
    while (filled <= event) ends[filled++] = used
    records[used++] = record
    ends[event] = used
  }
  for (let after = 0; after < largest; after += AT_ONCE) {
    const [links] = await packedLinks[kind](db, { after, last: Math.min(after + AT_ONCE, largest) })
    eachPair(links?.packed ?? '', add)
    await nextTurn(undefined, { signal })
  }
  return (event) =>
    (event < filled
      ? records.subarray(event === 0 ? 0 : ends[event - 1], ends[event])
      : NONE) as readonly number[]
}

interface Occurrence {
  series: number
  recurrence_id: string
  id: number
}

const occurrencesAfter = statement<Occurrence>()((db, last) =>
  db
    .selectFrom('events')
    .select(['series', 'recurrence_id', 'id'])
    // Without this condition SQLite does not use the index.
    .where('series', 'is not', null)
    .where((event) =>
      event(
        event.refTuple('series', 'recurrence_id', 'id'),
        '>',
        event.tuple(last('series'), last('recurrence_id'), last('id')),
      ),
    )
    .orderBy('series')
    .orderBy('recurrence_id')
    .orderBy('id')
    .limit(sql.lit(AT_ONCE))
    .$castTo<Occurrence>(),
)

async function readSeries(db: Db, largest: number, signal: AbortSignal): Promise<EventLinks['series']> {
  let seriesOf: Int32Array | undefined
  const note = (occurrences: readonly Occurrence[]) => {
    if (occurrences.length > 0) seriesOf ??= new Int32Array(largest + 1)
    for (const { id, series } of occurrences) if (seriesOf && id <= largest) seriesOf[id] = series
  }
  await eachAfter({ series: 0, recurrence_id: '', id: 0 }, (last) => occurrencesAfter(db, last), note, signal)
  return (event) => seriesOf?.[event] ?? 0
}

async function readColumn<Row extends { id: number }, Value>(
  rowsAfter: (db: Db, last: { id: number }) => Promise<Row[]>,
  read: (row: Row) => Value,
  db: Db,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Value>> {
  const values = new Map<number, Value>()
  const note = (rows: readonly Row[]) => {
    for (const row of rows) values.set(row.id, read(row))
  }
  await eachAfter({ id: 0 }, ({ id }) => rowsAfter(db, { id }), note, signal)
  return values
}

/** Reads rows page by page until there are none; requests are served between two pages. */
async function eachAfter<Key, Row extends Key>(
  first: Key,
  rowsAfter: (last: Key) => Promise<Row[]>,
  take: (rows: Row[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let last: Key | undefined = first; last; ) {
    const rows = await rowsAfter(last)
    take(rows)
    last = rows.at(-1)
    await nextTurn(undefined, { signal })
  }
}

const someAfter = (db: Db, last: RawBuilder<number>) =>
  db.selectFrom('events').select('id').where('id', '>', last).orderBy('id').limit(sql.lit(AT_ONCE))

const accessibleAfter = statement<{ id: number }>()((db, last) =>
  someAfter(db, last('id')).select('access_words').where('access_words', '<>', sql.lit('')),
)
const freeAfter = statement<{ id: number }>()((db, last) =>
  someAfter(db, last('id')).select('is_free').where('is_free', '=', sql.lit(1)),
)
const attendedAfter = statement<{ id: number }>()((db, last) =>
  someAfter(db, last('id')).select('attendance').where('attendance', '<>', sql.lit('')),
)

const numberOfWay = (way: Attendance) => ATTENDANCES.indexOf(way)

/** Returns indexes into `accessFacts`; events with the same facts share one array. */
const factNumbers = madeOnce((words: string): readonly number[] =>
  words === '' ? NONE : words.split(' ').map((word) => accessFacts.indexOf(word)),
)

const MOST_BYTES = 2 ** 32

function growing(): Int32Array<ArrayBuffer> {
  return new Int32Array(new ArrayBuffer(4096, { maxByteLength: MOST_BYTES }))
}

function grow(column: Int32Array<ArrayBuffer>, least: number): void {
  column.buffer.resize(Math.max(least, Math.ceil(column.length * 1.25)) * Int32Array.BYTES_PER_ELEMENT)
}

export async function eventsLinkedTo(
  db: Db,
  kind: 'venue' | 'organizer',
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return []
  const rows =
    kind === 'venue'
      ? await db.selectFrom('event_venues').select('event').where('venue', 'in', wholeList(db, ids)).execute()
      : await db
          .selectFrom('event_organizers')
          .select('event')
          .where('organizer', 'in', wholeList(db, ids))
          .execute()
  return rows.map((row) => row.event)
}

const placesIn = (db: Db) =>
  db
    .selectFrom('venues')
    .select(['id', 'geo_lat', 'geo_lng'])
    .where('status', '=', PUBLIC)
    .where('geo_lat', 'is not', null)
const findPlaces = statement<Ids>()((db, value) => placesIn(db).where('id', 'in', value('ids')))
const placesAfter = statement<{ id: number }>()((db, last) =>
  placesIn(db).where('id', '>', last('id')).orderBy('id').limit(sql.lit(AT_ONCE)),
)

export async function readPlaces(db: Db, index: EventIndex, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const found = await findPlaces(db, { ids })
  const placed = new Set(found.map(({ id }) => id))
  for (const id of ids) if (!placed.has(id)) putPlace(index.places, id, undefined)
  notePlaces(index, found)
  for (const id of ids) index.venueAccess.delete(id)
  noteVenueAccess(index, await someVenueFacts(db, { ids }))
}

const venuesWithFacts = (db: Db) =>
  db
    .selectFrom('venues')
    .select(['id', ...venueFacts])
    .where('status', '=', PUBLIC)
    .where((venue) => venue.or(venueFacts.map((fact) => venue(fact, '=', sql.lit(1)))))
const venueFactsAfter = statement<{ id: number }>()((db, last) =>
  venuesWithFacts(db).where('id', '>', last('id')).orderBy('id').limit(sql.lit(AT_ONCE)),
)
const someVenueFacts = statement<Ids>()((db, value) => venuesWithFacts(db).where('id', 'in', value('ids')))

function noteVenueAccess(
  index: EventIndex,
  venues: readonly Pick<VenueRow, 'id' | (typeof venueFacts)[number]>[],
) {
  for (const venue of venues)
    index.venueAccess.set(venue.id, factNumbers(factsIn(venue, venueFacts).join(' ')))
}

function notePlaces(
  index: EventIndex,
  places: readonly Pick<VenueRow, 'id' | 'geo_lat' | 'geo_lng'>[],
): void {
  for (const { id, geo_lat: lat, geo_lng: lng } of places) {
    if (Number.isFinite(lat) && Number.isFinite(lng))
      putPlace(index.places, id, { lat: Number(lat), lng: Number(lng) })
  }
}
