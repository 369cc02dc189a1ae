import type { Server } from 'node:http'
import { type Logger, pino } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { limitCaches } from './base/cache.ts'
import { type Config, mediaAddress, mediaUrl, type SettingSource, type Site, siteOf } from './base/config.ts'
import { codeOf, messageOf } from './base/errors.ts'
import { fileAt } from './base/files.ts'
import { isTaken, readTexts } from './base/look-settings.ts'
import { type CalendarGround, readerContext } from './calendar/ground.ts'
import { tellLostFiles } from './calendar/images/lost-files.ts'
import { type Authenticator, makeAuthenticator, type OnRefused } from './calendar/people/authenticate.ts'
import {
  createFirstAdministrator,
  type DeskEntry,
  type FirstAdministrator,
  findDeskEntry,
  giveFirstPassword,
} from './calendar/people/first-administrator.ts'
import { extendSeries, publishDue, renewTimes } from './calendar/series/series-upkeep.ts'
import type { DemoGround } from './features/demo/demo.ts'
import { makeDeskGate } from './features/desk/sign-in/desk-sign-in.ts'
import {
  makeRunningImports,
  type RunningImports,
  runDueImports,
  type StartImport,
  stopImports,
} from './features/imports/import-schedule.ts'
import {
  countSettled,
  type Metrics,
  makeMetrics,
  noteAnswer,
  readMetrics,
  withCounts,
} from './features/metrics/metrics.ts'
import type { Family } from './features/metrics/metrics-server.ts'
import { filesOfLook, lookOf, readStart } from './features/pages/look.ts'
import { makeSender, type Sender, sendDue, stopSending } from './features/webhooks/send-webhooks.ts'
import type { OnAnswered } from './http/front.ts'
import { trustedProxies } from './http/incoming.ts'
import {
  logAnswer,
  logSettled,
  makeRequestLog,
  type RequestLog,
  withoutSecrets,
  writeLines,
} from './http/request-log.ts'
import { canShare, type HttpServer, makeServer } from './http/server.ts'
import type { ImageService } from './store/media/media-store.ts'
import { imagesOf, openMediaStore } from './store/media/open-media-store.ts'
import {
  closeMemory,
  type EventMemory,
  isBehind,
  loadMemory,
  openEventMemory,
} from './store/memory/event-memory.ts'
import type { Database } from './store/storage/database.ts'
import { readEdition } from './store/storage/edition.ts'
import { openStorage, tellFailures } from './store/storage/open-database.ts'
import { readOwnerFiles, readOwnerSettings, withOwnerSettings } from './store/storage/owner-settings.ts'
import { dropOld } from './store/storage/pruning.ts'

// Starts and stops the service: the only place where its parts are joined.

export interface App {
  server: Server
  database: Database
  site: Site
  port: number
  /** Only the start on an empty database can show the password. */
  firstAdministrator: FirstAdministrator | undefined
  /** Undefined without a desk, an administrator, or once somebody has a password for it. */
  deskEntry: DeskEntry | undefined
  /** How the demo filled the database. */
  demo: string | undefined
  /** Undefined when no metrics are served. */
  readMetrics: (() => Promise<Family[]>) | undefined
  /** Finishes requests in flight. */
  stop: () => Promise<void>
  /** Names the signal in the log. */
  stopBy: (signal: string) => Promise<void>
}

/** Ms for a database that may be gone. */
const CLOSES_WITHIN = 4000

/** Ms between looks for publications. */
const SCHEDULE_EVERY = 1000

/** An hour is enough: the horizon is counted in days. */
const EXTENDING_EVERY = 3_600_000

/** Ms between looks for messages that are due. */
const WEBHOOKS_EVERY = 500

/** Ms between looks for old changes and history. */
const PRUNING_EVERY = 600_000
/** Ms between looks for imports that are due. */
const IMPORTS_EVERY = 30_000

type Ground = CalendarGround & Pick<App, 'demo'>

type Report = (error: unknown, requestId?: string) => void

interface GroundOptions {
  /** A database without events. */
  demo?: boolean
  /** For the operator. */
  tell?: (sentence: string) => void
}

/**
 * With `demo`, fills a database without events. @throws Error with one sentence when the data folder is a
 * file or the database cannot be opened
 */
