import { asSent } from '../declare/filter.ts'
import { type EventStatus, eventStatuses } from '../fields/event-status.ts'
import type { Parsed } from '../fields/field.ts'
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
import { pageFilters } from '../fields/record-fields.ts'
import { collapse } from '../fields/recurrence-kinds.ts'
import type { EventWindow } from '../memory/event-index-list.ts'
import { isModifiedAfter } from '../records/modified-after.ts'
import { isEventOrSeries } from '../records/record-checks.ts'
import { isAllowedStatusList } from '../records/status.ts'
import { anyEvent, atVenues, byOrganizers, inTerms, modifiedAfter, withIds } from './event-conditions.ts'
import { type EventPart, eventFilter } from './event-filter.ts'
import { isShown } from './event-present.ts'
import { defaultWindowOf } from './event-window.ts'
import { areKnownRecords, areKnownTerms, areMet, inKnownTerms } from './known-records.ts'

/** A parameter that makes a part of the list together with others. */
const partOf = (part: EventPart) => ({ sql: part, index: part, accepts: part })

const asDigit = (place: number) => ({
  place,
  ofSent: Number,
})
/** Links name the window as it was worked out. */
const asWorkedOut = (place: number, edge: keyof EventWindow) => ({
  place,
  ofList: ({ window }: { window: EventWindow }) => window[edge],
})

