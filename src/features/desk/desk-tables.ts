import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

/** Kept for 30 days. */
export interface UnsavedTextColumns {
  user: number
  kind: string
  /** 0 for a new record. */
  record: number
  /** Several may be open; empty for a form without a name. */
  form: string
  /** The version that filled the form. */
  version: number
  /** JSON by field, as forms send them. */
  values: string
  saved_utc: string
}

/** A change that waits for somebody who may make it. */
export interface ProposalColumns {
  id: number
  kind: string
  record: number
  author: number
  /** 0 for names of terms that an event of the author is to get. */
  version: number
  /** JSON by field, as forms send them. */
  values: string
  /** A note by the author. */
  note: string
  state: 'waiting' | 'sent back' | 'published' | 'withdrawn'
  reply: string
  /** 0 for nobody yet. */
  reviewer: number
  created_utc: string
  changed_utc: string
}

/** Kept for a day, for an undo. */
export interface BulkChangeColumns {
  token: string
  user: number
  /** JSON list: kind, id, version before. */
  records: string
  done_utc: string
}

/** Kept for 30 days, for an undo. */
export interface MergeColumns {
  id: number
  kind: string
  /** The record that has gone into the other. */
  gone: number
  into_record: number
  gone_name: string
  into_name: string
  user: number
  done_utc: string
  /** JSON, set once all of its events have the other record. */
  state: string
}

/** Links as they were, in order. */
interface MergedLinksColumns {
  merge: number
  kind: 'event' | 'series'
  record: number
  /** JSON. */
  former: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    unsaved_texts: UnsavedTextColumns
    proposals: WithSequence<ProposalColumns>
    bulk_changes: BulkChangeColumns
    desk_merges: WithSequence<MergeColumns>
    merged_links: MergedLinksColumns
    /** Steps that somebody has hidden. */
    waved_steps: { step: string }
    kept_apart: { kind: string; one: number; other: number }
  }
}

/** The kernel's migrations made the first three. */
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
