import type { Context } from '../declare/context.ts'
import type { Counts, Remark } from '../import/import-run.ts'
import type { ConflictPolicy } from '../import/plan-item.ts'
import type { ItemKind } from '../import/source-item.ts'
import type { PushTarget } from './push-target.ts'

/** The kinds of records that are pushed: those of an import, and images. */
export type PushKind = ItemKind | 'image'

/** How a calendar is pushed. */
export interface PushOptions {
  /** What becomes of fields that were changed here and at the target. */
  conflicts: ConflictPolicy
  /** Read and compare, and write nothing. */
  dryRun: boolean
  /** Move events to the trash there that are gone from here. */
  mirror: boolean
  /** Whether records that are not public are pushed as well. */
  all: boolean
}

/** A push, and what it has to remember. */
export interface PushRun {
  /** The context of a caller who sees everything that is pushed. */
  context: Context
  target: PushTarget
  /** Its number in the database; undefined where nothing is written and it has never been pushed to. */
  number: number | undefined
  /** The edition of this calendar. */
  edition: string
  options: PushOptions
  counts: Counts
  remark: (remark: Remark) => void
  /** Called after each group of records. */
  progress: () => void
  /** Ids at the target by kind and record: 0 for records that a dry run would make, an address for images that the target fetches itself. */
  links: Map<string, number | string>
  /** Records that others link to and that could not be pushed, by kind and record. */
  lost: Set<string>
  /** Images that have been looked at. */
  images: Set<number>
  /** Events and series of this push, by kind and record. */
  seen: Set<string>
}

/** A record as the target is to have it. */
export interface PushItem {
  kind: PushKind
  record: number
  /** What the report calls it. */
  name: string
  /** Its fields as the interface takes them, links by the ids of the target. */
  values: Readonly<Record<string, unknown>>
  /** Of an image: the key and the type of its file. */
  file?: { key: string; mimeType: string }
}

export const keyOfRecord = (kind: PushKind, record: number) => `${kind} ${record}`

/** What the report calls a record. */
export const describePushed = ({ kind, name }: Pick<PushItem, 'kind' | 'name'>) =>
  name === '' ? kind : `${kind} “${name}”`