export async function prepareGround(
  config: Config,
  report: Report,
  { demo = false, tell }: GroundOptions = {},
): Promise<Ground> {
  const file = fileAt(config.data)
  if (file !== undefined) throw new Error(`${file} is a file, and --data takes a folder.`)
  const store = await openMediaStore(mediaAddress(config), report)
  const database = await openStorage(config, tell)
  const now = Date.now()
  await createFirstAdministrator(database, now)
  const site = siteOf(config, config.port)
  const ground = { database, images: imagesOf(config, store, site), site }
  return { ...ground, demo: demo ? await showDemo({ ...ground, now }) : undefined }
}

export interface StartOptions extends Pick<GroundOptions, 'demo'> {
  /** For the log. */
  settings?: Readonly<Record<string, SettingSource>>
  /** Once the service answers, before it says that it is ready: the first password. */
  announce?: (app: App) => void
  /** Without it no imports run on a schedule. */
  startImport?: StartImport
}

interface Running {
  config: Config
  http: HttpServer
  timers: readonly NodeJS.Timeout[]
  authenticator: Authenticator
  memory: EventMemory
  database: Database
  log: Log
  sender: Sender
  imports: RunningImports
  isStopping: boolean
}

const { version } = packageJson

/** Of a login in the log. */
const LONGEST_LOGIN = 100

/**
 * With `demo`, fills a database without events. @throws Error with one sentence when the database cannot be
 * opened or the port is in use
 */
export async function startApp(config: Config, options: StartOptions = {}): Promise<App> {
  const log = openLog(config)
  const { logger, requestLog } = log
  const report: Report = (error, requestId) =>
    logger.error(requestId === undefined ? { err: error } : { err: error, requestId })
  const tell = (sentence: string) => logger.warn(sentence)
  const { database: opened, images, site, demo } = await prepareGround(config, report, { ...options, tell })
  const metrics = config.metrics === '' ? undefined : makeMetrics()
  const database = metrics ? withCounts(metrics, opened) : opened
  const refused = refusalsIn(logger)
  const authenticator = makeAuthenticator(database, undefined, refused, () => isBehind(memory))
  const gate = config.desk === 'on' ? makeDeskGate(database, refused) : undefined
  const budget = limitCaches(config.cache_bytes)
  const owner = await followOwner(database, site, config, tell)
  const memory = openEventMemory(database, budget, report, owner.renew, authenticator.forget)
  const edition = await readEdition(database.read)
  const { authenticate } = authenticator
  const { webhook_hosts: webhookHosts } = config
  const announced = Promise.withResolvers<void>()
  const kept = { database, edition, memory, images, announced: announced.promise }
  const http = makeServer(
    { ...kept, site, webhookHosts, start: config, authenticate, gate, now: () => Date.now(), report },
    { ...serverLimits(config), look: owner.look, cacheBudget: budget, ...hearing(requestLog, metrics) },
  )
  const sender = senderOf(database, site, images, config, report, watchingSettled(logger, metrics))
  const imports = makeRunningImports()
  const timers = [
    startWebhooks(sender, report),
    startSchedule(database, logger),
    startExtending(database, site, report, tell),
    startPruning(database, config, report),
    tellFailures(database, report, tell),
    ...(options.startImport ? [startImports(database, options.startImport, imports, report)] : []),
  ]
  const running: Running = {
    config,
    http,
    timers,
    authenticator,
    memory,
    database,
    log,
    sender,
    imports,
    isStopping: false,
  }
  // A port that the system picks has few clients: more listeners would only take time.
  const isShared = canShare && config.port !== 0
  const port = await listen(http, config, isShared)
  const lost = tellLostFiles(database.read, images.store, mediaAddress(config), tell)
  for (const work of [loadMemory(memory), lost])
    work.catch((error: unknown) => running.isStopping || report(error))
  owner.listensOn(port)
  images.mediaUrl = mediaUrl(config, site)
  const stop = () => stopRunning(running, undefined)
  const stopBy = (signal: string) => stopRunning(running, signal)
  logger.info({ version, node: process.version, port, settings: options.settings ?? {} }, 'started')
  const first = await openDoors(database, config, options).catch(stopAndThrow(stop))
  const watched = { version, database, memory, cacheBudget: budget, admission: http.admission }
  const read = metrics && (() => readMetrics(metrics, watched))
  const app = { server: http.server, database, site, port, ...first, demo, readMetrics: read, stop, stopBy }
  options.announce?.(app)
  announced.resolve()
  return app
}

