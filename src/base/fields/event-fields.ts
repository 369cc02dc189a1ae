import { foreignRule, isForeign } from '../recurrence/foreign-recurrence.ts'
import { authorFields, imageField, statusField } from './field.ts'
import {
  anything,
  clearableText,
  factOfAccess,
  flag,
  isEmpty,
  type Kind,
  language,
  line,
  links,
  moment,
  oneOf,
  type PlainKind,
  secureUrl,
  settledText,
  someOf,
  text,
  timezone,
  url,
} from './kinds.ts'
import { limits } from './limits.ts'
import { organizerFields, venueFields } from './linked-fields.ts'
import {
  anyOf,
  arrayOf,
  author,
  dateTime,
  everywhere,
  type MemberField,
  recurrenceShown,
  saidBy,
  schemaRef,
  status,
  textEverywhere,
} from './member.ts'

const EVENT_STATUSES = ['scheduled', 'canceled', 'postponed'] as const
export type EventStatus = (typeof EVENT_STATUSES)[number]

const eventStatus = oneOf(EVENT_STATUSES, 'scheduled')

export const eventStatuses = someOf(EVENT_STATUSES)

export const ATTENDANCES = ['', 'in_person', 'online', 'mixed'] as const
export type Attendance = (typeof ATTENDANCES)[number]

const attendance = oneOf<Attendance>(ATTENDANCES, '')

export const attendances = someOf(ATTENDANCES.filter((known) => known !== ''))

/** Values of the query parameter `when`, relative to the present time. */
export const WHEN_WORDS = ['now', 'today', 'tonight', 'tomorrow', 'weekend', 'week', 'month'] as const
export type WhenWord = (typeof WHEN_WORDS)[number]

export const whenWord: Kind<WhenWord> = {
  wire: { type: 'string', enum: WHEN_WORDS },
  within: limits.word,
  valid: (value) => WHEN_WORDS.some((word) => word === value),
  read: (value) => WHEN_WORDS.find((word) => word === value),
  clock: (value) => (value === 'now' || value === 'tonight' ? 'minute' : 'day'),
}

export const TIMES_OF_DAY = ['morning', 'afternoon', 'evening'] as const
export type TimeOfDay = (typeof TIMES_OF_DAY)[number]

export const timesOfDay = someOf(TIMES_OF_DAY)

/** In minutes: the largest number that `before:` takes, a year. */
const MOST_MINUTES = 525_600

/**
 * Parses `online_shown` into the minutes before the start at which the link appears: Infinity for `always`,
 * NaN for `never`, undefined for an invalid text.
 */
export function minutesBefore(shown: string): number | undefined {
  if (shown === 'always') return Number.POSITIVE_INFINITY
  if (shown === 'never') return Number.NaN
  const [, minutes] = /^before:(\d{1,6})$/.exec(shown) ?? []
  return minutes === undefined || Number(minutes) > MOST_MINUTES ? undefined : Number(minutes)
}

/**
 * When the public sees the link of the meeting: `always`, `before:15` (minutes before the start) or `never`.
 * Editors always see it. An empty text means `always`; any other empty value is refused.
 */
const onlineShown: PlainKind<string> = {
  input: 'line',
  wire: { type: 'string' },
  within: limits.word,
  example: 'before:30',
  valid: (value) => value === '' || (typeof value === 'string' && minutesBefore(value) !== undefined),
  read: (value) => (typeof value === 'string' && value !== '' ? value : 'always'),
  toColumn: (value) => value,
  blank: 'always',
}

/**
 * Lines of RFC 5545 (a list or one text), or an object. One in the form of another product is converted or
 * ignored here; the code of series parses the result.
 */
export const recurrence: Kind<string | readonly unknown[] | object> = {
  wire: {},
  within: limits.recurrence,
  valid: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
  ignores: (value) => isForeign(value) && foreignRule(value) === undefined,
  read: (value) => {
    if (isForeign(value)) return foreignRule(value)
    return typeof value === 'string' || (typeof value === 'object' && value !== null) ? value : undefined
  },
}

