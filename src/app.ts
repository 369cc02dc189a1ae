import type { Server } from 'node:http'
import { type Logger, pino } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { limitCaches } from './base/cache.ts'
import { type Config, mediaAddress, mediaUrl, type SettingSource, type Site, siteOf } from './base/config.ts'
import { codeOf, messageOf } from './base/errors.ts'
import { fileAt } from './base/files.ts'
import type { CalendarGround } from './calendar/ground.ts'
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
import {
  type Feature,
  featureRoutes,
  listPrunings,
  type RunningService,
  type ServiceStart,
  type Serving,
} from './feature.ts'
import { features as allFeatures } from './features.ts'
import type { OnAnswered } from './http/entrance.ts'
import { trustedProxies } from './http/incoming.ts'
import { logAnswer, makeRequestLog, type RequestLog, withoutSecrets, writeLines } from './http/request-log.ts'
import { canShare, type HttpServer, makeServer } from './http/server.ts'
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
import type { Pruning } from './store/storage/pruning.ts'
import { dropOld } from './store/storage/pruning.ts'
import { isGiven, readStoredSettings, withStored } from './store/storage/stored-settings.ts'
import { makeRouteTable } from './wordpress/platform.ts'

// Starts and stops the service. Only this file connects its parts.

export interface App {
  server: Server
  database: Database
  site: Site
  port: number
  /** Login and first password; undefined unless this start has set the password. */
  firstAdministrator: FirstAdministrator | undefined
  /**
   * The administrator who may open the desk, perhaps with a sign-in link. Undefined if the desk is off, if no
   * administrator is active, or once somebody has a password for the desk.
   */
  deskEntry: DeskEntry | undefined
  /** A sentence about what the demo added; undefined without `demo`. */
  demo: string | undefined
  /** Sentences of features for the operator, printed once the service answers. */
  told: readonly string[]
  /** Stops listening, lets requests in flight finish until the deadline, and closes everything. */
  stop: () => Promise<void>
  /** Like `stop`, and logs the signal. */
  stopBy: (signal: string) => Promise<void>
}

/** In ms: the longest wait for the database, whose connection may be gone, and again for the log. */
const CLOSES_WITHIN = 4000

/** In ms: how often scheduled records are published. */
const SCHEDULE_EVERY = 1000

/** In ms: how often series are extended, whose horizon is counted in days. */
const EXTENDING_EVERY = 3_600_000

/** In ms: how often old rows are deleted. */
const PRUNING_EVERY = 600_000
type Ground = CalendarGround & Pick<App, 'demo'>

type Report = (error: unknown, requestId?: string) => void

interface GroundOptions {
  /** Lets the demo feature fill a database that has no events. */
  demo?: boolean
  features?: readonly Feature[]
  tell?: (sentence: string) => void
}

/**
 * Opens the database and the store of images, and creates the first administrator if there are no users.
 * @throws Error with one sentence if the data folder is a file or the database cannot be opened
 */
export async function prepareGround(
  config: Config,
  report: Report,
  { demo = false, tell, features = allFeatures }: GroundOptions = {},
): Promise<Ground> {
  const file = fileAt(config.data)
  if (file !== undefined) throw new Error(`${file} is a file, and --data takes a folder.`)
  const store = await openMediaStore(mediaAddress(config), report)
  const database = await openStorage(config, features, tell)
  const now = Date.now()
  await createFirstAdministrator(database, now)
  const site = siteOf(config, config.port)
  const ground = { database, images: imagesOf(config, store, site), site }
  const fill = demo ? features.find((feature) => feature.fill)?.fill : undefined
  return { ...ground, demo: await fill?.({ ...ground, now }) }
}

export interface StartOptions extends Omit<GroundOptions, 'tell'> {
  /** For the log: whether each setting came from a flag or the environment. */
  settings?: Readonly<Record<string, SettingSource>>
  /** Called once the service answers, before it counts as ready. The first password can be used by then. */
  announce?: (app: App) => void
  settingWords?: ServiceStart['settingWords']
}

interface Running {
  config: Config
  http: HttpServer
  timers: readonly NodeJS.Timeout[]
  authenticator: Authenticator
  memory: EventMemory
  database: Database
  log: Log
  servings: readonly Serving[]
  isStopping: boolean
}

const { version } = packageJson

/** In characters: a longer login is cut in the log. */
const LONGEST_LOGIN = 100

/**
 * Starts the service and resolves once it answers requests.
 * @throws Error with one sentence if the database cannot be opened or the port is in use
 */
