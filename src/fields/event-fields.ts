import { anyOf, author, dateTime, list, recurrenceShown, schemaRef, status } from './answer-schema.ts'
import { EVENT_STATUSES, eventStatus } from './event-status.ts'
import { anything, clearableText, flag, line, links, moment, settledText, text, timezone, url } from './kinds.ts'
import { limits } from './limits.ts'
import { everywhere, type MemberField, saidBy, textEverywhere } from './member.ts'
import { organizerFields } from './organizer-fields.ts'
import { authorFields, imageField, statusField } from './record-fields.ts'
import { recurrence, recurrenceScope } from './recurrence-kinds.ts'
import { venueFields } from './venue-fields.ts'

const OF_LISTS = { not: 'it is about the lists of this calendar' }
const OF_PAGES = { not: 'it is about the page of the event' }
const OF_PEOPLE = { not: 'users are known to this calendar alone' }
const PUBLISHED = { not: 'readers of events ask when they take place' }
const ADDRESSED = { not: 'url has it' }
const DATED = { not: 'it has each date of a series as an event' }
const BRIEF = { not: 'a feed says what takes place, when and where' }

const linked = { from: 'link', csv: true, series: true, withdrawn: true, page: true } as const

/** The fields of events (rule 3.9), each with its place as a member in answers and other representations. */
export const eventFields = {
  author: {
    ...authorFields.author,
    ...everywhere,
    schema: author,
    csv: OF_PEOPLE,
    feed: OF_PEOPLE,
    page: OF_PEOPLE,
  },
  date: { ...authorFields.date, ...saidBy('date_utc'), from: 'column', schema: dateTime, withdrawn: true },
  date_utc: {
    ...authorFields.date_utc,
    ...everywhere,
    schema: dateTime,
    feed: 'date_published',
    series: { not: 'created_utc says since when there is a series' },
    page: PUBLISHED,
  },
  title: { kind: text, about: 'The title of the event', required: true, within: limits.title, ...textEverywhere },
  description: {
    kind: clearableText,
    about: 'The description of the event',
    ...textEverywhere,
    feed: 'content_html',
  },
  slug: {
    kind: settledText,
    about: 'The slug of the event',
    within: limits.slug,
    ...everywhere,
    csv: ADDRESSED,
    feed: ADDRESSED,
    page: ADDRESSED,
  },
  excerpt: {
    kind: clearableText,
    about: 'The excerpt of the event',
    ...textEverywhere,
    csv: { not: 'it stands for a missing description alone' },
    feed: { not: 'it stands for a missing description alone' },
  },
  status: {
    ...statusField.status,
    ...everywhere,
    schema: status,
    feed: { not: 'feeds are for the public' },
    page: { not: 'pages are for the public' },
  },
  timezone: {
    kind: timezone,
    about: 'The time zone of the event; that of the site when none is given',
    ...everywhere,
    feed: '_kalends.timezone',
  },
  all_day: {
    kind: flag,
    about: 'Whether the event lasts all day',
    default: false,
    ...everywhere,
    feed: '_kalends.all_day',
  },
  start_date: {
    kind: moment,
    about: 'When the event starts',
    required: true,
    ...everywhere,
    schema: dateTime,
    feed: '_kalends.start',
  },
  end_date: {
    kind: moment,
    about: 'When the event ends',
    required: true,
    ...everywhere,
    schema: dateTime,
    feed: '_kalends.end',
  },
  image: { ...imageField.image, ...everywhere, schema: anyOf(schemaRef('Image'), { type: 'boolean', const: false }) },
  cost: { kind: anything, about: 'The cost of the event', within: limits.cost, ...everywhere, feed: BRIEF },
  website: { kind: { ...url, wire: {} }, about: 'The website of the event', default: null, ...everywhere, feed: BRIEF },
  show_map: { kind: flag, about: 'Whether the event shows a map', ...everywhere, csv: OF_PAGES, feed: OF_PAGES },
  show_map_link: {
    kind: flag,
    about: 'Whether the event links to a map',
    ...everywhere,
    csv: OF_PAGES,
    feed: OF_PAGES,
  },
  hide_from_listings: {
    kind: flag,
    about: 'Whether the event is left out of lists',
    ...everywhere,
    csv: OF_LISTS,
    feed: OF_LISTS,
    page: OF_LISTS,
  },
  sticky: {
    kind: flag,
    about: 'Whether the event is sticky in the calendar',
    ...everywhere,
    csv: OF_LISTS,
    feed: OF_LISTS,
    page: OF_LISTS,
  },
  featured: { kind: flag, about: 'Whether the event is featured', ...everywhere, feed: OF_LISTS, page: OF_LISTS },
  event_status: {
    kind: eventStatus,
    about: 'Whether the event takes place: scheduled, canceled or postponed',
    unlisted: true,
    ...everywhere,
    rare: true,
    schema: { type: 'string', enum: EVENT_STATUSES.filter((known) => known !== 'scheduled') },
    series: { not: 'each of its dates takes place or does not' },
  },
  event_status_reason: {
    kind: line,
    about: 'Why the event is canceled or postponed',
    unlisted: true,
    ...textEverywhere,
    rare: 'event_status',
    series: { not: 'each of its dates takes place or does not' },
  },
  categories: {
    kind: links,
    about: 'The categories of the event: ids, slugs or names',
    default: null,
    within: limits.terms,
    ...linked,
    schema: list(schemaRef('EventTerm')),
    csv: 'terms',
    feed: 'tags',
  },
  tags: {
    kind: links,
    about: 'The tags of the event: ids, slugs or names',
    default: null,
    within: limits.terms,
    ...linked,
    schema: list(schemaRef('EventTerm')),
    csv: 'terms',
    feed: true,
  },
  venue: {
    kind: links,
    about: 'The venue of the event: its id or its fields',
    default: null,
    nested: venueFields,
    ...linked,
    schema: anyOf(schemaRef('Venue'), list(schemaRef('Venue'))),
    feed: '_kalends.venue',
  },
  organizer: {
    kind: links,
    about: 'The organizers of the event: their ids or their fields',
    default: null,
    nested: organizerFields,
    ...linked,
    schema: list(schemaRef('Organizer')),
    feed: 'authors',
  },
  recurrence: {
    kind: recurrence,
    about: 'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object',
    default: null,
    unlisted: true,
    from: 'computed',
    rare: true,
    schema: recurrenceShown,
    csv: DATED,
    feed: DATED,
    series: true,
    withdrawn: { not: 'it is made of columns' },
    page: true,
  },
  recurrence_scope: {
    kind: recurrenceScope,
    about: 'Which occurrences of a series a change is about',
    unlisted: true,
    from: 'request',
  },
} as const satisfies Readonly<Record<string, MemberField>>