export const collapse: Kind<'series'> = {
  wire: { type: 'string', enum: ['series'] },
  within: limits.word,
  valid: (value) => value === 'series',
  read: (value) => (value === 'series' ? value : undefined),
}

const SCOPES = ['this', 'following', 'all'] as const
export type RecurrenceScope = (typeof SCOPES)[number]

const isScope = (value: unknown): value is RecurrenceScope => SCOPES.some((scope) => scope === value)

/** Which occurrences a change of a series is for; an empty value means `this`, the one in the URL. */
const recurrenceScope: Kind<RecurrenceScope> = {
  wire: { type: 'string', enum: SCOPES },
  within: limits.word,
  valid: (value) => isScope(value) || isEmpty(value),
  read: (value) => (isScope(value) ? value : 'this'),
}

const OF_LISTS = { not: 'it is about the lists of this calendar' }
const OF_MAPS = { not: 'it is about the page of the event' }
const OF_USERS = { not: 'users are known to this calendar alone' }
const ADDRESSED = { not: 'url has it' }
const SPARE = { not: 'it stands for a missing description alone' }
const PUBLIC = { not: 'it is for the public' }
const OF_VISITORS = { not: 'readers of events ask when they take place' }
const BRIEF = { not: 'a feed says what takes place, when and where' }
const DATED = { not: 'it has each date of a series as an event' }
const EACH_DATE = { not: 'each of its dates takes place or does not' }

const TEXTLESS = { not: 'an image of iCalendar has no text' } as const
const ofLists = {
  ...everywhere,
  csv: OF_LISTS,
  feed: OF_LISTS,
  assistants: OF_LISTS,
  page: OF_LISTS,
} as const
const ofMaps = { ...everywhere, csv: OF_MAPS, feed: OF_MAPS, assistants: OF_MAPS } as const
const inAddress = {
  ...everywhere,
  csv: ADDRESSED,
  feed: ADDRESSED,
  assistants: ADDRESSED,
  page: ADDRESSED,
} as const
const time = { ...everywhere, schema: dateTime } as const
const linked = {
  from: 'link',
  csv: true,
  assistants: true,
  series: true,
  withdrawn: true,
  page: true,
} as const
const terms = {
  ...linked,
  default: null,
  within: limits.terms,
  schema: arrayOf(schemaRef('EventTerm')),
  csv: 'terms',
  jsonld: 'keywords',
} as const

const whereSet = { unlisted: true, ...everywhere, rare: true } as const
const textWhereSet = { unlisted: true, ...textEverywhere, rare: true } as const
const fact = { kind: factOfAccess, ...whereSet } as const

