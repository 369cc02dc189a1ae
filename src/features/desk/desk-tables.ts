import type { FeatureTables } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

/** Kept for 30 days. */
export interface UnsavedTextColumns {
  user: number
  kind: string
  /** 0 for a new record. */
  record: number
  /** Several may be open; empty for a form without a name. */
  form: string
  /** That the form was filled with. */
  version: number
  /** JSON by field, as forms send them. */
  values: string
  saved_utc: string
}

/** Waits for somebody who may make it. */
export interface ProposalColumns {
  id: number
  kind: string
  record: number
  author: number
  /** 0 for names of terms that an event of the author is to get. */
  version: number
  /** JSON by field, as forms send them. */
  values: string
  /** Of the author. */
  note: string
  state: 'waiting' | 'sent back' | 'published' | 'withdrawn'
  /** Of the reviewer: 0 for nobody yet. */
  reply: string
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

declare module '../../store/storage/schema.ts' {
  interface Tables {
    unsaved_texts: UnsavedTextColumns
    proposals: WithSequence<ProposalColumns>
    bulk_changes: BulkChangeColumns
  }
}

/** The steps that made them are the kernel's. */
export const deskTables: FeatureTables = {
  feature: 'desk',
  own: ['unsaved_texts', 'bulk_changes'],
}
