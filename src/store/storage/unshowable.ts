import { messageOf } from '../../base/errors.ts'
import type { RecordKind, Taxonomy } from './schema.ts'

/** Thrown for a record that cannot be shown, as one with values that this program never writes. */
export class UnshowableRecord extends Error {
  override name = 'UnshowableRecord'
  constructor(kind: LoggedKind, id: number, cause: unknown) {
    super(`${kind} ${id} cannot be shown: ${messageOf(cause)}`, { cause })
  }
}

export type LoggedKind = RecordKind | Taxonomy | 'user'

export interface Reporting {
  report: (error: unknown) => void
}

/** @throws UnshowableRecord if `show` throws */
export function showRecord<Shown>(kind: LoggedKind, id: number, show: () => Shown): Shown {
  try {
    return show()
  } catch (error) {
    throw new UnshowableRecord(kind, id, error)
  }
}

export function showOrLeaveOut<Shown>(
  reporting: Reporting,
  kind: LoggedKind,
  id: number,
  show: () => Shown,
): Shown | undefined {
  try {
    return show()
  } catch (error) {
    noteUnshowable(reporting, kind, id, error)
    return undefined
  }
}

/**
 * What was reported in the current minute, since lists read the same records again and again. `since` is in
 * ms of `performance.now()`.
 */
interface Notes {
  since: number
  noted: Set<string>
  passedOver: number
}

const notes = new WeakMap<Reporting['report'], Notes>()

/** In ms: after this time a record is reported again. */
const NOTED_EVERY = 60_000
const MOST_NOTED = 50

/** Reports each record at most once a minute, and at most 50 records a minute. */
export function noteUnshowable({ report }: Reporting, kind: LoggedKind, id: number, cause: unknown): void {
  const name = `${kind} ${id}`
  const known = notesOf(report)
  if (known.noted.has(name)) return
  if (known.noted.size >= MOST_NOTED) {
    known.passedOver += 1
    return
  }
  known.noted.add(name)
  report(new UnshowableRecord(kind, id, cause))
}

function notesOf(report: Reporting['report']): Notes {
  const known = notes.get(report)
  const now = performance.now()
  if (known && now - known.since < NOTED_EVERY) return known
  if (known && known.passedOver > 0)
    report(new Error(`Other records than those noted could not be shown, ${known.passedOver} times in all.`))
  const fresh: Notes = { since: now, noted: new Set(), passedOver: 0 }
  notes.set(report, fresh)
  return fresh
}
