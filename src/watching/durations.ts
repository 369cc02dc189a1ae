import type { Sample } from './metric-families.ts'

/** A histogram of durations. */
export interface Durations {
  /** Counts by upper bound, the last for durations beyond all. */
  counts: Float64Array
  seconds: number
}

/** Upper bounds in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function noDurations(): Durations {
  return { counts: new Float64Array(BOUNDS.length + 1), seconds: 0 }
}

export function noteDuration(durations: Durations, seconds: number): void {
  let at = 0
  while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at += 1
  durations.counts[at] = (durations.counts[at] ?? 0) + 1
  durations.seconds += seconds
}

/** The samples of a histogram. */
export function samplesOf({ counts, seconds }: Durations, labels: Readonly<Record<string, string>>): Sample[] {
  let below = 0
  const buckets = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, at) => {
    below += counts[at] ?? 0
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound)
    return { suffix: '_bucket', labels: { ...labels, le }, value: below }
  })
  return [...buckets, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: below }]
}
