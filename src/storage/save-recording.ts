import { formatUtc } from '../text/zones.ts'
import { saveChanges } from './changes.ts'
import { saveHistory } from './history.ts'
import type { Tx } from './recording.ts'

/**
 * Writes what was recorded, as the last of a transaction. On PostgreSQL all statements have begun when the function returns: rows of `changes`
 * are locked from here to the commit alone, in one order for everybody, so that no writers wait for each other in a circle.
 */
export async function saveRecording(tx: Tx): Promise<void> {
  const { writer, changes } = tx.recording
  if (changes.size === 0) return
  const time = formatUtc(Date.now())
  const recorded = [...changes.values()].sort((a, b) => compare(a.kind, b.kind) || a.record - b.record)
  const acts = recorded.flatMap(({ kind, record, act }) => (act ? [{ ...act, kind, record }] : []))
  await Promise.all([saveChanges(tx, recorded, time, writer.user), saveHistory(tx, acts, time, writer)])
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
