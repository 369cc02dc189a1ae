import type { WithSequence } from '../../store/storage/schema.ts'

export interface ImportScheduleColumns {
  id: number
  name: string
  /** JSON list, without `--every`. */
  words: string
  every_seconds: number
  /** Due; and held by a process until. */
  next_utc: string
  leased_utc: string
  paused: number
  /** In a row; and how the last run ended. */
  failures: number
  outcome: string
}

export interface ImportColumns {
  id: number
  source: number
  started_utc: string
  /** Empty while it runs, and if it was cut off. */
  ended_utc: string
  state: 'running' | 'done' | 'failed' | 'undone'
  user: number
  /** JSON. */
  options: string
  /** JSON, by outcome. */
  counts: string
  /** Where the next run goes on. */
  position: string
}

/** With the values that undo it. */
export interface ImportActColumns {
  run: number
  kind: string
  record: number
  /** `begin`: a single event became the first occurrence of the series. */
  action: 'create' | 'update' | 'trash' | 'begin'
  identity: string
  occurrence: string
  /** JSON: former fields, or the event that began to repeat, and the former row of `import_items`. */
  before: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    import_schedules: WithSequence<ImportScheduleColumns>
    imports: WithSequence<ImportColumns>
    import_acts: ImportActColumns
  }
}
