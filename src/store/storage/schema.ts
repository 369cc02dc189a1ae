import type { Generated, Selectable } from 'kysely'
import type { eventFields } from '../../base/fields/event-fields.ts'
import type { Columns } from '../../base/fields/field.ts'
import type { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'

// The tables and their columns.

/** The kinds that share the first id sequence (rule 4.1). */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image' | 'series'
export type Taxonomy = 'category' | 'tag'
/** The kinds of records that have versions, as the record of changes names them. */
export type VersionedKind = RecordKind | 'term'

/** The columns that events, venues and organizers share. Times are texts `YYYY-MM-DD HH:MM:SS`; flags are 0 or 1. */
export interface RecordColumns {
  id: number
  author: number
  status: string
  slug: string
  /** Publication date in the site's zone. */
  date: string
  /** All zeros while never published (rule 4.3). */
  date_utc: string
  /** 1 when the publication date was sent, 0 when the record got it by itself. */
  dated: number
  modified: string
  modified_utc: string
  image: number | null
  /** 1 when all of its texts were written by holders of the unfiltered-HTML right. */
  trusted: number
  /** Folded text the search looks in, one line a field. */
  search: string
}

/** Columns of an event that its rules settle. */
interface EventColumns extends RecordColumns {
  /** The name that calendars know the event by (RFC 5545, 3.8.4.7): never changed, whatever happens to its address. */
  uid: string
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** JSON list of the raw costs. */
  cost: string
  /** The series it is an occurrence of. */
  series: number | null
  /** Of an occurrence: when it starts by the rule of its series, as a wall time. */
  recurrence_id: string
  /** Of an occurrence: the names of the fields it has changed for itself, joined by commas. */
  own: string
  /** The facts of access that it has itself, joined by blanks. */
  access_words: string
  /** Whether all its costs are nought. */
  is_free: number
  /** From when on everybody sees the link of its meeting, in UTC; empty once they do. */
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
  /** The name that calendars know it by (RFC 5545, 3.8.4.7). */
  uid: string
  timezone: string
  all_day: number
  /** The start that its rule counts from. */
  start_date: string
  /** Seconds from start to end: elapsed seconds, or seconds of the wall clock for whole days. */
  duration: number
  /** JSON list of its lines RRULE, RDATE and EXDATE (RFC 5545, 3.8.5). */
  rules: string
  /** Occurrences that start up to this wall time are events; `9999-12-31 23:59:59` when there are no more. */
  written_until: string
  /** JSON record of what its occurrences have in common. */
  shared: string
  /** Rises with every change of it, by which two people who change it at once notice each other. */
  version: number
  created_utc: string
  modified_utc: string
}

/** Columns of a venue or organizer that its rules settle. */
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
  /** Folded text the search looks in, one line a field. */
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
  /** Where it was fetched from, or empty. */
  source_url: string
  /** File name of the original when `file` is a scaled copy, or empty. */
  original_image: string
  /** The point that stays in view where it is cropped, from 0 at the left and the top to 1; null for the middle. */
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
  /** Published events assigned to it. */
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
  /** Since when the user signs in nowhere; empty for one who may. */
  deactivated_utc: string
}

/** The password that a user signs in to the desk with. */
export interface DeskPasswordColumns {
  user: number
  /** The hash by argon2id, behind its parameters and its salt (`desk-passwords.ts`). */
  hash: string
  changed_utc: string
}

/** A browser in which somebody is signed in to the desk. */
export interface SessionColumns {
  /** SHA-256 of the id in its cookie, which is kept nowhere. */
  hash: string
  user: number
  created_utc: string
  /** About when it was last used. */
  seen_utc: string
  /** The browser that it says it is, and the network address it signed in from. */
  client: string
  address: string
}

/** An address that lets its bearer choose a password, once. */
export interface SignInLinkColumns {
  /** SHA-256 of the token in it, which is kept nowhere. */
  hash: string
  user: number
  /** `set-up` is for a user without a password, `reset` for one who has forgotten it, `demo` for one who looks around. */
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
  /** Empty for one that never expires. */
  expires_utc: string
  /** About when somebody last signed in with it, or empty. */
  used_utc: string
  /** The UUID by which the program that asked for it names itself, or empty. */
  app_id: string
}

/**
 * The latest change of a record: the truth that caches follow. A record without a row has not changed since there have been such rows; that
 * of a deleted one is kept for 90 days.
 */
