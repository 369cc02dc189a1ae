import { table } from '../people/user-commands.ts'
import type { Counts, Remark } from './import-run.ts'
import type { ListedRun } from './import-store.ts'

/** The most lines of one kind that are printed; further ones are counted. */
const MOST_LINES = 200

export type Headings = Readonly<Record<Remark['kind'], string>>

export const IMPORT_HEADINGS: Headings = {
  failed: 'Not in:',
  note: 'In, but not whole:',
  kept: 'Left as it is here:',
  missing: 'Gone from the source:',
}

/** The remarks of an import or a push on single items: the first of each kind, and their number. */
export type Remarks = Map<Remark['kind'], { first: Remark[]; count: number }>

export function noteRemark(remarks: Remarks, remark: Remark): void {
  const own = remarks.get(remark.kind) ?? { first: [], count: 0 }
  remarks.set(remark.kind, own)
  own.count += 1
  if (own.first.length < MOST_LINES) own.first.push(remark)
}

export function describeRemarks(remarks: Remarks, headings: Headings): string[] {
  return (['missing', 'kept', 'note', 'failed'] as const).flatMap((kind) => {
    const own = remarks.get(kind)
    if (!own) return []
    const more = own.count > MOST_LINES ? [`  … and ${own.count - MOST_LINES} more`] : []
    return [headings[kind], ...own.first.map(({ at, text }) => `  ${oneLine(`${at}: ${text}`)}`), ...more]
  })
}

/** Without control characters, so that a text of the source cannot control the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** The outcome in one sentence. */
export function describeCounts(counts: Counts, run: number | undefined): string {
  const { created, updated, unchanged, left, trashed, failed } = counts
  const said = `${created} made, ${updated} changed, ${unchanged} unchanged, ${left} left as they are here, ${trashed} moved to the trash, ${failed} not in`
  return run === undefined ? `A run would have: ${said}. Nothing was written.` : `Run ${run}: ${said}.`
}

/** Runs as a table. */
export function describeRuns(runs: readonly ListedRun[]): string[] {
  if (runs.length === 0) return ['Nothing has been imported yet.']
  const rows = runs.map(({ id, started_utc, ended_utc, state, counts, address }) => {
    const { created = 0, updated = 0, left = 0, failed = 0 }: Partial<Counts> = JSON.parse(counts)
    const figures = [created, updated, left, failed].map(String)
    return [
      String(id),
      started_utc,
      ended_utc || '-',
      state === 'running' ? 'running or cut off' : state,
      ...figures,
      address,
    ].map(oneLine)
  })
  return [
    table([['RUN', 'STARTED (UTC)', 'ENDED (UTC)', 'STATE', 'MADE', 'CHANGED', 'LEFT', 'NOT IN', 'SOURCE'], ...rows]),
  ]
}
