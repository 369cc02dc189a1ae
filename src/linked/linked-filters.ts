import { type Filter, linkWriter, type PartNarrowing, type SqlNarrowing } from '../declare/filter.ts'
import { type Parsed, pageFilters } from '../fields/field.ts'
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
import { isEvent } from '../records/record-rules.ts'
import { isAllowedStatusList, statusLinks } from '../records/status.ts'
import { parseWords } from '../text/search.ts'
import {
  anyRecord,
  geoFilter,
  type LinkedGround,
  linkedListedTo,
  linkedModifiedAfter,
  linkedTo,
  placed,
  placedWithin,
  withEvents,
  withUpcoming,
  withWords,
} from './linked-conditions.ts'
import type { LinkedCondition } from './linked-store.ts'

/** The parts of a list that several parameters make together, or that are there without any. */
type LinkedPart = 'status' | 'place'

/** One parameter of lists of venues and organizers. */
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

/** Whether a search of venues and organizers has few words: folding may make many of one, such as of signs that stand for a phrase. */
export const hasFewWords = (value: unknown) =>
  typeof value !== 'string' || parseWords(value).length <= limits.search.words || tooManyWords

/** The parameters of lists of organizers, one entry each (rule 13.8). */
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
    kind: looseFlag,
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

/** The parameters of lists of venues, which have places (rule 15.2). */
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

/** The parameters of a list once read; only venues have those of places. */
export type LinkedQuery = Parsed<typeof placedFilters>

/** The parts that narrow lists. */
export const linkedParts: Record<LinkedPart, PartNarrowing<LinkedQuery, LinkedGround, LinkedCondition>> = {
  status: (_query, ground) => linkedListedTo(ground),
  place: async (query, { context }) => {
    const { geoloc, circle } = await geoFilter(context, query)
    const conditions = [
      ...(geoloc === undefined ? [] : [placed(geoloc)]),
      ...(circle ? [placedWithin(circle, context)] : []),
    ]
    return (record) => record.and(conditions.map((condition) => condition(record)))
  },
}

/** Writes the filters of links in the order that clients know; others follow. */
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
