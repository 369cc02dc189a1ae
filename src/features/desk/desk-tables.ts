import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

/** A text typed but not saved; kept for 30 days. */
export interface UnsavedTextColumns {
  user: number
  kind: string
  /** 0 for a record not created yet. */
  record: number
  /** The form's name, which tells apart open forms of one record; may be empty. */
  form: string
  /** Version of the record that the form showed. */
  version: number
  /** Values by field as JSON, as forms send them. */
  values: string
  saved_utc: string
}

/** A change that its author may not make, for a reviewer to decide. */
export interface ProposalColumns {
  id: number
  kind: string
  record: number
  author: number
  /** Version of the record that the form showed; 0 if it only names new terms or has a reviewer's note. */
  version: number
  /** Values by field as JSON, as forms send them. */
  values: string
  note: string
  state: 'waiting' | 'sent back' | 'published' | 'withdrawn'
  reply: string
  /** The user who published it or sent it back; else 0. */
  reviewer: number
  created_utc: string
  changed_utc: string
}

/** A bulk change that can be undone for a day. */
export interface BulkChangeColumns {
  token: string
  user: number
  /** JSON list of `VersionBefore`. */
  records: string
  done_utc: string
}

/** A merge that can be undone for 30 days. */
export interface MergeColumns {
  id: number
  kind: string
  /** The record that was merged into `into_record`. */
  gone: number
  into_record: number
  gone_name: string
  into_name: string
  user: number
  done_utc: string
  /** A `GoneRecord` as JSON, for the undo; empty until all links are moved. */
  state: string
}

/** The links of an event or series before a merge, in order. */
interface MergedLinksColumns {
  merge: number
  kind: 'event' | 'series'
  record: number
  /** JSON list of ids. */
  former: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    unsaved_texts: UnsavedTextColumns
    proposals: WithSequence<ProposalColumns>
    bulk_changes: BulkChangeColumns
    desk_merges: WithSequence<MergeColumns>
    merged_links: MergedLinksColumns
    /** First steps that an administrator has dismissed. */
    waved_steps: { step: string }
    kept_apart: { kind: string; one: number; other: number }
  }
}

/** Tables of the desk. The migrations of the kernel create the first three. */
export const deskTables: FeatureTables = {
  feature: 'desk',
  migrations: [
    step('desk-0001-merges', ({ id, text, sequence }) => [
      `create table desk_merges (id ${sequence}, kind ${text} not null, gone ${id} not null,
        into_record ${id} not null,
        gone_name ${text} not null, into_name ${text} not null, "user" ${id} not null,
          done_utc ${text} not null,
        state ${text} not null)`,
      'create index desk_merges_time on desk_merges (done_utc)',
      'create index desk_merges_pair on desk_merges (kind, gone, into_record)',
      `create table merged_links (merge ${id} not null, kind ${text} not null, record ${id} not null,
        former ${text} not null,
        primary key (merge, kind, record))`,
      `create table kept_apart (kind ${text} not null, one ${id} not null, other ${id} not null,
        primary key (kind, one, other))`,
    ]),
    step('desk-0002-waved-steps', ({ text }) => [`create table waved_steps (step ${text} primary key)`]),
  ],
  own: ['unsaved_texts', 'bulk_changes', 'desk_merges', 'merged_links'],
}