/** The parameters of lists of events, one entry each (rules 12, 13 and 15). Links name them in the order of their places. */
export const eventFilters = {
  page: eventFilter({ ...pageFilters.page, ...partOf('page'), links: 'none' }),
  per_page: eventFilter({ ...pageFilters.per_page, ...partOf('page'), links: 'none' }),
  start_date: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start on this day or later',
    default: defaultWindowOf('start'),
    ...partOf('window'),
    links: asWorkedOut(1, 'from'),
  }),
  end_date: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start on this day or earlier',
    default: defaultWindowOf('end'),
    ...partOf('window'),
    links: asWorkedOut(2, 'to'),
  }),
  starts_before: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start before this date',
    ...partOf('window'),
    links: asWorkedOut(11, 'startsBefore'),
  }),
  starts_after: eventFilter({
    kind: untypedMoment,
    about: 'Only events that start after this date',
    ...partOf('window'),
    links: asWorkedOut(12, 'startsAfter'),
  }),
  ends_before: eventFilter({
    kind: untypedMoment,
    about: 'Only events that end before this date',
    ...partOf('window'),
    links: asWorkedOut(13, 'endsBefore'),
  }),
  ends_after: eventFilter({
    kind: untypedMoment,
    about: 'Only events that end after this date',
    ...partOf('window'),
    links: asWorkedOut(14, 'endsAfter'),
  }),
  strict_dates: eventFilter({
    kind: switchWord,
    about: 'Take the dates to the second instead of by whole days',
    default: 'false',
    ...partOf('window'),
    links: { place: 15, ofSent: (isOn) => isOn || undefined },
  }),
  search: eventFilter({
    kind: text,
    about: 'Only events with these words in their title, excerpt or description',
    within: limits.search,
    ...partOf('search'),
    links: asSent(3),
  }),
  categories: eventFilter({
    kind: idsOrSlugs,
    about: 'Only events in any of these categories, by id or slug',
    lookUp: areKnownTerms('category'),
    sql: (entries, context) => inTerms('category', entries, context),
    index: (entries, asked, memory) => inKnownTerms(memory, 'category', entries, asked),
    links: asSent(19),
    accepts: ({ links }, _entries, { terms }) => links.terms.some((id) => terms.category.has(id)),
  }),
  tags: eventFilter({
    kind: idsOrSlugs,
    about: 'Only events with any of these tags, by id or slug',
    lookUp: areKnownTerms('tag'),
    sql: (entries, context) => inTerms('tag', entries, context),
    index: (entries, asked, memory) => inKnownTerms(memory, 'tag', entries, asked),
    links: asSent(20),
    accepts: ({ links }, _entries, { terms }) => links.terms.some((id) => terms.tag.has(id)),
  }),
  venue: eventFilter({
    kind: ids,
    about: 'Only events at any of these venues, by id',
    lookUp: areKnownRecords('venue'),
    sql: atVenues,
    index: (venues, asked, memory) => (areMet(memory, 'venue', venues) ? { ...asked, venues } : undefined),
    links: asSent(16),
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
    links: asSent(17),
    accepts: ({ links }, wanted, { context }) =>
      links.organizers.some((organizer) => wanted.includes(organizer.id) && isShown(context, organizer)),
  }),
  featured: eventFilter({
    kind: flag,
    about: 'Only featured events, or only those that are not',
    sql: (wanted) => (record) => record('featured', '=', Number(wanted)),
    index: (featured, asked) => ({ ...asked, featured }),
    links: asDigit(18),
    accepts: ({ row }, wanted) => row.featured === Number(wanted),
  }),
  modified_after: eventFilter({
    kind: untypedMoment,
    about: 'Only records changed after this time',
    unlisted: true,
    sql: modifiedAfter,
    index: 'database',
    links: asSent(23),
    accepts: ({ row }, wanted, { context }) => isModifiedAfter(row, wanted, context),
  }),
  status: eventFilter({
    kind: words,
    about: 'Only events with one of these statuses',
    valid: isAllowedStatusList,
    ...partOf('status'),
    // A value that stands for all is not named in links to other pages (rule 11.5).
    links: { place: 8, ofList: ({ status }) => (status.shown === 'any' ? undefined : status.shown) },
  }),
  event_status: eventFilter({
    kind: eventStatuses,
    about: 'Only events that are scheduled, canceled or postponed: any of these words',
    unlisted: true,
    sql: (wanted) => (record) => record('event_status', 'in', wanted as EventStatus[]),
    index: 'database',
    links: asSent(21),
    accepts: ({ row }, wanted) => wanted.includes(row.event_status),
  }),
  geoloc: eventFilter({
    kind: flag,
    about: 'Only events whose venue has coordinates, or only those whose venue has none',
    ...partOf('place'),
    links: asDigit(4),
  }),
  geoloc_lat: eventFilter({
    kind: latitude,
    about: 'The latitude to look around; needs geoloc_lng',
    ...partOf('place'),
    links: asSent(5),
  }),
  geoloc_lng: eventFilter({
    kind: longitude,
    about: 'The longitude to look around; needs geoloc_lat',
    ...partOf('place'),
    links: asSent(6),
  }),
  include: eventFilter({
    kind: ids,
    about: 'Only the events with these ids, whenever they are',
    sql: withIds,
    index: 'database',
    links: asSent(10),
    accepts: ({ row }, wanted) => wanted.includes(row.id),
  }),
  post_parent: eventFilter({
    kind: recordId,
    about: 'Only occurrences of the event with this id',
    lookUp: isEventOrSeries,
    // The id of an event is none of a series, so it finds nothing (rule 13.7).
    sql: (wanted) => (record) => record('events.series', '=', wanted),
    index: (wanted, asked) => ({ ...asked, series: [wanted] }),
    links: asSent(9),
    accepts: ({ row }, wanted) => row.series === wanted,
  }),
  // The occurrences that a list finds are collapsed once all that it finds is known.
  collapse: eventFilter({
    kind: collapse,
    about: 'With series, only the first occurrence that the list finds of each series',
    unlisted: true,
    ...partOf('page'),
    links: asSent(22),
  }),
  hide_subsequent_recurrences: eventFilter({
    kind: flag,
    about: 'The same as collapse=series, when true',
    unlisted: true,
    ...partOf('page'),
    links: asDigit(24),
  }),
  ticketed: eventFilter({
    kind: flag,
    about: 'Only events that sell tickets, which this service does not',
    valid: (value) => (flag.read(value) === true ? { why: 'ticketed' } : true),
    sql: () => anyEvent,
    index: (_wanted, asked) => asked,
    links: 'none',
    accepts: () => true,
  }),
  geoloc_radius: eventFilter({
    kind: distance,
    about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres',
    ...partOf('place'),
    links: asSent(7),
  }),
}

/** The parameters of a list of events once read. */
export type EventsQuery = Parsed<typeof eventFilters>
