import type { Context } from '../context/context.ts'
import { asSent, type Filter } from '../declare/filter.ts'
import type { Parsed } from '../fields/field.ts'
import {
  distance,
  flag,
  isTruthy,
  latitude,
  longitude,
  looseFlag,
  looseWord,
  recordId,
  text,
  untypedMoment,
  words,
} from '../fields/kinds.ts'
import { limits, over } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { mayRead } from '../people/caller.ts'
import { isModifiedAfter } from '../records/modified-after.ts'
import { isEvent } from '../records/record-checks.ts'
import { isAllowedStatusList, type StatusFilter, statusFilter } from '../records/status.ts'
import { distanceKm } from '../storage/distance.ts'
import type { EventRow, VenueRow } from '../storage/schema.ts'
import { formatUtc } from '../text/moments.ts'
import { parseWords } from '../text/search.ts'
import { geoCircle, geoFilter } from './geoloc.ts'
import {
  anyRecord,
  linkedTo,
  listedTo,
  modifiedAfter,
  placed,
  placedWithin,
  withEvents,
  withUpcoming,
  withWords,
} from './linked-conditions.ts'
import type { LinkedCondition, LinkedRow, LinkedType } from './linked-store.ts'

/** The parts of a list that several parameters make together, or that are there without any. */
type LinkedPart = 'page' | 'status' | 'place'

/** How a list was worked out from its parameters together. */
export interface LinkedListShape {
  status: StatusFilter
}

/** The data that the plain meaning of filters reads beside the record. */
export interface AroundLinked {
  context: Context
  /** All events that are linked to the record, whether the caller may see them or not. */
  events: readonly EventRow[]
  /** Whether any venue that the caller may see has coordinates. */
  isLocated: boolean
}

/** A venue or organizer; organizers have no coordinates. */
export type FilteredRow = LinkedRow & Partial<Pick<VenueRow, 'geo_lat' | 'geo_lng'>>

/** One parameter of lists of venues and organizers, which no index answers. */
export type LinkedFilter<Value> = Filter<
  Value,
  LinkedPart,
  (value: Value, type: LinkedType, context: Context) => LinkedCondition,
  never,
  LinkedListShape,
  (record: FilteredRow, value: Value, around: AroundLinked) => boolean
>

function linkedFilter<Value, const About extends string>(
  filter: LinkedFilter<Value> & { about: About },
): LinkedFilter<Value> & { about: About } {
  return filter
}

/** A parameter that makes a part of the list together with others. */
const partOf = (part: LinkedPart) => ({ sql: part, index: 'database' as const, accepts: part })

const tooManyWords = over('words', limits.search.words)

/** Whether a search of venues and organizers has few words: folding may make many of one, such as of signs that stand for a phrase. */
export const hasFewWords = (value: unknown) =>
  typeof value !== 'string' || parseWords(value).length <= limits.search.words || tooManyWords

/** The events of a record that the caller may see. */
const seenOf = ({ context, events }: AroundLinked) => events.filter((event) => mayRead(context.caller, event))

