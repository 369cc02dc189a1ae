import { eventStatus } from './event-status.ts'
import type { FieldsData } from './field.ts'
import { anything, clearableText, flag, line, links, moment, settledText, text, timezone, url } from './kinds.ts'
import { limits } from './limits.ts'
import { organizerFields } from './organizer-fields.ts'
import { authorFields, imageField, statusField } from './record-fields.ts'
import { recurrence, recurrenceScope } from './recurrence-kinds.ts'
import { venueFields } from './venue-fields.ts'

/** The fields of events (rule 3.9). */
export const eventFields = {
  ...authorFields,
  title: { kind: text, about: 'The title of the event', required: true, within: limits.title },
  description: { kind: clearableText, about: 'The description of the event' },
  slug: { kind: settledText, about: 'The slug of the event', within: limits.slug },
  excerpt: { kind: clearableText, about: 'The excerpt of the event' },
  ...statusField,
  timezone: { kind: timezone, about: 'The time zone of the event; that of the site when none is given' },
  all_day: { kind: flag, about: 'Whether the event lasts all day', default: false },
  start_date: { kind: moment, about: 'When the event starts', required: true },
  end_date: { kind: moment, about: 'When the event ends', required: true },
  ...imageField,
  cost: { kind: anything, about: 'The cost of the event', within: limits.cost },
  website: { kind: { ...url, wire: {} }, about: 'The website of the event', default: null },
  show_map: { kind: flag, about: 'Whether the event shows a map' },
  show_map_link: { kind: flag, about: 'Whether the event links to a map' },
  hide_from_listings: { kind: flag, about: 'Whether the event is left out of lists' },
  sticky: { kind: flag, about: 'Whether the event is sticky in the calendar' },
  featured: { kind: flag, about: 'Whether the event is featured' },
  event_status: {
    kind: eventStatus,
    about: 'Whether the event takes place: scheduled, canceled or postponed',
    unlisted: true,
  },
  event_status_reason: { kind: line, about: 'Why the event is canceled or postponed', unlisted: true },
  categories: {
    kind: links,
    about: 'The categories of the event: ids, slugs or names',
    default: null,
    within: limits.terms,
  },
  tags: {
    kind: links,
    about: 'The tags of the event: ids, slugs or names',
    default: null,
    within: limits.terms,
  },
  venue: {
    kind: links,
    about: 'The venue of the event: its id or its fields',
    default: null,
    nested: venueFields,
  },
  organizer: {
    kind: links,
    about: 'The organizers of the event: their ids or their fields',
    default: null,
    nested: organizerFields,
  },
  recurrence: {
    kind: recurrence,
    about: 'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object',
    default: null,
    unlisted: true,
  },
  recurrence_scope: {
    kind: recurrenceScope,
    about: 'Which occurrences of a series a change is about',
    unlisted: true,
  },
} as const satisfies FieldsData
