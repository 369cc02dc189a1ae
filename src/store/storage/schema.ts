import type { Generated, Selectable } from 'kysely'
import type { eventFields } from '../../base/fields/event-fields.ts'
import type { Columns } from '../../base/fields/field.ts'
import type { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'

/** Kinds that share one sequence of ids (rule 4.1). */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image' | 'series'
export type Taxonomy = 'category' | 'tag'
export type VersionedKind = RecordKind | 'term'
/** Kinds with an author, a status, a slug and a public page. */
export type PagedKind = Exclude<RecordKind, 'image' | 'series'>

/** Columns that events, venues and organizers share. Times are `YYYY-MM-DD HH:MM:SS`, flags 0 or 1. */
export interface RecordColumns {
  id: number
  author: number
  status: string
  slug: string
  /** The publication date, in the time zone of the site. */
  date: string
  /** `date` in UTC; all zeros for a draft or pending record never published (rule 4.3). */
  date_utc: string
  /** 1 if a client set the publication date, so that publishing a draft keeps it. */
  dated: number
  modified: string
  modified_utc: string
  image: number | null
  /** 1 if all texts were written by users who may write unfiltered HTML. */
  trusted: number
  /** The text that is searched: folded values of the fields, one per line. */
  search: string
}

/** Columns of events that are not declared in `eventFields`. */
interface EventColumns extends RecordColumns {
  /** The UID in calendar files (RFC 5545, 3.8.4.7). */
  uid: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** JSON array of costs. */
  cost: string
  /** The id of the series; null for a single event. */
  series: number | null
  /** The start of the occurrence by the recurrence rule, even after a move; empty for a single event. */
  recurrence_id: string
  /** Names of the fields changed for this occurrence alone, joined by commas. */
  own: string
  /** Accessibility facts of the event itself, not of its venue, joined by spaces. */
  access_words: string
  /** 1 if the event has costs, and all are zero. */
  is_free: number
  /** When the public may see the online link, in UTC; empty if it already may. */
  online_from: string
}

/** A series of events. Local times are in `timezone`. */
interface SeriesColumns {
  id: number
  author: number
  status: string
  title: string
  slug: string
  /** The UID in calendar files (RFC 5545, 3.8.4.7). */
  uid: string
  timezone: string
  all_day: number
  /** DTSTART, the start of the first occurrence. */
  start_date: string
  /** Length of an occurrence in elapsed seconds; for an all-day series, in seconds of local time. */
  duration: number
  /** JSON array of the lines RRULE, RDATE and EXDATE (RFC 5545, 3.8.5). */
  rules: string
  /** Local time up to which occurrences are stored as events; `9999-12-31 23:59:59` if these are all. */
  written_until: string
  shared: string
  /** The number of changes, by which outdated edits are noticed. */
  version: number
  created_utc: string
  modified_utc: string
}

export interface LinkedColumns extends RecordColumns {
  excerpt: string
  /** The folded name, by which records of the same name are found. */
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
  /** The text that is searched: folded values of the fields, one per line. */
  search: string
  date_utc: string
  modified_utc: string
  /** Path of the file in the media store, such as `2026/11/poster.png`. */
  file: string
  mime_type: string
  width: number
  height: number
  /** In bytes. */
  filesize: number
  /** JSON of the scaled copies: from names of sizes to `{ file, width, height, filesize, mime_type }`. */
  sizes: string
  source_url: string
  /** Name of the uploaded file if `file` is a scaled copy of it; else empty. */
  original_image: string
  /** The point that cropping keeps in view: 0 is left or top, 1 right or bottom, null the middle. */
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
  /** The number of published events of the term. */
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
  /** The user's language at the desk; empty for that of the calendar. */
  language: string
}

export interface DeskPasswordColumns {
  user: number
  /** The parameters and the salt of Argon2id, then the hash (`desk-passwords.ts`). */
  hash: string
  changed_utc: string
}

export interface SessionColumns {
  /** SHA-256 of the session id in the cookie. */
  hash: string
  user: number
  created_utc: string
  seen_utc: string
  /** `client` is the User-Agent, `address` the IP address at sign-in. */
  client: string
  address: string
}

export interface SignInLinkColumns {
  /** SHA-256 of the token in the link. */
  hash: string
  user: number
  /** `set-up` is for a new user, `reset` for a forgotten password, `demo` for visitors of the demo. */
  purpose: 'set-up' | 'reset' | 'demo'
  expires_utc: string
  /** The user who made the link; 0 for the command line and the first start. */
  inviter: number
}

/** A change of the site's time zone, which moves events of the former zone to the new zone. */
export interface ZoneChangeColumns {
  id: number
  former_zone: string
  new_zone: string
  /** What moved events keep: the local time (`hour`) or the time in UTC (`moment`). */
  keeps: 'hour' | 'moment'
  state: 'moving' | 'moved' | 'returning' | 'returned'
  last_event: number
  user: number
  done_utc: string
}

/** A record that a change of the time zone moved; `former` and `moved` are JSON of the record's times. */
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
  /** Granted rights, joined by commas; empty for all rights of the user's role. */
  scope: string
  expires_utc: string
  /** Time of a recent use, written only at intervals; empty if never used. */
  used_utc: string
  app_id: string
}