/** The parameters of lists of organizers, one entry each (rule 13.8). Links name them in the order of their places. */
export const linkedFilters = {
  page: linkedFilter({ ...pageFilters.page, ...partOf('page'), links: 'none' }),
  per_page: linkedFilter({ ...pageFilters.per_page, ...partOf('page'), links: 'none' }),
  search: linkedFilter({
    kind: text,
    about: 'Only records with this text in their name, description or details',
    within: limits.search,
    valid: hasFewWords,
    sql: withWords,
    index: 'database',
    links: asSent(1),
    accepts: ({ search }, wanted) => {
      const parsed = parseWords(wanted)
      return parsed.length > 0 && search.split('\n').some((line) => parsed.every((word) => line.includes(word)))
    },
  }),
  event: linkedFilter({
    kind: recordId,
    about: 'Only records linked to the event with this id',
    lookUp: isEvent,
    sql: linkedTo,
    index: 'database',
    links: asSent(2),
    accepts: (_record, id, around) => seenOf(around).some((event) => event.id === id),
  }),
  has_events: linkedFilter({
    kind: looseWord,
    about: 'Only records that have events, or only those that have none',
    sql: (wanted, type, context) => withEvents(isTruthy(wanted), type, context),
    index: 'database',
    links: asSent(3),
    accepts: (_record, wanted, around) =>
      seenOf(around).some(({ status }) => !['pending', 'draft', 'trash'].includes(status)) === isTruthy(wanted),
  }),
  only_with_upcoming: linkedFilter({
    kind: looseFlag,
    about: 'Only records that have upcoming events',
    default: false,
    sql: (wanted, type, context) => (wanted ? withUpcoming(type, context) : anyRecord),
    index: 'database',
    links: { place: 8, ofSent: (isOn) => isOn || undefined },
    accepts: (_record, wanted, around) => !wanted || seenOf(around).some((event) => isUpcoming(event, around.context)),
  }),
  modified_after: linkedFilter({
    kind: untypedMoment,
    about: 'Only records changed after this time',
    unlisted: true,
    sql: modifiedAfter,
    index: 'database',
    links: asSent(10),
    accepts: (row, wanted, { context }) => isModifiedAfter(row, wanted, context),
  }),
  status: linkedFilter({
    kind: words,
    about: 'Only records with one of these statuses',
    valid: isAllowedStatusList,
    ...partOf('status'),
    // Where it stands for all, links to other pages do not name it (rule 11.5).
    links: { place: 9, ofList: ({ status }) => (status.shown === 'any' ? undefined : status.shown) },
  }),
}

function isUpcoming(event: EventRow, { caller, now }: Context): boolean {
  const { statuses } = statusFilter(caller, undefined)
  const isListed = event.hide_from_listings === 0 && statuses.some((status) => status === event.status)
  return isListed && event.utc_start_date >= formatUtc(now)
}

/** The parameters of lists of venues, which have places (rule 15.2). */
export const placedFilters = {
  ...linkedFilters,
  geoloc: linkedFilter({
    kind: flag,
    about: 'Only venues that have coordinates, or only those that have none',
    ...partOf('place'),
    links: asSent(4),
  }),
  geoloc_lat: linkedFilter({
    kind: latitude,
    about: 'The latitude to look around; needs geoloc_lng',
    ...partOf('place'),
    links: asSent(5),
  }),
  geoloc_lng: linkedFilter({
    kind: longitude,
    about: 'The longitude to look around; needs geoloc_lat',
    ...partOf('place'),
    links: asSent(6),
  }),
  geoloc_radius: linkedFilter({
    kind: distance,
    about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres',
    ...partOf('place'),
    links: asSent(7),
  }),
}

/** The parameters of a list once read; only venues have those of places. */
export type LinkedQuery = Parsed<typeof placedFilters>

interface LinkedPartRules {
  sql: (
    query: LinkedQuery,
    shape: LinkedListShape,
    type: LinkedType,
    context: Context,
  ) => LinkedCondition | Promise<LinkedCondition>
  accepts: (record: FilteredRow, query: LinkedQuery, around: AroundLinked) => boolean
}

/** The parts that narrow lists. */
export const linkedParts: Record<Exclude<LinkedPart, 'page'>, LinkedPartRules> = {
  status: {
    sql: (_query, { status }, type, context) => listedTo(status.statuses, type, context),
    accepts: (record, { status }, { context: { caller } }) =>
      statusFilter(caller, status).statuses.some((listed) => listed === record.status) && mayRead(caller, record),
  },
  place: {
    sql: async (query, _shape, _type, context) => {
      const { geoloc, circle } = await geoFilter(context, query)
      const conditions = [
        ...(geoloc === undefined ? [] : [placed(geoloc)]),
        ...(circle ? [placedWithin(circle, context)] : []),
      ]
      return (record) => record.and(conditions.map((condition) => condition(record)))
    },
    accepts: ({ geo_lat: lat = null, geo_lng: lng = null }, query, { context, isLocated }) => {
      const circle = geoCircle(context, query)
      if (!isLocated) return true
      const isThere = lat !== null && lng !== null
      return (
        (query.geoloc === undefined || isThere === query.geoloc) &&
        (!circle || (isThere && distanceKm(circle.lat, circle.lng, lat, lng) <= circle.radius))
      )
    },
  },
}
