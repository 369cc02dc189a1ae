import type { Generated, Selectable } from 'kysely'
import type { eventFields } from '../../base/fields/event-fields.ts'
import type { Columns } from '../../base/fields/field.ts'
import type { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'

/** Kinds that share one sequence of ids (rule 4.1). */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image' | 'series'
export type Taxonomy = 'category' | 'tag'
export type VersionedKind = RecordKind | 'term'
/** Kinds with author, status, slug, and a page. */
export type PagedKind = Exclude<RecordKind, 'image' | 'series'>

/** Times are `YYYY-MM-DD HH:MM:SS`, flags 0 or 1. */
export interface RecordColumns {
  id: number
  author: number
  status: string
  slug: string
  /** The publication, in the zone of the site. */
  date: string
  /** All zeros until it is published (rule 4.3). */
  date_utc: string
  /** 1 if a client sent the publication date. */
  dated: number
  modified: string
  modified_utc: string
  image: number | null
  /** 1 if all texts are by users who may write unfiltered HTML. */
  trusted: number
  /** Folded, one line a field. */
  search: string
}

/** `eventFields` declares the other columns. */
interface EventColumns extends RecordColumns {
  /** Never changes (RFC 5545, 3.8.4.7). */
  uid: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** A JSON list. */
  cost: string
  /** Null for a single event. */
  series: number | null
  /** The start of an occurrence by the rule, even if it was moved. */
  recurrence_id: string
  /** Fields changed for this occurrence alone, joined by commas. */
  own: string
  /** Facts of the event without its venue, joined by spaces. */
  access_words: string
  /** 1 if all costs are zero. */
  is_free: number
  /** UTC; empty if everybody may see the link already. */
  online_from: string
}

/** Wall times are in the zone of the series. */
interface SeriesColumns {
  id: number
  author: number
  status: string
  title: string
  slug: string
  /** RFC 5545, 3.8.4.7. */
  uid: string
  timezone: string
  all_day: number
  /** The rule counts from it. */
  start_date: string
  /** Elapsed seconds; for all-day series, seconds of the wall clock. */
  duration: number
  /** A JSON list of RRULE, RDATE and EXDATE (RFC 5545, 3.8.5). */
  rules: string
  /** Occurrences up to it are events; `9999-12-31 23:59:59` if no more come. */
  written_until: string
  shared: string
  /** Shows two people who change the series at once. */
  version: number
  created_utc: string
  modified_utc: string
}

export interface LinkedColumns extends RecordColumns {
  excerpt: string
  /** Finds records of the same name. */
  folded: string
}

export interface ImageColumns {
  id: number
  author: number
  title: string
  slug: string
  alt_text: string
  caption: string
  description: string
  /** Folded, one line a field. */
  search: string
  date_utc: string
  modified_utc: string
  /** Such as `2026/11/poster.png`. */
  file: string
  mime_type: string
  width: number
  height: number
  /** Bytes. */
  filesize: number
  /** JSON of `{ file, width, height, filesize, mime_type }` by name. */
  sizes: string
  source_url: string
  /** Set if `file` is a scaled copy. */
  original_image: string
  /** 0 at the left and top, 1 at the right and bottom; null for the middle. */
  focal_x: number | null
  focal_y: number | null
}

interface TermColumns {
  id: number
  taxonomy: Taxonomy
  name: string
  slug: string
  description: string
  parent: number
  /** The number of published events. */
  count: number
  folded: string
}

export interface UserColumns {
  id: number
  login: string
  email: string
  name: string
  role: string
  created_utc: string
  /** Empty for a user who may sign in. */
  deactivated_utc: string
  /** The language of the desk; empty for that of the calendar. */
  language: string
}

export interface DeskPasswordColumns {
  user: number
  /** Argon2id, behind its parameters and salt (`desk-passwords.ts`). */
  hash: string
  changed_utc: string
}

export interface SessionColumns {
  /** SHA-256 of the id in the cookie. */
  hash: string
  user: number
  created_utc: string
  seen_utc: string
  /** User-Agent; `address` is the one at sign-in. */
  client: string
  address: string
}

export interface SignInLinkColumns {
  /** SHA-256 of the token. */
  hash: string
  user: number
  /** `set-up` is for a new user, `reset` for a forgotten password, `demo` for visitors of the demo. */
  purpose: 'set-up' | 'reset' | 'demo'
  expires_utc: string
  /** The user who made the link; 0 for the command line and the first start. */
  inviter: number
}

/** A change of the zone of the site, which moves the events of the former zone. */
export interface ZoneChangeColumns {
  id: number
  former_zone: string
  new_zone: string
  /** What events keep: the hour on the clock, or the moment. */
  keeps: 'hour' | 'moment'
  state: 'moving' | 'moved' | 'returning' | 'returned'
  last_event: number
  user: number
  done_utc: string
}

/** `former` and `moved` are JSON of the times. */
export interface ZoneMoveColumns {
  change: number
  kind: 'event' | 'series'
  record: number
  former: string
  moved: string
}

export interface CredentialColumns {
  id: number
  user: number
  kind: 'password' | 'token'
  name: string
  hash: string
  created_utc: string
  /** Joined by commas; empty for all rights of the role. */
  scope: string
  expires_utc: string
  /** Updated now and then; empty if never used. */
  used_utc: string
  app_id: string
}

/**
 * Every cache follows this record. Without a row a record has not changed since the table exists; rows of
 * deleted ones stay 90 days.
 */
export interface ChangeColumns {
  /**
   * `count` is a change of a term's count alone. `source` is a moved source whose old addresses changed.
   * `settings` are all owner settings.
   */
  kind: VersionedKind | 'count' | 'user' | 'source' | 'settings'
  record: number
  /** The place of the commit (`storage/history.ts`). A text on PostgreSQL. */
  position: number | string
  /** Rises with every transaction that changes the record. */
  sequence: number
  /** 1 if it was public at some time before the latest change. */
  was_public: number
  /** 1 for published events, venues and organizers, and every image and term; 0 for users. */
  is_public: number
  deleted: number
  changed_utc: string
  user: number
  /** Versions before it cannot be shown. */
  known_from: number
}

/** What the public saw last; stored for 90 days. */
interface WithdrawnEventColumns
  extends Pick<
    EventColumns,
    'uid' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
  > {
  /** The event may exist or not. */
  event: number
  title: string
  featured: number
  event_status: Columns<typeof eventFields>['event_status']
  /** JSON without texts; `{}` from an older version. */
  kept: string
  /** JSON lists of ids. */
  venues: string
  organizers: string
  terms: string
  withdrawn_utc: string
}

/** A public slug that its record has left; of several such records, the latest. */
export interface OldSlugColumns {
  kind: PagedKind | Taxonomy
  slug: string
  record: number
  /** ISO 8601, to the millisecond. */
  left_utc: string
}

/** Rows never change, but old ones lose former values. */
export interface HistoryColumns {
  id: number
  time_utc: string
  /** 0 for the command line, the schedule and the service. */
  user: number
  login: string
  action: string
  kind: ChangeColumns['kind'] | 'webhook' | 'backup'
  record: number
  /** The sequence after the act; 0 without a record, or from before sequences. */
  sequence: number
  /** The name at that time; the beginning of a long one. */
  name: string
  address: string
  client: string
  /** The id of the request, as in answer and log. */
  request: string
  /** JSON by column or link (`storage/history.ts`). */
  former: string
  former_bytes: number
}

/** Rows of the history have its hash. */
export interface FormerTextColumns {
  hash: string
  bytes: number
  /** The newest row of the history that names the text, or a higher id. */
  last: number
  text: string
}

interface EditionColumns {
  edition: string
  /** The name of the calendar, which stays the same through restores. */
  calendar: string
  /** 1 holds webhooks and scheduled imports, since the calendar is a copy of another. */
  held: number
}

/** Rows stay a day. */
export interface StoredAnswerColumns {
  user: number
  key: string
  fingerprint: string
  /** Capabilities of the user, separated by spaces. */
  rights: string
  status: number
  location: string
  /** JSON. */
  body: string
  kept_utc: string
}

export interface ImportSourceColumns {
  id: number
  address: string
  /** A token for changes of the site; `options` is JSON of the run that got it. */
  token: string
  options: string
  /** The process that reads the source, and until when. */
  holder: string
  held_until_utc: string
  /** `moved`: the calendar has replaced the source; `stays`: the source remains the original. */
  origin: '' | 'moved' | 'stays'
}

/**
 * Has the state of both when the item was last written. An image of a moved source has a second row for its
 * old address.
 */
export interface ImportItemColumns {
  source: number
  kind: string
  /** The item's name in the source. */
  identity: string
  occurrence: string
  record: number
  /** RFC 5545, 3.8.7.4; 0 if the source counts none. */
  sequence: number
  digest: string
  /** JSON fingerprints: `written` of the item, `kept` of the record. */
  written: string
  kept: string
  /** A path if the source has moved, a URL if it stays; else empty. */
  page: string
}

export type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/** Declarations add the other columns of events, venues and organizers. */
export interface Tables {
  records: { id: Generated<number>; kind: RecordKind }
  events: EventColumns & Columns<typeof eventFields>
  venues: LinkedColumns & Columns<typeof venueFields>
  organizers: LinkedColumns & Columns<typeof organizerFields>
  series: SeriesColumns
  images: ImageColumns
  terms: WithSequence<TermColumns>
  event_venues: { event: number; venue: number; position: number }
  event_organizers: { event: number; organizer: number; position: number }
  event_terms: { event: number; term: number }
  postponed_events: { event: number; later: number }
  users: WithSequence<UserColumns>
  credentials: WithSequence<CredentialColumns>
  desk_passwords: DeskPasswordColumns
  sessions: SessionColumns
  sign_in_links: SignInLinkColumns
  zone_changes: WithSequence<ZoneChangeColumns>
  zone_moves: ZoneMoveColumns
  changes: Omit<ChangeColumns, 'known_from'> & { known_from: Generated<number> }
  withdrawn_events: WithdrawnEventColumns
  old_slugs: OldSlugColumns
  kept_answers: StoredAnswerColumns
  history: WithSequence<HistoryColumns>
  former_texts: FormerTextColumns
  owner_settings: { name: string; value: string }
  /** Base64; `owner_settings` has its name as a value. */
  look_files: { name: string; content: string }
  import_sources: WithSequence<ImportSourceColumns>
  import_items: ImportItemColumns
  editions: EditionColumns
}

export type WithdrawnEventRow = Selectable<WithdrawnEventColumns>
/** `sequence` is the highest of its own, of a series with its UID, and the least when it was withdrawn. */
export type WithdrawnEvent = WithdrawnEventRow & { sequence: number }
export type EventRow = Selectable<Tables['events']>
export type VenueRow = Selectable<Tables['venues']>
export type OrganizerRow = Selectable<Tables['organizers']>
export type SeriesRow = SeriesColumns
export type ImageRow = ImageColumns
export type TermRow = TermColumns

export const TABLE_OF = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  series: 'series',
  image: 'images',
  term: 'terms',
  category: 'terms',
  tag: 'terms',
} as const satisfies Record<VersionedKind | Taxonomy, keyof Tables>
export type RecordTable = (typeof TABLE_OF)[PagedKind]
