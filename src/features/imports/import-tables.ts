import { type FeatureTables, step } from '../../store/storage/migration.ts'
import type { WithSequence } from '../../store/storage/schema.ts'

export interface ImportScheduleColumns {
  id: number
  name: string
  /** JSON list of arguments of `kalends import`, without `--every`. */
  words: string
  every_seconds: number
  /** `next_utc`: when the next run is due; `leased_utc`: end of the lease of a process. */
  next_utc: string
  leased_utc: string
  paused: number
  /** `failures` in a row; `outcome`: message of the last run. */
  failures: number
  outcome: string
}

export interface ImportColumns {
  id: number
  source: number
  started_utc: string
  /** Empty while the run goes on, and after it was cut off. */
  ended_utc: string
  state: 'running' | 'done' | 'failed' | 'undone'
  user: number
  options: string
  counts: string
  position: string
}

/** What a run did to a record, and the values that undo it. */
export interface ImportActColumns {
  run: number
  kind: string
  record: number
  /** `begin`: a single event became the first occurrence of a series. */
  action: 'create' | 'update' | 'trash' | 'begin'
  identity: string
  occurrence: string
  /** JSON: former values of changed fields, former row of `import_items`; for `begin`, the event. */
  before: string
}

/** An import at the desk, deleted 30 days after its last change. */
export interface DeskImportColumns {
  id: number
  user: number
  /** `waiting` to be imported, `leaving` to be undone: both run while `leased_utc` is in the future. */
  state: 'open' | 'waiting' | 'done' | 'leaving' | 'undone'
  name: string
  /** JSON: the kind (`table`, `file` or `address`), with the address, or remarks on the file. */
  content: string
  /** JSON of `RowChoices`: columns, corrected cells, decisions, and values for all rows. */
  choices: string
  /** JSON of `Checked`: what becomes of each row; empty for an address. */
  checked: string
  /** JSON of `StagedReport`; empty before the first run. */
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

/** Older steps are among the kernel's migrations. */
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
      // Rows of open imports have the former format.
      `delete from desk_imports where state = 'open'`,
    ]),
  ],
  own: ['desk_imports', 'desk_import_rows'],
  unasked: ['import_schedules'],
}
