import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Parsed, pageFilters } from '../../base/fields/field.ts'
import {
  distance,
  flag,
  isTruthy,
  latitude,
  longitude,
  looseWord,
  recordId,
  text,
  untypedMoment,
  upcomingFlag,
  words,
} from '../../base/fields/kinds.ts'
import { limits, over } from '../../base/fields/limits.ts'
import { invalidParam } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { parseWords } from '../../base/text/search.ts'
import type { Tables } from '../../store/storage/schema.ts'
import { oneLineContains } from '../../store/storage/sql-parts.ts'
import { type Circle, withinCircle } from '../../store/storage/within.ts'
import type { Context } from '../declare/context.ts'
import { type Filter, linkWriter, type PartNarrowing, type SqlNarrowing } from '../declare/filter.ts'
import { isEvent } from '../records/record-rules.ts'
import {
  isAllowedStatusList,
  momentAfter,
  type StatusFilter,
  shownTo,
  statusFilter,
  statusLinks,
  visibleTo,
} from '../records/record-store.ts'
import type { LinkedCondition, LinkedType } from './linked-store.ts'

type LinkedPart = 'status' | 'place'

type LinkedFilter<Value> = Filter<
  Value,
  LinkedPart,
  LinkedGround,
  SqlNarrowing<NoInfer<Value>, LinkedGround, LinkedCondition>
>

function linkedFilter<Value, const About extends string>(
  filter: LinkedFilter<Value> & { about: About },
): LinkedFilter<Value> & { about: About } {
  return filter
}

const tooManyWords = over('words', limits.search.words)

/** Limits the words of a search, counted after folding, which may split one word into many. */
export const hasFewWords = (value: unknown) =>
  typeof value !== 'string' || parseWords(value).length <= limits.search.words || tooManyWords

/** The parameters of lists of venues and organizers (rule 13.8). */
export const linkedFilters = {
  page: linkedFilter({ ...pageFilters.page, part: 'none', links: 'none' }),
  per_page: linkedFilter({ ...pageFilters.per_page, part: 'none', links: 'none' }),
  search: linkedFilter({
    kind: text,
    about: 'Only records with this text in their name, description or details',
    within: limits.search,
    valid: hasFewWords,
    sql: withWords,
  }),
  event: linkedFilter({
    kind: recordId,
    about: 'Only records linked to the event with this id',
    lookUp: isEvent,
    sql: linkedTo,
  }),
  has_events: linkedFilter({
    kind: looseWord,
    about: 'Only records that have events, or only those that have none',
    sql: (wanted, ground) => withEvents(isTruthy(wanted), ground),
  }),
  only_with_upcoming: linkedFilter({
    kind: upcomingFlag,
    about: 'Only records that have upcoming events',
    default: false,
    sql: (wanted, ground) => (wanted ? withUpcoming(ground) : anyRecord),
    links: { ofSent: (isOn) => isOn || undefined },
  }),
  modified_after: linkedFilter({
    kind: untypedMoment,
    about: 'Only records changed after this time',
    unlisted: true,
    sql: linkedModifiedAfter,
  }),
  status: linkedFilter({
    kind: words,
    about: 'Only records with one of these statuses',
    valid: isAllowedStatusList,
    part: 'status',
    links: { ofList: ({ status }) => statusLinks(status).status },
  }),
}

/** Lists of venues also filter by place (rule 15.2). */
export const placedFilters = {
  ...linkedFilters,
  geoloc: linkedFilter({
    kind: flag,
    about: 'Only venues that have coordinates, or only those that have none',
    part: 'place',
  }),
  geoloc_lat: linkedFilter({
    kind: latitude,
    about: 'The latitude to look around; needs geoloc_lng',
    part: 'place',
  }),
  geoloc_lng: linkedFilter({
    kind: longitude,
    about: 'The longitude to look around; needs geoloc_lat',
    part: 'place',
  }),
  geoloc_radius: linkedFilter({
    kind: distance,
    about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres',
    part: 'place',
  }),
}

export type LinkedQuery = Parsed<typeof placedFilters>

export const linkedParts: Record<LinkedPart, PartNarrowing<LinkedQuery, LinkedGround, LinkedCondition>> = {
  status: (_query, ground) => linkedListedTo(ground),
  place: async (query, { context }) => {
    const { geoloc, circle } = await geoFilter(context, query)
    return (record) =>
      record.and([
        ...(geoloc === undefined ? [] : [record('venues.geo_lat', geoloc ? 'is not' : 'is', null)]),
        ...(circle ? [withinCircle(context.db, circle)] : []),
      ])
  },
}

/** Writes the parameters of links, in the order that clients know. */
export const linkedLinks = linkWriter<LinkedGround, typeof placedFilters>(placedFilters, [
  'search',
  'event',
  'has_events',
  'geoloc',
  'geoloc_lat',
  'geoloc_lng',
  'geoloc_radius',
  'only_with_upcoming',
  'status',
])