type Doors = Pick<App, 'firstAdministrator' | 'deskEntry'>

/** Once the service answers, so that both can be used. */
async function openDoors(
  database: Database,
  { desk }: Config,
  { demo = false }: Pick<GroundOptions, 'demo'>,
): Promise<Doors> {
  const firstAdministrator = await giveFirstPassword(database)
  const which = { isFirst: firstAdministrator !== undefined, isDemo: demo }
  const deskEntry = desk === 'on' ? await findDeskEntry(database, which, Date.now()) : undefined
  return { firstAdministrator, deskEntry }
}

function serverLimits(config: Config) {
  return {
    bodyBytes: config.body_bytes,
    imageBytes: config.image_bytes,
    intakeBytes: config.intake_bytes,
    uploadFolder: config.data,
    patienceMs: config.patience_ms,
    rateLimit: config.rate_limit,
    trustedProxy: config.trusted_proxy,
    hasPages: config.pages !== 'off',
  }
}

/**
 * Changes `site` and the returned `look` in place: now, when `renew` is called after a change, and when
 * `listensOn` tells the port.
 */
async function followOwner(
  { read }: Database,
  site: Site,
  started: Config,
  tell: (sentence: string) => void,
) {
  const { texts, files: startFiles } = readStart(started)
  const config = { ...started, pages_texts: texts }
  let present = config
  const look = await lookOf(config, startFiles)
  let { port } = config
  const renew = async () => {
    const [set, files] = await Promise.all([readOwnerSettings(read), readOwnerFiles(read)])
    present = withOwnerSettings(config, set)
    Object.assign(site, siteOf(present, port))
    Object.assign(look, await lookOf(present, filesOfLook(startFiles, files)))
  }
  await renew()
  const hidden = readTexts(present.pages_texts)
    .filter(isTaken)
    .map(({ slug }) => `/${slug}/`)
  if (hidden.length > 0)
    tell(`Pages of text at ${hidden.join(', ')} are hidden, since the calendar uses their addresses.`)
  const listensOn = (listened: number) => {
    port = listened
    Object.assign(site, siteOf(present, port))
  }
  return { look, renew, listensOn }
}

async function stopRunning(running: Running, signal: string | undefined): Promise<void> {
  const { config, http, authenticator, memory, database } = running
  const { logger, requestLog, ended } = running.log
  running.isStopping = true
  logger.info(signal === undefined ? {} : { signal }, 'stopping')
  for (const timer of running.timers) clearInterval(timer)
  await http.stop({ drainMs: config.drain_ms, deadlineMs: config.stop_ms })
  await atMost(CLOSES_WITHIN, async () => {
    await Promise.all([stopSending(running.sender), stopImports(running.imports)])
    await authenticator.close()
    await closeMemory(memory)
    await database.close()
  })
  if (requestLog) writeLines(requestLog)
  logger.info('stopped')
  await atMost(CLOSES_WITHIN, ended)
}

/** A service that cannot go on is stopped. */
function stopAndThrow(stop: () => Promise<void>): (error: unknown) => Promise<never> {
  return async (error) => {
    await stop()
    throw error
  }
}

async function atMost(ms: number, work: () => Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work(), over])
  } finally {
    clearTimeout(timer)
  }
}

interface Log {
  logger: Logger
  /** Undefined where no requests are logged. */
  requestLog: RequestLog | undefined
  /** When all lines are written: the exit would write the last ones ahead of others. */
  ended: () => Promise<void>
}

/** Secrets are cut out of all lines. */
function openLog(config: Config): Log {
  // Without a least length there is no waiting for the end.
  const destination = pino.destination({ dest: 2, sync: false, minLength: 1 })
  const ended = () => new Promise<void>((resolve) => destination.flush(() => resolve()))
  // Messages of our errors have those of their causes.
  const serializers = { err: pino.stdSerializers.errWithCause }
  const logger = pino(
    { level: config.log_level, serializers },
    { write: (line) => destination.write(withoutSecrets(line)) },
  )
  const { request_log: kept } = config
  if (kept === 'none' || !logger.isLevelEnabled('info')) return { logger, requestLog: undefined, ended }
  const trusted = config.trusted_proxy.length > 0 ? trustedProxies(config.trusted_proxy) : undefined
  // It leaves out secrets by itself, and writes many lines at once.
  return { logger, requestLog: makeRequestLog((lines) => destination.write(lines), kept, trusted), ended }
}

