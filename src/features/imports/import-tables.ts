import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface ImportScheduleColumns {
  id: number
  name: string
  /** A JSON list; `--every` is left out. */
  words: string
  every_seconds: number
  /** When it is due, and until when a process holds it. */
  next_utc: string
  leased_utc: string
  paused: number
  /** Failures in a row, and how the last run ended. */
  failures: number
  outcome: string
}

export interface ImportColumns {
  id: number
  source: number
  started_utc: string
  /** Empty while the run goes on, and if it was cut off. */
  ended_utc: string
  state: 'running' | 'done' | 'failed' | 'undone'
  user: number
  options: string
  counts: string
  position: string
}

/** Acts have the values that undo them. */
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

/** Imports of the desk are kept for 30 days. */
export interface DeskImportColumns {
  id: number
  user: number
  /** Waits to come in or to be taken back, and is under way while `leased_utc` lies ahead. */
  state: 'open' | 'waiting' | 'done' | 'leaving' | 'undone'
  name: string
  /** JSON: its kind; an address, or what is said of a whole file. */
  content: string
  /** JSON: columns, mended cells, decisions, values for all rows. */
  choices: string
  /** JSON: what becomes of each row by these choices. An address has none. */
  checked: string
  /** JSON; empty before the first run. */
  report: string
  made_utc: string
  changed_utc: string
  leased_utc: string
}

export interface DeskImportRowsColumns {
  staged: number
  piece: number
  content: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    import_schedules: WithSequence<ImportScheduleColumns>
    imports: WithSequence<ImportColumns>
    import_acts: ImportActColumns
    desk_imports: WithSequence<DeskImportColumns>
    desk_import_rows: DeskImportRowsColumns
  }
}

/** The kernel's migrations have the other steps. */
export const importTables: FeatureTables = {
  feature: 'imports',
  migrations: [
    step('imports-0001-desk', ({ id, text, sequence }) => [
      `create table desk_imports (id ${sequence},
        "user" ${id} not null references users (id) on delete cascade,
        state ${text} not null, name ${text} not null, content ${text} not null, choices ${text} not null,
        report ${text} not null, made_utc ${text} not null, changed_utc ${text} not null,
        leased_utc ${text} not null)`,
      'create index desk_imports_user on desk_imports ("user", id)',
      `create index desk_imports_waiting on desk_imports (id) where state in ('waiting', 'leaving')`,
      'create index desk_imports_time on desk_imports (changed_utc)',
    ]),
    step('imports-0002-rows', ({ id, text }) => [
      `create table desk_import_rows (staged ${id} not null references desk_imports (id) on delete cascade,
        piece ${id} not null, content ${text} not null, primary key (staged, piece))`,
      `alter table desk_imports add column checked ${text} not null default ''`,
      // Their rows have another form.
      `delete from desk_imports where state = 'open'`,
    ]),
  ],
  own: ['desk_imports', 'desk_import_rows'],
}
