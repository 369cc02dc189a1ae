import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '../declare/context.ts'
import { invalidParam } from '../problems.ts'
import { momentAfter, shownTo, visibleTo } from '../records/record-store.ts'
import { type StatusFilter, statusFilter } from '../records/status.ts'
import { type Circle, oneLineContains, withinCircle } from '../storage/queries.ts'
import type { Tables } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'
import { parseWords } from '../text/search.ts'
import type { LinkedCondition, LinkedType } from './linked-store.ts'

type Venues = ExpressionBuilder<Tables, 'venues'>

/** A list of venues or organizers as its filters know it: of which kind, who asks, and what its parameters make together. */
export interface LinkedGround {
  type: LinkedType
  context: Context
  status: StatusFilter
}

export const anyRecord: LinkedCondition = (record) => record.and([])

/** Records that the list shows the caller, by the statuses of the list. */
export function linkedListedTo({ status, type: { table }, context: { caller } }: LinkedGround): LinkedCondition {
  return (record) =>
    record.and([record(sql.ref(`${table}.status`), 'in', [...status.statuses]), visibleTo(caller, table)])
}

/** All words within one and the same field; no words find nothing (rule 14.3). */
export function withWords(text: string, { type: { table }, context: { db } }: LinkedGround): LinkedCondition {
  const words = parseWords(text)
  return (record) =>
    record.and([words.length === 0 ? sql<SqlBool>`1 = 0` : oneLineContains(db, `${table}.search`, words)])
}

export function linkedModifiedAfter(value: string | number, { type, context }: LinkedGround): LinkedCondition {
  return (record) => record(sql.ref<string>(`${type.table}.modified`), '>', momentAfter(value, context))
}

export function linkedTo(event: number, ground: LinkedGround): LinkedCondition {
  return (record) => record.exists(visibleLinks(record, ground).where(sql.ref<number>('event'), '=', event))
}

/** Records with an event that is neither draft, pending nor in the trash, or records without any. */
export function withEvents(wanted: boolean, ground: LinkedGround): LinkedCondition {
  return (record) => {
    const links = visibleLinks(record, ground)
    const used = record.exists(links.where('events.status', 'not in', ['pending', 'draft', 'trash']))
    return wanted ? used : record.not(used)
  }
}

/** Records with listed events to come. An index knows of all these when they are. */
export function withUpcoming({ type, context }: LinkedGround): LinkedCondition {
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

/** Venues with coordinates, or without. */
export function placed(wanted: boolean): LinkedCondition {
  return (record) => record('venues.geo_lat', wanted ? 'is not' : 'is', null)
}

export function placedWithin(circle: Circle, { db }: Context): LinkedCondition {
  return () => withinCircle(db, circle)
}

const asVenueLinks = (type: LinkedType) => type.links as 'event_venues'
const linkColumn = (type: LinkedType) => sql.ref<number>(`${type.links}.${type.kind}`)

/** The links from events the caller may see, so that no filter betrays the others. */
function visibleLinks(record: Venues, { type, context }: LinkedGround) {
  return (
    record
      .selectFrom(asVenueLinks(type))
      // Not an inner join: SQLite would take it as leave to begin with all events there are, for each record anew.
      .crossJoin('events')
      .select('events.id')
      .where('events.id', '=', sql.ref<number>(`${type.links}.event`))
      .where(linkColumn(type), '=', sql.ref<number>(`${type.table}.id`))
      .where(visibleTo(context.caller, 'events'))
  )
}

/** Whether any venue that the caller may see has coordinates; without one, geolocation filters have no effect. */
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

/** The geolocation parameters of events and venues (rule 15.2). */
interface GeoQuery {
  geoloc?: boolean
  geoloc_lat?: number | null
  geoloc_lng?: number | null
  geoloc_radius?: number
}

/** The filter they make. */
interface GeoFilter {
  geoloc: boolean | undefined
  circle: Circle | undefined
}

/** The circle that is asked for, if any. @throws Problem rest_invalid_param when one of latitude and longitude is missing */
export function geoCircle(context: Context, query: GeoQuery): Circle | undefined {
  const { geoloc_lat: lat = null, geoloc_lng: lng = null, geoloc_radius: radius = context.site.geolocRadius } = query
  if ((lat === null) !== (lng === null)) throw invalidParam(lat === null ? 'geoloc_lat' : 'geoloc_lng')
  return lat === null || lng === null ? undefined : { lat, lng, radius }
}

/**
 * The geolocation filter of a list. It has no effect before any venue has coordinates: such a calendar does not use geolocation
 * (rule 15.3).
 * @throws Problem as `geoCircle` does
 */
export async function geoFilter(context: Context, query: GeoQuery): Promise<GeoFilter> {
  const circle = geoCircle(context, query)
  const { geoloc } = query
  const isUsed = (geoloc !== undefined || circle !== undefined) && (await anyCoordinates(context))
  return isUsed ? { geoloc, circle } : { geoloc: undefined, circle: undefined }
}