/** As docs/production.md describes for fail2ban. */
function refusalsIn(logger: Logger): OnRefused {
  return (address, login) => logger.warn({ address, login: login.slice(0, LONGEST_LOGIN) }, 'sign-in refused')
}

/** For the log of requests and the metrics, as far as they are kept. */
function hearing(log: RequestLog | undefined, metrics: Metrics | undefined): { onAnswered?: OnAnswered } {
  if (log && metrics)
    return {
      onAnswered: (answered) => {
        noteAnswer(metrics, answered)
        logAnswer(log, answered)
      },
    }
  if (log) return { onAnswered: (answered) => logAnswer(log, answered) }
  return metrics ? { onAnswered: (answered) => noteAnswer(metrics, answered) } : {}
}

function watchingSettled(logger: Logger, metrics: Metrics | undefined): Sender['onSettled'] {
  return (settled) => {
    logSettled(logger, settled)
    if (metrics) countSettled(metrics.webhooks, settled)
  }
}

/** Its code is loaded only here. */
async function showDemo(ground: DemoGround): Promise<string> {
  const { fillDemo } = await import('./features/demo/demo.ts')
  return fillDemo(ground)
}

/** At once and every `SCHEDULE_EVERY` ms (rule 19.3). */
function startSchedule(database: Database, logger: Logger): NodeJS.Timeout {
  let isLooking = false
  const look = async () => {
    // Very many records may be due after a night without the service.
    if (isLooking) return
    isLooking = true
    await publishDue(database, Date.now()).catch((error: unknown) => logger.error(error))
    isLooking = false
  }
  void look()
  return setInterval(look, SCHEDULE_EVERY).unref()
}

/** At once and every `EXTENDING_EVERY` ms; renews UTC times once, since zones may change. */
function startExtending(
  database: Database,
  site: Site,
  report: Report,
  tell: (sentence: string) => void,
): NodeJS.Timeout {
  const look = () => extendSeries(database, site, Date.now(), tell).catch(report)
  void look().then(() => renewTimes(database, Date.now()).catch(report))
  return setInterval(look, EXTENDING_EVERY).unref()
}

function startWebhooks(sender: Sender, report: Report): NodeJS.Timeout {
  return setInterval(() => sendDue(sender, Date.now()).catch(report), WEBHOOKS_EVERY).unref()
}

function senderOf(
  database: Database,
  site: Site,
  images: ImageService,
  { webhook_hosts: hosts }: Config,
  report: Report,
  onSettled: Sender['onSettled'],
): Sender {
  return makeSender({
    database,
    hosts,
    report,
    onSettled,
    contextOf: (isPrivate) => readerContext({ database, site, images }, isPrivate, { report }),
  })
}

/** At once where no former values are to be kept. */
function startPruning(
  database: Database,
  { history_days, history_bytes }: Config,
  report: Report,
): NodeJS.Timeout {
  const drop = () => dropOld(database, history_days, Date.now(), history_bytes).catch(report)
  if (history_bytes === 0) void drop()
  return setInterval(drop, PRUNING_EVERY).unref()
}

function startImports(
  database: Database,
  start: StartImport,
  running: RunningImports,
  report: Report,
): NodeJS.Timeout {
  const look = () => void runDueImports(database, start, Date.now, report, running).catch(report)
  look()
  return setInterval(look, IMPORTS_EVERY).unref()
}

async function listen(http: HttpServer, { host, port, metrics }: Config, isShared: boolean): Promise<number> {
  try {
    return await http.listen({ host, port }, isShared)
  } catch (error) {
    const taken = codeOf(error) === 'EADDRINUSE'
    if (taken && metrics.endsWith(`:${port}`))
      throw new Error(
        `Port ${port} of ${host} is that of the metrics; choose another with --port or --metrics.`,
      )
    throw new Error(
      taken
        ? `Port ${port} of ${host} is in use; choose another with --port.`
        : `Cannot listen on ${host}:${port}: ${messageOf(error)}.`,
    )
  }
}