export interface ChangeColumns {
  /**
   * `count` is the number of events of a term; it changes more often than the term itself. `source` is a source of imports that has moved here and
   * whose old addresses have changed, `settings` what owners set, all of it as one record.
   */
  kind: VersionedKind | 'count' | 'user' | 'source' | 'settings'
  record: number
  /** Follows the order of commits (`storage/history.ts`); the changes of a commit share it. A text on PostgreSQL. */
  position: number | string
  /** Rises with every transaction that changes it (`storage/history.ts`). */
  sequence: number
  /** 1 when the public could see it at some time before the latest change. */
  was_public: number
  /** 1 when the public can see it: a published event, venue or organizer; every image and term, which may be read by id; no user. */
  is_public: number
  /** 1 when it is gone. */
  deleted: number
  changed_utc: string
  /** Id of the user who changed it; 0 for nobody. */
  user: number
  /** The values of its versions are known from this sequence on; 0 for one that was made since they are kept. */
  known_from: number
}

/** An event that the public no longer sees, with the values that it saw last; kept for 90 days. */
interface WithdrawnEventColumns
  extends Pick<
    EventColumns,
    'uid' | 'start_date' | 'end_date' | 'utc_start_date' | 'utc_end_date' | 'timezone' | 'all_day'
  > {
  /** Its id, whether it is still there or not. */
  event: number
  title: string
  featured: number
  event_status: Columns<typeof eventFields>['event_status']
  /** Its other columns, without texts, as JSON; `{}` where an older version kept it. */
  kept: string
  /** JSON lists of the ids of the records that it was linked to. */
  venues: string
  organizers: string
  terms: string
  withdrawn_utc: string
}

/** An address that the public knew and that its record has left, by renaming or by going: the latest of several records. */
export interface OldSlugColumns {
  kind: 'event' | 'venue' | 'organizer' | Taxonomy
  slug: string
  /** Id of the record or term. */
  record: number
  /** When, to the millisecond, as ISO 8601 writes it. */
  left_utc: string
}

/** An act of somebody, as long as the history is kept. Rows are added and dropped, never changed. */
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
  /** The sequence of the record after the act; 0 for an act without a record, and for acts from before there were sequences. */
  sequence: number
  /** Title or name at that time; of a long one the beginning. */
  name: string
  /** Network address of the client. */
  address: string
  /** The program the client says it is; the command of the command line. */
  client: string
  /** The id of the request in the answer and in the log. */
  request: string
  /** JSON record of column or link to former value, for those that the act changed (`storage/history.ts`); empty for none. */
  former: string
  former_bytes: number
}

/** A long text that records had before. */
export interface FormerTextColumns {
  hash: string
  bytes: number
  /** Id of the newest row of the history that names it, or a higher one. */
  last: number
  text: string
}

/** The one row that says which history of which calendar this is. */
interface EditionColumns {
  edition: string
  /** The name of the calendar, which a restored one has as well. */
  calendar: string
  /** 1 while webhooks and imports on a schedule are off, because this was restored elsewhere. */
  held: number
}

/** The answer to a create that came with a key, for a day. */
export interface KeptAnswerColumns {
  user: number
  /** The header `Idempotency-Key`. */
  key: string
  /** A digest of the request. */
  fingerprint: string
  /** The capabilities that the user held, parted by blanks. */
  rights: string
  status: number
  location: string
  /** JSON. */
  body: string
  kept_utc: string
}

/** A text that somebody is writing and has not saved, kept for 30 days. */
export interface UnsavedTextColumns {
  user: number
  kind: string
  /** 0 for a record that is still to be made. */
  record: number
  /** The form of a record that is still to be made, since several may be open; empty for others. */
  form: string
  /** The version of the record that the form showed. */
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
  /** The user who wrote it. */
  author: number
  /** The version of the record that it changes; 0 for names of terms that an event of the author is to get. */
  version: number
  /** JSON record of field to value, as forms send them. */
  values: string
  /** A note of its author to whoever reviews it. */
  note: string
  state: 'waiting' | 'sent back' | 'published' | 'withdrawn'
  /** The answer of the reviewer, and the user who gave it: 0 for nobody yet. */
  reply: string
  reviewer: number
  created_utc: string
  changed_utc: string
}

/** A change of many records that can be taken back for a while. */
export interface BulkChangeColumns {
  token: string
  user: number
  /** JSON list of kind, id and the version before. */
  records: string
  done_utc: string
}

/** A source of imports. */
export interface ImportSourceColumns {
  id: number
  address: string
  /** The token with which the next run of a site asks for changes, and the options of the run that it came from, as JSON. */
  token: string
  options: string
  /** The process that holds it, and until when: empty for nobody. */
  holder: string
  held_until_utc: string
  /** The fate of the source: it has `moved` here, or `stays` the original of the records here; empty where nobody has said. */
  origin: '' | 'moved' | 'stays'
}

