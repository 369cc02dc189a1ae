import type { ColumnType, Generated, Selectable } from 'kysely'
import type { eventFields } from '../fields/event-fields.ts'
import type { Columns } from '../fields/field.ts'
import type { organizerFields } from '../fields/organizer-fields.ts'
import type { venueFields } from '../fields/venue-fields.ts'

/** The kinds that share the first id sequence (rule 4.1). */
export type RecordKind = 'event' | 'venue' | 'organizer' | 'image'
export type Taxonomy = 'category' | 'tag'

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
export interface EventColumns extends RecordColumns {
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: number
  /** JSON list of the raw costs. */
  cost: string
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
}

export interface TermColumns {
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
}

/** The record of changes, in the order of commits: the truth that caches follow. */
export interface ChangeColumns {
  version: number
  kind: RecordKind | 'term' | 'user'
  record: number
}

type WithSequence<T extends { id: number }> = Omit<T, 'id'> & { id: Generated<number> }

/** Every table. Plain columns of events, venues and organizers come from their declarations. */
export interface Tables {
  records: { id: Generated<number>; kind: RecordKind }
  events: EventColumns & Columns<typeof eventFields>
  venues: LinkedColumns & Columns<typeof venueFields>
  organizers: LinkedColumns & Columns<typeof organizerFields>
  images: ImageColumns
  terms: WithSequence<TermColumns>
  event_venues: { event: number; venue: number; position: number }
  event_organizers: { event: number; organizer: number; position: number }
  event_terms: { event: number; term: number }
  /** Public records as they were last presented; a change of the row deletes its text. */
  presented_records: { record: number; form: string; image: number | null; own: string }
  users: WithSequence<UserColumns>
  credentials: WithSequence<CredentialColumns>
  changes: { version: ColumnType<number, never, never>; kind: ChangeColumns['kind']; record: number }
  /** One row. */
  editions: { edition: string }
}

export type EventRow = Selectable<Tables['events']>
export type VenueRow = Selectable<Tables['venues']>
export type OrganizerRow = Selectable<Tables['organizers']>
export type ImageRow = ImageColumns
export type TermRow = TermColumns
/** The tables of records that have an author, a status and a slug. */
export type RecordTable = 'events' | 'venues' | 'organizers'