export async function startApp(config: Config, options: StartOptions = {}): Promise<App> {
  const log = openLog(config)
  const { logger, requestLog } = log
  const report: Report = (error, requestId) =>
    logger.error(requestId === undefined ? { err: error } : { err: error, requestId })
  const tell = (sentence: string) => logger.warn(sentence)
  const { features = allFeatures, settingWords } = options
  const servings = await serveAll({ config, features, logger, report, tell, settingWords })
  const { database: opened, images, site, demo } = await prepareGround(config, report, { ...options, tell })
  const database = servings.reduce((inner, { around }) => around?.(inner) ?? inner, opened)
  const refused = refusalsIn(logger)
  const authenticator = makeAuthenticator(database, undefined, refused, () => isBehind(memory))
  const budget = limitCaches(config.cache_bytes)
  if (servings.some(({ sendsMail }) => sendsMail)) site.hasMail = true
  const owner = await followOwner(database, site, config, servings)
  const memory = openEventMemory(database, budget, report, owner.renew, authenticator.forget)
  const edition = await readEdition(database.read)
  const { authenticate } = authenticator
  const announced = Promise.withResolvers<void>()
  const kept = { database, edition, memory, images, announced: announced.promise }
  const http = makeServer(
    { ...kept, site, start: config, authenticate, refused, now: () => Date.now(), report },
    {
      ...serverLimits(config),
      cacheBudget: budget,
      routes: makeRouteTable(site, await featureRoutes(features)),
      makeRows: (parts) => servings.flatMap(({ rows }) => rows?.(parts) ?? []),
      ...hearing(requestLog, servings),
    },
  )
  const families = async () =>
    (await Promise.all(servings.map(async (serving) => (await serving.families?.()) ?? []))).flat()
  const ground = { database, images, site, memory, cacheBudget: budget, admission: http.admission, families }
  const timers = [
    ...startWorks(ground, servings),
    startSchedule(database, logger),
    startExtending(database, site, report, tell),
    startPruning(database, config, await listPrunings(features), report),
    tellFailures(database, report, tell),
  ]
  const running: Running = {
    config,
    http,
    timers,
    authenticator,
    memory,
    database,
    log,
    servings,
    isStopping: false,
  }
  // With port 0, as in tests, the system picks a free port; the few clients then need no extra listeners.
  const isShared = canShare && config.port !== 0
  const port = await listen(http, config, isShared, servings)
  const lost = tellLostFiles(database.read, images.store, mediaAddress(config), tell)
  for (const work of [loadMemory(memory), lost])
    work.catch((error: unknown) => running.isStopping || report(error))
  owner.listensOn(port)
  images.mediaUrl = mediaUrl(config, site)
  const stop = () => stopRunning(running, undefined)
  const stopBy = (signal: string) => stopRunning(running, signal)
  logger.info({ version, node: process.version, port, settings: options.settings ?? {} }, 'started')
  const first = await openDoors(database, config, options).catch(stopAndThrow(stop))
  const told = servings.flatMap((serving) => serving.told ?? [])
  if (!owner.hasZone() && !demo) tell(NO_ZONE)
  const app = { server: http.server, database, site, port, ...first, demo, told, stop, stopBy }
  options.announce?.(app)
  announced.resolve()
  return app
}

/** Where the zone is another than UTC, events would be hours off without any visible reason. */
const NO_ZONE =
  'No time zone is set, so events are at the time of UTC. Choose ' +
  'one at the desk, under Settings, or set KALENDS_TIMEZONE.'

type Doors = Pick<App, 'firstAdministrator' | 'deskEntry'>

/**
 * Creates the first password and the link to the desk, which work at once: the service must answer by then.
 */
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
  }
}

async function serveAll(start: ServiceStart): Promise<Serving[]> {
  const begun = await Promise.all(start.features.map(({ serve }) => serve?.(start)))
  return begun.filter((serving) => serving !== undefined)
}

/**
 * Applies the settings of owners in the database to `site` in place, and passes them to features: now and at
 * each call of the returned `renew`. `listensOn` gives `site` the actual port.
 */
async function followOwner({ read }: Database, site: Site, started: Config, servings: readonly Serving[]) {
  let present = started
  let { port } = started
  /** True if a flag, the environment or an owner set the zone. */
  let hasZone = false
  const renew = async () => {
    const set = await readStoredSettings(read)
    present = withStored(started, set)
    hasZone = isGiven(started, 'timezone') || set.timezone !== undefined
    Object.assign(site, siteOf(present, port))
    await Promise.all(servings.map(({ follow }) => follow?.(set, read)))
  }
  await renew()
  const listensOn = (listened: number) => {
    port = listened
    Object.assign(site, siteOf(present, port))
  }
  return { renew, listensOn, hasZone: () => hasZone }
}

function startWorks(service: RunningService, servings: readonly Serving[]): NodeJS.Timeout[] {
  const works = servings.flatMap((serving) => serving.works?.(service) ?? [])
  return works.map(({ every, isAtOnce, look }) => {
    if (isAtOnce) look()
    return setInterval(look, every).unref()
  })
}

