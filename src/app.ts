import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { cacheBudget } from './common/generations.ts'
import type { ImageService } from './common/images.ts'
import { type Config, databaseAddress, mediaAddress, mediaUrl, replicaAddress, type Site, siteOf } from './config.ts'
import type { DemoGround } from './demo/demo.ts'
import { openEventMemory } from './events/event-memory.ts'
import { publishDue } from './events/event-schedule.ts'
import { makeServer } from './http/server.ts'
import { openMediaStore } from './media/open-media-store.ts'
import { makeAuthenticator } from './people/authenticate.ts'
import { createFirstAdministrator } from './people/user-commands.ts'
import { type Database, openDatabase } from './storage/database.ts'
import { readEdition } from './storage/edition.ts'
import { migrate } from './storage/migrate.ts'
import { readFromReplica } from './storage/postgres-replica.ts'

/** A running service. */
export interface App {
  server: FastifyInstance
  database: Database
  site: Site
  /** Port it listens on. */
  port: number
  /** The administrator made for an empty database; its password is known only now. */
  firstAdministrator: { login: string; password: string } | undefined
  /** What the demo did to the database, in one sentence; undefined without it. */
  demo: string | undefined
  /** Finishes the requests in flight and closes everything. */
  stop: () => Promise<void>
}

/** Milliseconds between looks for records whose publication is due. */
const SCHEDULE_EVERY = 1000

/**
 * Opens the database that is configured, brought up to date. `remark` is told what whoever runs the service should know.
 * @throws Error with one sentence when it cannot be opened.
 */
export async function openStorage(config: Config, remark?: (sentence: string) => void): Promise<Database> {
  const database = await openDatabase(databaseAddress(config))
  const { remarks } = await migrate(database)
  if (remark) for (const sentence of remarks) remark(sentence)
  return database
}

/** A database ready to be served, and what was done to make it so. */
export type Ground = Pick<App, 'database' | 'firstAdministrator' | 'demo'> & { site: Site; images: ImageService }

/** What to do with failures of a service that goes on. */
type Report = (error: unknown) => void

/** Opens the database, gives an empty one its administrator and, with `demo`, something to look at. */
export async function prepareGround(config: Config, report: Report, { demo = false } = {}): Promise<Ground> {
  const store = await openMediaStore(mediaAddress(config), report)
  const database = await openStorage(config)
  const now = Date.now()
  const firstAdministrator = await createFirstAdministrator(database, now)
  const site = siteOf(config, config.port)
  const images: ImageService = {
    store,
    hosts: config.image_hosts,
    maxBytes: config.image_bytes,
    mediaUrl: mediaUrl(config, site),
  }
  const ground = { database, images, site }
  return { ...ground, firstAdministrator, demo: demo ? await showDemo({ ...ground, now }) : undefined }
}

/**
 * Joins the parts and listens; the only place they are joined. With `demo`, a database without events is filled first.
 * @throws Error with one sentence when the database cannot be opened or the port is taken.
 */
export async function startApp(config: Config, options: { demo?: boolean } = {}): Promise<App> {
  const logger = pino({ level: config.log_level }, pino.destination({ dest: 2, sync: false }))
  const report: Report = (error) => logger.error(error)
  const replica = replicaAddress(config)
  const { database: primary, images, site, firstAdministrator, demo } = await prepareGround(config, report, options)
  const database = replica === undefined ? primary : readFromReplica(primary, replica, report)
  const authenticator = makeAuthenticator(database)
  let isStopping = false
  const budget = cacheBudget(config.cache_bytes)
  const memory = openEventMemory(database, budget)
  const server = await makeServer(
    {
      site,
      database,
      edition: await readEdition(primary.read),
      images,
      memory,
      authenticate: authenticator.authenticate,
      now: Date.now,
      report,
    },
    {
      logger: config.log_level === 'silent' ? false : logger,
      bodyBytes: config.body_bytes,
      imageBytes: config.image_bytes,
      cacheBudget: budget,
      trustedProxy: config.trusted_proxy,
    },
  )
  const schedule = startSchedule(database, logger)
  const port = await listen(server, config)
  memory.load().catch((error: unknown) => isStopping || report(error))
  Object.assign(site, siteOf(config, port))
  images.mediaUrl = mediaUrl(config, site)
  return {
    server,
    database,
    site,
    port,
    firstAdministrator,
    demo,
    stop: async () => {
      isStopping = true
      clearInterval(schedule)
      await server.close()
      await memory.close()
      await database.close()
    },
  }
}

/** Loaded only when it is asked for, so that no other start waits for it. */
async function showDemo(ground: DemoGround): Promise<string> {
  const { fillDemo } = await import('./demo/demo.ts')
  return fillDemo(ground)
}

/** Publishes what is due, again and again (contract 5.5: no outside scheduler). */
function startSchedule(database: Database, logger: Logger): NodeJS.Timeout {
  const look = () => publishDue(database, Date.now()).catch((error: unknown) => logger.error(error))
  void look()
  return setInterval(look, SCHEDULE_EVERY).unref()
}

async function listen(server: FastifyInstance, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw new Error(
      taken
        ? `Port ${config.port} of ${config.host} is in use; choose another with --port.`
        : `Cannot listen on ${config.host}:${config.port}: ${String(error)}.`,
    )
  }
  const address = server.server.address()
  return typeof address === 'object' && address ? address.port : config.port
}
