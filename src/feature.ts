import type { Command } from 'commander'
import type { Logger } from 'pino'
import type { CacheBudget } from './base/cache.ts'
import type { Config } from './base/config.ts'
import type { Finding, Trouble } from './base/finding.ts'
import type { LookFileSetting } from './base/look-settings.ts'
import type { Family } from './base/metric-families.ts'
import type { HasSettings } from './base/setting-kinds.ts'
import type { Context } from './calendar/declare/context.ts'
import type { CalendarGround } from './calendar/ground.ts'
import type { Admission } from './http/admission.ts'
import type { OnAnswered } from './http/entrance.ts'
import type { AnswerRow, RowGround } from './http/router.ts'
import type { EventMemory } from './store/memory/event-memory.ts'
import type { Ask } from './store/storage/ask.ts'
import type { Database } from './store/storage/database.ts'
import type { KeepsTables } from './store/storage/migration.ts'
import type { OwnerTexts } from './store/storage/owner-settings.ts'
import type { Pruning } from './store/storage/pruning.ts'
import type { FeatureRoutes } from './wordpress/platform.ts'

/** A feature is data; its code is loaded when it is asked for. */
export interface Feature extends HasSettings, KeepsTables {
  name: string
  commands?: readonly CommandGroup[]
  table?: (features: readonly Feature[]) => Promise<Partial<FeatureRoutes>>
  topics?: readonly Topic[]
  prunings?: () => Promise<readonly Pruning[]>
  /** Findings for the doctor. */
  checks?: (config: Config) => Promise<readonly Finding[]>
  /** Lists failures of what the feature does by itself, for the doctor and the page Today. */
  troubles?: (ask: Ask, now: number) => Promise<readonly Trouble[]>
  /** Fills a database without events, for `kalends serve --demo`. Returns a sentence that says how. */
  fill?: (ground: CalendarGround & { now: number }) => Promise<string>
  /** Called before the database is opened. @throws Error with one sentence */
  serve?: (start: ServiceStart) => Promise<Serving>
}

/** News that webhooks of administrators get besides changes of records; the feature writes them. */
export interface Topic {
  /** Such as `submission.received`. */
  type: string
  /** Returns undefined if the news need not be sent any more. */
  present: (context: Context, id: number) => Promise<object | undefined>
}

/** The commands are registered together. `register` loads the code that only they need. */
export interface CommandGroup {
  names: readonly string[]
  register: (program: Command, ground: CommandGround) => void | Promise<void>
}

export interface CommandGround {
  /** Has to be called when a command runs, since the flags are not known before. */
  configure: () => Config
  features: readonly Feature[]
}

export interface ServiceStart {
  config: Config
  features: readonly Feature[]
  logger: Logger
  report: (error: unknown, requestId?: string) => void
  /** Receives sentences for the operator. */
  tell: (sentence: string) => void
  /** Words that give another process the same settings; undefined if no command line began this one. */
  settingWords: readonly string[] | undefined
}

/** The part of a feature in a running service. */
export interface Serving {
  /** A sentence for the operator, once the service answers. */
  told?: string
  /** `at` is `HOST:PORT`; `setting` names the setting that gives it. */
  listens?: { at: string; setting: string }
  /** Makes `hasMail` of the site true. */
  sendsMail?: true
  around?: (database: Database) => Database
  onAnswered?: OnAnswered
  /** Gets what owners have set, at the start and after each change. */
  follow?: (set: OwnerTexts, files: Partial<Record<LookFileSetting, Buffer>>) => Promise<void>
  rows?: (ground: RowGround) => readonly AnswerRow[]
  works?: (service: RunningService) => readonly Work[]
  families?: () => Promise<readonly Family[]>
  stop?: () => Promise<unknown>
}

export interface RunningService extends CalendarGround {
  memory: EventMemory
  cacheBudget: CacheBudget
  admission: Admission
  families: () => Promise<Family[]>
}

export interface Work {
  /** In ms. */
  every: number
  isAtOnce?: true
  look: () => unknown
}

/** @param now in ms since the epoch */
export async function listTroubles(features: readonly Feature[], ask: Ask, now: number): Promise<Trouble[]> {
  return (await Promise.all(features.map(async ({ troubles }) => (await troubles?.(ask, now)) ?? []))).flat()
}

export async function listPrunings(features: readonly Feature[]): Promise<Pruning[]> {
  return (await Promise.all(features.map(async ({ prunings }) => (await prunings?.()) ?? []))).flat()
}

export async function featureRoutes(features: readonly Feature[]): Promise<FeatureRoutes> {
  const tables = await Promise.all(features.map(async ({ table }) => (await table?.(features)) ?? {}))
  return {
    formats: tables.flatMap(({ formats = [] }) => formats),
    routes: tables.flatMap(({ routes = [] }) => routes),
  }
}
