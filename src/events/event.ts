import { defineResource, withChecks } from '../declare/resource.ts'
import { eventFields } from '../fields/event-fields.ts'
import {
  anything,
  distance,
  flag,
  ids,
  idsOrSlugs,
  integer,
  latitude,
  longitude,
  recordId,
  settledText,
  switchWord,
  text,
  untypedMoment,
  words,
} from '../fields/kinds.ts'
import { limits } from '../fields/limits.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { isImageReference } from '../images/images.ts'
import { areLinkable, areLinks, areRecordsOf } from '../linked/linked-rules.ts'
import { organizer } from '../organizers/organizer.ts'
import { isEvent, recordChecks } from '../records/record-checks.ts'
import { isAllowedStatusList } from '../records/status.ts'
import { areTermEntries, isTermList } from '../terms/term-rules.ts'
import { venue } from '../venues/venue.ts'
import { isCost } from './event-cost.ts'
import { defaultWindowOf } from './event-window.ts'

const password = { kind: anything, about: 'Accepted and ignored: events have no passwords' } as const

/** Events: their fields, filters and addresses (rule 3.9). */
export const event = defineResource({
  name: 'event',
  path: 'events',
  title: 'Event',
  addresses: {
    id: {
      id: { kind: integer, about: 'The id of the event', required: true },
      password: { ...password, kind: settledText },
    },
    slug: { slug: { kind: settledText, about: 'The slug of the event', required: true, within: limits.slug } },
  },
  fields: withChecks(eventFields, {
    ...recordChecks,
    image: { lookUp: isImageReference },
    cost: { valid: isCost },
    categories: { valid: areTermEntries },
    tags: { valid: areTermEntries },
    venue: { valid: areLinks('venue', venue.fields), lookUp: areLinkable('venue', venue.fields) },
    organizer: { valid: areLinks('organizer', organizer.fields), lookUp: areLinkable('organizer', organizer.fields) },
  }),
  filters: {
    ...pageFilters,
    start_date: {
      kind: untypedMoment,
      about: 'Only events that start on this day or later',
      default: defaultWindowOf('start'),
    },
    end_date: {
      kind: untypedMoment,
      about: 'Only events that start on this day or earlier',
      default: defaultWindowOf('end'),
    },
    starts_before: { kind: untypedMoment, about: 'Only events that start before this date' },
    starts_after: { kind: untypedMoment, about: 'Only events that start after this date' },
    ends_before: { kind: untypedMoment, about: 'Only events that end before this date' },
    ends_after: { kind: untypedMoment, about: 'Only events that end after this date' },
    strict_dates: {
      kind: switchWord,
      about: 'Take the dates to the second instead of by whole days',
      default: 'false',
    },
    search: {
      kind: text,
      about: 'Only events with these words in their title, excerpt or description',
      within: limits.search,
    },
    categories: {
      kind: idsOrSlugs,
      about: 'Only events in any of these categories, by id or slug',
      lookUp: isTermList('category'),
    },
    tags: { kind: idsOrSlugs, about: 'Only events with any of these tags, by id or slug', lookUp: isTermList('tag') },
    venue: { kind: ids, about: 'Only events at any of these venues, by id', lookUp: areRecordsOf('venue') },
    organizer: { kind: ids, about: 'Only events of any of these organizers, by id', lookUp: areRecordsOf('organizer') },
    featured: { kind: flag, about: 'Only featured events, or only those that are not' },
    status: { kind: words, about: 'Only events with one of these statuses', valid: isAllowedStatusList },
    geoloc: { kind: flag, about: 'Only events whose venue has coordinates, or only those whose venue has none' },
    geoloc_lat: { kind: latitude, about: 'The latitude to look around; needs geoloc_lng' },
    geoloc_lng: { kind: longitude, about: 'The longitude to look around; needs geoloc_lat' },
    include: { kind: ids, about: 'Only the events with these ids, whenever they are' },
    post_parent: { kind: recordId, about: 'Only occurrences of the event with this id', lookUp: isEvent },
    ticketed: {
      kind: flag,
      about: 'Only events that sell tickets, which this service does not',
      valid: (value) => (flag.read(value) === true ? { why: 'ticketed' } : true),
    },
    geoloc_radius: { kind: distance, about: 'How far to look around geoloc_lat and geoloc_lng, in kilometres' },
  },
})
