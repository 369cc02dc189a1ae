import type { Generated, Selectable } from 'kysely'
import type { eventFields } from '../../base/fields/event-fields.ts'
import type { Columns } from '../../base/fields/field.ts'
import type { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'

// Every table: columns, and types of rows.

/** Rule 4.1. */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image' | 'series'
export type Taxonomy = 'category' | 'tag'
/** As the record of changes names them. */
export type VersionedKind = RecordKind | 'term'
/** With author, status, slug, and a page. */
export type PagedKind = Exclude<RecordKind, 'image' | 'series'>

/** Times are `YYYY-MM-DD HH:MM:SS`, flags 0 or 1. */
export interface RecordColumns {
  id: number
  author: number
  status: string
  slug: string
  /** Publication, in the site's zone. */
  date: string
  /** All zeros while never published (rule 4.3). */
  date_utc: string
  /** 1 where a client sent the publication date. */
  dated: number
  modified: string
  modified_utc: string
  image: number | null
  /** 1 when all texts are by holders of the unfiltered-HTML right. */
  trusted: number
  /** Folded, one line a field. */
  search: string
}

/** `eventFields` declares the plain ones. */
interface EventColumns extends RecordColumns {
  /** RFC 5545, 3.8.4.7; never changes. */
  uid: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** JSON list. */
  cost: string
  /** Null for a single event. */
  series: number | null
  /** Of an occurrence: its start by the rule, even where moved. */
  recurrence_id: string
  /** Of an occurrence: fields changed for this date alone, joined by commas. */
  own: string
  /** Of the event, without its venue, joined by blanks. */
  access_words: string
  /** 1 when all costs are zero. */
  is_free: number
  /** UTC; empty where everybody may see the link already. */
  online_from: string
}

/** Wall times in the zone of the series. */
interface SeriesColumns {
  id: number
  author: number
  status: string
  title: string
  /** The beginning of slugs of occurrences. */
  slug: string
  /** RFC 5545, 3.8.4.7. */
  uid: string
  timezone: string
  all_day: number
  /** The rule counts from it. */
  start_date: string
  /** Elapsed seconds, or for whole days of the wall clock. */
  duration: number
  /** JSON list of RRULE, RDATE and EXDATE (RFC 5545, 3.8.5). */
  rules: string
  /** Occurrences up to it are events; `9999-12-31 23:59:59` when no more come. */
  written_until: string
  /** JSON of the values of all occurrences. */
  shared: string
  /** Two people who change it at once notice each other. */
  version: number
  created_utc: string
  modified_utc: string
}

/** Their declarations have the plain ones. */
export interface LinkedColumns extends RecordColumns {
  excerpt: string
  /** Finds namesakes. */
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
  /** JSON: name to `{ file, width, height, filesize, mime_type }`. */
  sizes: string
  /** Where it was fetched from. */
  source_url: string
  /** When `file` is a scaled copy. */
  original_image: string
  /** 0 at left and top, to 1; null for the middle. */
  focal_x: number | null
  focal_y: number | null
}

interface TermColumns {
  id: number
  taxonomy: Taxonomy
  name: string
  slug: string
  description: string
  /** 0 for none. */
  parent: number
  /** Published events. */
  count: number
  /** For order and search. */
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
  /** Of the desk; empty: that of the calendar. */
  language: string
}

export interface DeskPasswordColumns {
  user: number
  /** Argon2id, behind parameters and salt (`desk-passwords.ts`). */
  hash: string
  changed_utc: string
}

export interface SessionColumns {
  /** SHA-256 of the id in the cookie. */
  hash: string
  user: number
  created_utc: string
  /** About when it was last used. */
  seen_utc: string
  /** User-Agent, and address at sign-in. */
  client: string
  address: string
}

export interface SignInLinkColumns {
  /** SHA-256 of the token. */
  hash: string
  user: number
  /** No password yet; forgotten; looking around. */
  purpose: 'set-up' | 'reset' | 'demo'
  expires_utc: string
  /** The user who made it; 0 for the command line and the first start. */
  inviter: number
}

/** A change of the zone of the site, which moves the events that were in the former one. */
export interface ZoneChangeColumns {
  id: number
  former_zone: string
  new_zone: string
  /** The hour that a clock shows, or the moment. */
  keeps: 'hour' | 'moment'
  state: 'moving' | 'moved' | 'returning' | 'returned'
  /** Later ones were made in the new zone. */
  last_event: number
  user: number
  done_utc: string
}

/** JSON of the times before and after. */
export interface ZoneMoveColumns {
  change: number
  kind: 'event' | 'series'
  record: number
  former: string
  moved: string
}

/** Kept as a hash. */
export interface CredentialColumns {
  id: number
  user: number
  kind: 'password' | 'token'
  name: string
  hash: string
  created_utc: string
  /** Joined by commas; empty for all rights of the role. */
  scope: string
  /** Empty for never. */
  expires_utc: string
  /** About; or empty. */
  used_utc: string
  /** UUID of the program that asked for it. */
  app_id: string
}

/**
 * Every cache follows it. Without a row a record has not changed since the table exists; deleted ones stay 90
 * days.
 */
export interface ChangeColumns {
  /**
   * `count`: a term's number of events alone, more frequent than the term. `source`: a moved source with
   * changed old addresses. `settings`: all owner settings.
   */
  kind: VersionedKind | 'count' | 'user' | 'source' | 'settings'
  record: number
  /** Of the commit among all (`storage/history.ts`). A text on PostgreSQL. */
  position: number | string
  /** Rises with every transaction that changes the record. */
  sequence: number
  /** At some time before the latest change. */
  was_public: number
  /** Published events, venues, organizers; every image and term; no user. */
  is_public: number
  deleted: number
  changed_utc: string
  /** 0 for nobody. */
  user: number
  /** Versions before it cannot be shown. */
  known_from: number
}

/** What the public saw last; kept for 90 days. */
interface WithdrawnEventColumns
  extends Pick<
    EventColumns,
    'uid' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
  > {
  /** It may exist or not. */
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

/** Public, and left by its record. Where several did: the latest. */
export interface OldSlugColumns {
  kind: PagedKind | Taxonomy
  slug: string
  record: number
  /** To the millisecond, ISO 8601. */
  left_utc: string
}

/** Never changed, except that old ones lose former values. */
export interface HistoryColumns {
  id: number
  time_utc: string
  /** 0 for the command line, the schedule and the service. */
  user: number
  /** At that time. */
  login: string
  action: string
  kind: ChangeColumns['kind'] | 'webhook' | 'backup'
  record: number
  /** After the act; 0 without a record, or from before sequences. */
  sequence: number
  /** At that time; of a long one the beginning. */
  name: string
  address: string
  /** User-Agent or command. */
  client: string
  /** As in answer and log. */
  request: string
  /** JSON by column or link (`storage/history.ts`). */
  former: string
  former_bytes: number
}

/** Rows of the history name its hash. */
export interface FormerTextColumns {
  hash: string
  bytes: number
  /** Newest row of the history that names the text, or a higher id. */
  last: number
  text: string
}

interface EditionColumns {
  edition: string
  /** Stays the same through restores. */
  calendar: string
  /** Webhooks and scheduled imports: the calendar is a copy of another. */
  held: number
}

/** Kept for a day. */
export interface KeptAnswerColumns {
  user: number
  key: string
  /** Of the request. */
  fingerprint: string
  /** Capabilities of the user, separated by blanks. */
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
  /** For changes of the site; and as JSON the options of the run that got it. */
  token: string
  options: string
  /** Who reads the source, until when. */
  holder: string
  held_until_utc: string
  /** `moved`: the calendar has replaced the source; `stays`: it remains the original. */
  origin: '' | 'moved' | 'stays'
}

/**
 * With the state of both when the item was last written. An image of a moved source has a second row for its
 * old address.
 */
export interface ImportItemColumns {
  source: number
  kind: string
  /** In the source. */
  identity: string
  occurrence: string
  record: number
  /** RFC 5545, 3.8.7.4; 0 where the source counts none. */
  sequence: number
  /** Of all values. */
  digest: string
  /** JSON fingerprints: `written` of the item, `kept` of the record. */
  written: string
  kept: string
  /** A path where the source has moved, an address where it stays; else empty. */
  page: string
}

/** A row whose id the database gives. */
export type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/** Plain columns of events, venues and organizers come from their declarations. */
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
  kept_answers: KeptAnswerColumns
  history: WithSequence<HistoryColumns>
  former_texts: FormerTextColumns
  /** `owner-settings.ts`. */
  owner_settings: { name: string; value: string }
  /** Base64; `owner_settings` has its name for a value. */
  look_files: { name: string; content: string }
  import_sources: WithSequence<ImportSourceColumns>
  import_items: ImportItemColumns
  /** One row. */
  editions: EditionColumns
}

export type WithdrawnEventRow = Selectable<WithdrawnEventColumns>
/** With the highest sequence of its own, of a series with its UID, and the least when it was withdrawn. */
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
/** With author, status and slug. */
export type RecordTable = (typeof TABLE_OF)[PagedKind]
