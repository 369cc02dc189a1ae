import type { RecordState } from '../../calendar/history/record-states.ts'
import type { ImportItemColumns } from '../../store/storage/schema.ts'
import { type Fingerprints, fingerprintsOf, readFingerprints, type SourceItem } from './source-item.ts'

// Plans the fate of one item, by the values last written and the record here.

/** The policies for a field that was changed both in the source and here. */
export const POLICIES = ['keep', 'overwrite', 'skip'] as const
export type ConflictPolicy = (typeof POLICIES)[number]

/** The plan for an item of a source. */
export type Plan =
  | { act: 'create' }
  | { act: 'nothing' }
  /** `fields` are written; `kept` were changed here as well, and keep their values. */
  | { act: 'update'; fields: readonly string[]; kept: readonly string[] }
  /** The record is left unchanged: it was changed here, moved to the trash, or deleted. */
  | { act: 'leave'; kept: readonly string[]; isGone: boolean }

/** Tells of fields that keep their values, or of a record that stays removed: the end of a sentence about it. */
export function describeStay(kept: readonly string[], where: 'here' | 'there', isGone = false): string {
  return isGone
    ? `was removed ${where}, and stays so.`
    : `was changed ${where} as well, which stays: ${kept.join(', ')}`
}

/** The stored state of an item that was imported before. */
export interface KnownItem {
  written: Fingerprints
  kept: Fingerprints
  /** The fingerprints of the present record; undefined for a deleted one. */
  now: Fingerprints | undefined
  isTrashed: boolean
}

/** The stored state of an item, with that of its record. */
export function knownItem(row: ImportItemColumns, state: RecordState | undefined): KnownItem {
  return {
    written: readFingerprints(row.written),
    kept: readFingerprints(row.kept),
    now: state && fingerprintsOf(state),
    isTrashed: state?.status === 'trash',
  }
}

/**
 * The state of a record after some fields are written: fields changed here before, and so different from the stored state, stay marked as changed.
 */
export function keptAfter(
  kept: Fingerprints,
  before: Fingerprints,
  after: Fingerprints,
  written: ReadonlySet<string>,
): Fingerprints {
  const changedHere = Object.keys(after).filter((field) => before[field] !== kept[field] && !written.has(field))
  const known = changedHere.flatMap((field) => (kept[field] === undefined ? [] : [[field, kept[field]]]))
  return { ...after, ...Object.fromEntries(known) }
}

/** Whether a later revision of an item was read before; with `overwrite` the older one is written all the same. */
export function isOlder(
  { sequence }: Pick<SourceItem, 'sequence'>,
  known: Pick<ImportItemColumns, 'sequence'>,
  policy: ConflictPolicy,
): boolean {
  return sequence !== undefined && sequence < known.sequence && policy !== 'overwrite'
}

/** Compares an item with its last written state, and with the present record. */
export function planItem(source: Fingerprints, known: KnownItem | undefined, policy: ConflictPolicy): Plan {
  if (!known) return { act: 'create' }
  const { now } = known
  const changed = Object.keys(source).filter((field) => source[field] !== known.written[field])
  if (changed.length === 0) return { act: 'nothing' }
  if (!now) return policy === 'overwrite' ? { act: 'create' } : { act: 'leave', kept: changed, isGone: true }
  if (known.isTrashed && known.kept.status !== now.status && policy !== 'overwrite')
    return { act: 'leave', kept: changed, isGone: true }
  const apart = changed.filter((field) => now[field] !== source[field])
  const conflicts = apart.filter((field) => now[field] !== known.kept[field])
  if (policy === 'overwrite' && known.isTrashed && source.status !== undefined)
    return { act: 'update', fields: [...new Set([...apart, 'status'])], kept: [] }
  if (conflicts.length === 0 || policy === 'overwrite') return { act: 'update', fields: apart, kept: [] }
  if (policy === 'skip') return { act: 'leave', kept: conflicts, isGone: false }
  return { act: 'update', fields: apart.filter((field) => !conflicts.includes(field)), kept: conflicts }
}
