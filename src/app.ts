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
import {
  isGiven,
  readOwnerFiles,
  readOwnerSettings,
  withOwnerSettings,
} from './store/storage/owner-settings.ts'
import type { Pruning } from './store/storage/pruning.ts'
import { dropOld } from './store/storage/pruning.ts'
import { makeRouteTable } from './wordpress/platform.ts'

// Starts and stops the service: the only place where its parts are joined.

export interface App {
  server: Server
  database: Database
  site: Site
  port: number
  /** Only the start on an empty database can show the password. */
  firstAdministrator: FirstAdministrator | undefined
  /** Undefined without a desk or an administrator, and once somebody has a password for it. */
  deskEntry: DeskEntry | undefined
  /** The sentence that tells how the demo filled the database. */
  demo: string | undefined
  /** Features tell the operator these sentences once the service answers. */
  told: readonly string[]
  /** Finishes the requests in flight and closes everything. */
  stop: () => Promise<void>
  /** Names the signal in the log. */
  stopBy: (signal: string) => Promise<void>
}

/** Ms that a database, which may be gone, gets to close. */
const CLOSES_WITHIN = 4000

/** In ms. */
const SCHEDULE_EVERY = 1000

/** In ms. An hour is enough, since the horizon is counted in days. */
const EXTENDING_EVERY = 3_600_000

/** In ms. */
const PRUNING_EVERY = 600_000
type Ground = CalendarGround & Pick<App, 'demo'>

type Report = (error: unknown, requestId?: string) => void

interface GroundOptions {
  /** Fills a database without events. */
  demo?: boolean
  features?: readonly Feature[]
  tell?: (sentence: string) => void
}

/**
 * With `demo`, fills a database without events. @throws Error with one sentence when the data folder is a
 * file or the database cannot be opened
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
  /** The source of each setting that was given, for the log. */
  settings?: Readonly<Record<string, SettingSource>>
  /** Called once the service answers, before it says that it is ready: the first password can be used. */
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

/** Maximum length of a login in the log. */
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
  // A port that the system picks has few clients: more listeners would only take time.
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

/** Events would be an hour off for half of the year, and nobody would know why. */
const NO_ZONE =
  'No time zone is set, so events are at the time of UTC. Choose ' +
  'one at the desk, under Settings, or set KALENDS_TIMEZONE.'

type Doors = Pick<App, 'firstAdministrator' | 'deskEntry'>

/** Returns the first password and the link to the desk, once the service answers and both can be used. */
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
 * Changes `site` in place and tells features: now, when `renew` is called after a change of owners' settings,
 * and when `listensOn` gets the port.
 */
async function followOwner({ read }: Database, site: Site, started: Config, servings: readonly Serving[]) {
  let present = started
  let { port } = started
  /** True if a zone was given or set. */
  let hasZone = false
  const renew = async () => {
    const [set, files] = await Promise.all([readOwnerSettings(read), readOwnerFiles(read)])
    present = withOwnerSettings(started, set)
    hasZone = isGiven(started, 'timezone') || set.timezone !== undefined
    Object.assign(site, siteOf(present, port))
    await Promise.all(servings.map(({ follow }) => follow?.(set, files)))
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
  /** Undefined if no requests are logged. */
  requestLog: RequestLog | undefined
  /** Resolves when all lines are written: the exit would write the last ones ahead of others. */
  flushed: () => Promise<void>
}

/** Secrets are cut out of all lines. */
function openLog(config: Config): Log {
  // Without a least length there is no waiting for the end.
  const destination = pino.destination({ dest: 2, sync: false, minLength: 1 })
  const flushed = () => new Promise<void>((resolve) => destination.flush(() => resolve()))
  // Messages of our errors have those of their causes.
  const serializers = { err: pino.stdSerializers.errWithCause }
  const logger = pino(
    { level: config.log_level, serializers },
    { write: (line) => destination.write(withoutSecrets(line)) },
  )
  const { request_log: kept } = config
  if (kept === 'none' || !logger.isLevelEnabled('info')) return { logger, requestLog: undefined, flushed }
  const trusted = config.trusted_proxy.length > 0 ? trustedProxies(config.trusted_proxy) : undefined
  // This log leaves out secrets by itself, and writes many lines at once.
  return { logger, requestLog: makeRequestLog((lines) => destination.write(lines), kept, trusted), flushed }
}

/** Writes the line that docs/production.md describes for fail2ban. */
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

/** See rule 19.3. */
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

/** UTC times are renewed once, since zones may have changed. */
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