/** An import that is done again and again. */
export interface ImportScheduleColumns {
  id: number
  name: string
  /** JSON list of the words of the command line, without `--every`. */
  words: string
  every_seconds: number
  /** When it is due, and until when a process has it in hand: empty for none. */
  next_utc: string
  leased_utc: string
  paused: number
  /** Runs that failed in a row, and how the last run ended. */
  failures: number
  outcome: string
}

/** An address that gets messages about changes. */
export interface WebhookColumns {
  id: number
  url: string
  /** Types such as `event.*`, parted by commas. */
  events: string
  /** 1 for a webhook that receives everything, as administrators see it; 0 for one that receives what the public sees. */
  is_private: number
  /** `whsec_` and a key in base64. */
  secret: string
  /** The one before, which signs as well until a time; empty for none. */
  old_secret: string
  old_secret_until_utc: string
  created_utc: string
  /** Since when no delivery has succeeded; empty while they do. */
  failing_since_utc: string
  /** Empty for one that is in use. */
  disabled_utc: string
  disabled_why: string
}

/** A message to a webhook: one that waits to be sent, or the log of one that was sent or has failed. */
export interface DeliveryColumns {
  id: number
  webhook: number
  /** The header `webhook-id`, the same on every attempt. */
  message: string
  type: string
  kind: string
  record: number
  /** The sequence of the record after the change. */
  sequence: number
  state: 'waiting' | 'sent' | 'failed'
  created_utc: string
  /** When it is to be sent, or may be sent by another process; empty when it is over. */
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
  /** Empty while it runs, and for one that was cut off. */
  ended_utc: string
  state: 'running' | 'done' | 'failed' | 'undone'
  user: number
  /** JSON record of the options it was given. */
  options: string
  /** JSON record of how many items of which fate. */
  counts: string
  /** Where the next run may go on, for sources that are read in parts. */
  position: string
}

/**
 * The record that an item of a source has become, and how both looked after it was last written. An image of a source that has moved here has a row
 * for its old address alone, with that for its identity.
 */
export interface ImportItemColumns {
  source: number
  kind: string
  /** Id or UID in the source. */
  identity: string
  occurrence: string
  record: number
  /** The revision of it that the source has told last (RFC 5545, 3.8.7.4); 0 where sources count none. */
  sequence: number
  /** The digest of all values that the source had. */
  digest: string
  /** JSON records of field to fingerprint: for the values in the source, and for the values of the record. */
  written: string
  kept: string
  /** The path of its page in a source that has moved here, its whole address in one that stays the original; else empty. */
  page: string
}

/** An act of a run on a record, and the values that undo it. */
export interface ImportActColumns {
  run: number
  kind: string
  record: number
  /** With `begin` a single event became the first one of the series that is the record. */
  action: 'create' | 'update' | 'trash' | 'begin'
  identity: string
  occurrence: string
  /** JSON: the former values of the fields that it changed, or of the event that began to repeat, and the former row of `import_items`. */
  before: string
}

/** The state of a record at another service, since it was pushed there. */
export interface PushItemColumns {
  target: number
  kind: string
  record: number
  /** Its id there; 0 while it is being made. */
  remote: number
  /** JSON records of field to fingerprint: of what was last sent, and of how the target showed it then. */
  sent: string
  seen: string
}

type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/** Every table. Plain columns of events, venues and organizers come from their declarations. */
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
  /** Public records as they were last presented; a change of the row deletes its text. */
  presented_records: {
    record: number
    form: string
    image: number | null
    members: string
    image_at: number
    rare: string
  }
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
  /** The files among them, by the name that stands in their place, in base64. */
  look_files: { name: string; content: string }
  import_sources: WithSequence<ImportSourceColumns>
  import_schedules: WithSequence<ImportScheduleColumns>
  imports: WithSequence<ImportColumns>
  import_items: ImportItemColumns
  import_acts: ImportActColumns
  push_targets: { id: Generated<number>; address: string }
  push_items: PushItemColumns
  /** One row. */
  editions: EditionColumns
}

export type WithdrawnEventRow = Selectable<WithdrawnEventColumns>
/** A withdrawn event with its sequence: the highest of its own, that of a series with the same UID, and the least one at the time of the withdrawal. */
export type WithdrawnEvent = WithdrawnEventRow & { sequence: number }
export type EventRow = Selectable<Tables['events']>
export type VenueRow = Selectable<Tables['venues']>
export type OrganizerRow = Selectable<Tables['organizers']>
export type SeriesRow = SeriesColumns
export type ImageRow = ImageColumns
export type TermRow = TermColumns
/** The tables of records that have an author, a status and a slug. */
export type RecordTable = 'events' | 'venues' | 'organizers'