/** The fields of events that clients can set (rule 3.9), and where each is shown. */
export const eventFields = {
  author: {
    ...authorFields.author,
    ...everywhere,
    schema: author,
    csv: OF_USERS,
    feed: OF_USERS,
    assistants: OF_USERS,
    page: OF_USERS,
  },
  date: {
    ...authorFields.date,
    ...saidBy('date_utc'),
    from: 'column',
    schema: dateTime,
    csv: 'date_local',
    withdrawn: true,
  },
  date_utc: {
    ...authorFields.date_utc,
    ...time,
    feed: 'date_published',
    ics: 'X-KALENDS-DATE',
    series: { not: 'created_utc says since when there is a series' },
    assistants: OF_VISITORS,
    page: OF_VISITORS,
  },
  title: {
    kind: text,
    about: 'The title of the event',
    label: 'Title',
    required: true,
    within: limits.title,
    ...textEverywhere,
    ics: 'SUMMARY',
    jsonld: 'name',
  },
  description: {
    kind: clearableText,
    about: 'The description of the event',
    label: 'Description',
    ...textEverywhere,
    feed: 'content_html',
    ics: 'DESCRIPTION',
    jsonld: 'description',
  },
  slug: {
    kind: settledText,
    about: 'The slug of the event',
    label: 'Web address',
    within: limits.slug,
    ...inAddress,
  },
  excerpt: {
    kind: clearableText,
    about: 'The excerpt of the event',
    label: 'One sentence for lists',
    ...textEverywhere,
    csv: SPARE,
    feed: SPARE,
    assistants: SPARE,
  },
  status: {
    ...statusField.status,
    ...everywhere,
    schema: status,
    feed: PUBLIC,
    assistants: 'state',
    page: PUBLIC,
  },
  timezone: {
    kind: timezone,
    about: 'The time zone of the event; that of the site when none is given',
    label: 'Time zone',
    ...everywhere,
    feed: '_kalends.timezone',
    ics: 'DTSTART',
  },
  all_day: {
    kind: flag,
    about: 'Whether the event lasts all day',
    label: 'All day',
    default: false,
    ...everywhere,
    feed: '_kalends.all_day',
    ics: 'DTSTART',
    jsonld: 'startDate',
    assistants: 'when',
  },
  start_date: {
    kind: moment,
    about: 'When the event starts',
    label: 'Starts',
    required: true,
    ...time,
    feed: '_kalends.start',
    ics: 'DTSTART',
    jsonld: 'startDate',
    assistants: 'start',
  },
  end_date: {
    kind: moment,
    about: 'When the event ends',
    label: 'Ends',
    required: true,
    ...time,
    feed: '_kalends.end',
    ics: 'DTEND',
    jsonld: 'endDate',
    assistants: 'end',
  },
  image: {
    ...imageField.image,
    ...everywhere,
    schema: anyOf(schemaRef('Image'), { type: 'boolean', const: false }),
    ics: 'IMAGE',
    jsonld: 'image',
    assistants: { not: 'they answer in words' },
  },
  image_alt: {
    kind: line,
    about: 'What the image shows at this event, where that is something else than the text of the image says',
    label: 'What it shows',
    ...textWhereSet,
    ics: TEXTLESS,
  },
  image_decorative: {
    kind: flag,
    about: 'Whether the image only decorates the event, so that nothing is said of it there',
    label: 'It only decorates, and needs no text',
    ...whereSet,
    ics: TEXTLESS,
    page: { not: 'an image that only decorates has no text' },
  },
  cost: {
    kind: anything,
    about: 'The cost of the event',
    label: 'Cost',
    within: limits.cost,
    ...everywhere,
    feed: BRIEF,
    jsonld: 'offers',
  },
  website: {
    kind: { ...url, wire: {} },
    about: 'The website of the event',
    label: 'Website or tickets',
    default: null,
    ...everywhere,
    feed: BRIEF,
    jsonld: 'offers',
  },
  show_map: { kind: flag, about: 'Whether the event shows a map', label: 'Show a map', ...ofMaps },
  show_map_link: { kind: flag, about: 'Whether the event links to a map', label: 'Link to a map', ...ofMaps },
  hide_from_listings: {
    kind: flag,
    about: 'Whether the event is left out of lists',
    label: 'Hide from lists',
    ...ofLists,
  },
  sticky: {
    kind: flag,
    about: 'Whether the event is sticky in the calendar',
    label: 'First on its day in the month view',
    ...ofLists,
  },
  featured: { kind: flag, about: 'Whether the event is featured', label: 'Featured', ...ofLists, csv: true },
  event_status: {
    kind: eventStatus,
    about: 'Whether the event takes place: scheduled, canceled or postponed',
    label: 'Takes place',
    unlisted: true,
    ...everywhere,
    rare: true,
    series: EACH_DATE,
    schema: { type: 'string', enum: EVENT_STATUSES.filter((known) => known !== 'scheduled') },
    ics: 'STATUS',
    jsonld: 'eventStatus',
  },
  event_status_reason: {
    kind: line,
    about: 'Why the event is canceled or postponed',
    label: 'Reason',
    unlisted: true,
    ...textEverywhere,
    rare: 'event_status',
    series: EACH_DATE,
    ics: 'COMMENT',
  },
  // Pages name these facts about accessibility by their `about`, so they have no `label`.
  captions: { ...fact, about: 'Captions' },
  audio_description: { ...fact, about: 'Audio description' },
  relaxed: { ...fact, about: 'Relaxed performance' },
  easy_language: { ...fact, about: 'Easy language' },
  free_companion: { ...fact, about: 'Free ticket for a companion' },
  sign_language: {
    kind: language,
    about: 'Sign language',
    hint: 'Its code, such as bfi, gsg or lsf.',
    ...whereSet,
  },
  access_note: {
    kind: line,
    about: 'What else there is to know about access',
    label: 'More about access',
    ...textWhereSet,
  },
  access_contact: { kind: line, about: 'Whom to ask about access', ...textWhereSet },
  attendance: {
    kind: attendance,
    about: 'How people take part: in_person, online or mixed',
    label: 'How people take part',
    words: { '': 'Unknown', in_person: 'In person', online: 'Online event', mixed: 'In person and online' },
    ...whereSet,
    schema: { type: 'string', enum: ATTENDANCES.filter((known) => known !== '') },
    ics: 'X-KALENDS-ATTENDANCE',
    jsonld: 'eventAttendanceMode',
  },
  online_url: {
    kind: secureUrl,
    about: 'The link of the meeting',
    label: 'Link of the meeting',
    ...textWhereSet,
    ics: 'CONFERENCE',
    jsonld: 'location',
  },
  online_label: {
    kind: line,
    about: 'What the link of the meeting is called',
    label: 'Name of the link',
    ...textWhereSet,
    ics: 'CONFERENCE',
    jsonld: 'location',
  },
  online_shown: {
    kind: onlineShown,
    about: 'When everybody sees the link of the meeting: always, before:<minutes> or never',
    label: 'When the link is shown',
    input: 'choice',
    words: {
      always: 'Always',
      'before:15': 'From a quarter of an hour before the start',
      'before:60': 'From an hour before the start',
      'before:1440': 'From a day before the start',
      never: 'Never',
    },
    ...whereSet,
    ics: 'X-KALENDS-SHOWN',
  },
  categories: {
    kind: links,
    about: 'The categories of the event: ids, slugs or names',
    label: 'Categories',
    ...terms,
    feed: 'tags',
    ics: 'CATEGORIES',
  },
  tags: {
    kind: links,
    about: 'The tags of the event: ids, slugs or names',
    label: 'Tags',
    ...terms,
    feed: true,
    ics: 'CATEGORIES',
  },
  venue: {
    kind: links,
    about: 'The venue of the event: its id or its fields',
    label: 'Venue',
    default: null,
    nested: venueFields,
    ...linked,
    schema: anyOf(schemaRef('Venue'), arrayOf(schemaRef('Venue'))),
    feed: '_kalends.venue',
    ics: 'LOCATION',
    jsonld: 'location',
  },
  organizer: {
    kind: links,
    about: 'The organizers of the event: their ids or their fields',
    label: 'Organizers',
    nested: organizerFields,
    ...linked,
    default: null,
    schema: arrayOf(schemaRef('Organizer')),
    feed: 'authors',
    ics: 'ORGANIZER',
    jsonld: 'organizer',
    assistants: 'organizers',
  },
  recurrence: {
    kind: recurrence,
    default: null,
    unlisted: true,
    about: 'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object',
    label: 'Repeats',
    ...saidBy('recurrence'),
    rare: true,
    schema: recurrenceShown,
    csv: DATED,
    feed: DATED,
    series: true,
    page: true,
    ics: 'RRULE',
    jsonld: 'superEvent',
    assistants: { not: 'tools know a series by its id' },
  },
  recurrence_scope: {
    kind: recurrenceScope,
    about: 'Which occurrences of a series a change is about',
    unlisted: true,
    from: 'request',
  },
} as const satisfies Readonly<Record<string, MemberField>>
