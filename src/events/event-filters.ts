import { linkWriter } from '../declare/filter.ts'
import { collapse, type EventStatus, eventStatuses } from '../fields/event-kinds.ts'
import { type Parsed, pageFilters } from '../fields/field.ts'
import {
  distance,
  flag,
  ids,
  idsOrSlugs,
  latitude,
  longitude,
  recordId,
  switchWord,
  text,
  untypedMoment,
  words,
} from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import type { EventWindow } from '../memory/event-index-list.ts'
import { isModifiedAfter } from '../records/modified-after.ts'
import { isEventOrSeries } from '../records/record-checks.ts'
import { isAllowedStatusList, statusLinks } from '../records/status.ts'
import { atVenues, byOrganizers, inTerms, modifiedAfter, withIds } from './event-conditions.ts'
import { byColumn, type EventGround, eventFilter } from './event-filter.ts'
import { isShown } from './event-present.ts'
import { defaultWindowOf } from './event-window.ts'
import { areKnownRecords, areKnownTerms, areMet, inKnownTerms } from './known-records.ts'

const asDigit = { ofSent: Number }

/** Links name the window as it was worked out. */
const asWorkedOut = (edge: keyof EventWindow) => ({ ofList: ({ window }: EventGround) => window[edge] })

/** The parameters of lists of events, one entry each (rules 12, 13 and 15). */
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
  search: eventFilter({
    kind: text,
    about: 'Only events with these words in their title, excerpt or description',
    within: limits.search,
    part: 'search',
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
  include: eventFilter({
    kind: ids,
    about: 'Only the events with these ids, whenever they are',
    sql: withIds,
    accepts: ({ row }, wanted) => wanted.includes(row.id),
  }),
  post_parent: eventFilter({
    kind: recordId,
    about: 'Only occurrences of the event with this id',
    lookUp: isEventOrSeries,
    // The id of an event is none of a series, so it finds nothing (rule 13.7).
    ...byColumn('series', Number),
    index: (wanted, asked) => ({ ...asked, series: [wanted] }),
  }),
  // The occurrences that a list finds are collapsed once all that it finds is known.
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

/** The parameters of a list of events once read. */
export type EventsQuery = Parsed<typeof eventFilters>

/** Writes the filters of links in the order that clients know; others follow. */
export const eventLinks = linkWriter<EventGround, typeof eventFilters>(eventFilters, [
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
  'collapse',
])
