import type { Command } from 'commander'
import type { Logger } from 'pino'
import type { CacheBudget } from './base/cache.ts'
import type { Config } from './base/config.ts'
import type { Finding, Trouble } from './base/finding.ts'
import type { Family } from './base/metric-families.ts'
import type { HasSettings } from './base/setting-kinds.ts'
import type { Context } from './calendar/declare/context.ts'
import type { CalendarGround } from './calendar/ground.ts'
import type { Admission } from './http/admission.ts'
import type { OnAnswered } from './http/entrance.ts'
import type { AnswerRow, RowGround } from './http/router.ts'
import type { EventMemory } from './store/memory/event-memory.ts'
import type { Ask } from './store/storage/ask.ts'
import type { Database, Db } from './store/storage/database.ts'
import type { KeepsTables } from './store/storage/migration.ts'
import type { Pruning } from './store/storage/pruning.ts'
import type { StoredSettings } from './store/storage/stored-settings.ts'
import type { FeatureRoutes } from './wordpress/platform.ts'

/** A part of the service that can be left out. Its code is imported when one of its functions is called. */
export interface Feature extends HasSettings, KeepsTables {
  name: string
  commands?: readonly CommandGroup[]
  table?: (features: readonly Feature[]) => Promise<Partial<FeatureRoutes>>
  topics?: readonly Topic[]
  prunings?: () => Promise<readonly Pruning[]>
  /** What `kalends doctor` reports about the feature. */
  checks?: (config: Config) => Promise<readonly Finding[]>
  /** Failures of background work, for the doctor and the page Today of the desk. */
  troubles?: (ask: Ask, now: number) => Promise<readonly Trouble[]>
  /**
   * Fills a database that has no events, for `kalends serve --demo`. Returns a sentence about what it added.
   */
  fill?: (ground: CalendarGround & { now: number }) => Promise<string>
  /**
   * Starts the feature's part of the service, before the database is opened.
   * @throws Error with one sentence that ends the start
   */
  serve?: (start: ServiceStart) => Promise<Serving>
}

/** News for webhooks besides changes of records. Only webhooks with `is_private` get them. */
export interface Topic {
  /** The event type in webhooks, such as `submission.received`. */
  type: string
  /** The content of the message about the row `id`; undefined if it need not be sent any more. */
  present: (context: Context, id: number) => Promise<object | undefined>
}

/** Commands that share code. `register` adds all of them, and imports the code that only they need. */
export interface CommandGroup {
  names: readonly string[]
  register: (program: Command, ground: CommandGround) => void | Promise<void>
}

export interface CommandGround {
  /** Reads the settings. Call it only when a command runs, since flags are not parsed before. */
  configure: () => Config
  features: readonly Feature[]
}

export interface ServiceStart {
  config: Config
  features: readonly Feature[]
  logger: Logger
  report: (error: unknown, requestId?: string) => void
  /** Logs a warning for the operator. */
  tell: (sentence: string) => void
  /** Command-line arguments that give another process the same settings; undefined without a command line. */
  settingWords: readonly string[] | undefined
}

/** The running part of a feature, from its start to its stop. */
export interface Serving {
  /** A sentence for the operator, printed once the service answers. */
  told?: string
  /** A second address, `HOST:PORT`, that the feature listens on. `setting` names the setting of the port. */
  listens?: { at: string; setting: string }
  /** Set by the feature that sends e-mail; the site then has `hasMail`. */
  sendsMail?: true
  around?: (database: Database) => Database
  onAnswered?: OnAnswered
  /** Applies what owners set: at the start, and after each change. */
  follow?: (set: StoredSettings, read: Db) => Promise<void>
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
  /** In ms: the interval of `look`. */
  every: number
  isAtOnce?: true
  look: () => unknown
}

/** `now` is in ms. */
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
