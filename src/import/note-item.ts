import { isConflict } from '../storage/conflict.ts'
import type { ImportItemColumns } from '../storage/schema.ts'
import { DatabaseUnavailable } from '../storage/unavailable.ts'
import { describeItem, type ImportRun, noteUnread, remember, StalePlan } from './import-run.ts'
import type { Plan } from './plan-item.ts'
import { readStates } from './record-states.ts'
import { noteSeen } from './seen-records.ts'
import { keyOf, type SourceItem, standsAlone } from './source-item.ts'
import { reasonOf } from './write-item.ts'
import { laterBegin } from './write-series.ts'

/** Throws failures of the database, which end the run; any other error is a fault of the item. */
export function refuseOutage(error: unknown): void {
  if (error instanceof DatabaseUnavailable || error instanceof StalePlan || isConflict(error)) throw error
}

/** Remembers the record of an item for items that refer to it, and that the source still contains it. */
export function noteRecord(run: ImportRun, item: SourceItem, record: number): void {
  if (standsAlone(item.kind)) noteSeen(run.seen, record)
  else remember(run.links, keyOf(item.kind, item.identity), record)
}

/** Reports an item whose record is left unchanged. */
export function noteLeft(
  run: ImportRun,
  item: SourceItem,
  known: ImportItemColumns | undefined,
  plan: Extract<Plan, { act: 'leave' }>,
): void {
  if (known) noteRecord(run, item, known.record)
  run.counts.left += 1
  if (plan.isGone)
    run.remark({ kind: 'kept', at: item.at, text: `${describeItem(item)} was removed here, and stays so.` })
  else noteKept(run, item, plan.kept)
}

/** Reports an item of which a later revision was read before. */
export function noteOlder(run: ImportRun, item: SourceItem, record: number): void {
  noteRecord(run, item, record)
  run.counts.left += 1
  const text = `${describeItem(item)} is an earlier revision (SEQUENCE) than the one that is in, and is passed over.`
  run.remark({ kind: 'kept', at: item.at, text })
}

/** Reports an event that is here already under its UID. */
export function noteHeld(run: ImportRun, item: SourceItem, holder: string): void {
  run.counts.left += 1
  const text = `${describeItem(item)} is here already: ${holder}`
  run.remark({ kind: 'kept', at: item.at, text })
}

/** Reports fields that keep their values here. */
export function noteKept(run: ImportRun, item: SourceItem, kept: readonly string[]): void {
  const text = `${describeItem(item)} was changed here as well, which stays: ${kept.join(', ')}`
  run.remark({ kind: 'kept', at: item.at, text })
}

/** Reports an item that was not imported. */
export function noteFailed(run: ImportRun, item: SourceItem, error: unknown): void {
  run.counts.failed += 1
  noteUnread(run, item.identity)
  run.remark({ kind: 'failed', at: item.at, text: `${describeItem(item)}: ${reasonOf(run, error)}` })
}

/** Reports series that begin later here than in the source, in every run: unchanged ones as well. */
export async function noteLater(
  { context: { db, now }, options, remark }: ImportRun,
  items: readonly (readonly [SourceItem, record: number])[],
): Promise<void> {
  const states = await readStates(
    db,
    'series',
    items.map(([, record]) => record),
  )
  for (const [item, record] of items) {
    const state = states.get(record)
    if (!state && !options.dryRun) continue
    const begin = laterBegin(item.values, state && String(state.start_date), now)
    if (begin === undefined) continue
    const text = `${describeItem(item)} has too many dates in the past; it begins with ${begin}.`
    remark({ kind: 'note', at: item.at, text })
  }
}