type Venues = ExpressionBuilder<Tables, 'venues'>

export interface LinkedGround {
  type: LinkedType
  context: Context
  status: StatusFilter
}

const anyRecord: LinkedCondition = (record) => record.and([])

function linkedListedTo({ status, type: { table }, context: { caller } }: LinkedGround): LinkedCondition {
  return (record) =>
    record.and([record(sql.ref(`${table}.status`), 'in', [...status.statuses]), visibleTo(caller, table)])
}

/** Records with all words in one field; none for a search without words (rule 14.3). */
function withWords(text: string, { type: { table }, context: { db } }: LinkedGround): LinkedCondition {
  const words = parseWords(text)
  return (record) =>
    record.and([words.length === 0 ? sql<SqlBool>`1 = 0` : oneLineContains(db, `${table}.search`, words)])
}

function linkedModifiedAfter(value: string | number, { type, context }: LinkedGround): LinkedCondition {
  return (record) => record(sql.ref<string>(`${type.table}.modified_utc`), '>', momentAfter(value, context))
}

function linkedTo(event: number, ground: LinkedGround): LinkedCondition {
  return (record) => record.exists(visibleLinks(record, ground).where(sql.ref<number>('event'), '=', event))
}

/** Drafts, pending and trashed events do not count. */
function withEvents(wanted: boolean, ground: LinkedGround): LinkedCondition {
  return (record) => {
    const links = visibleLinks(record, ground)
    const used = record.exists(links.where('events.status', 'not in', ['pending', 'draft', 'trash']))
    return wanted ? used : record.not(used)
  }
}

/** Records with a coming event. Reads no row of an event: the database index has all columns used here. */
function withUpcoming({ type, context }: LinkedGround): LinkedCondition {
  const { statuses } = statusFilter(context.caller, undefined)
  return (record) =>
    record(
      sql.ref<number>(`${type.table}.id`),
      'in',
      record
        .selectFrom('events')
        .crossJoin(asVenueLinks(type))
        .select(linkColumn(type).as('record'))
        .where(sql.ref<number>(`${type.links}.event`), '=', sql.ref<number>('events.id'))
        .where(visibleTo(context.caller, 'events'))
        .where('events.utc_start_date', '>=', formatUtc(context.now))
        .where('events.hide_from_listings', '=', 0)
        .where('events.status', 'in', [...statuses]),
    )
}

const asVenueLinks = (type: LinkedType) => type.links as 'event_venues'
const linkColumn = (type: LinkedType) => sql.ref<number>(`${type.links}.${type.kind}`)

/** Links to events that the caller may see, so that no filter reveals other events. */
function visibleLinks(record: Venues, { type, context }: LinkedGround) {
  return (
    record
      .selectFrom(asVenueLinks(type))
      // Fixes the order of the tables: otherwise SQLite would read all events for each record.
      .crossJoin('events')
      .select('events.id')
      .where('events.id', '=', sql.ref<number>(`${type.links}.event`))
      .where(linkColumn(type), '=', sql.ref<number>(`${type.table}.id`))
      .where(visibleTo(context.caller, 'events'))
  )
}

/** True if a visible venue has coordinates, without which geolocation filters have no effect (rule 15.3). */
export async function anyCoordinates({ db, caller }: Context): Promise<boolean> {
  return (
    (await db
      .selectFrom('venues')
      .select('id')
      .where('geo_lat', 'is not', null)
      .where(shownTo(caller, 'venues'))
      .limit(1)
      .executeTakeFirst()) !== undefined
  )
}

interface GeoQuery {
  geoloc?: boolean
  geoloc_lat?: number | null
  geoloc_lng?: number | null
  geoloc_radius?: number
}

interface GeoFilter {
  geoloc: boolean | undefined
  circle: Circle | undefined
}

/**
 * The circle of the query; undefined without coordinates.
 * @throws Problem rest_invalid_param when only one of latitude and longitude is given
 */
export function geoCircle(context: Context, query: GeoQuery): Circle | undefined {
  const {
    geoloc_lat: lat = null,
    geoloc_lng: lng = null,
    geoloc_radius: radius = context.site.geolocRadius,
  } = query
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geoloc_lat' : 'geoloc_lng')
  return lat === null || lng === null ? undefined : { lat, lng, radius }
}

/** The geolocation filter; empty if no venue has coordinates (rule 15.3). @throws Problem as `geoCircle` */
export async function geoFilter(context: Context, query: GeoQuery): Promise<GeoFilter> {
  const circle = geoCircle(context, query)
  const { geoloc } = query
  const isUsed = (geoloc !== undefined || circle !== undefined) && (await anyCoordinates(context))
  return isUsed ? { geoloc, circle } : { geoloc: undefined, circle: undefined }
}