/**
 * The latest change of each record, which every in-memory cache follows. A record without a row has not
 * changed since the table was created. Rows of deleted records stay for 90 days.
 */
export interface ChangeColumns {
  /**
   * `count`: only a term's count changed. `source`: old addresses of a moved import source changed.
   * `settings`: one row for all owner settings.
   */
  kind: VersionedKind | 'count' | 'user' | 'source' | 'settings'
  record: number
  /** Orders changes by commit (`storage/history.ts`). A text on PostgreSQL. */
  position: number | string
  /** Increases with every transaction that changes the record. */
  sequence: number
  /** 1 if the record was public at some time before the latest change. */
  was_public: number
  /** 1 for published events, series, venues and organizers, and for all images and terms; else 0. */
  is_public: number
  deleted: number
  changed_utc: string
  user: number
  /** The lowest sequence whose version can still be shown. */
  known_from: number
}

/** An event that the public can no longer see, as last seen. Rows are stored for 90 days. */
interface WithdrawnEventColumns
  extends Pick<
    EventColumns,
    'uid' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
  > {
  /** The id of the event, which may have been deleted. */
  event: number
  title: string
  featured: number
  event_status: Columns<typeof eventFields>['event_status']
  /** JSON of the whole row apart from its texts; `{}` in rows of an older version of the program. */
  kept: string
  /** `venues`, `organizers` and `terms` are JSON arrays of ids. */
  venues: string
  organizers: string
  terms: string
  withdrawn_utc: string
}

/** A slug that a public record had before it got another; of several such records, the latest. */
export interface OldSlugColumns {
  kind: PagedKind | Taxonomy
  slug: string
  record: number
  /** When the record got another slug: ISO 8601 in UTC, with milliseconds. */
  left_utc: string
}

/**
 * One act on a record. Rows never change, except that the oldest, and those of records removed for good,
 * lose their former values.
 */
export interface HistoryColumns {
  id: number
  time_utc: string
  /** Id of the user who acted; 0 for the command line, the schedule and the service. */
  user: number
  login: string
  action: string
  kind: ChangeColumns['kind'] | 'webhook' | 'backup'
  record: number
  /** The record's sequence after the act; 0 without a record, and in rows older than sequences. */
  sequence: number
  /** The name of the record at that time; a long one is cut. */
  name: string
  address: string
  client: string
  /** The id of the HTTP request, as in the response header and the log. */
  request: string
  /** JSON of the former values by column or link (`storage/history.ts`). */
  former: string
  former_bytes: number
}

/** A long former text, to which the history refers by hash. */
export interface FormerTextColumns {
  hash: string
  bytes: number
  /** The id of the newest history row that refers to the text, or of a later row. */
  last: number
  text: string
}

interface EditionColumns {
  edition: string
  /** A random name of the calendar, which stays the same after a restore. */
  calendar: string
  /** 1 if nothing is sent or imported unasked, as in a copy of a calendar. */
  held: number
}

/** An answer to a request with an Idempotency-Key. Rows are stored for a day. */
export interface StoredAnswerColumns {
  user: number
  key: string
  fingerprint: string
  /** Capabilities that the user had, separated by spaces. */
  rights: string
  status: number
  location: string
  /** JSON of the response body. */
  body: string
  kept_utc: string
}

export interface ImportSourceColumns {
  id: number
  address: string
  /**
   * Sync token of another calendar, by which the next run reads only later changes; valid only for a run with
   * these `options`, which are JSON.
   */
  token: string
  options: string
  /** The process that reads the source; no other process may before `held_until_utc`. */
  holder: string
  held_until_utc: string
  /** `moved`: this calendar has replaced the source; `stays`: the source is the original; empty: unknown. */
  origin: '' | 'moved' | 'stays'
}

/**
 * An imported item and its record, as both were when the item was last written. An image of a moved source
 * has a second row for its old address.
 */
export interface ImportItemColumns {
  source: number
  kind: string
  /** Identifies the item in the source. */
  identity: string
  occurrence: string
  record: number
  /** SEQUENCE of the item (RFC 5545, 3.8.7.4); 0 if the source has none. */
  sequence: number
  digest: string
  /** Fingerprints of the fields as JSON: `written` of the item, `kept` of the record. */
  written: string
  kept: string
  /** Address of the item's page: a path if the source has moved, a URL if it stays; else empty. */
  page: string
}

export type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/** Columns by table. Events, venues and organizers also have columns of their declared fields. */
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
  /** `content` is in Base64; the value of a file setting in `owner_settings` is the `name`. */
  look_files: { name: string; content: string }
  import_sources: WithSequence<ImportSourceColumns>
  import_items: ImportItemColumns
  editions: EditionColumns
}

export type WithdrawnEventRow = Selectable<WithdrawnEventColumns>
/** `sequence` is the highest of the event, of a series with the same UID, and of the withdrawal. */
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