async function stopRunning(running: Running, signal: string | undefined): Promise<void> {
  const { config, http, authenticator, memory, database } = running
  const { logger, requestLog, flushed } = running.log
  running.isStopping = true
  logger.info(signal === undefined ? {} : { signal }, 'stopping')
  for (const timer of running.timers) clearInterval(timer)
  await http.stop({ drainMs: config.drain_ms, deadlineMs: config.stop_ms })
  await atMost(CLOSES_WITHIN, async () => {
    await Promise.all(running.servings.map((serving) => serving.stop?.()))
    await authenticator.close()
    await closeMemory(memory)
    await database.close()
  })
  if (requestLog) writeLines(requestLog)
  logger.info('stopped')
  await atMost(CLOSES_WITHIN, flushed)
}

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
  /** Undefined if requests are not logged. */
  requestLog: RequestLog | undefined
  /**
   * Resolves when all lines are written. Without this wait, the last ones would be written at exit, perhaps
   * before earlier ones.
   */
  flushed: () => Promise<void>
}

function openLog(config: Config): Log {
  // With `minLength` 0, `flush` would call back before the lines are written.
  const destination = pino.destination({ dest: 2, sync: false, minLength: 1 })
  const flushed = () => new Promise<void>((resolve) => destination.flush(() => resolve()))
  // The usual serializer appends the message of `cause`, which our errors contain already.
  const serializers = { err: pino.stdSerializers.errWithCause }
  const logger = pino(
    { level: config.log_level, serializers },
    { write: (line) => destination.write(withoutSecrets(line)) },
  )
  const { request_log: kept } = config
  if (kept === 'none' || !logger.isLevelEnabled('info')) return { logger, requestLog: undefined, flushed }
  const trusted = config.trusted_proxy.length > 0 ? trustedProxies(config.trusted_proxy) : undefined
  // The request log removes secrets itself and writes many lines at once, so it bypasses the logger.
  return { logger, requestLog: makeRequestLog((lines) => destination.write(lines), kept, trusted), flushed }
}

/** Logs refused sign-ins in the form that docs/production.md describes for fail2ban. */
function refusalsIn(logger: Logger): OnRefused {
  return (address, login) => logger.warn({ address, login: login.slice(0, LONGEST_LOGIN) }, 'sign-in refused')
}

function hearing(log: RequestLog | undefined, servings: readonly Serving[]): { onAnswered?: OnAnswered } {
  const listening = servings.flatMap(({ onAnswered }) => onAnswered ?? [])
  if (log) listening.push((answered) => logAnswer(log, answered))
  const [one, ...others] = listening
  if (!one) return {}
  if (others.length === 0) return { onAnswered: one }
  return {
    onAnswered: (answered) => {
      for (const listen of listening) listen(answered)
    },
  }
}

/** Publishes records whose scheduled time has come, now and every second (rule 19.3). */
function startSchedule(database: Database, logger: Logger): NodeJS.Timeout {
  let isLooking = false
  const look = async () => {
    // A run may take longer than the interval: very many records may be due after a night without the
    // service.
    if (isLooking) return
    isLooking = true
    await publishDue(database, Date.now()).catch((error: unknown) => logger.error(error))
    isLooking = false
  }
  void look()
  return setInterval(look, SCHEDULE_EVERY).unref()
}

/**
 * Creates the next events of series, now and every hour. After the first run, also corrects UTC times of
 * their coming events, since the rules of time zones may have changed.
 */
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

function startPruning(
  database: Database,
  { history_days, history_bytes }: Config,
  prunings: readonly Pruning[],
  report: Report,
): NodeJS.Timeout {
  const drop = () => dropOld(database, history_days, Date.now(), history_bytes, prunings).catch(report)
  if (history_bytes === 0) void drop()
  return setInterval(drop, PRUNING_EVERY).unref()
}

async function listen(
  http: HttpServer,
  { host, port }: Config,
  isShared: boolean,
  servings: readonly Serving[],
): Promise<number> {
  try {
    return await http.listen({ host, port }, isShared)
  } catch (error) {
    const taken = codeOf(error) === 'EADDRINUSE'
    const other = servings.find(({ listens }) => listens?.at.endsWith(`:${port}`))?.listens
    if (taken && other)
      throw new Error(
        `Port ${port} of ${host} is in use by the setting ${other.setting}; ` +
          `choose another with --port or --${other.setting}.`,
      )
    throw new Error(
      taken
        ? `Port ${port} of ${host} is in use; choose another with --port.`
        : `Cannot listen on ${host}:${port}: ${messageOf(error)}.`,
    )
  }
}
