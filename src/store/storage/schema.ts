import type { Generated, Selectable } from 'kysely'
import type { eventFields } from '../../base/fields/event-fields.ts'
import type { Columns } from '../../base/fields/field.ts'
import type { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'

// Declares every table of the database: its columns, and the types of its rows.

/** The kinds that share the first id sequence (rule 4.1). */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image' | 'series'
export type Taxonomy = 'category' | 'tag'
/** The kinds of records that have versions, as the record of changes names them. */
export type VersionedKind = RecordKind | 'term'
/** The kinds of records with an author, a status, a slug, and a page of their own for people. */
export type PagedKind = Exclude<RecordKind, 'image' | 'series'>

/**
 * The columns that events, venues and organizers share. Times are texts `YYYY-MM-DD HH:MM:SS`; flags are 0 or
 * 1.
 */
export interface RecordColumns {
  id: number
  author: number
  status: string
  slug: string
  /** Publication date in the site's zone. */
  date: string
  /** All zeros while never published (rule 4.3). */
  date_utc: string
  /** 1 where a client sent the publication date, 0 where the service set it. */
  dated: number
  modified: string
  modified_utc: string
  image: number | null
  /** 1 when all of the record's texts were written by holders of the unfiltered-HTML right. */
  trusted: number
  /** The folded text that searches read, one line for each field. */
  search: string
}

/** The columns of an event that the rules of events compute; `eventFields` declares the plain ones. */
interface EventColumns extends RecordColumns {
  /**
   * The UID of the event in calendars (RFC 5545, 3.8.4.7). It never changes, even when the event's address
   * does.
   */
  uid: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** JSON list of the raw costs. */
  cost: string
  /** Id of the series that the event is an occurrence of; null for a single event. */
  series: number | null
  /**
   * Of an occurrence: the wall time at which it starts by the rule of its series, even where it was moved.
   * Empty for a single event.
   */
  recurrence_id: string
  /** Of an occurrence: the names, joined by commas, of the fields that were changed for this date alone. */
  own: string
  /** The access facts of the event itself, without those of its venue, joined by blanks. */
  access_words: string
  /** 1 when all costs of the event are nought. */
  is_free: number
  /**
   * The time in UTC from which everybody may see the meeting link; empty where everybody may see it already.
   */
  online_from: string
}

/** Events that repeat by one rule. Times are wall times in the zone of the series. */
interface SeriesColumns {
  id: number
  author: number
  status: string
  title: string
  /** The beginning of the slugs of its occurrences. */
  slug: string
  /** The UID of the series in calendars (RFC 5545, 3.8.4.7). */
  uid: string
  timezone: string
  all_day: number
  /** The start of the first date, from which the rule counts. */
  start_date: string
  /**
   * Seconds from the start of an occurrence to its end: elapsed seconds, or for whole days seconds of the
   * wall clock.
   */
  duration: number
  /** JSON list of the lines RRULE, RDATE and EXDATE of the series (RFC 5545, 3.8.5). */
  rules: string
  /**
   * The wall time up to which occurrences have been made events; `9999-12-31 23:59:59` when no more are to
   * come.
   */
  written_until: string
  /** JSON record of the values that the occurrences have in common. */
  shared: string
  /** Rises with every change of the series, so that two people who change it at once notice each other. */
  version: number
  created_utc: string
  modified_utc: string
}

/** The columns of a venue or organizer that rules compute; their declarations have the plain ones. */
export interface LinkedColumns extends RecordColumns {
  excerpt: string
  /** Folded name, by which namesakes are found. */
  folded: string
}

export interface ImageColumns {
  id: number
  author: number
  title: string
  slug: string
  /** Text of one line for people who do not see the image. */
  alt_text: string
  caption: string
  description: string
  /** The folded text that searches read, one line for each field. */
  search: string
  date_utc: string
  modified_utc: string
  /** Key of the file in the media store, such as `2026/11/poster.png`. */
  file: string
  mime_type: string
  width: number
  height: number
  /** bytes */
  filesize: number
  /** JSON record of size name to `{ file, width, height, filesize, mime_type }`. */
  sizes: string
  /** The address that the image was fetched from, or empty. */
  source_url: string
  /** File name of the original when `file` is a scaled copy, or empty. */
  original_image: string
  /**
   * The point that stays in view where the image is cropped, from 0 at the left and the top to 1; null for
   * the middle.
   */
  focal_x: number | null
  focal_y: number | null
}

interface TermColumns {
  id: number
  taxonomy: Taxonomy
  name: string
  slug: string
  description: string
  /** Term id, 0 for none. */
  parent: number
  /** The number of published events that have the term. */
  count: number
  /** Folded name, by which lists are ordered and searched. */
  folded: string
}

export interface UserColumns {
  id: number
  login: string
  email: string
  name: string
  role: string
  created_utc: string
  /** When the user was barred from signing in anywhere; empty for a user who may sign in. */
  deactivated_utc: string
}

/** The password with which a user signs in to the desk. */
export interface DeskPasswordColumns {
  user: number
  /** The argon2id hash of the password, behind its parameters and its salt (`desk-passwords.ts`). */
  hash: string
  changed_utc: string
}

/** A browser in which somebody is signed in to the desk. */
export interface SessionColumns {
  /** SHA-256 of the id in the session's cookie; the id itself is stored nowhere. */
  hash: string
  user: number
  created_utc: string
  /** About when the session was last used. */
  seen_utc: string
  /** The name that the browser gives itself, and the network address that the user signed in from. */
  client: string
  address: string
}

/** A one-time link by which whoever holds it signs in or chooses a password. */
export interface SignInLinkColumns {
  /** SHA-256 of the token in the link; the token itself is stored nowhere. */
  hash: string
  user: number
  /**
   * `set-up` is for a user without a password, `reset` for one who has forgotten it, `demo` for one who looks
   * around.
   */
  purpose: 'set-up' | 'reset' | 'demo'
  expires_utc: string
}

/** An application password or a token, kept as a hash. */
export interface CredentialColumns {
  id: number
  user: number
  kind: 'password' | 'token'
  name: string
  hash: string
  created_utc: string
  /** Names of scopes, joined by commas; empty for everything that the role of the user may do. */
  scope: string
  /** When the credential expires; empty for never. */
  expires_utc: string
  /** About when somebody last signed in with the credential, or empty. */
  used_utc: string
  /** The UUID by which the program that asked for it names itself, or empty. */
  app_id: string
}

/**
 * The latest change of a record, which every cache follows. One without a row has not changed since the table
 * exists. Deleted ones stay 90 days.
 */
export interface ChangeColumns {
  /**
   * `count` is a change of a term's number of events alone, which is more frequent than a change of the term.
   * `source` is a source of imports that has moved here and whose old addresses have changed. `settings` is
   * all that owners set, as one record.
   */
  kind: VersionedKind | 'count' | 'user' | 'source' | 'settings'
  record: number
  /**
   * The place of the commit among all commits (`storage/history.ts`); all changes of one commit have the
   * same. A text on PostgreSQL.
   */
  position: number | string
  /** Rises with every transaction that changes the record (`storage/history.ts`). */
  sequence: number
  /** 1 when the public could see the record at some time before its latest change. */
  was_public: number
  /**
   * 1 when the public can see the record: a published event, venue or organizer, and every image and term,
   * which may be read by id; no user.
   */
  is_public: number
  /** 1 when the record is deleted. */
  deleted: number
  changed_utc: string
  /** Id of the user who made the change; 0 for nobody. */
  user: number
  /**
   * The lowest sequence at which the values of the record are known; the versions before it cannot be shown.
   */
  known_from: number
}

/** An event that the public no longer sees, with the values that it saw last; kept for 90 days. */
interface WithdrawnEventColumns
  extends Pick<
    EventColumns,
    'uid' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
  > {
  /** Id of the event, whether the event still exists or not. */
  event: number
  title: string
  featured: number
  event_status: Columns<typeof eventFields>['event_status']
  /**
   * The other columns of the event as JSON, without texts; `{}` where an older version of the program wrote
   * the row.
   */
  kept: string
  /** JSON lists of the ids of the venues, organizers and terms that the event had. */
  venues: string
  organizers: string
  terms: string
  withdrawn_utc: string
}

/**
 * A slug that the public knew and that its record no longer has, since it was renamed or removed. Where
 * several records left a slug: the latest.
 */
export interface OldSlugColumns {
  kind: PagedKind | Taxonomy
  slug: string
  /** Id of the record or term. */
  record: number
  /** When the record left the slug, to the millisecond, in ISO 8601. */
  left_utc: string
}

/**
 * An act that the history keeps. Rows are added and dropped, never changed, except that old ones lose their
 * former values.
 */
export interface HistoryColumns {
  id: number
  time_utc: string
  /** Id of the user; 0 for the command line, the schedule and the service itself. */
  user: number
  /** The login at that time. */
  login: string
  action: string
  kind: ChangeColumns['kind'] | 'webhook' | 'backup'
  record: number
  /**
   * The sequence of the record after the act; 0 for an act without a record, and for an act from before
   * sequences were recorded.
   */
  sequence: number
  /** Title or name at that time; of a long one the beginning. */
  name: string
  /** Network address of the client. */
  address: string
  /** The program that the client says it is, or the command of the command line. */
  client: string
  /** The id of the request, as the answer and the log have it. */
  request: string
  /**
   * JSON record of the former values of what the act changed, by column or link (`storage/history.ts`); empty
   * for none.
   */
  former: string
  former_bytes: number
}

/** A long former value, which rows of the history name by its hash. */
export interface FormerTextColumns {
  hash: string
  bytes: number
  /** Id of the newest row of the history that names the text, or a higher id. */
  last: number
  text: string
}

interface EditionColumns {
  edition: string
  /** The name of the calendar, which stays the same when the calendar is restored. */
  calendar: string
  /** 1 while webhooks and scheduled imports are held, because the calendar is a copy of another. */
  held: number
}

/** The answer to a create that came with an Idempotency-Key, kept for a day. */
export interface KeptAnswerColumns {
  user: number
  /** The header `Idempotency-Key`. */
  key: string
  /** A digest of the request. */
  fingerprint: string
  /** The capabilities that the user held, separated by blanks. */
  rights: string
  status: number
  location: string
  /** JSON. */
  body: string
  kept_utc: string
}

/** The unsaved text of a form, kept for 30 days. */
export interface UnsavedTextColumns {
  user: number
  kind: string
  /** 0 for a record that is still to be made. */
  record: number
  /** The name of the form, since several may be open of one record; empty for a form without a name. */
  form: string
  /** The version of the record that the form was filled with. */
  version: number
  /** JSON record of field to value, as forms send them. */
  values: string
  saved_utc: string
}

/** A change of a record that waits for somebody who may make it. */
export interface ProposalColumns {
  id: number
  kind: string
  record: number
  /** The user who wrote the proposal. */
  author: number
  /**
   * The version of the record that the proposal changes; 0 for names of terms that an event of the author is
   * to get.
   */
  version: number
  /** JSON record of field to value, as forms send them. */
  values: string
  /** A note from the author to the reviewer. */
  note: string
  state: 'waiting' | 'sent back' | 'published' | 'withdrawn'
  /** The reviewer's answer, and the id of the reviewer: 0 for nobody yet. */
  reply: string
  reviewer: number
  created_utc: string
  changed_utc: string
}

/** A change of many records at once, kept for a day so that it can be undone. */
export interface BulkChangeColumns {
  token: string
  user: number
  /** JSON list of the changed records: kind, id, and version before the change. */
  records: string
  done_utc: string
}

/** A source of imports. */
export interface ImportSourceColumns {
  id: number
  address: string
  /**
   * The token with which the next run asks the site for changes, and as JSON the options of the run that got
   * the token.
   */
  token: string
  options: string
  /** The process that is reading the source, and until when it may: both empty for none. */
  holder: string
  held_until_utc: string
  /**
   * `moved` where the calendar has replaced the source, `stays` where the source remains the original of the
   * records; empty where nobody has said.
   */
  origin: '' | 'moved' | 'stays'
}

/** A scheduled import. */
export interface ImportScheduleColumns {
  id: number
  name: string
  /** JSON list of the words of the command line, without `--every`. */
  words: string
  every_seconds: number
  /** When the import is next due, and until when a process has it in hand: each empty for none. */
  next_utc: string
  leased_utc: string
  paused: number
  /** The number of runs that failed in a row, and how the last run ended. */
  failures: number
  outcome: string
}

/** A webhook: an address that gets messages about changes. */
export interface WebhookColumns {
  id: number
  url: string
  /** Types of messages such as `event.*`, separated by commas. */
  events: string
  /**
   * 1 for a webhook that receives everything, as administrators see it; 0 for one that receives what the
   * public sees.
   */
  is_private: number
  /** The key that signs messages: `whsec_` and the key in base64. */
  secret: string
  /** The former key, which also signs until the time below; both empty for none. */
  old_secret: string
  old_secret_until_utc: string
  created_utc: string
  /** Since when every delivery has failed; empty while deliveries succeed. */
  failing_since_utc: string
  /** When the webhook was disabled; empty for one in use. */
  disabled_utc: string
  disabled_why: string
}

/** A message to a webhook: one that waits to be sent, or the log of one that was sent or has failed. */
export interface DeliveryColumns {
  id: number
  webhook: number
  /** The header `webhook-id`, which stays the same on every attempt. */
  message: string
  type: string
  kind: string
  record: number
  /** The sequence of the record after the change. */
  sequence: number
  state: 'waiting' | 'sent' | 'failed'
  created_utc: string
  /**
   * When the message is to be sent, or when another process may send it; empty when it is sent or has failed.
   */
  next_utc: string
  attempts: number
  /** The status of the last answer; 0 for none. */
  status: number
  /** Why the last attempt failed. */
  error: string
}

/** A run of an import. */
export interface ImportColumns {
  id: number
  source: number
  started_utc: string
  /** When the run ended; empty while it runs, and for a run that was cut off. */
  ended_utc: string
  state: 'running' | 'done' | 'failed' | 'undone'
  user: number
  /** JSON record of the options of the run. */
  options: string
  /** JSON record of the number of items by what became of them. */
  counts: string
  /** The place in the source where the next run goes on, for sources that are read in parts. */
  position: string
}

/**
 * The record that an item of a source has become, and the state of both when the item was last written. An
 * image of a source that has moved here has a second row for its old address alone.
 */
export interface ImportItemColumns {
  source: number
  kind: string
  /** The id or UID of the item in the source. */
  identity: string
  occurrence: string
  record: number
  /**
   * The latest revision of the item that the source has given (RFC 5545, 3.8.7.4); 0 where the source counts
   * none.
   */
  sequence: number
  /** The digest of all values of the item. */
  digest: string
  /**
   * JSON records of field to fingerprint: `written` for the values of the item, `kept` for those of the
   * record.
   */
  written: string
  kept: string
  /**
   * The path of the item's page where the source has moved here, its whole address where the source stays the
   * original; else empty.
   */
  page: string
}

/** An act of a run on one record, with the values that undo it. */
export interface ImportActColumns {
  run: number
  kind: string
  record: number
  /** `begin` turned a single event into the first occurrence of the series that is the record. */
  action: 'create' | 'update' | 'trash' | 'begin'
  identity: string
  occurrence: string
  /**
   * JSON: the former values of the fields that the act changed, or of the event that began to repeat, and the
   * former row of `import_items`.
   */
  before: string
}

/** The state of a record at another service to which it was pushed. */
export interface PushItemColumns {
  target: number
  kind: string
  record: number
  /** The id of the record there; 0 while it is being made. */
  remote: number
  /**
   * JSON records of field to fingerprint: `sent` for the values last sent, `seen` for those that the service
   * then showed.
   */
  sent: string
  seen: string
}

type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/**
 * The columns of every table, by its name. Plain columns of events, venues and organizers come from their
 * declarations.
 */
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
  changes: Omit<ChangeColumns, 'known_from'> & { known_from: Generated<number> }
  withdrawn_events: WithdrawnEventColumns
  old_slugs: OldSlugColumns
  kept_answers: KeptAnswerColumns
  webhooks: WithSequence<WebhookColumns>
  webhook_deliveries: WithSequence<DeliveryColumns>
  history: WithSequence<HistoryColumns>
  former_texts: FormerTextColumns
  unsaved_texts: UnsavedTextColumns
  proposals: WithSequence<ProposalColumns>
  bulk_changes: BulkChangeColumns
  /** The settings of owners (`owner-settings.ts`). */
  owner_settings: { name: string; value: string }
  /** The files that owners set, in base64. A row of `owner_settings` has the name of its file for a value. */
  look_files: { name: string; content: string }
  import_sources: WithSequence<ImportSourceColumns>
  import_schedules: WithSequence<ImportScheduleColumns>
  imports: WithSequence<ImportColumns>
  import_items: ImportItemColumns
  import_acts: ImportActColumns
  push_targets: { id: Generated<number>; address: string }
  push_items: PushItemColumns
  /** A table of one row. */
  editions: EditionColumns
}

export type WithdrawnEventRow = Selectable<WithdrawnEventColumns>
/**
 * A withdrawn event with its sequence: the highest of its own, of a series with its UID, and the least
 * sequence when it was withdrawn.
 */
export type WithdrawnEvent = WithdrawnEventRow & { sequence: number }
export type EventRow = Selectable<Tables['events']>
export type VenueRow = Selectable<Tables['venues']>
export type OrganizerRow = Selectable<Tables['organizers']>
export type SeriesRow = SeriesColumns
export type ImageRow = ImageColumns
export type TermRow = TermColumns

/** The table of each kind of records. */
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
/** The tables of records that have an author, a status and a slug. */
export type RecordTable = (typeof TABLE_OF)[PagedKind]
