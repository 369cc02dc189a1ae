import type { Change, Db } from './database.ts'
import { statement } from './statement.ts'

const insertChanges = statement<{ rows: Change[] }>()((db, value) => db.insertInto('changes').values(value('rows')))

/** Notes inside a transaction what changed, so that caches on every node drop it. */
export async function noteChanges(tx: Db, changes: readonly Change[]): Promise<void> {
  if (changes.length > 0) await insertChanges(tx, { rows: [...changes] })
}

/** The most changed records that `readChanges` gives; a reader that missed more starts afresh. */
export const MOST_CHANGES = 10_000

/** How much history stays at least, and after how many commits of a process old changes are pruned. */
export interface Retention {
  /** changes */
  rows: number
  ms: number
  everyCommits: number
}

export const RETENTION: Retention = { rows: 100_000, ms: 10 * 60_000, everyCommits: 1000 }

/**
 * Drops old changes now and then: a function to be called after each commit. `mark` gives the present place in the history, and `drop`
 * removes what is older than a place and not among the newest `rows`.
 */
export function makePruner<Place>(
  retention: Retention,
  mark: () => Promise<Place>,
  drop: (before: Place, rows: number) => Promise<void>,
): () => void {
  const marks: { at: number; place: Place }[] = []
  let commits = 0
  const prune = async () => {
    const now = performance.now()
    marks.push({ at: now, place: await mark() })
    const old = marks.findLastIndex(({ at }) => now - at >= retention.ms)
    const [last] = old === -1 ? [] : marks.splice(0, old + 1).slice(-1)
    if (last) await drop(last.place, retention.rows)
  }
  return () => {
    commits += 1
    // Changes that are not dropped now are dropped next time.
    if (commits % retention.everyCommits === 0) prune().catch(() => undefined)
  }
}
